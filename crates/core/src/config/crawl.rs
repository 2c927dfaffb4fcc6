//! Settings of the crawl as a whole.

use serde::{Deserialize, Serialize};

crate::options! {
    /// The crawl as a whole: where it starts, where its output goes, what it wants, what it may use of the machine.
    pub struct CrawlOptions in "crawl" {
        /// URLs to start from. Without a scheme `https://` is taken (`http://` for addresses and localhost).
        seeds: Vec<String> = Vec::new(),
        /// A file with more seeds, one a line; empty lines and lines that begin with `#` are skipped. Empty: none.
        seeds_file: String = String::new(),
        /// The crawl directory: takes everything that the crawl writes. Must not exist yet, or be empty.
        out: String = String::new(),
        /// Which links are worth a request, and in which order. `bfs` takes all of them, nearest to the seeds first; `ucc` learns
        /// where users' own text is, `target` where pages like `policy.example` are. `cluster-graph` takes all,
        /// nearest to the seeds first, but for kinds of pages that repeat others or only hold forms. To compare with: `random`, `opic`, `irobot`,
        /// `tpm`, `sb`.
        policy: PolicyKind = PolicyKind::Bfs,
        /// Where random draws start, so that a run can be repeated. 0: a new one each time; the report names it.
        seed: u64 = 0,
        /// Threads that parse and compress. 0: one a processor.
        threads: u32 = 0,
        /// Threads that wait for the network. 0: one a processor. They are rarely busy: more help only beyond some thousand
        /// pages a second.
        io_threads: u32 = 0,
    }
}

/// Which links are worth a request, and in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyKind {
    /// All of them, nearest to the seeds first.
    Bfs,
    /// All of them, in random order.
    Random,
    /// What users wrote, learnt while crawling.
    Ucc,
    /// Pages like an example, learnt while crawling.
    Target,
    /// By their share of a cash that pages hand on to what they link to.
    Opic,
    /// By a map of the site that a sample gives.
    Irobot,
    /// By a map of the paths to wanted pages.
    Tpm,
    /// By a bandit over the places of links.
    Sb,
    /// All but duplicates and forms, nearest to the seeds first, by a graph of the site's kinds of pages.
    ClusterGraph,
}

impl PolicyKind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Bfs,
        Self::Random,
        Self::Ucc,
        Self::Target,
        Self::Opic,
        Self::Irobot,
        Self::Tpm,
        Self::Sb,
        Self::ClusterGraph,
    ];

    /// Its name in settings and reports.
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
