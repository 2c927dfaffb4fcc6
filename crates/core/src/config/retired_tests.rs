use std::path::Path;

use super::super::{Config, Flag, FlagValue, Layers, Mistakes, load, load_recorded, section};
use super::*;

/// Two retired settings, with the value that is fixed and with another.
const FIXED: &str = "[robots]\nsitemap_max_url_bytes = \"8 KiB\"\nunavailable_allow_after = \"720h\"\n";
const OTHER: &str = "[robots]\nsitemap_max_nesting = 9\n[budget]\npages = 7\n";

fn of_file(text: &str) -> Result<Config, Mistakes> {
    load(&Layers { file: Some((Path::new("h.toml"), text)), ..Layers::default() })
}

fn of_directory(text: &str) -> Result<Config, Mistakes> {
    load(&Layers { directory: Some((Path::new("d/config.toml"), text)), ..Layers::default() })
}

fn of_flag(name: &str, value: &str) -> Result<Config, Mistakes> {
    let flag = Flag { flag: "--set".to_owned(), name: name.to_owned(), value: FlagValue::Text(value.to_owned()) };
    load(&Layers { flags: vec![flag], ..Layers::default() })
}

#[test]
fn no_retired_setting_is_a_setting_and_none_is_listed_twice() {
    for (at, (part, key, _)) in RETIRED.iter().enumerate() {
        assert!(section(part).is_some_and(|section| !section.has(key)), "{part}.{key}");
        assert!(RETIRED[..at].iter().all(|other| (other.0, other.1) != (*part, *key)), "{part}.{key} is listed twice");
    }
}

#[test]
fn every_retired_setting_is_accepted_with_the_value_that_is_fixed() {
    for (section, key, value) in RETIRED {
        let written = match value {
            Number(number) => format!("{number}"),
            Switch(switch) => format!("{switch}"),
            Size(size) => format!("\"{size}\""),
            Time(period) => format!("\"{period}\""),
            Text(text) => format!("\"{text}\""),
            List(list) => format!("{list:?}"),
        };
        let text = format!("[{section}]\n{key} = {written}\n");
        assert_eq!(of_file(&text), Ok(Config::default()), "{text}");
        assert_eq!(of_flag(&format!("{section}.{key}"), written.trim_matches('"')), Ok(Config::default()), "{text}");
        assert!(overridden(&text).is_empty(), "{text}");
    }
}

#[test]
fn the_value_that_is_fixed_is_accepted_however_it_is_written() {
    assert_eq!(of_file(FIXED), Ok(Config::default()));
    assert_eq!(of_flag("robots.sitemap_max_url_bytes", "8192"), Ok(Config::default()));
    let environment = vec![("HARVESTMAN_".to_owned() + "ROBOTS_SITEMAP_MAX_NESTING", "64".to_owned())];
    assert_eq!(load(&Layers { environment, ..Layers::default() }), Ok(Config::default()));
}

#[test]
fn another_value_is_refused_where_the_user_wrote_it() {
    let refused = of_file(OTHER).unwrap_err().to_string();
    assert_eq!(
        refused,
        "h.toml:2: `robots.sitemap_max_nesting` is no longer a setting: its value is fixed at 64; remove it"
    );
    let refused = of_flag("robots.sitemap_max_url_bytes", "9KiB").unwrap_err().to_string();
    assert!(refused.starts_with("--set: ") && refused.contains("fixed at 8KiB"), "{refused}");
    let changes = [Flag {
        flag: "set".to_owned(),
        name: "robots.sitemap_max_nesting".to_owned(),
        value: FlagValue::Text("9".to_owned()),
    }];
    let refused = super::super::changed(&Config::default(), &changes).unwrap_err();
    assert!(refused.contains("no longer a setting"), "{refused}");
}

#[test]
fn a_crawl_directory_of_an_earlier_version_is_resumed_and_read_whatever_its_values() {
    for text in [FIXED, OTHER] {
        let config = of_directory(text).unwrap();
        assert_eq!(load_recorded(Path::new("d/config.toml"), text), Ok(config.clone()));
        assert_eq!(Config::from_table(text.parse().unwrap()), Ok(config));
    }
    assert_eq!(of_directory(OTHER).unwrap().budget.pages, 7);
    assert!(overridden(FIXED).is_empty());
    let told = overridden(OTHER);
    assert_eq!(told, ["`robots.sitemap_max_nesting` is no longer a setting: its value is fixed at 64, not 9"]);
}
