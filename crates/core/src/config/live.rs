//! Settings that can be changed while a crawl runs.

use super::given::Flag;
use super::load::{Layers, load};
use super::names;
use super::print::{Secrets, as_toml};
use super::sections::{Config, SECTIONS};
use std::path::Path;

/// Returns all settings that can be changed while a crawl runs, as `section.key`, in the order in which they are
/// printed.
pub fn live_settings() -> impl Iterator<Item = String> {
    let of_section = |section: &'static super::SectionInfo| {
        let live = section.options.iter().filter(|option| option.live);
        live.map(move |option| format!("{}.{}", section.name, option.key))
    };
    SECTIONS.iter().flat_map(of_section)
}

/// Returns the configuration with other values for some settings, which must all be live.
///
/// # Errors
///
/// Lists everything that is wrong: unknown settings, settings that cannot be changed at runtime (with those that can),
/// values of the wrong type.
pub fn changed(config: &Config, changes: &[Flag]) -> Result<Config, String> {
    let fixed = |change: &&Flag| !names_live(&change.name);
    if let Some(change) = changes.iter().find(fixed) {
        let (section, key) = names::split(&change.name).unwrap_or((change.name.as_str(), ""));
        names::find_key(section, key)?;
        let live = live_settings().collect::<Vec<_>>().join(", ");
        return Err(format!(
            "`{0}` cannot be changed while the crawl runs; stop it and resume it with `harvestman resume DIR --set {0}=...`. \
             Settings that can be changed: {live}",
            change.name
        ));
    }
    let text = as_toml(config, Secrets::Shown);
    let layers = Layers { file: Some((Path::new("config.toml"), &text)), flags: changes.to_vec(), ..Layers::default() };
    load(&layers).map_err(|mistakes| mistakes.to_string())
}

fn names_live(name: &str) -> bool {
    live_settings().any(|live| live == name)
}

/// Returns the value of a setting as it is written in a file.
pub fn value_of(config: &Config, name: &str) -> Option<String> {
    let (section, key) = names::split(name)?;
    let table = config.to_table().ok()?;
    table.get(section)?.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{FlagValue, Period};

    fn change(name: &str, value: &str) -> Flag {
        Flag { flag: name.to_owned(), name: name.to_owned(), value: FlagValue::Text(value.to_owned()) }
    }

    #[test]
    fn live_settings_take_new_values_and_the_others_stay_as_they_were() {
        let mut config = Config::default();
        config.fetch.cookie = "secret=1".to_owned();
        let changes = [change("host.delay", "250ms"), change("budget.pages", "7")];
        let new = changed(&config, &changes).unwrap();
        assert_eq!((new.host.delay, new.budget.pages), (Period::millis(250), 7));
        assert_eq!(value_of(&new, "host.delay").as_deref(), Some("250ms"));
        (config.host.delay, config.budget.pages) = (Period::millis(250), 7);
        assert_eq!(new, config);
    }

    #[test]
    fn what_is_fixed_unknown_or_makes_no_sense_is_refused_with_what_to_do() {
        let refused = |name, value| changed(&Config::default(), &[change(name, value)]).unwrap_err();
        let fixed = refused("crawl.policy", "ucc");
        assert!(fixed.contains("cannot be changed while the crawl runs") && fixed.contains("host.delay"), "{fixed}");
        assert!(refused("host.dely", "1s").contains("did you mean `host.delay`?"));
        assert!(refused("pages", "1").contains("unknown section"));
        assert!(refused("host.delay", "soon").contains("write it as 250ms"));
        assert!(refused("budget.pages", "-1").contains("budget.pages"));
    }

    #[test]
    fn every_setting_that_is_live_exists() {
        assert!(live_settings().count() >= 15);
        for name in live_settings() {
            assert!(value_of(&Config::default(), &name).is_some(), "{name}");
        }
    }
}
