//! A program of the workspace: its name, its commands, and how they are parsed.
//!
//! `--help` and the reference list the commands in groups. clap lists subcommands as one flat list, so the sections are
//! generated from the table below and inserted through a help template.

use std::fmt::Write;

use clap::builder::Styles;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, FromArgMatches};

use super::exit;
use super::exit::{Exit, Failure};
use harvestman_library::program::seeds;
use harvestman_report::document::quoted;

/// Commands that control a running crawl; they were commands of their own.
const CONTROL: [&str; 11] =
    ["status", "pause", "resume-crawl", "stop", "set", "ban", "unban", "pin", "unpin", "block", "unblock"];

/// Returns the command line that does what one did that is gone; `None` for others.
fn instead(words: &[String]) -> Option<String> {
    let (command, arguments) = words.split_first()?;
    let shown = |word: &String| if word.starts_with("--") { word.clone() } else { quoted(word) };
    let arguments: Vec<String> = arguments.iter().map(shown).collect();
    let line = |program: &str| format!("{program} {}", arguments.join(" ")).trim_end().to_owned();
    Some(match command.as_str() {
        "lab" | "replay" | "index" => line(&format!("harvestman-lab {command}")),
        "site" => line("harvestman inspect site"),
        "teach" => line("harvestman posts teach"),
        "learn" => "harvestman crawl SEED --policy ucc --pages 500 --out DIR\n  \
                    harvestman crawl SEED --policy ucc --model DIR/site-model.json.gz"
            .to_owned(),
        command if CONTROL.contains(&command) => {
            let directory = arguments.first().map_or("DIR", String::as_str);
            let command = if command == "resume-crawl" { "unpause" } else { command };
            let rest = arguments.get(1..).unwrap_or_default().join(" ");
            format!("harvestman ctl {directory} {command} {rest}").trim_end().to_owned()
        }
        _ => return None,
    })
}

/// A program: `harvestman`, or one with further commands.
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Its commands, in groups.
    pub groups: Vec<Group>,
    /// Adds its commands to the definition of the command line.
    pub define: fn(Command) -> Command,
    /// Runs the command that was parsed.
    pub run: fn(&ArgMatches, &Self) -> Result<Exit, Failure>,
}

impl Program {
    /// Returns the definition of the command line, for parsing, completions and the reference.
    pub fn command(&self) -> Command {
        let command = Command::new(self.name)
            .version(env!("CARGO_PKG_VERSION"))
            .max_term_width(100)
            .subcommand_required(true)
            .arg_required_else_help(true)
            .after_help(format!(
                "\
Examples:
  {name} crawl https://forum.example.org/ --out forum --contact you@example.org
  {name} config --defaults > harvestman.toml

{}",
                exit::HELP,
                name = self.name
            ));
        // The commands bring the comment on their type as a description of the program.
        let command = (self.define)(command).about(self.about).long_about(None::<&str>);
        grouped(command, &self.groups)
    }

    /// Returns the command among the parsed arguments.
    ///
    /// # Errors
    /// An argument has a value that its command cannot take.
    pub fn parse<C: FromArgMatches>(&self, matches: &ArgMatches) -> Result<C, Failure> {
        C::from_arg_matches(matches).map_err(|error| Failure::usage(error.format(&mut self.command())))
    }

    /// Returns an error of parsing with what was probably meant: the command that does what one did that is gone, or a
    /// crawl, where a URL stands in the place of the command.
    pub(super) fn explained(&self, error: clap::Error, words: &[String]) -> clap::Error {
        let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand) else { return error };
        let instead = instead(words)
            .filter(|_| words.first() == Some(given))
            .map(|instead| format!("`{given}` is no command of {} any more; use:\n\n  {instead}", self.name));
        let crawl = || {
            seeds::parse(given).ok()?;
            let crawl = format!("{} crawl {}", self.name, quoted(given));
            Some(format!("`{given}` is no command; if it is a URL to start a crawl from:\n\n  {crawl}"))
        };
        match instead.or_else(crawl) {
            Some(text) => self.command().error(ErrorKind::InvalidSubcommand, text),
            None => error,
        }
    }
}

/// A group of commands with a common purpose.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// The heading of the section in the help.
    pub heading: &'static str,
    /// Names of the commands, in the order of the help.
    pub commands: &'static [&'static str],
}

