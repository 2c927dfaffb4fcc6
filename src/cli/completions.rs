//! `harvestman completions`: shell completion scripts.

use std::io::Write;

use clap_complete::Shell;
use harvestman_report::terminal;

use super::program::Program;

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
pub fn run(args: &CompletionsArgs, program: &Program) {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program.command(), program.name, &mut script);
    // A closed pipe (`| head`) is not an error.
    let _ = terminal::stdout().write_all(&script);
}
