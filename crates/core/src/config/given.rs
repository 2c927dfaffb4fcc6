//! Provided settings: those from the file, the environment and the command line, in one form with their sources.

use std::path::Path;

use serde::Deserialize;
use toml::Value;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::mistake::{Mistake, Source};
use super::sections::SectionInfo;
use super::{names, retired};

/// Environment variables of this prefix are settings.
const PREFIX: &str = "HARVESTMAN_";

/// Environment variables with that prefix that control the project's own tests and benches and are no settings.
pub(super) const NOT_SETTINGS: &[&str] = &[
    "HARVESTMAN_BEDS",
    "HARVESTMAN_BENCH_KILOBYTES",
    "HARVESTMAN_BENCH_MEMORY",
    "HARVESTMAN_BENCH_PAGES",
    "HARVESTMAN_BENCH_PERCENT_MAX",
    "HARVESTMAN_BENCH_PLANNED",
    "HARVESTMAN_BENCH_POLICIES",
    "HARVESTMAN_BENCH_ROUNDS",
    "HARVESTMAN_BENCH_WANT",
    "HARVESTMAN_BENCH_URLS",
    "HARVESTMAN_BLESS",
    "HARVESTMAN_CORPORA",
    "HARVESTMAN_FIGURES",
    "HARVESTMAN_FLEET_SEED",
    "HARVESTMAN_FLEET_SEEDS",
    "HARVESTMAN_FLEET_SEEDS_FROM",
    "HARVESTMAN_KILLED_OUT",
    "HARVESTMAN_KILLED_PAGES",
    "HARVESTMAN_KILLS",
    "HARVESTMAN_NATS_SERVER",
    "HARVESTMAN_PYTHON",
    "HARVESTMAN_RECRAWL_PAGES",
    "HARVESTMAN_RECRAWL_ROUNDS",
    "HARVESTMAN_REQUIRE_BROWSER",
    "HARVESTMAN_REQUIRE_CORPORA",
    "HARVESTMAN_REQUIRE_NATS",
    "HARVESTMAN_REQUIRE_PYTHON",
    "HARVESTMAN_SHOW_SOUP",
    "HARVESTMAN_SIMULATE",
    "HARVESTMAN_SIMULATE_EVERY",
    "HARVESTMAN_SIMULATE_FROM",
    "HARVESTMAN_SIMULATE_TWICE",
    "HARVESTMAN_SIMULATE_WHOLE",
    "HARVESTMAN_TEST_BROWSER_FOLDER",
    "HARVESTMAN_TEST_FULL_DISK",
];

/// One provided setting.
#[derive(Debug, Clone)]
pub struct GivenSetting {
    /// Its section.
    pub section: &'static SectionInfo,
    /// Its key within the section.
    pub key: &'static str,
    /// Its possible values, the most likely first. Only text from outside a file has more than one.
    pub readings: Vec<Value>,
    /// Where it was provided.
    pub source: Source,
}

/// A setting on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The flag as the user wrote it: `--pages`, `--set`.
    pub flag: String,
    /// The setting: `budget.pages`.
    pub name: String,
    /// The value.
    pub value: FlagValue,
}

/// The value of a setting on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlagValue {
    /// Text that is read by the setting's type.
    Text(String),
    /// The values of a flag that may be repeated.
    List(Vec<String>),
}

/// Who wrote a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    /// The user, who is told what is no setting any more.
    User,
    /// The program, perhaps an earlier version: what is no setting any more is passed over.
    Program,
}