/// The groups of `harvestman`. Each command is in exactly one of them; `cli::Command` declares the commands in the same
/// order.
pub const GROUPS: [Group; 4] = [
    Group { heading: "Crawl", commands: &["crawl", "resume", "recrawl", "fleet"] },
    Group { heading: "Watch and control a running crawl", commands: &["live", "ctl"] },
    Group { heading: "Results", commands: &["report", "explain", "export", "posts", "upload"] },
    Group {
        heading: "Tools",
        commands: &["demo", "sim", "inspect", "identity", "doctor", "config", "completions", "man", "help"],
    },
];

/// The description of `help`, which clap adds by itself.
const HELP_ABOUT: &str = "Print this help, or the help of a command";

/// Gives `command` a help text that lists its subcommands by group.
pub(super) fn grouped(command: Command, groups: &[Group]) -> Command {
    let (list, options) = (list(&command, groups), heading("Options:"));
    let template = format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{list}{options}\n{{options}}{{after-help}}");
    command.help_template(template)
}

/// The sections: a heading, then one line per command.
fn list(command: &Command, groups: &[Group]) -> String {
    let literal = Styles::styled().get_literal().to_owned();
    let width = groups.iter().flat_map(|group| group.commands).map(|name| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for group in groups {
        let _ = writeln!(text, "{}", heading(&format!("{}:", group.heading)));
        for name in group.commands {
            let _ = writeln!(
                text,
                "  {literal}{name}{literal:#}{:pad$}  {}",
                "",
                about(command, name),
                pad = width - name.len()
            );
        }
        text.push('\n');
    }
    text
}

/// Formats a heading in the style of clap's own. clap drops the style if standard output is not a terminal.
fn heading(text: &str) -> String {
    let styles = Styles::styled();
    let header = styles.get_header();
    format!("{header}{text}{header:#}")
}

/// Returns the one-line description of a command.
fn about(command: &Command, name: &str) -> String {
    let about = command.find_subcommand(name).and_then(Command::get_about);
    about.map_or_else(|| HELP_ABOUT.to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_is_gone_is_written_as_what_does_the_same() {
        for (gone, now) in [
            ("pause forum", "harvestman ctl forum pause"),
            ("resume-crawl forum", "harvestman ctl forum unpause"),
            ("set forum host.delay=5s budget.pages=9", "harvestman ctl forum set host.delay=5s budget.pages=9"),
            ("status forum --json", "harvestman ctl forum status --json"),
            ("status", "harvestman ctl DIR status"),
            ("site forum --format dot", "harvestman inspect site forum --format dot"),
            ("teach forum --list", "harvestman posts teach forum --list"),
            ("replay a.warc --policy bfs", "harvestman-lab replay a.warc --policy bfs"),
        ] {
            let words: Vec<String> = gone.split(' ').map(str::to_owned).collect();
            assert_eq!(instead(&words).as_deref(), Some(now));
        }
        assert_eq!(instead(&["crawl".to_owned()]), None);
    }

    /// Columns of a terminal that has not been resized.
    const COLUMNS: usize = 80;

    #[test]
    fn each_command_is_in_exactly_one_group_and_the_orders_match() {
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|group| group.commands).copied().collect();
        let command = crate::cli::command();
        let declared: Vec<&str> = command.get_subcommands().map(Command::get_name).chain(["help"]).collect();
        assert_eq!(grouped, declared);
    }

    #[test]
    fn help_begins_with_what_the_program_does_and_names_nothing_of_its_code() {
        fn check(command: &mut Command) {
            let help = command.render_long_help().to_string();
            assert!(!help.contains("[`") && !help.contains("::"), "{help}");
            command.get_subcommands_mut().for_each(check);
        }
        let program = crate::cli::program();
        let mut command = program.command();
        assert!(command.render_help().to_string().starts_with(program.about));
        assert!(command.render_long_help().to_string().starts_with(program.about));
        check(&mut command);
    }

    #[test]
    fn each_command_is_described_in_one_line_that_starts_with_a_verb() {
        let command = crate::cli::command();
        let lines = list(&command, &GROUPS);
        for line in clap::builder::StyledStr::from(lines).to_string().lines() {
            assert!(line.chars().count() <= COLUMNS, "too long: {line}");
        }
        for below in command.get_subcommands() {
            let about = about(&command, below.get_name());
            assert!(about.starts_with(char::is_uppercase) && !about.ends_with('.'), "{about}");
        }
    }
}
