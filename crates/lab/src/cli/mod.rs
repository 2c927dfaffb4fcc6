//! The command line of `harvestman-lab`: every command of `harvestman`, and those of the laboratory.

/// Writes a line to standard error, which may be closed.
macro_rules! tell {
    ($($line:tt)*) => { harvestman_report::terminal::tell(format_args!($($line)*)) };
}

mod experiments;
mod index;
mod output;
pub mod policies;
mod recordings;
mod replay;

use std::process::ExitCode;

use clap::{ArgMatches, Subcommand};
use harvestman::cli::{Exit, Failure, GROUPS, Group, Program};

/// The commands of the laboratory, and those of `harvestman`.
#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Crawler(harvestman::cli::Command),
    Replay(replay::ReplayArgs),
    /// Measure policies and clusterings on labelled recordings
    #[command(subcommand)]
    Lab(Box<experiments::Lab>),
    /// Search recorded pages
    #[command(subcommand)]
    Index(Box<index::Index>),
}

/// The commands that only the laboratory has.
const COMMANDS: Group = Group { heading: "Laboratory", commands: &["replay", "lab", "index"] };

/// The program `harvestman-lab`.
pub fn program() -> Program {
    let [crawl, control, results, tools] = GROUPS;
    Program {
        name: "harvestman-lab",
        about: "Harvestman with its laboratory: the systems of the papers, replays and experiments on recordings",
        groups: vec![crawl, control, results, COMMANDS, tools],
        define: |command| policies::with_variants(Command::augment_subcommands(command)),
        run,
    }
}

fn run(matches: &ArgMatches, program: &Program) -> Result<Exit, Failure> {
    match program.parse(matches)? {
        Command::Crawler(mut command) => {
            policies::choose_variant(&mut command, matches)?;
            return harvestman::cli::dispatch(command, program);
        }
        Command::Replay(args) => replay::run(&args)?,
        Command::Lab(what) => experiments::run(*what)?,
        Command::Index(what) => index::run(&what)?,
    }
    Ok(Exit::Done)
}

const REFERENCE_HEAD: &str = "\
# The laboratory

<!-- Generated from crates/lab/src/cli; `HARVESTMAN_BLESS=1 cargo test -p harvestman-lab --test cli` regenerates it. -->

`harvestman-lab` is built from a clone with `cargo build --release -p harvestman-lab`. It has every command of
[`harvestman`](cli.md), and those on this page. Its `crawl` also takes the baselines `random`, `opic`, `irobot`, `tpm`, `sb` and
`apprentice`, and the systems of the papers as printed: `--policy source|ucc|target|xcrawl|topic|cluster-graph --variant paper`.
";

/// Returns the text of `docs/lab.md`.
pub fn reference() -> String {
    let mut text = REFERENCE_HEAD.to_owned();
    harvestman::cli::describe_groups(&mut text, &program(), &[COMMANDS]);
    text
}

/// Runs the command that the arguments of the process name.
pub fn main() -> ExitCode {
    policies::register();
    harvestman::cli::main(&program())
}
