//! The command line of the laboratory: its own commands, those of the crawler, and the pages that describe them.
#![expect(clippy::unwrap_used, reason = "what goes wrong here is a failed test")]

#[path = "../../../tests/docs/markdown.rs"]
#[expect(dead_code, reason = "the tests of the documentation use all of it")]
mod markdown;
#[path = "../../../tests/docs/shell.rs"]
mod shell;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use harvestman::cli::check::check_for;
use harvestman_lab::cli::{policies, program, reference};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harvestman-lab")).args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat()
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[test]
fn every_command_of_the_crawler_is_there() {
    let ours = program().command();
    for command in harvestman::cli::command().get_subcommands() {
        assert!(ours.find_subcommand(command.get_name()).is_some(), "{}", command.get_name());
    }
    ours.debug_assert();
}

#[test]
fn the_reference_is_up_to_date() {
    let (path, made) = (docs().join("lab.md"), reference());
    if std::env::var_os("HARVESTMAN_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &made).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == made,
        "docs/lab.md is out of date: `HARVESTMAN_BLESS=1 cargo test -p harvestman-lab --test cli`"
    );
}

#[test]
fn every_command_line_that_is_shown_parses() {
    policies::register();
    let mut pages = vec![docs()];
    let (mut seen, mut refused) = (0, Vec::new());
    while let Some(path) = pages.pop() {
        if path.is_dir() {
            pages.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            for block in markdown::Page::read(&path).blocks {
                let examples =
                    block.text.lines().skip_while(|line| *line != "Examples:").collect::<Vec<_>>().join("\n");
                let lines = shell::commands(if block.info == "sh" { &block.text } else { &examples });
                for words in
                    lines.into_iter().filter(|words| words.first().is_some_and(|word| word == "harvestman-lab"))
                {
                    seen += 1;
                    let wrong = check_for(&program(), &words).err();
                    refused.extend(wrong.map(|wrong| format!("{}: {}: {wrong}", path.display(), words.join(" "))));
                }
            }
        }
    }
    assert!(seen > 30 && refused.is_empty(), "{seen} command lines; {}", refused.join("\n"));
}

#[test]
fn a_policy_has_its_variants_and_no_others() {
    for (arguments, part) in [
        (&["--policy", "bfs", "--variant", "paper"][..], "the policy bfs has no variant paper"),
        (&["--policy", "ucc", "--variant", "papre"], "unknown variant papre"),
        (&["--variant", "paper"], "--variant needs --policy"),
        (&["--policy", "dfs"], "unknown policy `dfs`; expected one of bfs, ucc"),
        (&["--policy", "topic", "--topic", "macro", "--variant", "paper", "--out", "x"], "--model RECORDING.warc.gz"),
    ] {
        let output = run(&[&["crawl", "http://127.0.0.1:9/"], arguments].concat());
        assert!(output.status.code() == Some(2) && said(&output).contains(part), "{arguments:?}: {}", said(&output));
    }
}