/// Reads the text of a configuration file.
pub fn from_file(path: &Path, text: &str, writer: Writer, mistakes: &mut Vec<Mistake>) -> Vec<GivenSetting> {
    let source = |offset: usize| Source::File { path: path.to_owned(), line: line_of(text, offset) };
    let (table, errors) = DeTable::parse_recoverable(text);
    mistakes.extend(errors.iter().map(|error| Mistake {
        source: source(error.span().map_or(0, |span| span.start)),
        text: format!("not TOML: {}", error.message()),
    }));
    let mut given = Vec::new();
    for (section, settings) in table.into_inner() {
        let at = source(section.span().start);
        let name = section.into_inner();
        match (names::find_section(&name), settings.into_inner()) {
            (Err(text), _) => mistakes.push(Mistake { source: at, text }),
            (Ok(_), DeValue::Table(settings)) => {
                given.extend(settings.into_iter().filter_map(|(key, value)| {
                    let at = source(key.span().start);
                    if writer == Writer::Program && retired::find(&name, key.get_ref()).is_some() {
                        return None;
                    }
                    let value = Value::deserialize(ValueDeserializer::from(value));
                    let value = value.map_err(|error| error.message().to_owned());
                    noted(named(&name, &key.into_inner(), at, value.map(|value| vec![value])), mistakes)
                }));
            }
            (Ok(_), _) => {
                let text = format!("`{name}` is a section: write `[{name}]` and its settings below");
                mistakes.push(Mistake { source: at, text });
            }
        }
    }
    given
}

/// Selects the settings among environment variables (name, value).
pub fn from_environment(
    variables: impl IntoIterator<Item = (String, String)>,
    mistakes: &mut Vec<Mistake>,
) -> Vec<GivenSetting> {
    let mut ours: Vec<_> = variables
        .into_iter()
        .filter(|(name, _)| name.starts_with(PREFIX) && !NOT_SETTINGS.contains(&name.as_str()))
        .collect();
    // The order of the environment is arbitrary; the order of the mistakes must not depend on it.
    ours.sort();
    let setting = |(variable, text): (String, String)| {
        let name = variable.strip_prefix(PREFIX).unwrap_or_default().to_ascii_lowercase();
        let source = Source::Environment(variable);
        let (section, key) = name.split_once('_').unwrap_or((&name, ""));
        noted(named(section, key, source, Ok(readings(&text))), mistakes)
    };
    ours.into_iter().filter_map(setting).collect()
}

/// Reads settings from the command line.
pub fn from_flags(flags: &[Flag], mistakes: &mut Vec<Mistake>) -> Vec<GivenSetting> {
    let setting = |flag: &Flag| {
        let source = Source::Flag(flag.flag.clone());
        let values = match &flag.value {
            FlagValue::Text(text) => readings(text),
            FlagValue::List(values) => vec![list(values.iter().map(String::as_str))],
        };
        let given = match names::split(&flag.name) {
            Some((section, key)) => named(section, key, source, Ok(values)),
            None => Err(Mistake { source, text: format!("`{}` is not a setting: write section.key=value", flag.name) }),
        };
        noted(given, mistakes)
    };
    flags.iter().filter_map(setting).collect()
}

/// Returns the setting of this name; `None` if it is no setting any more and has the value that is fixed.
fn named(
    section: &str,
    key: &str,
    source: Source,
    value: Result<Vec<Value>, String>,
) -> Result<Option<GivenSetting>, Mistake> {
    if let (Some(retired), Ok(readings)) = (retired::find(section, key), &value)
        && readings.iter().any(|value| retired.is_value(value))
    {
        return Ok(None);
    }
    match names::find_key(section, key).and_then(|found| Ok((found, value?))) {
        Ok(((section, key), readings)) => Ok(Some(GivenSetting { section, key, readings, source })),
        Err(text) => Err(Mistake { source, text }),
    }
}

fn noted(given: Result<Option<GivenSetting>, Mistake>, mistakes: &mut Vec<Mistake>) -> Option<GivenSetting> {
    given.map_err(|mistake| mistakes.push(mistake)).ok().flatten()
}

/// Returns the possible values of a text: itself; a TOML value (`100`, `true`, `["a", "b"]`); a comma-separated list.
/// The setting's type picks the first that fits, so that a name made of digits stays a name.
fn readings(text: &str) -> Vec<Value> {
    let mut readings = vec![Value::String(text.to_owned())];
    let toml = DeValue::parse(text).and_then(|value| Value::deserialize(ValueDeserializer::from(value)));
    readings.extend(toml);
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    readings.push(list(parts));
    readings
}

fn list<'a>(parts: impl Iterator<Item = &'a str>) -> Value {
    Value::Array(parts.map(|part| Value::String(part.to_owned())).collect())
}

/// Returns the number of the line, from 1 on, with the byte at `offset`.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}
