//! Flags that set a setting. The help, the completions, the reference and the loading are all generated from one table.

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

use harvestman_core::config::{self, Flag, FlagValue, PolicyKind};

/// A flag that sets a setting.
#[derive(Debug, Clone, Copy)]
pub struct SettingFlag {
    /// Its name, without the dashes.
    pub long: &'static str,
    /// The placeholder of its value in the help.
    pub value: &'static str,
    /// The section and the key of the setting.
    pub setting: (&'static str, &'static str),
    /// Whether it may be repeated.
    pub many: bool,
    /// Its heading in the help.
    pub heading: &'static str,
    /// Its description in the help.
    pub help: &'static str,
}

const fn one(
    heading: &'static str,
    (long, value): (&'static str, &'static str),
    setting: (&'static str, &'static str),
    help: &'static str,
) -> SettingFlag {
    SettingFlag { long, value, setting, many: false, heading, help }
}

const fn many(
    heading: &'static str,
    flag: (&'static str, &'static str),
    setting: (&'static str, &'static str),
    help: &'static str,
) -> SettingFlag {
    SettingFlag { many: true, ..one(heading, flag, setting, help) }
}

const CRAWL: &str = "What to crawl";
const BUDGETS: &str = "When to stop";
const POLITENESS: &str = "Politeness and identity";
const NETWORK: &str = "Logins and network";
const FLEET: &str = "Fleet";
const OUTPUT: &str = "Output and log";

/// The placeholder of a flag that needs no value.
const SWITCH: &str = "true|false";

/// The setting whose values the help lists.
const POLICY: (&str, &str) = ("crawl", "policy");

