//! `docs/cli.md`, made from the command line's own definition.

use std::fmt::Write;

use clap::Command;

use super::flags::flags;

/// Columns of the help texts in the reference.
const WIDTH: usize = 100;

const HEAD: &str = "\
# Command line

<!-- Made from src/cli; `HARVESTMAN_BLESS=1 cargo test --test cli` writes it anew. -->

Results go to standard output, progress and log to standard error. Colours are used on terminals only, and not where `NO_COLOR` is
set.
";

/// The text of `docs/cli.md`.
pub fn reference() -> String {
    let mut text = String::from(HEAD);
    let mut root = super::command().term_width(WIDTH);
    root.build();
    describe(&mut text, &root, "harvestman");
    text.push_str("\n## Flags and their settings\n\n| flag | setting |\n| --- | --- |\n| `SEED…` | `crawl.seeds` |\n");
    for flag in flags() {
        let (section, key) = flag.setting;
        let _ = writeln!(text, "| `--{}` | `{section}.{key}` |", flag.long);
    }
    text
}

fn describe(text: &mut String, command: &Command, name: &str) {
    let help = command.clone().render_long_help().to_string();
    let help: Vec<&str> = help.lines().map(str::trim_end).collect();
    let _ = write!(text, "\n## {name}\n\n```text\n{}\n```\n", help.join("\n").trim_end());
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        describe(text, below, &format!("{name} {}", below.get_name()));
    }
}
