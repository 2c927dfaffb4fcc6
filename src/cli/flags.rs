//! Flags that set a setting. One table says which; the help, the completions, the reference and the loading are made from it.

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

use harvestman_core::config::{self, Flag, FlagValue};

/// A flag that sets a setting.
#[derive(Debug, Clone, Copy)]
pub struct SettingFlag {
    /// Its name, without the dashes.
    pub long: &'static str,
    /// What stands for its value in the help.
    pub value: &'static str,
    /// The section and the key that it sets.
    pub setting: (&'static str, &'static str),
    /// Whether it may be repeated.
    pub many: bool,
    /// The heading it stands under in the help.
    pub heading: &'static str,
    /// What it does.
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

/// All of them, in the order of the help.
#[rustfmt::skip]
const FLAGS: &[SettingFlag] = &[
    one(CRAWL, ("out", "DIR"), ("crawl", "out"), "Directory for everything the crawl writes; must not exist yet, or be empty"),
    one(CRAWL, ("seeds-file", "FILE"), ("crawl", "seeds_file"), "File with more seeds, one a line; - is standard input"),
    one(CRAWL, ("scope", "host|domain|prefix|any"), ("scope", "mode"), "How far to go from the seeds: their hosts, their registered domains, their directories, anywhere"),
    many(CRAWL, ("include", "REGEX"), ("scope", "include"), "Only URLs that match one of these"),
    many(CRAWL, ("exclude", "REGEX"), ("scope", "exclude"), "No URL that matches one of these"),
    one(CRAWL, ("policy", "NAME"), ("crawl", "policy"), "Which links are worth a request, and in which order: bfs, ucc, target; random, opic, irobot, tpm, sb"),
    one(CRAWL, ("example", "URL|FILE"), ("policy", "example"), "A page like those that are wanted, for the policy target"),
    one(CRAWL, ("model", "FILE"), ("policy", "model"), "A site model to start from, for the policies ucc, target and cluster-graph"),
    one(CRAWL, ("variant", "default|paper"), ("policy", "variant"), "Which form of the policy"),
    one(CRAWL, ("filter-order", "ORDER"), ("filter", "order"), "When what the policy has learnt refuses links: before they are looked up (graph-dup), after (dup-graph), never (dup-only)"),
    one(CRAWL, ("seed", "N"), ("crawl", "seed"), "Where random draws start, to repeat a run; 0 draws one"),

    one(BUDGETS, ("pages", "N"), ("budget", "pages"), "Stop after this many pages"),
    one(BUDGETS, ("bytes", "SIZE"), ("budget", "bytes"), "Stop after this many bytes of bodies, as in 500MiB"),
    one(BUDGETS, ("time", "TIME"), ("budget", "time"), "Stop after this time, as in 90s, 10m, 24h"),
    one(BUDGETS, ("requests", "N"), ("budget", "requests"), "Stop after this many requests"),
    one(BUDGETS, ("early-stop", "SHARE"), ("budget", "early_stop"), "Stop when a smaller share of the next requests is expected to bring something, as in 0.1 (policies ucc, target)"),
    one(BUDGETS, ("share", "SHARE"), ("recrawl", "share"), "In a recrawl: stop after this share of the requests that visiting each page again would take"),
    one(BUDGETS, ("depth", "N"), ("budget", "depth"), "Leave out what is more links away from a seed"),

    one(POLITENESS, ("delay", "TIME"), ("host", "delay"), "Least time between two requests to a host"),
    one(POLITENESS, ("per-host", "N"), ("host", "connections_per_host"), "Most requests to a host at one time"),
    one(POLITENESS, ("contact", "URL|MAIL"), ("fetch", "contact"), "Where operators of sites can reach you; becomes part of the user agent"),
    one(POLITENESS, ("user-agent", "TEXT"), ("fetch", "user_agent"), "The whole User-Agent header, in place of harvestman/VERSION (+CONTACT)"),

    many(NETWORK, ("header", "NAME: VALUE"), ("fetch", "headers"), "Header to send to the seeds' hosts"),
    one(NETWORK, ("cookie", "NAME=VALUE"), ("fetch", "cookie"), "Cookies to send to the seeds' hosts, with `; ` between them"),
    one(NETWORK, ("cookies", "FILE"), ("fetch", "cookies_file"), "File of cookies in the Netscape format, as browsers and curl export it"),
    many(NETWORK, ("resolve", "HOST:ADDR"), ("fetch", "resolve"), "Address of a host, in place of asking the resolver"),
    one(NETWORK, ("ca-file", "FILE"), ("fetch", "ca_file"), "PEM file of certificate authorities to trust besides the usual ones"),
    one(NETWORK, ("proxy", "URL"), ("fetch", "proxy"), "Proxy for all requests: http://… or socks5://…"),

    one(FLEET, ("fleet", "nats://HOST:PORT"), ("fleet", "servers"), "Crawl together with other machines over these NATS servers, with commas between them"),
    one(FLEET, ("fleet-name", "NAME"), ("fleet", "name"), "The crawl's name in the fleet"),
    one(FLEET, ("node", "NAME"), ("fleet", "node"), "This machine's name in the fleet"),

    one(OUTPUT, ("metrics", "ADDR:PORT"), ("metrics", "listen"), "Serve the live page and /metrics here"),
    one(OUTPUT, ("log-level", "LEVEL"), ("log", "level"), "off, error, warn, info, debug or trace"),
    one(OUTPUT, ("log-format", "text|json"), ("log", "format"), "How lines of the log are written"),
];

/// The flags whose settings exist. A section that is not part of the configuration yet takes its flags with it.
pub fn flags() -> impl Iterator<Item = &'static SettingFlag> {
    FLAGS.iter().filter(|flag| config::section(flag.setting.0).is_some())
}

impl SettingFlag {
    fn arg(&self) -> Arg {
        let (section, key) = self.setting;
        let hint = match self.value {
            "FILE" => ValueHint::FilePath,
            "DIR" => ValueHint::DirPath,
            _ => ValueHint::Other,
        };
        Arg::new(self.long)
            .long(self.long)
            .value_name(self.value)
            .value_hint(hint)
            .allow_hyphen_values(true)
            .action(if self.many { ArgAction::Append } else { ArgAction::Set })
            .help(format!("{} [{section}.{key}]", self.help))
            .help_heading(self.heading)
    }

    fn given(&self, matches: &ArgMatches) -> Option<Flag> {
        let mut values: Vec<String> = matches.get_many(self.long)?.cloned().collect();
        let value = if self.many { FlagValue::List(values) } else { FlagValue::Text(values.pop()?) };
        let (section, key) = self.setting;
        Some(Flag { flag: format!("--{}", self.long), name: format!("{section}.{key}"), value })
    }
}

/// What was given of [`flags`].
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