/// All of them, in the order of the help.
#[rustfmt::skip]
const FLAGS: &[SettingFlag] = &[
    one(CRAWL, ("out", "DIR"), ("crawl", "out"), "Directory for all output of the crawl; must be empty or not exist yet"),
    one(CRAWL, ("seeds-file", "FILE"), ("crawl", "seeds_file"), "File with more seeds, one per line; - reads standard input"),
    one(CRAWL, ("scope", "host|domain|prefix|any"), ("scope", "mode"), "Which URLs belong to the crawl: those of the seeds' hosts, of their registered domains, below their directories, or all"),
    many(CRAWL, ("include", "REGEX"), ("scope", "include"), "Crawl only URLs that match one of these patterns"),
    many(CRAWL, ("exclude", "REGEX"), ("scope", "exclude"), "Skip URLs that match one of these patterns"),
    one(CRAWL, ("purpose", "NAME"), ("fetch", "purpose"), "What the crawl is for: archive, research, search, ai-input or train-ai; what sites refuse for it is not fetched or not kept"),
    one(CRAWL, ("policy", "NAME"), POLICY, "Policy that selects and orders links"),
    many(CRAWL, ("example", "URL|FILE"), ("policy", "example"), "Example of a wanted page, for the policies target and xcrawl; may be repeated, and pages like any of them are wanted"),
    many(CRAWL, ("want", "TEST"), ("policy", "want"), "Which pages are wanted, for target and xcrawl: like (the examples), regex:PATTERN, selector:CSS, schema:TYPE, table:HEADING,HEADING, posts:NUMBER,since=DATE, words (of the examples)"),
    many(CRAWL, ("topic", "WORDS"), ("policy", "topic"), "Topic of the policy topic: a tag or words, or @FILE with one a line; may be repeated"),
    many(CRAWL, ("search", "URL|site"), ("search", "url"), "Search that finds sites with wanted pages, with the place of the query, such as https://search.example/?q={query}; queries are made from the example. site: the searches of the seeds' own sites, found on the seeds' pages"),
    many(CRAWL, ("query", "WORDS"), ("search", "query"), "Query to send to the searches first"),
    one(CRAWL, ("model", "FILE"), ("policy", "model"), "Site model to start from, for the policies that learn"),
    one(CRAWL, ("render", "never|auto|always"), ("render", "mode"), "Load pages in a browser (Chromium) so that their scripts run: auto does so only where that adds links or text; the crawl answers all requests of the browser"),
    one(CRAWL, ("filter-order", "ORDER"), ("filter", "order"), "When the learned link filter runs: before the dedup (graph-dup), after it (dup-graph) or never (dup-only)"),
    one(CRAWL, ("seed", "N"), ("crawl", "seed"), "Seed of the random number generator, to repeat a run; 0 draws one"),

    one(BUDGETS, ("pages", "N"), ("budget", "pages"), "Stop after this many pages"),
    one(BUDGETS, ("bytes", "SIZE"), ("budget", "bytes"), "Stop after this many bytes of response bodies, e.g. 500MiB"),
    one(BUDGETS, ("time", "TIME"), ("budget", "time"), "Stop after this time, e.g. 90s, 10m or 24h"),
    one(BUDGETS, ("requests", "N"), ("budget", "requests"), "Stop after this many requests"),
    one(BUDGETS, ("early-stop", "SHARE"), ("budget", "early_stop"), "Stop when the share of the next requests that is expected to yield a wanted page falls below this, e.g. 0.1 (policies ucc, target)"),
    one(BUDGETS, ("share", "SHARE"), ("recrawl", "share"), "In a recrawl: stop after this share of the requests that revisiting every page would take"),
    one(BUDGETS, ("depth", "N"), ("budget", "depth"), "Skip URLs that are more links away from a seed"),

    one(POLITENESS, ("delay", "TIME"), ("host", "delay"), "Minimum time between two requests to a host"),
    one(POLITENESS, ("per-host", "N"), ("host", "connections_per_host"), "Maximum number of concurrent requests to a host"),
    one(POLITENESS, ("contact", "URL|MAIL"), ("fetch", "contact"), "Where site operators can reach you; becomes part of the user agent"),
    one(POLITENESS, ("user-agent", "TEXT"), ("fetch", "user_agent"), "Complete User-Agent header, instead of harvestman/VERSION (+CONTACT)"),
    one(POLITENESS, ("sign-key", "FILE"), ("identity", "key_file"), "Sign all requests with the key in this file (harvestman identity new)"),
    one(POLITENESS, ("signature-agent", "URL"), ("identity", "agent"), "Where sites find the public key of signed requests, e.g. https://bot.example.org"),

    one(NETWORK, ("login", "URL"), ("login", "url"), "Log in by the form on this page before the crawl begins, and again when the session is lost"),
    one(NETWORK, ("user", "NAME"), ("login", "user"), "Name or mail address to log in with"),
    one(NETWORK, ("password-env", "VAR"), ("login", "password_env"), "Environment variable with the password to log in with"),
    many(NETWORK, ("header", "NAME: VALUE"), ("fetch", "headers"), "Header to send to the seeds' origins"),
    one(NETWORK, ("cookie", "NAME=VALUE"), ("fetch", "cookie"), "Cookies to send to the seeds' origins, separated by `; `"),
    one(NETWORK, ("cookies", "FILE"), ("fetch", "cookies_file"), "Cookie file in Netscape format, as exported by browsers and curl"),
    many(NETWORK, ("resolve", "HOST:ADDR"), ("fetch", "resolve"), "Use this address for a host instead of resolving it"),
    one(NETWORK, ("ca-file", "FILE"), ("fetch", "ca_file"), "PEM file with additional trusted certificate authorities"),
    one(NETWORK, ("proxy", "URL"), ("fetch", "proxy"), "Proxy for all requests: http://…, socks5://… or socks5h://…"),

    one(FLEET, ("fleet", "nats://HOST:PORT"), ("fleet", "servers"), "Crawl with other machines over these NATS servers, separated by commas"),
    one(FLEET, ("fleet-name", "NAME"), ("fleet", "name"), "Name of the crawl in the fleet"),
    one(FLEET, ("node", "NAME"), ("fleet", "node"), "Name of this machine in the fleet"),
    one(FLEET, ("open-fleet", SWITCH), ("fleet", "open"), "Use servers that other machines reach although they ask for no log-in: everyone who reaches them can read and change the crawl"),

    one(OUTPUT, ("posts", SWITCH), ("archive", "posts"), "Write the posts of the pages to posts.jsonl while the crawl runs"),
    one(OUTPUT, ("metrics", "ADDR:PORT"), ("metrics", "listen"), "Serve the live page and /metrics at this address"),
    one(OUTPUT, ("log-level", "LEVEL"), ("log", "level"), "Log level: off, error, warn, info, debug or trace"),
    one(OUTPUT, ("log-format", "text|json"), ("log", "format"), "Format of log lines"),
];

