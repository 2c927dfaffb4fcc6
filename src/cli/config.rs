//! `harvestman config`: prints the configuration that holds.

use std::io::{self, Write};

use super::exit::Failure;
use super::settings::SettingArgs;
use harvestman_core::config::{Config, Secrets, as_toml};

/// Arguments of `harvestman config`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  A file to start from, with every setting and what it does:
    harvestman config --defaults > harvestman.toml
  What would hold with this file, the environment and these flags:
    harvestman config --config harvestman.toml --pages 1000")]
pub struct ConfigArgs {
    /// Print the defaults, whatever the environment and the other arguments say
    #[arg(long)]
    pub defaults: bool,

    /// Where the configuration comes from.
    #[command(flatten)]
    pub settings: SettingArgs,
}

/// Prints the configuration to standard output, as a TOML file that explains itself.
pub fn run(args: &ConfigArgs) -> Result<(), Failure> {
    let config = if args.defaults { Config::default() } else { args.settings.load(Vec::new())? };
    // A reader that has seen enough (`| head`) is no failure.
    let _ = io::stdout().write_all(as_toml(&config, Secrets::Shown).as_bytes());
    Ok(())
}
