//! Links lead somewhere.

use std::path::{Component, Path, PathBuf};

use super::markdown::Page;
use super::{found, nothing, root};

/// Links of a page that lead nowhere: files that are missing, anchors that no heading has, and links out of the book.
fn broken(page: &Page) -> Vec<String> {
    let relative = page.links.iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:"));
    relative.filter_map(|link| Some(format!("[{link}] {}", wrong(page, link)?))).collect()
}

fn wrong(page: &Page, link: &str) -> Option<&'static str> {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = if file.is_empty() { page.path.clone() } else { plain(&page.path.parent().unwrap().join(file)) };
    let book = root().join("docs");
    if !file.is_empty() && !path.exists() {
        return Some("leads to no file");
    }
    if page.path.starts_with(&book) && !path.starts_with(&book) {
        return Some("leads out of the book, which is read without the repository: name the file instead");
    }
    let is_there = match file {
        _ if anchor.is_empty() => true,
        "" => page.anchors.contains(anchor),
        _ => path.is_file() && Page::read(&path).anchors.contains(anchor),
    };
    (!is_there).then_some("names no heading of that page")
}

/// The path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// Places that a page names as `` `FILE.md`, *Heading* ``, where it cannot link to them, and that are not there.
fn unnamed(text: &str) -> Vec<String> {
    let places = text.match_indices("`, *").filter_map(|(at, mark)| {
        let file = text[..at].rsplit('`').next()?;
        let heading = text[at + mark.len()..].split('*').next()?;
        file.ends_with(".md").then_some((file, heading))
    });
    let is_missing = |file: &str, heading: &str| {
        let path = root().join(file);
        !path.exists() || !Page::read(&path).headings.contains(heading)
    };
    places
        .filter(|(file, heading)| is_missing(file, heading))
        .map(|(file, heading)| format!("{file} has no `{heading}`"))
        .collect()
}

#[test]
fn every_link_within_the_documentation_leads_somewhere() {
    nothing(&found(broken));
}

#[test]
fn every_place_that_is_named_instead_of_linked_is_there() {
    nothing(&found(|page| unnamed(&std::fs::read_to_string(&page.path).unwrap())));
}

#[test]
fn broken_links_are_found() {
    let text = "[a](cli.md#harvestman) [b](cli.md#no-such) [c](missing.md) [d](../README.md) [e](#here) [f](https://example.org/)\n\n# Here";
    let page = Page::parse(&root().join("docs/sample.md"), text);
    let found: Vec<String> = broken(&page).iter().map(|what| what.split(']').next().unwrap().to_owned()).collect();
    assert_eq!(found, ["[cli.md#no-such", "[missing.md", "[../README.md"]);
    let text = "`docs/results.md`, *Performance*, and `docs/results.md`, *What it weighs*";
    assert_eq!(unnamed(text), ["docs/results.md has no `What it weighs`"]);
}
