//! Settings that only who runs a program may choose: programs, files, proxies, names of environment variables, log-ins,
//! uploads. What others can write, a crawl directory and the servers of a fleet, must not choose them.

use std::collections::BTreeSet;
use std::path::Path;

use toml::Value;

use super::mistake::{Mistake, Source};
use super::print;
use super::sections::{Config, section};

/// Where a setting must be given again, if it was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Again {
    /// In a further run in the crawl directory, and by each node that joins the crawl of a fleet.
    Everywhere,
    /// In a further run only: nodes of a fleet may differ in it.
    InRuns,
    /// By nodes only. The seeds of a crawl directory name addresses too, so that nothing would be gained.
    ByNodes,
}

/// A setting that is not for others to choose.
#[derive(Debug, Clone, Copy)]
struct OwnSetting {
    name: (&'static str, &'static str),
    /// What it names.
    what: &'static str,
    /// The flag that sets it.
    flag: &'static str,
    again: Again,
}

const fn own(again: Again, name: (&'static str, &'static str), flag: &'static str, what: &'static str) -> OwnSetting {
    OwnSetting { name, what, flag, again }
}

/// All of them.
#[rustfmt::skip]
const OWN: &[OwnSetting] = &[
    own(Again::InRuns, ("render", "browser"), "--set render.browser=FILE", "a program"),
    own(Again::InRuns, ("render", "sandbox"), "--set render.sandbox=false", "the protection of a program"),
    own(Again::InRuns, ("crawl", "seeds_file"), "--seeds-file FILE", "a file"),
    own(Again::Everywhere, ("fetch", "cookies_file"), "--cookies FILE", "a file"),
    own(Again::Everywhere, ("fetch", "ca_file"), "--ca-file FILE", "a file"),
    own(Again::Everywhere, ("fetch", "proxy"), "--proxy URL", "a proxy"),
    own(Again::InRuns, ("fetch", "credential_origins"), "--set fetch.credential_origins=ORIGIN", "who gets credentials"),
    own(Again::ByNodes, ("fetch", "resolve"), "--resolve HOST:ADDR", "addresses"),
    own(Again::ByNodes, ("fetch", "private_addresses"), "--set fetch.private_addresses=true", "addresses"),
    own(Again::InRuns, ("identity", "key_file"), "--sign-key FILE", "a file"),
    own(Again::InRuns, ("login", "url"), "--login URL", "a log-in"),
    own(Again::InRuns, ("login", "user"), "--user NAME", "a log-in"),
    own(Again::InRuns, ("login", "password_env"), "--password-env VAR", "an environment variable"),
    own(Again::Everywhere, ("policy", "example"), "--example FILE", "a file"),
    own(Again::InRuns, ("policy", "topic"), "--topic @FILE", "a file"),
    own(Again::Everywhere, ("policy", "model"), "--model FILE", "a file"),
    own(Again::Everywhere, ("archive", "upload"), "--set archive.upload=s3://BUCKET/PREFIX", "an upload"),
    own(Again::InRuns, ("metrics", "token"), "--set metrics.token=TOKEN", "an access token"),
    own(Again::InRuns, ("fleet", "servers"), "--fleet nats://HOST:PORT", "servers"),
    own(Again::InRuns, ("fleet", "password"), "--set fleet.password=TEXT", "a log-in"),
    own(Again::InRuns, ("fleet", "token"), "--set fleet.token=TEXT", "a log-in"),
    own(Again::InRuns, ("fleet", "seal"), "--set fleet.seal=KEY", "a key"),
    own(Again::InRuns, ("fleet", "open"), "--set fleet.open=true", "the protection of a fleet"),
    own(Again::InRuns, ("fleet", "credentials_file"), "--set fleet.credentials_file=FILE", "a file"),
    own(Again::InRuns, ("fleet", "ca_file"), "--set fleet.ca_file=FILE", "a file"),
    own(Again::InRuns, ("fleet", "certificate_file"), "--set fleet.certificate_file=FILE", "a file"),
    own(Again::InRuns, ("fleet", "key_file"), "--set fleet.key_file=FILE", "a file"),
];

impl OwnSetting {
    /// Returns whether a value is one that others may not choose.
    fn is_own(&self, value: &Value) -> bool {
        let names_file = |is_file: fn(&str) -> bool| match value {
            Value::Array(values) => values.iter().filter_map(Value::as_str).any(is_file),
            value => value.as_str().is_some_and(is_file),
        };
        match self.name {
            ("policy", "example") => names_file(is_file),
            ("policy", "topic") => names_file(|text| text.starts_with('@')),
            (part, key) => {
                section(part).and_then(|section| (section.defaults)().get(key).cloned()).as_ref() != Some(value)
            }
        }
    }

    fn full_name(&self) -> String {
        format!("{}.{}", self.name.0, self.name.1)
    }

