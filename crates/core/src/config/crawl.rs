//! Settings of the crawl as a whole.

use serde::{Deserialize, Serialize};

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
        /// `cluster-graph` follows all, nearest to the seeds first, except to page types that repeat others or only
        /// contain forms. `xcrawl` learns where the pages are that `policy.want` accepts,
        /// `topic` where the items are that carry a tag of `policy.topic`. For comparison: `random`,
        /// `opic`, `irobot`, `tpm`, `sb`, `apprentice`.
        policy: PolicyKind = PolicyKind::Bfs,
        /// Whether the feeds that pages announce (RSS, Atom, JSON Feed) are requested, and their entries followed as links.
        /// `auto`: as long as feeds of their kind bring links that were not known, so that a feed per thread costs a few
        /// requests; `always`: all of them; `never`: only those that pages link to like pages.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyKind {
    /// All of them, nearest to the seeds first.
    Bfs,
    /// All of them, in random order.
    Random,
    /// Text written by users, learned while crawling.
    Ucc,
    /// Pages like an example, learned while crawling.
    Target,
    /// By their share of the cash that pages pass on to the pages that they link to.
    Opic,
    /// By a map of the site from a sample.
    Irobot,
    /// By a map of the paths to wanted pages.
    Tpm,
    /// By a bandit over link places.
    Sb,
    /// All except duplicates and forms, nearest to the seeds first, by a graph of the site's page types.
    ClusterGraph,
    /// Pages that a validator accepts, learned while crawling.
    Xcrawl,
    /// Pages that a validator accepts, by the words around links.
    Apprentice,
    /// Items that carry a tag of a topic, learned while crawling.
    Topic,
}

impl PolicyKind {
    /// All policies.
    pub const ALL: [Self; 12] = [
        Self::Bfs,
        Self::Random,
        Self::Ucc,
        Self::Target,
        Self::Opic,
        Self::Irobot,
        Self::Tpm,
        Self::Sb,
        Self::ClusterGraph,
        Self::Xcrawl,
        Self::Apprentice,
        Self::Topic,
    ];

    /// Returns its name in settings and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bfs => "bfs",
            Self::Random => "random",
            Self::Ucc => "ucc",
            Self::Target => "target",
            Self::Opic => "opic",
            Self::Irobot => "irobot",
            Self::Tpm => "tpm",
            Self::Sb => "sb",
            Self::ClusterGraph => "cluster-graph",
            Self::Xcrawl => "xcrawl",
            Self::Apprentice => "apprentice",
            Self::Topic => "topic",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_called_the_same_in_settings_and_reports() {
        for kind in PolicyKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
    }
}
