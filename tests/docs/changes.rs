//! The table of common changes in CONTRIBUTING.md names few files, and files that are there.

use super::architecture::rows;
use super::markdown::{Page, section};
use super::paths::{Names, paths};
use super::{nothing, root};

const FILES_MAX: usize = 5;
const CHANGES: &[&str] = &["policy", "rejection", "metric", "setting", "export", "panel", "fleet order", "experiment"];

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
    let text = std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
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
