//! Every page of docs/ is in the book, once.

use std::collections::BTreeMap;
use std::path::Path;

use super::markdown::Page;
use super::{below, nothing, root};

/// Pages that the summary does not name once.
fn astray(summary: &Page, pages: &[String]) -> Vec<String> {
    let mut named: BTreeMap<&str, usize> = BTreeMap::new();
    for link in &summary.links {
        *named.entry(link).or_default() += 1;
    }
    let count = |page: &String| named.get(page.as_str()).copied().unwrap_or(0);
    pages.iter().filter(|page| count(page) != 1).map(|page| format!("{page} is named {} times", count(page))).collect()
}

#[test]
fn every_page_of_the_documentation_is_in_the_book() {
    let docs = root().join("docs");
    let pages = below(&docs).into_iter().map(|path| path.strip_prefix(&docs).unwrap().display().to_string());
    let pages: Vec<String> = pages.filter(|page| page != "SUMMARY.md").collect();
    nothing(&astray(&Page::read(&docs.join("SUMMARY.md")), &pages));
}

#[test]
fn pages_that_are_missing_or_named_twice_are_found() {
    let summary = Page::parse(Path::new("SUMMARY.md"), "- [a](a.md)\n- [b](b.md)\n- [b](b.md)\n");
    let pages = ["a.md", "b.md", "c.md"].map(str::to_owned);
    assert_eq!(astray(&summary, &pages), ["b.md is named 2 times", "c.md is named 0 times"]);
}