    fn mistake(&self, source: Source, whose: &str) -> Mistake {
        let (name, what, flag) = (self.full_name(), self.what, self.flag);
        let text = format!(
            "`{name}` names {what}, which {whose} may not choose: give it again, by `{flag}`, in the environment or in your own \
             file (`--config FILE`). Its default counts too"
        );
        Mistake { source, text }
    }
}

fn find(section: &str, key: &str) -> Option<&'static OwnSetting> {
    OWN.iter().find(|own| own.name == (section, key))
}

/// Returns whether a setting is taken from the user's own file in a further run in a crawl directory.
pub(super) fn is_asked_in_runs(section: &str, key: &str) -> bool {
    find(section, key).is_some_and(|own| own.again != Again::ByNodes)
}

/// Returns why a value in a crawl directory is not taken, if it is not.
pub(super) fn not_of_directory(section: &str, key: &str, value: &Value, source: Source) -> Option<Mistake> {
    let own = find(section, key).filter(|own| own.again != Again::ByNodes && own.is_own(value))?;
    Some(own.mistake(source, "a crawl directory"))
}

/// Returns the settings that the text of a crawl directory says were left out, and that must be given again.
pub(super) fn left_out_of_directory(path: &Path, text: &str) -> Vec<(&'static str, &'static str, Mistake)> {
    let asked = |(line, name): (usize, &str)| {
        let (section, key) = name.split_once('.')?;
        let own = find(section, key).filter(|own| own.again != Again::ByNodes)?;
        let source = Source::File { path: path.to_owned(), line };
        Some((own.name.0, own.name.1, own.mistake(source, "a crawl directory")))
    };
    print::remarks(text).filter_map(asked).collect()
}

/// Settings of a node that others neither know nor need.
const LOCAL: &[(&str, &str)] = &[
    ("crawl", "out"),
    ("crawl", "threads"),
    ("crawl", "io_threads"),
    // Drawn for each run, unless it is set.
    ("crawl", "seed"),
    ("render", "browsers"),
    ("fleet", "name"),
    ("fleet", "node"),
    ("fleet", "weight"),
    ("fleet", "user"),
];
/// The sections of such settings.
const LOCAL_SECTIONS: &[&str] = &["metrics", "log", "login"];

/// Returns whether an example or a line of the topic names a file.
fn is_file(example: &str) -> bool {
    !example.is_empty() && !example.starts_with("http://") && !example.starts_with("https://")
}

/// Returns whether each node of a fleet has a setting for itself. Examples are divided: pages are common, files are
/// not.
fn is_of_node(part: &str, key: &str, is_sealed: bool) -> bool {
    let is_own = find(part, key).is_some_and(|own| own.name.0 != "policy" || own.name.1 == "model");
    let is_local = LOCAL.contains(&(part, key)) || LOCAL_SECTIONS.contains(&part);
    is_own || is_local || (!is_sealed && print::is_secret(part, key))
}

/// Returns the settings of a node of a fleet: what is common to all nodes, and its own. Credentials for sites are
/// common only if the node seals what it puts on the servers.
///
/// # Errors
/// The settings cannot be written as TOML.
pub fn of_node(common: &Config, own: &Config) -> Result<Config, String> {
    let mut values = common.to_table().map_err(|error| error.to_string())?;
    let its = own.to_table().map_err(|error| error.to_string())?;
    for (part, keys) in &mut values {
        let Some((keys, its)) = keys.as_table_mut().zip(its.get(part).and_then(Value::as_table)) else { continue };
        for (key, value) in keys {
            if let Some(own) = its.get(key).filter(|_| is_of_node(part, key, !own.fleet.seal.is_empty())) {
                value.clone_from(own);
            }
        }
    }
    let mut config = Config::from_table(values).map_err(|error| error.to_string())?;
    config.policy.example.0.retain(|example| !is_file(example));
    config.policy.example.0.extend(own.policy.example.0.iter().filter(|example| is_file(example)).cloned());
    Ok(config)
}

/// Returns the settings of `config` that each node of a fleet must give by itself, as `section.key`.
pub fn asked_of_nodes(config: &Config) -> Vec<String> {
    let (values, is_sealed) = (config.to_table().unwrap_or_default(), !config.fleet.seal.is_empty());
    let value = |part: &str, key: &str| values.get(part).and_then(|values| values.get(key)).cloned();
    let is_set = |own: &&OwnSetting| value(own.name.0, own.name.1).is_some_and(|value| own.is_own(&value));
    let asked = OWN.iter().filter(|own| own.again != Again::InRuns).filter(is_set).map(OwnSetting::full_name);
    let is_other = |name: &String| name.split_once('.').is_some_and(|(part, key)| find(part, key).is_none());
    asked.chain(print::changed_secrets(&values).filter(|name| !is_sealed && is_other(name))).collect()
}

