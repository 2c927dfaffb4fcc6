//! ARCHITECTURE.md, the pages on the internals and the READMEs of the crates describe the code that is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::markdown::{Page, section};
use super::paths::{Names, paths};
use super::{below, nothing, root};

const STEPS_MIN: usize = 10;
/// Where the path of a page is described, and the number of files that are named there at least.
const PATHS: &[(&str, &str, usize)] =
    &[("ARCHITECTURE.md", "## The path of a page", 20), ("docs/internals/page-path.md", "## The steps", 35)];
/// ARCHITECTURE.md is read in twelve minutes.
const WORDS_MAX: usize = 2_500;
const COLUMNS_MAX: usize = 140;
/// Rows of a table cannot be broken.
const ROW_COLUMNS_MAX: usize = 180;
const README_LINES: std::ops::RangeInclusive<usize> = 5..=15;

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap()
}

/// The rows of the first table, each as its cells.
pub fn rows(section: &str) -> Vec<Vec<&str>> {
    let table = section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    table.skip(2).map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// A numbered step of the path of a page.
struct Step {
    number: usize,
    /// What is named in it, in its order: the first must be a file.
    files: Vec<PathBuf>,
    missing: Vec<String>,
    /// The call or message that carries the page to the next step.
    hand_over: Option<String>,
}

impl Step {
    fn parse(text: &str) -> Option<Self> {
        let (number, text) = text.split_once(". ")?;
        let code = Page::parse(&root().join("ARCHITECTURE.md"), text).code;
        let named = paths(&code, Names::OfCode, root().to_owned());
        let hand_over = text.split("*Hand-over:* `").nth(1).and_then(|rest| rest.split('`').next());
        Some(Self {
            number: number.parse().ok()?,
            missing: named.iter().filter(|named| named.path.is_none()).map(|named| named.name.clone()).collect(),
            files: named.into_iter().filter_map(|named| named.path).collect(),
            hand_over: hand_over.map(str::to_owned),
        })
    }

    /// Whether a file of the step has all parts of `Type::name` as words.
    fn names(&self, what: &str) -> bool {
        let texts: Vec<String> = self.files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect();
        let has = |text: &String, word: &str| {
            text.split(|char: char| !char.is_alphanumeric() && char != '_').any(|part| part == word)
        };
        what.split("::").all(|word| texts.iter().any(|text| has(text, word)))
    }
}

/// The numbered items of a section.
fn steps(section: &str) -> Vec<Step> {
    let mut items: Vec<String> = Vec::new();
    for line in section.lines() {
        if line.starts_with(|char: char| char.is_ascii_digit()) {
            items.push(line.to_owned());
        } else if line.starts_with(' ')
            && let Some(item) = items.last_mut()
        {
            item.push(' ');
            item.push_str(line.trim());
        }
    }
    items.iter().filter_map(|item| Step::parse(item)).collect()
}

/// What is wrong with the path: files that are not there, and steps that do not pass the page to the step after them.
fn wrong_steps(steps: &[Step]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let number = step.number;
        if number != at + 1 {
            wrong.push(format!("step {number} is the one of number {}", at + 1));
        }
        wrong.extend(step.missing.iter().map(|name| format!("step {number}: `{name}` is not there")));
        if !step.files.first().is_some_and(|file| file.is_file()) {
            wrong.push(format!("step {number} does not begin with a file"));
        }
        let next = &steps[(at + 1) % steps.len()];
        match &step.hand_over {
            None => wrong.push(format!("step {number} has no hand-over")),
            Some(what) if !step.names(what) => wrong.push(format!("no file of step {number} names `{what}`")),
            Some(what) if !next.names(what) => wrong.push(format!("no file after step {number} names `{what}`")),
            Some(_) => {}
        }
    }
    wrong
}

