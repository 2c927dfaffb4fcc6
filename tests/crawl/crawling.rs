//! Runs a whole crawl in this process and holds it to what every crawl promises, whatever it crawled:
//! the account is right (ACC-1), the page log has one line a URL, and the archive holds what the page log says.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use harvestman::archive::reader::{DigestCheck, Limits, WarcReader};
use harvestman::config::{ByteSize, Config, Period, PolicyKind};
use harvestman::host::HostLimits;
use harvestman::model::PageRecord;
use harvestman::pipeline;
use harvestman::report::{Hooks, Report, RunLimits};
use harvestman::seed::Seed;
use harvestman::sim::compare::compare;
use harvestman::sim::{Server, ServerOptions, World, WorldOptions};
use tempfile::TempDir;

/// No crawl of these tests may take longer, on however busy a machine.
const DEADLINE: Duration = Duration::from_secs(140);
/// Fates that are decided at or after a URL's turn, and so have a line in the page log.
const WITH_A_LINE: [&str; 8] =
    ["fetched", "redirected", "robots", "failed", "unwanted_type", "refused_by_site", "not_kept", "payment_required"];

/// A crawl that has ended, and what it wrote.
pub struct Crawled {
    pub report: Report,
    /// The page log, in its order.
    pub pages: Vec<PageRecord>,
    pub dir: TempDir,
    /// Whether it sent cookies back.
    sends_cookies: bool,
}

/// Settings for loopback: no delay, and pauses so short that a test need not wait for them.
pub fn config(seeds: Vec<String>) -> Config {
    let mut config = Config::default();
    config.crawl.seeds = seeds;
    config.crawl.seed = 1;
    (config.crawl.threads, config.crawl.io_threads) = (2, 1);
    config.scope.hosts = vec!["*.localhost".to_owned()];
    config.fetch.private_addresses = true;
    // Most tests count requests, and most of their servers answer everything.
    config.robots.sitemap_guess = false;
    config.fetch.contact = "tests@localhost".to_owned();
    let host = &mut config.host;
    (host.delay, host.delay_max) = (Period::secs(0), Period::millis(40));
    (host.backoff_start, host.backoff_max) = (Period::millis(10), Period::millis(100));
    host.breaker_pause = Period::millis(50);
    (host.connections_per_host, host.connections_per_ip) = (4, 64);
    config.archive.file_size_max = ByteSize::mib(4);
    config
}

/// Serves a world at a free port of loopback.
pub fn serve(world: &WorldOptions, options: ServerOptions) -> Server {
    let world = World::new(world, Seed(5)).unwrap();
    Server::start(Arc::new(world), "127.0.0.1:0".parse().unwrap(), options).unwrap()
}

/// Hooks of a crawl with these limits of hosts.
pub fn hooks_within(hosts: HostLimits) -> Hooks {
    Hooks { limits: RunLimits { hosts, ..RunLimits::default() }, ..Hooks::none() }
}

/// Hooks of a crawl in which a host is given up when its circuit breaker has opened more often than this.
pub fn giving_up_after(breaker_openings_max: u32) -> Hooks {
    hooks_within(HostLimits { breaker_openings_max, ..HostLimits::default() })
}

/// Hooks of a crawl in which every failure may be tried again.
pub fn retrying_all() -> Hooks {
    hooks_within(HostLimits { retry_share: 1.0, ..HostLimits::default() })
}

/// Crawls, and checks what must hold for every crawl.
pub fn crawl(config: Config) -> Crawled {
    crawl_with(config, Hooks::none())
}

/// Crawls with `hooks`, and checks what must hold for every crawl.
pub fn crawl_with(config: Config, hooks: Hooks) -> Crawled {
    crawl_in(tempfile::tempdir().unwrap(), config, hooks)
}

/// Crawls into `out` of a directory, and checks what must hold for every crawl.
pub fn crawl_in(dir: TempDir, mut config: Config, hooks: Hooks) -> Crawled {
    config.crawl.out = dir.path().join("out").display().to_string();
    let sends_cookies = config.fetch.cookie_jar || config.login.is_on();
    let (sender, ended) = mpsc::channel();
    // A thread of its own: it gets an actix system of its own, and a crawl that hangs fails its test.
    std::thread::spawn(move || {
        let result = pipeline::runtime(&config).block_on(pipeline::run(&config, hooks));
        let _ = sender.send(result);
    });
    let result = ended.recv_timeout(DEADLINE).expect("the crawl ends in time");
    let report = result.unwrap();
    let pages = page_log(&dir.path().join("out"));
    let crawled = Crawled { report, pages, dir, sends_cookies };
    crawled.check_account();
    crawled.check_archive();
    crawled
}

