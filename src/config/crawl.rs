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
        /// Which links are worth a request, and in which order: `bfs` (all of them, nearest to the seeds first).
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
#[serde(rename_all = "snake_case")]
pub enum PolicyKind {
    /// All of them, nearest to the seeds first.
    Bfs,
}
