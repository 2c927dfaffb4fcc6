//! Crawls of a simulated forum by the library.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use harvestman::seed::Seed;
use harvestman::sim::compare::compare;
use harvestman::sim::options::Family;
use harvestman::sim::{Server, ServerOptions, World, WorldOptions};
use harvestman_library::{Crawl, CrawlBuilder};
use parking_lot::Mutex;
use tempfile::TempDir;

/// A simulated forum, and a directory for a crawl of it.
pub struct Forum {
    server: Server,
    dir: TempDir,
}

impl Forum {
    /// Serves a forum of about so many pages.
    pub fn of(pages: u64) -> Self {
        let options = WorldOptions { pages, hosts: 1, families: vec![Family::Forum], ..WorldOptions::default() };
        let world = Arc::new(World::new(&options, Seed(7)).unwrap());
        let server = Server::start(world, "127.0.0.1:0".parse().unwrap(), ServerOptions::default()).unwrap();
        Self { server, dir: tempfile::tempdir().unwrap() }
    }

    pub fn seed(&self) -> String {
        self.server.world().seeds().remove(0)
    }

    pub fn out(&self) -> PathBuf {
        self.dir.path().join("out")
    }

    /// A crawl of it, without a delay and with two threads.
    pub fn crawl(&self) -> CrawlBuilder {
        quick(Crawl::builder().seed(self.seed()).out(self.out()))
    }

    pub fn resume(&self) -> CrawlBuilder {
        Crawl::resume(self.out())
    }

    /// The number of requests that its server received.
    pub fn requests(&self) -> u64 {
        self.server.log().requests()
    }

    /// Whether the crawl has found everything, each page once.
    pub fn is_complete(&self) -> bool {
        let truth = compare(self.server.world().truth(), &self.out().join("pages.jsonl"), |_| false).unwrap();
        truth.is_perfect()
    }

    /// The URLs with a line in the page log.
    pub fn logged(&self) -> BTreeSet<String> {
        lines(&self.out()).iter().map(|line| line["url"].as_str().unwrap().to_owned()).collect()
    }
}

/// The settings of crawls of these tests.
pub const QUICK: [(&str, &str); 4] =
    [("host.delay", "0s"), ("crawl.seed", "5"), ("crawl.threads", "2"), ("crawl.io_threads", "1")];

pub fn quick(crawl: CrawlBuilder) -> CrawlBuilder {
    QUICK.iter().fold(crawl, |crawl, (name, value)| crawl.set(*name, value))
}

/// The page log in a directory.
pub fn lines(out: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(out.join("pages.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// URLs that several threads collect.
pub type Urls = Arc<Mutex<Vec<String>>>;

/// What was collected, each once.
pub fn set(urls: &Urls) -> BTreeSet<String> {
    urls.lock().iter().cloned().collect()
}
