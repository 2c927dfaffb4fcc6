//! The arguments that set the configuration, and its loading; and `harvestman config`, which prints it.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::exit::Failure;
use super::flags::GivenFlags;
use harvestman_core::config::{Config, Flag, FlagValue, Layers, Secrets, as_toml, given_names};
use harvestman_library::program::full_settings;
use harvestman_report::terminal;

/// Arguments that set the configuration.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct SettingArgs {
    /// Settings that have a flag.
    #[command(flatten)]
    pub flags: GivenFlags,

    /// Configuration file (TOML); `harvestman config --defaults` prints a template
    #[arg(long, value_name = "FILE", help_heading = "Configuration")]
    pub config: Option<PathBuf>,

    /// Any setting, e.g. --set fetch.body_max=64MiB; may be repeated
    #[arg(long, value_name = "SECTION.KEY=VALUE", help_heading = "Configuration", value_parser = assignment)]
    pub set: Vec<(String, String)>,
}

pub(super) fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write section.key=value")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

impl SettingArgs {
    /// Loads the configuration: defaults, then file, environment, `--set`, flags and `more` flags, each overriding the
    /// former.
    pub fn load(&self, more: Vec<Flag>) -> Result<Config, Failure> {
        self.load_in(None, more)
    }

    /// Loads the configuration of a further run in a crawl directory, of which this is the path and the text of its
    /// configuration.
    pub fn load_in(&self, directory: Option<(&Path, &str)>, more: Vec<Flag>) -> Result<Config, Failure> {
        self.with_layers(directory, more, |layers| full_settings(layers).map_err(Failure::usage))?
    }

    /// Returns the names of the settings that are given, as `section.key`.
    pub fn given(&self) -> Result<BTreeSet<String>, Failure> {
        self.with_layers(None, Vec::new(), given_names)
    }

    fn with_layers<T>(
        &self,
        directory: Option<(&Path, &str)>,
        more: Vec<Flag>,
        read: impl FnOnce(&Layers<'_>) -> T,
    ) -> Result<T, Failure> {
        let file = match &self.config {
            None => None,
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))?;
                Some((path.as_path(), text))
            }
        };
        let set = |(name, value): &(String, String)| Flag {
            flag: format!("--set {name}"),
            name: name.clone(),
            value: FlagValue::Text(value.clone()),
        };
        let flags = self.set.iter().map(set).chain(self.flags.0.iter().cloned()).chain(more).collect();
        // A variable that is not Unicode cannot be a setting.
        let environment =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        let file = file.as_ref().map(|(path, text)| (*path, text.as_str()));
        Ok(read(&Layers { directory, file, environment: environment.collect(), flags }))
    }
}

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
pub fn print_config(args: &ConfigArgs) -> Result<(), Failure> {
    let config = if args.defaults { Config::default() } else { args.settings.load(Vec::new())? };
    // A closed pipe (`| head`) is not an error.
    let _ = terminal::stdout().write_all(as_toml(&config, Secrets::Shown).as_bytes());
    Ok(())
}
