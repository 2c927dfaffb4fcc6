//! Loads a configuration: default < file < environment < command line, setting by setting.
//!
//! Loading does not stop at the first mistake: all mistakes are reported together, each with its source.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use toml::{Table, Value};

use super::given::{self, Flag, GivenSetting, Writer};
use super::mistake::{Mistake, Mistakes, Source};
use super::own;
use super::print::is_secret;
use super::sections::Config;
use super::validate::validate;

/// The section and the key of a setting.
type Name = (&'static str, &'static str);

/// The sources of a configuration, in ascending order of precedence.
#[derive(Debug, Clone, Default)]
pub struct Layers<'a> {
    /// The path and text of the configuration of the crawl directory that is crawled into again. It may come from
    /// somebody else: of the settings that only the user may choose ([`super::own`]), none is taken from it, and those
    /// that it has must be given again below.
    pub directory: Option<(&'a Path, &'a str)>,
    /// The configuration file's path and text. With a `directory`, only the settings that the directory must not choose
    /// are taken from it: the others are those of the crawl.
    pub file: Option<(&'a Path, &'a str)>,
    /// Environment variables, names and values; those that are no settings are ignored.
    pub environment: Vec<(String, String)>,
    /// Settings on the command line; a later one wins.
    pub flags: Vec<Flag>,
}

/// Builds the configuration.
///
/// # Errors
///
/// Everything that is wrong.
pub fn load(layers: &Layers<'_>) -> Result<Config, Mistakes> {
    let mut mistakes = Vec::new();
    let mut broken = Vec::new();
    let all = given_settings(layers, &mut mistakes, &mut broken);
    combined(all, mistakes, broken)
}

/// Reads the configuration that a crawl directory records, to look at what its crawl did.
///
/// # Errors
///
/// Everything that is wrong.
pub fn load_recorded(path: &Path, text: &str) -> Result<Config, Mistakes> {
    let mut mistakes = Vec::new();
    let all = given::from_file(path, text, Writer::Program, &mut mistakes);
    combined(all, mistakes, Vec::new())
}

/// Returns the configuration of settings in ascending order of precedence.
fn combined(all: Vec<GivenSetting>, mut mistakes: Vec<Mistake>, mut broken: Vec<Name>) -> Result<Config, Mistakes> {
    let mut root = Table::new();
    let mut sources: BTreeMap<(&str, &str), Source> = BTreeMap::new();
    for given in all {
        match readable(&given) {
            Ok(value) => {
                set(&mut root, &given, value);
                sources.insert((given.section.name, given.key), given.source);
            }
            Err(text) => {
                broken.push((given.section.name, given.key));
                mistakes.push(Mistake { source: given.source, text });
            }
        }
    }
    let config = checked(root, &sources, &broken, &mut mistakes);
    if mistakes.is_empty() { Ok(config) } else { Err(Mistakes(mistakes)) }
}

/// Returns all settings that were given, in ascending order of precedence.
fn given_settings(layers: &Layers<'_>, mistakes: &mut Vec<Mistake>, broken: &mut Vec<Name>) -> Vec<GivenSetting> {
    let mut own = Vec::new();
    if let Some((path, text)) = layers.file {
        own.extend(given::from_file(path, text, Writer::User, mistakes));
        own.retain(|given| layers.directory.is_none() || own::is_asked_in_runs(given.section.name, given.key));
    }
    own.extend(given::from_environment(layers.environment.iter().cloned(), mistakes));
    own.extend(given::from_flags(&layers.flags, mistakes));
    let mut all = layers.directory.map_or_else(Vec::new, |file| of_directory(file, &own, mistakes, broken));
    all.extend(own);
    all
}

/// Returns the settings of a crawl directory without those that only the user may choose. Those that the user has not
/// given are mistakes.
fn of_directory(
    (path, text): (&Path, &str),
    own: &[GivenSetting],
    mistakes: &mut Vec<Mistake>,
    broken: &mut Vec<Name>,
) -> Vec<GivenSetting> {
    let mut all = given::from_file(path, text, Writer::Program, mistakes);
    let mut refused = own::left_out_of_directory(path, text);
    all.retain(|given| {
        let value = given.readings.first();
        let why =
            value.and_then(|value| own::not_of_directory(given.section.name, given.key, value, given.source.clone()));
        let is_taken = why.is_none();
        refused.extend(why.map(|why| (given.section.name, given.key, why)));
        is_taken
    });
    for (section, key, why) in refused {
        if !own.iter().any(|given| (given.section.name, given.key) == (section, key)) {
            broken.push((section, key));
            mistakes.push(why);
        }
    }
    all
}

/// Returns the names of the settings that the user gives, as `section.key`, whatever their values.
pub fn given_names(layers: &Layers<'_>) -> BTreeSet<String> {
    let given = given_settings(layers, &mut Vec::new(), &mut Vec::new());
    given.iter().map(|given| format!("{}.{}", given.section.name, given.key)).collect()
}

/// Returns the first reading that the setting's type accepts, tried in isolation so that every mistake is found.
///
/// # Errors
///
/// What is wrong with the value.
fn readable(given: &GivenSetting) -> Result<Value, String> {
    let mut wrong = None;
    for value in &given.readings {
        let leaf = Table::from_iter([(given.key.to_owned(), value.clone())]);
        match (given.section.check)(leaf) {
            Ok(()) => return Ok(value.clone()),
            // The error about the first reading that is not mere text is the most helpful, if there is one.
            Err(error)
                if wrong.is_none() || matches!(value, Value::Integer(_) | Value::Float(_) | Value::Boolean(_)) =>
            {
                wrong = Some(error.message().trim().to_owned());
            }
            Err(_) => {}
        }
    }
    let (section, key) = (given.section.name, given.key);
    if is_secret(section, key) {
        return Err(format!(
            "`{section}.{key}`: its value, which may be secret, is not of the type that `harvestman config` shows"
        ));
    }
    Err(format!("`{section}.{key}`: {}", wrong.unwrap_or_default()))
}

fn set(root: &mut Table, given: &GivenSetting, value: Value) {
    let section = root.entry(given.section.name).or_insert_with(|| Value::Table(Table::new()));
    if let Value::Table(section) = section {
        section.insert(given.key.to_owned(), value);
    }
}

/// Returns the configuration of `root` and the mistakes in the whole. A setting that is `broken` has only its default,
/// so nothing is reported about it.
fn checked(
    root: Table,
    sources: &BTreeMap<(&str, &str), Source>,
    broken: &[Name],
    mistakes: &mut Vec<Mistake>,
) -> Config {
    let config = Config::from_table(root).unwrap_or_else(|error| {
        mistakes.push(Mistake { source: Source::Whole, text: error.message().to_owned() });
        Config::default()
    });
    for wrong in validate(&config) {
        let name = (wrong.section, wrong.key);
        if !broken.contains(&name) {
            let source = sources.get(&name).cloned().unwrap_or(Source::Whole);
            mistakes.push(Mistake { source, text: format!("`{}.{}`: {}", wrong.section, wrong.key, wrong.text) });
        }
    }
    config
}
