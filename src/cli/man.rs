//! `harvestman man`: manual pages; and `harvestman completions`: shell completion scripts.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::exit::{Exit, Failure};
use super::program::Program;
use harvestman_report::terminal;

/// What the pages are part of.
const MANUAL: &str = "Harvestman Manual";
/// The program that they describe.
const VERSION: &str = concat!("harvestman ", env!("CARGO_PKG_VERSION"));
/// The heading of a text that has none.
const NOTES: &str = "NOTES";

/// Print or write the manual pages
///
/// Without --dir, prints the page of harvestman itself, in the format of man(1). With --dir, writes one page per
/// command to the directory: harvestman.1, harvestman-crawl.1, harvestman-export-wacz.1 and so on. Packages contain
/// them.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  harvestman man | man -l -
  harvestman man --dir ~/.local/share/man/man1
  man harvestman-crawl")]
pub struct ManArgs {
    /// Directory to write all pages to; it is created if it does not exist
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: Option<PathBuf>,
}

/// A manual page.
struct ManPage {
    /// Its name, such as `harvestman-crawl`.
    name: String,
    /// Its source for troff.
    source: Vec<u8>,
}

/// Prints the main page, or writes all pages.
pub fn run(args: &ManArgs, program: &Program) -> Result<(), Failure> {
    let pages = pages(program);
    match &args.dir {
        Some(directory) => write(&pages, directory),
        None => {
            // A closed pipe (`| head`) is not an error.
            let _ = pages.first().map(|page| terminal::stdout().write_all(&page.source));
            Ok(())
        }
    }
}

fn write(pages: &[ManPage], directory: &Path) -> Result<(), Failure> {
    let failed =
        |path: &Path, error: io::Error| Failure::new(Exit::Output, format!("cannot write {}: {error}", path.display()));
    fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
    for page in pages {
        let path = directory.join(format!("{}.1", page.name));
        fs::write(&path, &page.source).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

/// Returns the pages of all commands that are not hidden, the main page first.
fn pages(program: &Program) -> Vec<ManPage> {
    let mut root = program.command().disable_help_subcommand(true);
    root.build();
    let mut pages = Vec::new();
    add(&root, &mut pages);
    pages
}

fn add(command: &Command, pages: &mut Vec<ManPage>) {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let mut source = Vec::new();
    render(command, &mut source).expect("a Vec takes every write");
    pages.push(ManPage { name, source });
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        add(below, pages);
    }
}

fn render(command: &Command, out: &mut Vec<u8>) -> io::Result<()> {
    let man = Man::new(command.clone());
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    // An empty argument keeps its place: the pages have no date, so that the same sources have the same pages.
    writeln!(out, ".TH \"{name}\" \"1\" \"\" \"{VERSION}\" \"{MANUAL}\"")?;
    // Words of commands are not broken, and spaces are not stretched.
    let mut roff = Roff::new();
    roff.control("nh", []).control("ad", ["l"]);
    roff.to_writer(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(out)?;
    }
    if let Some(text) = command.get_after_long_help().or_else(|| command.get_after_help()) {
        for section in sections(&text.to_string()) {
            render_section(&section, out)?;
        }
    }
    Ok(())
}

/// A section of the text after the options.
#[derive(Debug, PartialEq, Eq)]
struct Section {
    heading: String,
    lines: Vec<String>,
}

/// Splits a text at its headings: lines of words that end with a colon, and begin the text or follow an empty line.
fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut is_after_empty = true;
    for line in text.lines() {
        let is_words =
            |text: &&str| text.starts_with(char::is_alphabetic) && text.chars().all(|c| c.is_alphabetic() || c == ' ');
        let heading = line.strip_suffix(':').filter(is_words).filter(|_| is_after_empty);
        is_after_empty = line.is_empty();
        match (heading, sections.last_mut()) {
            (Some(heading), _) => sections.push(Section { heading: heading.to_uppercase(), lines: Vec::new() }),
            (None, Some(section)) => section.lines.push(line.to_owned()),
            (None, None) => {
                sections.push(Section { heading: NOTES.to_owned(), lines: vec![line.to_owned()] });
            }
        }
    }
    sections
}

/// Renders a section: indented lines as they are, all others as paragraphs.
fn render_section(section: &Section, out: &mut Vec<u8>) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", [section.heading.as_str()]);
    let mut is_verbatim = false;
    for line in &section.lines {
        if line.is_empty() {
            roff.control("PP", []);
            continue;
        }
        if line.starts_with(' ') != is_verbatim {
            is_verbatim = !is_verbatim;
            roff.control(if is_verbatim { "nf" } else { "fi" }, []);
        }
        roff.text([roman(line.as_str())]);
    }
    if is_verbatim {
        roff.control("fi", []);
    }
    roff.to_writer(out)
}

/// Arguments of `harvestman completions`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  harvestman completions bash > ~/.local/share/bash-completion/completions/harvestman
  harvestman completions fish > ~/.config/fish/completions/harvestman.fish
  harvestman completions zsh > \"${fpath[1]}/_harvestman\"")]
pub struct CompletionsArgs {
    /// Shell to generate the script for
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Prints the script to standard output.
pub fn print_completions(args: &CompletionsArgs, program: &Program) {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program.command(), program.name, &mut script);
    // A closed pipe (`| head`) is not an error.
    let _ = terminal::stdout().write_all(&script);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_its_options_and_examples() {
        let pages = pages(&crate::cli::program());
        let text = |name: &str| {
            let page = pages.iter().find(|page| page.name == name).unwrap_or_else(|| panic!("no page {name}"));
            String::from_utf8(page.source.clone()).unwrap()
        };
        assert_eq!(pages[0].name, "harvestman");
        assert!(
            text("harvestman").contains(".SH \"EXIT CODES\"") && text("harvestman").contains("harvestman\\-crawl(1)")
        );
        let crawl = text("harvestman-crawl");
        assert!(crawl.starts_with(".TH \"harvestman-crawl\" \"1\" \"\" \"harvestman "), "{}", &crawl[..100]);
        assert!(crawl.contains("\\-\\-contact") && crawl.contains(".SH EXAMPLES\n.nf\n  "), "{crawl}");
        assert!(crawl.contains("\n    harvestman crawl https://"), "an example keeps its indentation");
        assert!(text("harvestman-export-wacz").contains("\\-\\-title"));
        assert!(pages.iter().all(|page| !page.name.ends_with("-help")));
    }

    #[test]
    fn a_text_is_split_at_its_headings() {
        let text = "Before.\n\nExamples:\n  a b:\n  c\nNo heading:\n\nNor this, of a.b:\n\nExit codes:\n  0  x";
        let section = |heading: &str, lines: &[&str]| Section {
            heading: heading.to_owned(),
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        };
        let expected = [
            section(NOTES, &["Before.", ""]),
            section("EXAMPLES", &["  a b:", "  c", "No heading:", "", "Nor this, of a.b:", ""]),
            section("EXIT CODES", &["  0  x"]),
        ];
        assert_eq!(sections(text), expected);
    }

    #[test]
    fn pages_are_written_to_a_new_directory() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("a/man1");
        run(&ManArgs { dir: Some(directory.clone()) }, &crate::cli::program()).unwrap();
        assert_eq!(fs::read_dir(&directory).unwrap().count(), pages(&crate::cli::program()).len());
        let failure = run(&ManArgs { dir: Some(directory.join("harvestman.1")) }, &crate::cli::program()).unwrap_err();
        assert_eq!(failure.exit, Exit::Output, "{}", failure.text);
    }
}
