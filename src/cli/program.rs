//! A program of the workspace: its name, its commands, and how they are parsed.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, FromArgMatches};
use harvestman_library::program::seeds;
use harvestman_report::document::quoted;

use super::exit::{self, Exit, Failure};
use super::groups::{self, Group};

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
            .about(self.about)
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
        groups::grouped((self.define)(command), &self.groups)
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
}
