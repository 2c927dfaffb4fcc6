//! Facts that stand in two documents are the same in both.

use std::collections::BTreeSet;

use super::markdown::section;
use super::root;

fn text(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap()
}

/// What stands first in the rows of a table, without the head and without backquotes.
fn first_cells(section: &str) -> BTreeSet<String> {
    let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.filter_map(|row| Some(row.split('|').nth(1)?.trim().replace('`', ""))).collect()
}

/// The values that a label of a metric takes, as the reference lists them.
fn label_values(reference: &str, metric: &str, label: &str) -> BTreeSet<String> {
    let row = reference.lines().find(|line| line.starts_with(&format!("| `{metric}`"))).unwrap();
    let values = row.split(&format!("`{label}`: ")).nth(1).unwrap().split("<br>").next().unwrap();
    let values = values.split(" | ").next().unwrap();
    values.split(", ").map(|value| value.trim().trim_matches('`').to_owned()).collect()
}

#[test]
fn the_fates_are_those_that_the_crawl_counts() {
    let mut counted = label_values(&text("docs/METRICS.md"), "harvestman_crawl_fates_total", "fate");
    counted.insert("queued".to_owned());
    assert_eq!(first_cells(section(&text("docs/files.md"), "## Fates")), counted);
}

#[test]
fn the_exit_codes_are_those_of_the_help() {
    let reference = text("docs/cli.md");
    let help = section(&reference, "## harvestman").split("Exit codes:").nth(1).unwrap().to_owned();
    let codes: BTreeSet<String> = help
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| word.chars().all(|char| char.is_ascii_digit()))
        .map(str::to_owned)
        .collect();
    assert!(codes.len() >= 6);
    assert_eq!(first_cells(section(&text("docs/files.md"), "## Exit codes")), codes);
}

#[test]
fn policies_are_those_that_can_be_named() {
    let known = |name: &String| {
        let words = ["harvestman", "crawl", "x", "--example", "x", "--topic", "x", "--policy", name].map(str::to_owned);
        harvestman::cli::check::check(&words).is_ok()
    };
    let table = text("README.md");
    let listed = first_cells(section(&table, "## Crawl policies"));
    let named: BTreeSet<String> = listed.iter().flat_map(|cell| cell.split(", ")).map(str::to_owned).collect();
    let unknown: Vec<&String> = named.iter().filter(|name| !known(name)).collect();
    assert!(named.len() == harvestman::config::PolicyKind::ALL.len() && unknown.is_empty(), "{unknown:?} of {named:?}");
    assert!(!known(&"no-such-policy".to_owned()));
}

#[test]
fn tables_and_labels_are_read() {
    let sample = "# A\n\n## B\n\n| x | y |\n| --- | --- |\n| `a` | 1 |\n| b | 2 |\n\n## C\n\n| d |\n";
    assert_eq!(first_cells(section(sample, "## B")), ["a", "b"].map(str::to_owned).into());
    let row = "| `m` | counter | `k`: `u`, `v`<br>`l`: `w` | text |";
    assert_eq!(label_values(row, "m", "k"), ["u", "v"].map(str::to_owned).into());
    assert_eq!(label_values(row, "m", "l"), ["w"].map(str::to_owned).into());
}
