//! `harvestman config`: prints the effective configuration.

use std::io::Write;

use super::exit::Failure;
use super::settings::SettingArgs;
use harvestman_core::config::{Config, Secrets, as_toml};
use harvestman_report::terminal;

/// Arguments of `harvestman config`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  Create a configuration file with every setting and its description:
    harvestman config --defaults > harvestman.toml
  Show the effect of this file, the environment and these flags:
    harvestman config --config harvestman.toml --pages 1000")]
pub struct ConfigArgs {
    /// Print the defaults; ignore the environment and all other arguments
    #[arg(long)]
    pub defaults: bool,

    /// Sources of the configuration.
    #[command(flatten)]
    pub settings: SettingArgs,
}

/// Prints the configuration to standard output, as a TOML file in which each setting is commented.
pub fn run(args: &ConfigArgs) -> Result<(), Failure> {
    let config = if args.defaults { Config::default() } else { args.settings.load(Vec::new())? };
    // A closed pipe (`| head`) is not an error.
    let _ = terminal::stdout().write_all(as_toml(&config, Secrets::Shown).as_bytes());
    Ok(())
}
