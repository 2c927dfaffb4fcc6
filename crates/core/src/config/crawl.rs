//! Settings of the crawl as a whole.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

crate::options! {
    /// The crawl as a whole: where it starts, where its output goes, what it looks for, and its threads.
    pub struct CrawlOptions in "crawl" {
        /// URLs to start from. Without a scheme, `https://` is assumed (`http://` for addresses and localhost).
        seeds: Vec<String> = Vec::new(),
        /// A file with more seeds, one per line; empty lines and lines that begin with `#` are skipped. Its encoding is
        /// UTF-8, or UTF-16 with a byte order mark. Empty: none.
        seeds_file: String = String::new(),
        /// The crawl directory, which receives all output of the crawl. It must not exist yet, or must be empty. Empty:
        /// `harvestman crawl` makes a new one in the current directory, named after the host of the first seed.
        out: String = String::new(),
        /// The policy: which links are worth a request, and in which order. `bfs` follows all of them, nearest to the
        /// seeds first; `ucc` learns where users' own text is, `target` where pages like `policy.example` are.
        /// `cluster-graph` learns like `ucc` and rejects links to pages that repeat others or only contain forms, so
        /// that it ends by itself. `xcrawl` learns where the pages are that `policy.want` accepts,
        /// `topic` where the items are that carry a tag of `policy.topic`.
        policy: PolicyKind = PolicyKind::Bfs,
        /// Whether the feeds that pages announce (RSS, Atom, JSON Feed) are requested, and their entries followed as
        /// links. `auto`: as long as feeds of their kind bring links that were not known, so that a feed per thread
        /// costs a few requests; `always`: all of them; `never`: only those that pages link to like pages.
        feeds: FeedsMode = FeedsMode::Auto,
        /// Seed of the random number generator, for repeatable runs. 0: a new one for each run; the report shows it.
        seed: u64 = 0,
        /// Number of threads that parse and compress. 0: one per processor.
        threads: u32 = 0,
        /// Number of threads for network I/O. 0: one per processor. They are rarely busy: more help only beyond some
        /// thousand pages per second.
        io_threads: u32 = 0,
    }
}

/// Which of the feeds that pages announce are requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeedsMode {
    /// Those of a kind that brings links that were not known.
    Auto,
    /// None.
    Never,
    /// All of them.
    Always,
}

/// Which links are worth a request, and in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PolicyKind {
    /// All of them, nearest to the seeds first.
    Bfs,
    /// Text written by users, learned while crawling.
    Ucc,
    /// Pages like an example, learned while crawling.
    Target,
    /// Pages that a validator accepts, learned while crawling.
    Xcrawl,
    /// Items that carry a tag of a topic, learned while crawling.
    Topic,
    /// All except duplicates and forms, nearest to the seeds first, by a graph of the site's page types.
    ClusterGraph,
    /// One that the program adds to these ([`add_policies`]), by its name.
    Added(&'static str),
}

/// The names of the policies that the program adds.
static ADDED: OnceLock<&'static [&'static str]> = OnceLock::new();

/// Lets settings name further policies. A program calls it before it reads settings; later calls change nothing.
pub fn add_policies(names: &'static [&'static str]) {
    let _ = ADDED.set(names);
}

impl PolicyKind {
    /// The policies of the crawler.
    pub const ALL: [Self; 6] = [Self::Bfs, Self::Ucc, Self::Target, Self::Xcrawl, Self::Topic, Self::ClusterGraph];

    /// Returns its name in settings and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bfs => "bfs",
            Self::Ucc => "ucc",
            Self::Target => "target",
            Self::Xcrawl => "xcrawl",
            Self::Topic => "topic",
            Self::ClusterGraph => "cluster-graph",
            Self::Added(name) => name,
        }
    }

    /// The names that settings may have, separated by commas; of a policy with variants the name without them.
    pub fn names() -> String {
        let added = ADDED.get().into_iter().flat_map(|names| names.iter().copied());
        let added = added.filter(|name| !name.contains(':'));
        Self::ALL.into_iter().map(Self::name).chain(added).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for PolicyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for PolicyKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let added = || ADDED.get()?.iter().find(|added| **added == name).map(|added| Self::Added(added));
        let known = Self::ALL.into_iter().find(|kind| kind.name() == name).or_else(added);
        let laboratory = "; `harvestman-lab crawl` also has baselines and the systems of the papers";
        let more = if ADDED.get().is_some() { "" } else { laboratory };
        known.ok_or_else(|| format!("unknown policy `{name}`; expected one of {}{more}", Self::names()))
    }
}

impl Serialize for PolicyKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for PolicyKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_called_the_same_in_settings_and_reports() {
        for kind in PolicyKind::ALL {
            let name = serde_json::to_value(kind).unwrap();
            assert_eq!(name, kind.name());
            assert_eq!(serde_json::from_value::<PolicyKind>(name).unwrap(), kind);
        }
        let unknown = "dfs".parse::<PolicyKind>().unwrap_err();
        assert!(unknown.contains("`dfs`") && unknown.contains("bfs, ucc"), "{unknown}");
    }
}
