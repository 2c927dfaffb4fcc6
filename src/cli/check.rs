//! Checks whether `harvestman` would start on a command line: its arguments, and the settings among them. Used by the
//! tests of the documentation, which must not execute what it shows.

use clap::ArgMatches;

use super::flags;
use super::program::Program;
use harvestman_core::config::{self, Config, Flag, FlagValue, Layers};

/// Checks a command line, whose first word is the program name, without executing it. Configuration files are not
/// opened and the environment is not read.
///
/// # Errors
/// The message that `harvestman` would print about the arguments or the settings among them.
pub fn check(words: &[String]) -> Result<(), String> {
    check_for(&super::program(), words)
}

/// The same for another program.
///
/// # Errors
/// As [`check`].
pub fn check_for(program: &Program, words: &[String]) -> Result<(), String> {
    let matches = match program.command().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) if !error.use_stderr() => return Ok(()), // a question for help, or the version
        Err(error) => return Err(error.to_string()),
    };
    let (name, leaf) = innermost(&matches);
    if name == "set" {
        let changes: Vec<Flag> = values::<String>(leaf, "settings").iter().map(|text| change(text)).collect();
        return config::changed(&Config::default(), &changes).map(drop);
    }
    config::load(&Layers { flags: given(leaf), ..Layers::default() }).map(drop).map_err(|mistakes| mistakes.to_string())
}

/// Returns the name and the arguments of the innermost subcommand.
fn innermost(matches: &ArgMatches) -> (&str, &ArgMatches) {
    let (mut name, mut leaf) = ("", matches);
    while let Some((below, its)) = leaf.subcommand() {
        (name, leaf) = (below, its);
    }
    (name, leaf)
}

/// Returns the values of an argument; empty where the command has no such argument, or one of another type.
fn values<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, id: &str) -> Vec<T> {
    matches.try_get_many::<T>(id).ok().flatten().map(|values| values.cloned().collect()).unwrap_or_default()
}

/// Parses `section.key=value` as `harvestman ctl DIR set` takes it. Text without `=` is reported as an unknown setting.
fn change(text: &str) -> Flag {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    setting(name, value)
}

fn setting(name: &str, value: &str) -> Flag {
    Flag { flag: format!("--set {name}"), name: name.to_owned(), value: FlagValue::Text(value.to_owned()) }
}

fn given(matches: &ArgMatches) -> Vec<Flag> {
    let mut flags: Vec<Flag> =
        values::<(String, String)>(matches, "set").iter().map(|(name, value)| setting(name, value)).collect();
    flags.extend(flags::given(matches));
    flags.extend(super::crawl::seeds_flag(&values::<String>(matches, "seeds")));
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_line(line: &str) -> Result<(), String> {
        check(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn valid_command_lines_pass_and_nothing_is_executed() {
        for line in [
            "harvestman crawl https://example.org/ --out x --pages 7 --set host.delay=2s --config no-such-file.toml",
            "harvestman ctl forum set host.delay=5s budget.pages=9",
            "harvestman crawl --help",
            "harvestman config --defaults",
        ] {
            assert_eq!(check_line(line), Ok(()), "{line}");
        }
    }

    #[test]
    fn mistakes_in_a_command_line_are_reported() {
        for (line, part) in [
            ("harvestman crowl https://example.org/", "crowl"),
            ("harvestman crawl --no-such-flag", "--no-such-flag"),
            ("harvestman crawl x --set host.dalay=1s", "host.dalay"),
            ("harvestman crawl x --pages many", "budget.pages"),
            ("harvestman ctl forum set crawl.seed=1", "cannot be changed"),
            ("harvestman ctl forum set host.delay", "host.delay"),
            ("harvestman explain forum", "<URL>"),
        ] {
            let error = check_line(line).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