/// The crates, by their folders.
fn crates() -> BTreeSet<String> {
    let entries = fs::read_dir(root().join("crates")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The crates of the workspace that a crate depends on, by its manifest.
fn dependencies(name: &str) -> BTreeSet<String> {
    let manifest = read(&format!("crates/{name}/Cargo.toml"));
    let section = manifest.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap().to_owned();
    let own = section.lines().filter_map(|line| line.strip_prefix("harvestman-"));
    own.map(|line| line.split(['.', ' ']).next().unwrap().to_owned()).collect()
}

/// What is wrong with the table of crates.
fn wrong_crates(rows: &[Vec<&str>]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut left = crates();
    for row in rows {
        let name = row[0].trim_matches('`').trim_start_matches("crates/").trim_end_matches('/');
        if !left.remove(name) {
            wrong.push(format!("there is no crate {name}, or it is in the table twice"));
            continue;
        }
        let listed: BTreeSet<String> = row[2].split(", ").filter(|on| *on != "–").map(str::to_owned).collect();
        if listed != dependencies(name) {
            wrong.push(format!("{name} depends on {:?}, not on {listed:?}", dependencies(name)));
        }
        if row.get(3).is_none_or(|not| not.is_empty()) {
            wrong.push(format!("the table does not say what {name} must not know"));
        }
    }
    wrong.extend(left.iter().map(|name| format!("{name} is not in the table")));
    wrong
}

/// The number of words of ARCHITECTURE.md, if it is too large.
fn too_many_words(text: &str) -> Option<usize> {
    Some(text.split_whitespace().count()).filter(|words| *words > WORDS_MAX)
}

fn wrong_readme(name: &str, text: &str) -> Vec<String> {
    let lines = text.lines().count();
    let mut wrong = Vec::new();
    if !text.starts_with(&format!("# harvestman-{name}\n")) {
        wrong.push(format!("{name}: the title is another"));
    }
    if !README_LINES.contains(&lines) {
        wrong.push(format!("{name}: {lines} lines"));
    }
    if !text.contains("It must not know ") {
        wrong.push(format!("{name}: what it must not know is missing"));
    }
    wrong
}

#[test]
fn the_path_of_a_page_names_files_that_pass_it_on_in_this_order() {
    for &(file, heading, files_min) in PATHS {
        let steps = steps(section(&read(file), heading));
        let files: BTreeSet<&PathBuf> = steps.iter().flat_map(|step| &step.files).collect();
        let (count, named) = (steps.len(), files.len());
        assert!(count >= STEPS_MIN && named >= files_min, "{file}: {count} steps, {named} files");
        nothing(&wrong_steps(&steps));
    }
}

#[test]
fn the_architecture_is_short() {
    assert_eq!(too_many_words(&"a word\n".repeat(WORDS_MAX / 2)), None);
    assert_eq!(too_many_words(&"a word\n".repeat(WORDS_MAX / 2 + 1)), Some(WORDS_MAX + 2));
    assert_eq!(too_many_words(&read("ARCHITECTURE.md")), None);
}

#[test]
fn every_crate_is_in_the_table_with_what_it_depends_on() {
    nothing(&wrong_crates(&rows(section(&read("ARCHITECTURE.md"), "## Crates"))));
}

#[test]
fn every_crate_says_what_it_is_for_and_what_it_must_not_know() {
    let wrong = |name: &String| wrong_readme(name, &read(&format!("crates/{name}/README.md")));
    nothing(&crates().iter().flat_map(wrong).collect::<Vec<_>>());
}

#[test]
fn lines_of_the_documents_on_the_code_are_short() {
    let readmes = crates().into_iter().map(|name| format!("crates/{name}/README.md"));
    let folders = ["docs/internals", "docs/decisions"].map(|folder| below(&root().join(folder)));
    let pages = folders.concat().into_iter().map(|path| path.strip_prefix(root()).unwrap().display().to_string());
    let files = ["ARCHITECTURE.md", "CONTRIBUTING.md"].map(str::to_owned).into_iter().chain(readmes).chain(pages);
    let long = |file: String| {
        let text = read(&file);
        let max = |line: &str| if line.starts_with('|') { ROW_COLUMNS_MAX } else { COLUMNS_MAX };
        let lines = text.lines().enumerate().filter(|(_, line)| line.chars().count() > max(line));
        lines.map(|(at, line)| format!("{file}:{} is longer than {}", at + 1, max(line))).collect::<Vec<_>>()
    };
    nothing(&files.flat_map(long).collect::<Vec<_>>());
}

#[test]
fn a_wrong_path_table_or_readme_is_found() {
    let text = "1. **A** `crates/pipeline/src/handles/pages.rs`: `gone.rs`. *Hand-over:* `Job::Page`.\n\
                2. **B** `crates/pipeline/src/page/worker.rs`\n   and more. *Hand-over:* `fly_away`.\n\
                4. **C** `crates/pipeline/src/`. *Hand-over:* `Kept`.\n5. **D** `crates/pipeline/src/page/worker.rs`.\n";
    let wrong = wrong_steps(&steps(text));
    let expected = [
        "step 1: `gone.rs` is not there",
        "no file of step 2 names `fly_away`",
        "step 4 is the one of number 3",
        "step 4 does not begin with a file",
        "no file of step 4 names `Kept`",
        "step 5 is the one of number 4",
        "step 5 has no hand-over",
    ];
    assert_eq!(wrong, expected);
    let table = "| crate | contents | depends on | must not know |\n|---|---|---|---|\n| `crates/core/` | a | sim | b |\n\
                 | `crates/metrics/` | a | core | |\n| `crates/gone/` | a | – | b |\n";
    let wrong = wrong_crates(&rows(table));
    assert!(
        wrong[0].starts_with("core depends on {\"domains\"}, not on {\"sim\"}")
            && wrong[1].contains("what metrics must not know"),
        "{wrong:?}"
    );
    assert!(
        wrong[2].starts_with("there is no crate gone") && wrong[3..].contains(&"sim is not in the table".to_owned()),
        "{wrong:?}"
    );
    assert_eq!(wrong_readme("core", "# core\n\nIt is.\n").len(), 3);
}
