//! The table of common changes in CONTRIBUTING.md names few files, files that are there, and all in which the name of
//! an example stands.

use std::fs;
use std::path::{Path, PathBuf};

use super::architecture::rows;
use super::markdown::{Page, section};
use super::paths::{Names, paths};
use super::{nothing, root};

const FILES_MAX: usize = 5;
const CHANGES: &[&str] = &["policy", "rejection", "metric", "setting", "export", "panel", "fleet order", "experiment"];

/// An example of changes, and the names by which it is found in the code.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("a baseline", &["Apprentice", "APPRENTICE"]),
    ("a rejection reason", &["PoorFeed", "poor_feed"]),
    ("a metric", &["harvestman_host_log_ins_total", ".log_ins"]),
    ("a setting", &["revisit_memory"]),
    ("an output format of posts", &["Convokit", "convokit"]),
    ("a fleet order", &["Command::Unblock", "Control::Unblock", "Self::Unblock"]),
    ("a lab experiment", &["SamplesArgs", "Samples::", "Samples {"]),
];
/// Where an example is looked for.
const CODE: &[&str] = &["crates", "src", "grafana/boards"];

/// The files below a folder that are neither tests nor documents.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["tests", "benches"].contains(&name.as_str()) {
                sources(&path, into);
            }
        } else if [".rs", ".py", ".js"].iter().any(|ending| name.ends_with(ending)) && !name.ends_with("tests.rs") {
            into.push(path);
        }
    }
}

/// Whether a text has a name that is not a part of another one.
fn has_name(text: &str, name: &str) -> bool {
    let is_part = |char: Option<char>| char.is_some_and(|char| char.is_ascii_alphanumeric() || char == '_');
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + name.len()..].chars().next());
        !is_part(before.filter(|_| name.starts_with(char::is_alphanumeric)))
            && !is_part(after.filter(|_| name.ends_with(char::is_alphanumeric)))
    })
}

/// The files in which an example stands and that its row does not name.
fn forgotten(row: &[&str], names: &[&str], sources: &[(PathBuf, String)]) -> Vec<String> {
    let code = Page::parse(&root().join("CONTRIBUTING.md"), row[1]).code;
    let named: Vec<_> = paths(&code, Names::OfCode, root().to_owned())
        .into_iter()
        .filter_map(|named| named.path?.canonicalize().ok())
        .collect();
    let holds = |text: &str| names.iter().any(|name| has_name(text, name));
    let is_named =
        |path: &Path| named.iter().any(|named| if named.is_dir() { path.starts_with(named) } else { path == named });
    let forgotten = sources.iter().filter(|(path, text)| holds(text) && !is_named(path));
    forgotten.map(|(path, _)| format!("{}: {}", row[0], path.display())).collect()
}

#[test]
fn each_common_change_names_all_files_in_which_an_example_stands() {
    let mut files = Vec::new();
    CODE.iter().for_each(|folder| sources(&root().join(folder), &mut files));
    let files: Vec<_> = files.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect();
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let rows = rows(section(&text, "## Where do I change …"));
    for (change, names) in EXAMPLES {
        let row = rows.iter().find(|row| row[0] == *change).unwrap_or_else(|| panic!("no row for {change}"));
        let known = files.iter().filter(|(_, text)| names.iter().any(|name| has_name(text, name))).count();
        assert!(known > 1, "{change}: {names:?} are in {known} files");
        nothing(&forgotten(row, names, &files));
        let fewer: Vec<_> = row.iter().map(|_| "`src/main.rs`").collect();
        assert!(!forgotten(&fewer, names, &files).is_empty(), "{change}");
    }
}

fn wrong(rows: &[Vec<&str>]) -> Vec<String> {
    let mut wrong = Vec::new();
    for row in rows {
        let code = Page::parse(&root().join("CONTRIBUTING.md"), row[1]).code;
        let named = paths(&code, Names::OfCode, root().to_owned());
        if named.is_empty() || named.len() > FILES_MAX {
            wrong.push(format!("{}: {} files", row[0], named.len()));
        }
        wrong.extend(
            named.iter().filter(|named| named.path.is_none()).map(|named| format!("{}: `{}`", row[0], named.name)),
        );
    }
    let is_there = |change: &&&str| !rows.iter().any(|row| row[0].contains(**change));
    wrong.extend(CHANGES.iter().filter(is_there).map(|change| format!("no row for: {change}")));
    wrong
}

#[test]
fn each_common_change_names_at_most_five_files_that_are_there() {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    nothing(&wrong(&rows(section(&text, "## Where do I change …"))));
}

#[test]
fn rows_with_too_many_files_or_wrong_ones_are_found() {
    let of = |files: &str| {
        let all: String = CHANGES[1..].iter().map(|change| format!("| {change} | `src/main.rs` |\n")).collect();
        wrong(&rows(&format!("| change | files |\n|---|---|\n| policy | {files} |\n{all}")))
    };
    assert_eq!(of("`crates/policy/src/factory.rs`, `lib.rs`"), Vec::<String>::new());
    assert_eq!(of("nothing"), ["policy: 0 files"]);
    assert_eq!(of("`src/gone.rs`"), ["policy: `src/gone.rs`"]);
    assert_eq!(of("`src/lib.rs` `src/main.rs` `src/cli/` `src/` `tests/` `docs/`"), ["policy: 6 files"]);
    assert_eq!(wrong(&rows("| a | b |\n|---|---|\n")).len(), CHANGES.len());
}