/// A flag that a command has exactly if it takes all flags of the table.
const IN_EVERY_TABLE: &str = "per-host";

/// Returns whether a command takes the flags of the table. A command may have its own flags with some of the names.
pub fn takes_flags(command: &Command) -> bool {
    command.get_arguments().any(|arg| arg.get_id() == IN_EVERY_TABLE)
}

/// Returns the flags given to a command that takes them all; empty for other commands.
pub fn given(matches: &ArgMatches) -> Vec<Flag> {
    match matches.try_get_many::<String>(IN_EVERY_TABLE) {
        Ok(_) => flags().filter_map(|flag| flag.given(matches)).collect(),
        Err(_) => Vec::new(),
    }
}

/// Returns the flags whose setting exists. Flags of a section that is not part of the configuration yet are omitted.
pub fn flags() -> impl Iterator<Item = &'static SettingFlag> {
    FLAGS.iter().filter(|flag| config::section(flag.setting.0).is_some())
}

impl SettingFlag {
    fn arg(&self) -> Arg {
        let hint = match self.value {
            "FILE" => ValueHint::FilePath,
            "DIR" => ValueHint::DirPath,
            _ => ValueHint::Other,
        };
        let arg = Arg::new(self.long);
        let arg = match self.value {
            SWITCH => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
            _ => arg,
        };
        arg.long(self.long)
            .value_name(self.value)
            .value_hint(hint)
            .allow_hyphen_values(true)
            .action(if self.many { ArgAction::Append } else { ArgAction::Set })
            .help(self.help())
            .help_heading(self.heading)
    }

    fn help(&self) -> String {
        let (section, key) = self.setting;
        let names = if self.setting == POLICY { format!(": {}", PolicyKind::names()) } else { String::new() };
        format!("{}{names} [{section}.{key}]", self.help)
    }

    fn given(&self, matches: &ArgMatches) -> Option<Flag> {
        let mut values: Vec<String> = matches.get_many(self.long)?.cloned().collect();
        let value = if self.many { FlagValue::List(values) } else { FlagValue::Text(values.pop()?) };
        let (section, key) = self.setting;
        Some(Flag { flag: format!("--{}", self.long), name: format!("{section}.{key}"), value })
    }
}

/// The values given for [`flags`].
#[derive(Debug, Clone, Default)]
pub struct GivenFlags(pub Vec<Flag>);

impl clap::FromArgMatches for GivenFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(flags().filter_map(|flag| flag.given(matches)).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.extend(flags().filter_map(|flag| flag.given(matches)));
        Ok(())
    }
}

impl clap::Args for GivenFlags {
    fn augment_args(command: Command) -> Command {
        flags().fold(command, |command, flag| command.arg(flag.arg()))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_sets_a_setting_that_exists_and_no_two_the_same() {
        let mut settings = Vec::new();
        for flag in flags() {
            let (section, key) = flag.setting;
            assert!(
                config::section(section).unwrap().has(key),
                "--{} sets {section}.{key}, which does not exist",
                flag.long
            );
            assert!(!settings.contains(&flag.setting), "two flags set {section}.{key}");
            settings.push(flag.setting);
        }
    }
}
