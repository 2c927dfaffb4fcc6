//! The configuration as text: a documented TOML file, and the reference.

use std::fmt::Write;

use toml::{Table, Value};
use url::Url;

use super::sections::{Config, SECTIONS, SectionInfo};
use crate::url::{without_keys, without_user_info};

/// Settings whose values may contain a password or a login; files that may be shared omit them.
const SECRETS: &[(&str, &str)] = &[
    ("fetch", "headers"),
    ("fetch", "cookie"),
    ("fetch", "proxy"),
    ("metrics", "token"),
    ("fleet", "password"),
    ("fleet", "token"),
    ("fleet", "seal"),
];

/// Returns whether the value of a setting may be a password or a login, as a whole.
pub(super) fn is_secret(section: &str, key: &str) -> bool {
    SECRETS.contains(&(section, key))
}

/// Returns the secrets for sites that have another value than their default, as `section.key`.
pub(super) fn changed_secrets(values: &Table) -> impl Iterator<Item = String> {
    let is_changed = |&&(part, key): &&(&str, &str)| {
        let default = super::section(part).and_then(|section| (section.defaults)().get(key).cloned());
        values.get(part).and_then(|values| values.get(key)) != default.as_ref()
    };
    let of_sites = SECRETS.iter().filter(|(part, _)| !matches!(*part, "metrics" | "fleet"));
    of_sites.filter(is_changed).map(|(part, key)| format!("{part}.{key}"))
}

/// Returns a remark on a setting that was left out, as a line.
pub(super) fn remark(name: &str, why: &str) -> String {
    format!("# {REMARK} {name}: {why}.\n")
}

/// The text before the name of a secret that was set.
const REMARK: &str = "Was set and is left out:";

/// Returns the settings whose secrets were omitted from the text of a configuration, and that are in `config` as they
/// are there.
pub fn left_out<'a>(text: &'a str, config: &Config) -> impl Iterator<Item = &'a str> {
    let values = config.to_table().unwrap_or_default();
    let written: Table = text.parse().unwrap_or_default();
    remarks(text).map(|(_, name)| name).filter(move |name| {
        let (section, key) = name.split_once('.').unwrap_or_default();
        let of = |table: &Table| table.get(section).and_then(|values| values.get(key)).cloned();
        of(&values) == of(&written)
    })
}

/// Returns the settings that the text of a configuration says were left out, each with the number of its line.
pub(super) fn remarks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(at, line)| {
        let name = line.strip_prefix("# ")?.strip_prefix(REMARK)?.trim().split(':').next()?;
        Some((at + 1, name))
    })
}

/// Whether secrets are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// As they are.
    Shown,
    /// Replaced, with a remark: by their default, or in an address by what it is without them.
    LeftOut,
}

/// Returns `config` as a TOML file with every setting, its documentation, and its default if the value differs.
pub fn as_toml(config: &Config, secrets: Secrets) -> String {
    let all = Table::try_from(config).unwrap_or_default();
    let mut text = String::new();
    for section in SECTIONS {
        let mut values = all.get(section.name).and_then(Value::as_table).cloned().unwrap_or_default();
        let omitted = if secrets == Secrets::LeftOut { omit_secrets(section, &mut values) } else { Vec::new() };
        print_section(&mut text, section, &values, &omitted);
    }
    text
}

/// Replaces the secrets in the values of a section. Returns the keys of the settings that had any.
fn omit_secrets(section: &SectionInfo, values: &mut Table) -> Vec<String> {
    let defaults = (section.defaults)();
    let mut omitted = Vec::new();
    for (key, value) in values {
        let without = match defaults.get(key) {
            Some(default) if is_secret(section.name, key) => default.clone(),
            _ if (section.name, key.as_str()) == ("search", "url") => without_search_keys(value),
            _ => without_log_ins(value),
        };
        if *value != without {
            *value = without;
            omitted.push(key.clone());
        }
    }
    omitted
}

/// Returns the addresses of searches without their keys.
fn without_search_keys(value: &Value) -> Value {
    let addresses: Vec<String> =
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    let without = without_keys(&addresses).map(|address| without_log_in(&address));
    Value::Array(without.map(Value::String).collect())
}

/// Returns a value whose URLs have no user names and passwords.
fn without_log_ins(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.split(',').map(without_log_in).collect::<Vec<_>>().join(",")),
        Value::Array(values) => Value::Array(values.iter().map(without_log_ins).collect()),
        other => other.clone(),
    }
}

/// What is no URL, such as a pattern, stays as it is.
fn without_log_in(text: &str) -> String {
    let has_log_in = Url::parse(text.trim()).is_ok_and(|url| !url.username().is_empty() || url.password().is_some());
    if has_log_in { without_user_info(text).into_owned() } else { text.to_owned() }
}

