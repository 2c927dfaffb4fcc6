//! The commands in groups, as `harvestman --help` and the reference list them.
//!
//! clap lists subcommands as one flat list, so the sections are generated from the table below and inserted through a
//! help template.

use std::fmt::Write;

use clap::Command;
use clap::builder::Styles;

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
