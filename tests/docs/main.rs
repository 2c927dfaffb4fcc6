//! The documentation describes what is there: links lead somewhere, pages are in the book, command lines parse,
//! settings, metrics and files that are named exist, and ARCHITECTURE.md follows a page through the code. Each check is
//! tried on a broken sample first.
#![allow(clippy::unwrap_used, reason = "what goes wrong here is a failed test")]

mod architecture;
mod changes;
mod commands;
mod facts;
mod links;
mod markdown;
mod names;
mod paths;
mod pins;
mod secret_files;
mod shell;
mod summary;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use markdown::Page;

/// Documents beside those of docs/ and the READMEs of the crates.
const OTHERS: &[&str] = &["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "grafana/README.md"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All Markdown files below a folder, sorted.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            paths.extend(below(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            paths.push(path);
        }
    }
    paths.sort();
    paths
}

/// All documents.
fn pages() -> Vec<Page> {
    let others = OTHERS.iter().map(|name| root().join(name)).filter(|path| path.exists());
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path().join("README.md"));
    let all = others.chain(below(&root().join("docs"))).chain(crates);
    let pages: Vec<Page> = all.map(|path| Page::read(&path)).collect();
    assert!(pages.len() >= 20, "only {} documents were found", pages.len());
    pages
}

/// What a check finds in all documents, as `file: what`.
fn found(check: impl Fn(&Page) -> Vec<String>) -> Vec<String> {
    let mut all = Vec::new();
    for page in pages() {
        let name = page.path.strip_prefix(root()).unwrap().display().to_string();
        all.extend(check(&page).into_iter().map(|what| format!("{name}: {what}")));
    }
    all
}

/// Fails with all that was found.
fn nothing(found: &[String]) {
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}
