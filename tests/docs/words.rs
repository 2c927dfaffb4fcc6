//! Comments fit into a window, and words that were given up stay so.

use std::fs;
use std::path::{Path, PathBuf};

use super::{nothing, pages, root};

/// Maximum number of characters of a line with a comment.
const COLUMNS_MAX: usize = 120;
/// Words that documents and comments do not use, and what they say instead.
const WORDS: &[(&str, &str)] = &[
    ("learnt", "learned"),
    ("whilst", "while"),
    ("in place of the setting", "instead of the setting"),
    ("helm", "control"),
    ("desk", "queue"),
];

/// The Rust files below a folder.
fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() && !path.ends_with("target") {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// Lines with comments that are too long.
fn long_comments(text: &str) -> Vec<usize> {
    let lines = text.lines().enumerate();
    lines.filter(|(_, line)| is_comment(line) && line.chars().count() > COLUMNS_MAX).map(|(at, _)| at + 1).collect()
}

/// The words of the list in a text.
fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let is_part = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
    let has = |word: &str| {
        text.match_indices(word)
            .any(|(at, _)| !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next()))
    };
    let found = WORDS.iter().filter(|(word, _)| has(word));
    found.map(|(word, instead)| format!("`{word}`: say `{instead}`")).collect()
}

fn sources() -> Vec<(String, String)> {
    let mut files = Vec::new();
    ["crates", "src", "tests", "benches", "examples"]
        .into_iter()
        .for_each(|folder| rust_files(&root().join(folder), &mut files));
    assert!(files.len() > 1_000, "only {} files were found", files.len());
    let name = |path: &Path| path.strip_prefix(root()).unwrap().display().to_string();
    files.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn lines_with_comments_are_short() {
    let long = |(name, text): (String, String)| {
        long_comments(&text).into_iter().map(move |line| format!("{name}:{line} is longer than {COLUMNS_MAX}"))
    };
    nothing(&sources().into_iter().flat_map(long).collect::<Vec<_>>());
    assert_eq!(long_comments(&format!("let a = \"{}\";\n// {}\n", "b".repeat(200), "c".repeat(118))), [2]);
}

#[test]
fn words_that_were_given_up_are_not_used() {
    let comments = |text: &str| text.lines().filter(|line| is_comment(line)).collect::<Vec<_>>().join("\n");
    let of_code = sources().into_iter().map(|(name, text)| (name, comments(&text)));
    let of_pages = pages().into_iter().map(|page| {
        (page.path.strip_prefix(root()).unwrap().display().to_string(), fs::read_to_string(&page.path).unwrap())
    });
    let found = |(name, text): (String, String)| words(&text).into_iter().map(move |what| format!("{name}: {what}"));
    nothing(&of_code.chain(of_pages).flat_map(found).collect::<Vec<_>>());
    assert_eq!(words("It was learnt at a desk-top").len(), 2);
}
