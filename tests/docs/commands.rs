//! Command lines that are shown parse, with every setting that they give.

use harvestman::cli::check::check;

use super::markdown::{Block, Page};
use super::shell::commands;
use super::{found, nothing, pages};

const PROGRAM: &str = "harvestman";
const SHELLS: &[&str] = &["sh", "bash", "console"];
/// How the program is started from its sources.
const BUILT: &[&str] = &["cargo", "run", "--release", "--"];

/// The command lines of the program in a block: all in a shell's block, the indented examples in the text of a help
/// page.
fn shown(block: &Block) -> Vec<Vec<String>> {
    let language = block.info.split([' ', ',']).next().unwrap_or_default();
    let all = if SHELLS.contains(&language) {
        commands(&block.text)
    } else {
        commands(&block.text.lines().skip_while(|line| *line != "Examples:").collect::<Vec<_>>().join("\n"))
    };
    all.into_iter().filter_map(own).collect()
}

/// The command line without what stands before the program's name; `None` where it is another program's.
fn own(words: Vec<String>) -> Option<Vec<String>> {
    let words: Vec<String> = words.into_iter().skip_while(|word| is_assignment(word)).collect();
    if words.len() >= BUILT.len() && words.iter().zip(BUILT).all(|(word, part)| word == part) {
        return Some(std::iter::once(PROGRAM.to_owned()).chain(words.into_iter().skip(BUILT.len())).collect());
    }
    (words.first().map(String::as_str) == Some(PROGRAM)).then_some(words)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|char| char.is_ascii_uppercase() || char == '_'))
}

/// Command lines of a page that would be refused, with what would be said.
fn refused(page: &Page) -> Vec<String> {
    let lines = page.blocks.iter().flat_map(shown);
    lines.filter_map(|words| Some(format!("`{}`: {}", words.join(" "), check(&words).err()?))).collect()
}

#[test]
fn every_command_line_that_is_shown_parses() {
    nothing(&found(refused));
    let count: usize = pages().iter().flat_map(|page| &page.blocks).map(|block| shown(block).len()).sum();
    assert!(count >= 100, "only {count} command lines were found");
}

#[test]
fn command_lines_that_would_be_refused_are_found() {
    let text = "```sh\nharvestman crawl x --out y  # right\nA=1 harvestman crowl x\ncargo run --release -- demo --fast\nls --out\n```\n\n\
                ```text\nUsage: harvestman [OPTIONS]\n\nExamples:\n  Wrong:\n    harvestman crawl x \\\n        --set host.dalay=1s\n```\n";
    let found = refused(&Page::parse(std::path::Path::new("sample.md"), text));
    assert_eq!(found.len(), 3, "{found:#?}");
    for (what, part) in found.iter().zip(["crowl", "--fast", "host.dalay"]) {
        assert!(what.contains(part), "{what}");
    }
}
