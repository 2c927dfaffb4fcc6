//! `docs/cli.md`, generated from the definition of the command line.

use std::fmt::Write;

use clap::Command;

use super::flags::{flags, takes_flags};
use super::program::{Group, Program};

/// Columns of the help texts in the reference.
const WIDTH: usize = 100;

/// The command whose section lists the flags that several commands share.
const LISTS_FLAGS: &str = "harvestman crawl";

const HEAD: &str = "\
# Command line

<!-- Generated from src/cli; `HARVESTMAN_BLESS=1 cargo test --test cli` regenerates it. -->

Results go to standard output; progress and log go to standard error. Colours are used on terminals only, and never where
`NO_COLOR` is set.
";

/// Returns the text of `docs/cli.md`.
pub fn reference() -> String {
    let program = super::program();
    let mut text = String::from(HEAD);
    describe_groups(&mut text, &program, &program.groups);
    text.push_str("\n## Flags and their settings\n\n| flag | setting |\n| --- | --- |\n| `SEED…` | `crawl.seeds` |\n");
    for flag in flags() {
        let (section, key) = flag.setting;
        let _ = writeln!(text, "| `--{}` | `{section}.{key}` |", flag.long);
    }
    text
}

/// Appends the help of a program, and of its commands in these groups.
pub fn describe_groups(text: &mut String, program: &Program, groups: &[Group]) {
    let mut root = program.command().term_width(WIDTH);
    root.build();
    describe_one(text, &root, program.name, "##");
    for group in groups {
        let _ = writeln!(text, "\n## {}\n\n| command | purpose |\n| --- | --- |", group.heading);
        let commands = group.commands.iter().filter(|name| **name != "help");
        let commands: Vec<&Command> = commands.filter_map(|name| root.find_subcommand(name)).collect();
        for command in &commands {
            let (name, about) = (command.get_name(), command.get_about().map(ToString::to_string).unwrap_or_default());
            let _ = writeln!(text, "| [`{name}`](#{}-{name}) | {about} |", program.name);
        }
        for command in commands {
            describe(text, command, &format!("{} {}", program.name, command.get_name()), "###");
        }
    }
}

/// Appends the help of a command, and of its subcommands one level below.
fn describe(text: &mut String, command: &Command, name: &str, level: &str) {
    describe_one(text, command, name, level);
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        describe(text, below, &format!("{name} {}", below.get_name()), &format!("{level}#"));
    }
}

fn describe_one(text: &mut String, command: &Command, name: &str, level: &str) {
    let shares = takes_flags(command) && name != LISTS_FLAGS;
    let mut shown = if shares { without_flags(command) } else { command.clone() };
    let help = shown.render_long_help().to_string();
    let help: Vec<&str> = help.lines().map(str::trim_end).collect();
    let _ = write!(text, "\n{level} {name}\n\n```text\n{}\n```\n", help.join("\n").trim_end());
    if shares {
        let anchor = LISTS_FLAGS.replace(' ', "-");
        let _ = write!(text, "\nAlso takes the setting flags of [`{LISTS_FLAGS}`](#{anchor}).\n");
    }
}

/// Returns the command without the flags that [`LISTS_FLAGS`] lists: they are hidden.
fn without_flags(command: &Command) -> Command {
    let is_shared = |id: &str| id == "config" || id == "set" || flags().any(|flag| flag.long == id);
    command.clone().mut_args(|arg| if is_shared(arg.get_id().as_str()) { arg.hide(true) } else { arg })
}