/// Returns the text of a fleet's common settings, with remarks on those that each node must give by itself.
pub fn with_remarks(text: &str, asked: &[String]) -> String {
    let remarks = asked.iter().map(|name| print::remark(name, "each node gives it by itself"));
    remarks.chain([text.to_owned()]).collect()
}

/// Returns the settings that the text of a fleet's settings has remarks on and that were not given, each with its flag.
pub fn missing_of_node(text: &str, given: &BTreeSet<String>) -> Vec<String> {
    let missing = |name: &str| {
        let (part, key) = name.split_once('.')?;
        // Whatever the servers say, no other text of theirs is shown.
        section(part).filter(|section| section.has(key) && !given.contains(name))?;
        let flag = find(part, key).map_or_else(|| format!("--set {name}=VALUE"), |own| own.flag.to_owned());
        Some(format!("{name} ({flag})"))
    };
    print::remarks(text).filter_map(|(_, name)| missing(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Flag, FlagValue, FleetOptions, Layers, SECTIONS, load};
    use super::*;

    /// Loads the settings of a crawl directory, with those that the user gives.
    fn load_directory(text: &str, given: &[(&str, &str)], file: Option<&str>) -> Result<super::super::Config, String> {
        let flag = |(name, value): &(&str, &str)| Flag {
            flag: "--set".to_owned(),
            name: (*name).to_owned(),
            value: FlagValue::Text((*value).to_owned()),
        };
        let directory = Some((Path::new("dir/config.toml"), text));
        let file = file.map(|text| (Path::new("own.toml"), text));
        let layers = Layers { directory, file, environment: Vec::new(), flags: given.iter().map(flag).collect() };
        load(&layers).map_err(|mistakes| mistakes.to_string())
    }

    #[test]
    fn each_own_setting_exists_and_is_listed_once() {
        for (at, own) in OWN.iter().enumerate() {
            let (part, key) = own.name;
            assert!(section(part).is_some_and(|section| section.has(key)), "{part}.{key}");
            assert!(OWN[..at].iter().all(|other| other.name != own.name), "{part}.{key} is listed twice");
        }
    }

    #[test]
    fn whatever_names_a_file_or_a_variable_is_an_own_setting() {
        for section in SECTIONS {
            for key in section.options.iter().map(|option| option.key) {
                if key.ends_with("_file") || key.ends_with("_env") {
                    assert!(is_asked_in_runs(section.name, key), "{}.{key}", section.name);
                }
            }
        }
    }

    #[test]
    fn a_crawl_directory_chooses_no_program_file_proxy_log_in_variable_or_upload() {
        let chosen = [
            ("render", "browser", "\"/tmp/evil\""),
            ("render", "sandbox", "false"),
            ("fetch", "cookies_file", "\"/home/me/cookies\""),
            ("fetch", "ca_file", "\"/tmp/ca.pem\""),
            ("fetch", "proxy", "\"http://evil.test:1\""),
            ("fetch", "credential_origins", "[\"https://evil.test\"]"),
            ("identity", "key_file", "\"/home/me/key.pem\""),
            ("login", "password_env", "\"AWS_SECRET_ACCESS_KEY\""),
            ("policy", "example", "[\"https://h.test/\", \"/home/me/.ssh/id_ed25519\"]"),
            ("policy", "topic", "[\"@/etc/passwd\"]"),
            ("policy", "model", "\"/home/me/model\""),
            ("archive", "upload", "\"s3://evil/x\""),
            ("metrics", "token", "\"known-to-the-author\""),
            ("fleet", "servers", "\"nats://evil.test\""),
        ];
        for (section, key, value) in chosen {
            let text = format!("[{section}]\n{key} = {value}\n");
            let name = format!("{section}.{key}");
            let refused = load_directory(&text, &[], None).unwrap_err();
            assert!(refused.contains("dir/config.toml:2:") && refused.contains(&format!("`{name}`")), "{refused}");
            assert!(refused.contains("give it again"), "{refused}");
            // Also where the default is given, and then the value of the directory is not taken.
            let default = (super::super::section(section).unwrap().defaults)()[key].clone();
            let default = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
            let config = load_directory(&text, &[(&name, &default)], None);
            assert_eq!(config, Ok(super::super::Config::default()), "{name}");
        }
    }

    #[test]
    fn a_proxy_that_was_left_out_must_be_given_again_and_defaults_need_nothing() {
        let mut config = super::super::Config::default();
        config.fetch.proxy = "http://user:password@proxy.test:1".to_owned();
        config.budget.pages = 7;
        let text = super::super::as_toml(&config, super::super::Secrets::LeftOut);
        let refused = load_directory(&text, &[], None).unwrap_err();
        assert!(refused.contains("`fetch.proxy` names a proxy") && refused.contains("--proxy URL"), "{refused}");
        let resumed = load_directory(&text, &[("fetch.proxy", "")], None).unwrap();
        assert_eq!((resumed.fetch.proxy.as_str(), resumed.budget.pages), ("", 7));
        let text = super::super::as_toml(&super::super::Config::default(), super::super::Secrets::LeftOut);
        assert!(load_directory(&text, &[], None).is_ok());
    }

    #[test]
    fn of_the_users_own_file_a_further_run_takes_the_own_settings_only() {
        let directory = "[budget]\npages = 7\n[render]\nbrowser = \"/opt/theirs\"\n";
        let own = "[budget]\npages = 9\n[render]\nbrowser = \"/opt/mine\"\nbrowsers = 3\n";
        let config = load_directory(directory, &[], Some(own)).unwrap();
        assert_eq!((config.budget.pages, config.render.browser.as_str(), config.render.browsers), (7, "/opt/mine", 1));
    }

    #[test]
    fn no_value_of_a_secret_or_of_a_node_is_common_unless_it_is_sealed() {
        const MARK: &str = "e-g-mark";
        for is_sealed in [false, true] {
            let mut values = Config::default().to_table().unwrap();
            let names =
                OWN.iter().map(|own| own.name).chain([("fetch", "headers"), ("fetch", "cookie"), ("login", "form")]);
            for (part, key) in names.clone() {
                let value = values.get_mut(part).unwrap().get_mut(key).unwrap();
                *value = match value {
                    Value::Array(_) => Value::Array(vec![Value::String(MARK.to_owned())]),
                    Value::Boolean(value) => Value::Boolean(!*value),
                    _ => Value::String(MARK.to_owned()),
                };
            }
            let mut config = Config::from_table(values).unwrap();
            config.policy.topic = vec!["a tag".to_owned()];
            config.policy.example.0.push("https://h.test/t/1".to_owned());
            config.fleet.seal = if is_sealed { MARK.to_owned() } else { String::new() };
            let nobody = Config {
                fleet: FleetOptions { seal: config.fleet.seal.clone(), ..Default::default() },
                ..Config::default()
            };
            let common = of_node(&config, &nobody).unwrap();
            let mut text = common.to_table().unwrap().to_string();
            text = text.replace(&format!("seal = \"{MARK}\""), "");
            assert_eq!(text.matches(MARK).count(), if is_sealed { 2 } else { 0 }, "{text}");
            let (fetch, usual) = (common.fetch, Config::default());
            assert_eq!((fetch.private_addresses, common.render.sandbox), (false, usual.render.sandbox));
            assert_eq!(common.policy.example.0, ["https://h.test/t/1"]);
            let asked = asked_of_nodes(&config);
            for name in ["fetch.headers", "fetch.cookie"] {
                assert_eq!(asked.contains(&name.to_owned()), !is_sealed, "{name}");
            }
            for name in ["fetch.proxy", "fetch.resolve", "policy.example", "archive.upload"] {
                assert!(asked.contains(&name.to_owned()), "{name}: {asked:?}");
            }
            assert!(!asked.iter().any(|name| name.starts_with("fleet.") || name.starts_with("metrics.")), "{asked:?}");
            let remarked = with_remarks(&text, &asked);
            assert!(remarked.parse::<toml::Table>().is_ok() && !remarked.contains(MARK) || is_sealed);
            let given = asked.iter().filter(|name| *name != "fetch.proxy").cloned().collect();
            assert_eq!(missing_of_node(&remarked, &given), ["fetch.proxy (--proxy URL)"]);
        }
    }

    #[test]
    fn a_node_has_its_own_settings_and_those_of_the_fleet_choose_none_of_them() {
        let (mut common, mut own) = (Config::default(), Config::default());
        (common.fetch.proxy, own.fetch.proxy) = ("http://evil.test:1".to_owned(), "http://mine.test:1".to_owned());
        (common.login.url, common.archive.upload) = ("http://evil.test/".to_owned(), "s3://evil/x".to_owned());
        common.render.browser = "/tmp/evil".to_owned();
        common.fetch.cookie = "injected=1".to_owned();
        common.budget.pages = 7;
        let node = of_node(&common, &own).unwrap();
        own.budget.pages = 7;
        assert_eq!(node, own);
        assert!(missing_of_node("# Was set and is left out: evil.\u{1b}[31m: x\n", &BTreeSet::new()).is_empty());
    }

    #[test]
    fn examples_and_topics_that_are_no_files_are_those_of_the_directory() {
        let text = "[policy]\nexample = \"https://h.test/t/1\"\ntopic = [\"macro photography\"]\n";
        assert_eq!(load_directory(text, &[], None).unwrap().policy.topic, ["macro photography"]);
    }
}
