//! Lists of violations that are known and excused.

use std::collections::BTreeMap;

use crate::sources::Crate;

/// A violation that is excused: the crate, the violation, and the reason.
pub type Exception = (&'static str, &'static str, &'static str);

/// Violations in one crate, each with its details.
pub type Violations = BTreeMap<String, String>;

/// Panics unless the violations are those that are listed.
pub fn check<'a>(listed: &[Exception], found: impl Iterator<Item = (&'a Crate, Violations)>) {
    let found =
        found.flat_map(|(of, violations)| violations.into_iter().map(|(key, detail)| ((of.name.clone(), key), detail)));
    let problems = differences(listed, &found.collect());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn differences(listed: &[Exception], found: &BTreeMap<(String, String), String>) -> Vec<String> {
    let is_listed =
        |(of, what): &(String, String)| listed.iter().any(|(name, excused, _)| name == of && excused == what);
    let unlisted = found.iter().filter(|(key, _)| !is_listed(key));
    let unlisted = unlisted.map(|((of, what), detail)| format!("{of}: {what}: {detail}"));
    let is_found = |of: &str, what: &str| found.contains_key(&(of.to_owned(), what.to_owned()));
    let obsolete = listed.iter().filter(|(of, what, _)| !is_found(of, what));
    unlisted
        .chain(obsolete.map(|(of, what, _)| format!("{of}: {what}: no longer found; remove it from the list")))
        .collect()
}

#[test]
fn unlisted_violations_and_obsolete_entries_are_reported() {
    let key = |of: &str, what: &str| (of.to_owned(), what.to_owned());
    let found =
        [(key("a", "old"), "1".to_owned()), (key("a", "new"), "2".to_owned()), (key("b", "old"), "3".to_owned())];
    let listed = [("a", "old", "a reason"), ("b", "gone", "a reason")];
    let expected = ["a: new: 2", "b: old: 3", "b: gone: no longer found; remove it from the list"];
    assert_eq!(differences(&listed, &found.into()), expected);
}