fn page_log(out: &Path) -> Vec<PageRecord> {
    let plain = std::fs::read_to_string(out.join("pages.jsonl"));
    let text = plain.unwrap_or_else(|_| {
        let mut text = String::new();
        let file = File::open(out.join("pages.jsonl.gz")).unwrap();
        flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
        text
    });
    assert!(text.is_empty() || text.ends_with('\n'), "the last line of the page log is not whole");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

impl Crawled {
    /// The crawl directory.
    pub fn out(&self) -> std::path::PathBuf {
        self.dir.path().join("out")
    }

    /// How many links had this fate, whatever the reason.
    pub fn fate(&self, name: &str) -> u64 {
        self.report.fates.named(name)
    }

    /// `fate` or `fate: reason` of a URL; `no line` where it has none.
    pub fn fate_of(&self, url: &str) -> String {
        let line = self.pages.iter().find(|page| page.url == url);
        line.map_or("no line".to_owned(), |page| match &page.reason {
            Some(reason) => format!("{}: {reason}", page.fate),
            None => page.fate.clone(),
        })
    }

    /// The URLs of this fate, sorted.
    pub fn urls(&self, fate: &str) -> Vec<&str> {
        let pages = self.pages.iter().filter(|page| page.fate == fate);
        let mut urls: Vec<&str> = pages.map(|page| page.url.as_str()).collect();
        urls.sort_unstable();
        urls
    }

    /// Discovered is the sum of the fates (ACC-1), each URL has one line (but for what is requested again with a
    /// cookie), and the lines are those that the report counts.
    fn check_account(&self) {
        let report = &self.report;
        assert_eq!(report.fates.total(), report.discovered, "ACC-1: {:?}", report.fates);
        assert_eq!(report.pages, self.fate("fetched"));
        let mut lines: BTreeMap<&str, u64> = BTreeMap::new();
        let mut urls: HashMap<&str, &str> = HashMap::new();
        for page in &self.pages {
            *lines.entry(&page.fate).or_default() += 1;
            // A redirect that only set a cookie is followed by another request of the same URL.
            let before = urls.insert(&page.url, &page.fate).filter(|fate| !self.sends_cookies || *fate != "redirected");
            assert_eq!(before, None, "{} has two lines", page.url);
        }
        for fate in WITH_A_LINE {
            assert_eq!(lines.remove(fate).unwrap_or(0), self.fate(fate), "lines of {fate}: {:?}", report.fates);
        }
        // What ended sessions has a line, what is rejected before it was queued has none.
        assert!(lines.remove("policy").unwrap_or(0) <= self.fate("policy"));
        assert_eq!(lines, BTreeMap::new(), "lines that the report does not count");
        let written = std::fs::read(self.out().join("report.json")).unwrap();
        let written: serde_json::Value = serde_json::from_slice(&written).unwrap();
        assert_eq!(written["discovered"], report.discovered);
        assert_eq!(written["requests"], report.requests);
    }

    /// Each line with an answer points at a response or revisit record of its URL, and each digest is that of its
    /// bytes.
    fn check_archive(&self) {
        let mut records: HashMap<(String, u64), String> = HashMap::new();
        for name in &self.report.warc_files {
            let mut reader = WarcReader::new(File::open(self.out().join(name)).unwrap(), Limits::default());
            while let Some(mut record) = reader.next_record().unwrap() {
                let (offset, kind) = (record.offset(), record.record_type().to_owned());
                let url = record.target_uri().unwrap_or_default().to_owned();
                let verdict = record.verify().unwrap();
                assert!(
                    verdict.block != DigestCheck::Wrong && verdict.payload != DigestCheck::Wrong,
                    "{name}@{offset}: {verdict:?}"
                );
                if matches!(kind.as_str(), "response" | "revisit") {
                    assert_eq!(verdict.block, DigestCheck::Right, "{name}@{offset} has no digest");
                    records.insert((name.clone(), offset), url);
                }
            }
        }
        let is_unkept = |page: &PageRecord| page.signals.iter().any(|said| said.effect.as_deref() == Some("not_kept"));
        let answered = self.pages.iter().filter(|page| page.status.is_some());
        for page in answered {
            if is_unkept(page) {
                assert_eq!((&page.warc_file, &page.payload_digest), (&None, &None), "{} is kept", page.url);
                continue;
            }
            let place = page.warc_file.clone().zip(page.warc_offset);
            let place = place.unwrap_or_else(|| panic!("{} is not in the archive", page.url));
            assert_eq!(records.remove(&place).as_ref(), Some(&page.url), "{place:?}");
        }
        // What is left are the crawl's own errands, what rendered pages asked for, and answers that were not taken for
        // the page.
        let rendered = self.pages.iter().any(|page| page.rendered.is_some());
        let again: HashSet<&str> = self
            .pages
            .iter()
            .filter(|page| page.attempts > u8::from(page.status.is_some()))
            .map(|page| page.url.as_str())
            .collect();
        let errand = |url: &str| {
            rendered
                || again.contains(url)
                || url.ends_with("/robots.txt")
                || url.ends_with("/tdmrep.json")
                || url.contains("sitemap")
        };
        assert!(records.values().all(|url| errand(url)), "{records:?}");
    }

    /// The crawl found all of the world, each URL once and with the right fate, by the ground truth and by the server's
    /// count.
    pub fn check_complete(&self, server: &Server) {
        let world = server.world();
        let comparison = compare(world.truth(), &self.out().join("pages.jsonl"), |_| false).unwrap();
        assert!(comparison.is_perfect(), "{comparison:#?}\n{:?}", self.report.fates);
        assert_eq!(comparison.pages_true, self.report.pages);
        assert_eq!(self.fate("queued"), 0);
        self.check_requests(server);
    }

    /// The report counts the requests that the server has counted.
    pub fn check_requests(&self, server: &Server) {
        assert_eq!(self.report.requests, server.log().requests(), "requests, reported and real");
        let answers: u64 = self.report.statuses.values().sum();
        assert_eq!(answers, self.report.requests, "answers by status");
    }
}

/// Returns a policy of the laboratory, which adds it to those of the crawler.
pub fn added(name: &'static str) -> PolicyKind {
    harvestman_lab::cli::policies::register();
    PolicyKind::Added(name)
}