fn print_section(text: &mut String, section: &SectionInfo, values: &Table, omitted: &[String]) {
    if !text.is_empty() {
        text.push('\n');
    }
    comment(text, section.about);
    let _ = writeln!(text, "[{}]", section.name);
    let defaults = (section.defaults)();
    for option in section.options {
        let key = option.key;
        let (Some(value), Some(default)) = (values.get(key), defaults.get(key)) else { continue };
        text.push('\n');
        comment(text, option.doc);
        if omitted.iter().any(|omitted| omitted == key) {
            text.push_str(&remark(&format!("{}.{key}", section.name), "it may hold a secret"));
            let _ = writeln!(text, "{key} = {value}");
        } else if value == default {
            let _ = writeln!(text, "{key} = {value}");
        } else {
            let _ = writeln!(text, "# Default: {default}\n{key} = {value}");
        }
    }
}

fn comment(text: &mut String, lines: &[&str]) {
    for line in lines {
        let _ = writeln!(text, "#{line}");
    }
}

const HEAD: &str = "\
# Configuration

<!-- Generated from crates/core/src/config/*.rs by `HARVESTMAN_BLESS=1 cargo test --test cli`. -->

A setting has one name, `section.key`, and four sources. The later one takes precedence:

1. its default;
2. the file named by `--config FILE` (TOML, one table per section);
3. the environment: `HARVESTMAN_<SECTION>_<KEY>`, for example `HARVESTMAN_BUDGET_PAGES=1000`;
4. the command line: its own flag if it has one (see [cli.md](cli.md)), or `--set section.key=value`.

In the environment and after `--set`, a list is written with commas between its values, or as in TOML: `[\"a\", \"b\"]`. Durations are
written `250ms`, `1.5s`, `10m`, `24h`, sizes `64KiB`, `16MiB`, `2GB`. Unknown names are rejected, and all mistakes are reported at once.
`harvestman config` prints the effective configuration, with these descriptions as comments: its output is a valid configuration file.

Settings that are marked *live* can be changed while a crawl runs: `harvestman ctl DIR set section.key=value`. The others apply to a whole run;
`harvestman resume DIR --set section.key=value` changes them for the next one.
";

/// Returns the text of `docs/configuration.md`.
pub fn reference() -> String {
    let mut text = String::from(HEAD);
    for section in SECTIONS {
        let defaults = (section.defaults)();
        let _ = write!(text, "\n## {}\n\n{}\n\n", section.name, joined(section.about));
        text.push_str("| key | default | description |\n| --- | --- | --- |\n");
        for option in section.options {
            let default = defaults.get(option.key).map(ToString::to_string).unwrap_or_default();
            let live = if option.live { " *Live.*" } else { "" };
            let _ = writeln!(
                text,
                "| `{}` | `{}` | {}{live} |",
                option.key,
                default.replace('|', "\\|"),
                joined(option.doc).replace('|', "\\|")
            );
        }
    }
    text
}

fn joined(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::options! {
        /// A substitute for the section of the fetch stage.
        pub struct Login in "fetch" {
            /// A secret.
            cookie: String = String::new(),
            /// None.
            accept: String = String::new(),
        }
    }

    #[test]
    fn secrets_are_left_out_of_files_that_are_passed_on_and_nothing_else_is() {
        let login = Login { cookie: "session=1".into(), accept: "text/html".into() };
        let section = SectionInfo::of::<Login>();
        let mut values = Table::try_from(&login).unwrap();
        let mut shown = String::new();
        print_section(&mut shown, &section, &values, &[]);
        assert!(shown.contains("cookie = \"session=1\""));
        let omitted = omit_secrets(&section, &mut values);
        let mut passed_on = String::new();
        print_section(&mut passed_on, &section, &values, &omitted);
        assert!(!passed_on.contains("session=1") && passed_on.contains("Was set"), "{passed_on}");
        assert!(passed_on.contains("accept = \"text/html\""), "{passed_on}");
    }

    #[test]
    fn addresses_are_passed_on_without_passwords_and_keys_and_patterns_as_they_are() {
        let mut config = Config::default();
        let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        config.crawl.seeds = owned(&["http://user:s3cret@h.test/", "http://h.test/@x:y"]);
        config.search.url = owned(&["https://s.test/?key=s3cret&q={query}", "site"]);
        config.fleet.servers = "nats://n:s3cret@a.test:4222,tls://b.test".to_owned();
        config.policy.want = owned(&["url:https?://[^/@]+:80@.*", "site:x"]);
        let passed_on = as_toml(&config, Secrets::LeftOut);
        assert!(!passed_on.contains("s3cret"), "{passed_on}");
        let read: Table = passed_on.parse().unwrap();
        let text = |section: &str, key: &str| read[section][key].to_string();
        assert_eq!(text("crawl", "seeds"), "[\"http://h.test/\", \"http://h.test/@x:y\"]");
        assert_eq!(text("search", "url"), "[\"https://s.test/?key=left-out&q={query}\", \"site\"]");
        assert_eq!(text("fleet", "servers"), "\"nats://a.test:4222,tls://b.test\"");
        assert_eq!(read["policy"]["want"], config.to_table().unwrap()["policy"]["want"]);
        assert_eq!(left_out(&passed_on, &config).count(), 0, "all were given again");
        config.search.url = owned(&["https://s.test/?key=left-out&q={query}", "site"]);
        assert_eq!(left_out(&passed_on, &config).collect::<Vec<_>>(), ["search.url"]);
    }
}
