//! What a long crawl costs in memory, time and disk: a simulated crawl that discovers twenty million URLs, with the
//! frontier, the set of URLs seen and the state on disk as a crawl has them.
//!
//! Each simulated page takes one URL from the frontier, discovers 20 new ones and 40 known ones, and ends; 256 pages
//! are committed together. Printed are, million by million, the costs of a pop, of a new URL (set, frontier, state,
//! commit) and of a look-up of a known one that may be any, which no cache can foresee; resident memory; and disk a
//! URL.
//!
//! `cargo bench --bench state` takes some minutes; `HARVESTMAN_BENCH_URLS` changes its size.
#![expect(clippy::print_stdout, reason = "a bench's result is what it prints")]
#![allow(clippy::disallowed_methods, reason = "a bench looks at the clock")]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use harvestman::clock;
use harvestman::config::DedupOptions;
use harvestman::dedup::SeenUrls;
use harvestman::frontier::{ChunkPlace, ChunkStore, Frontier, FrontierLimits, SpillStorage};
use harvestman::model::{Apath, Change, ClassOrder, Ended, Fate, Lease, Ledger, LinkClass, ScheduledUrl};
use harvestman::seed::Seed;
use harvestman::store::{CommitGroup, SpillFile, Store};
use harvestman::url::{CanonicalUrl, Fingerprint, HostKey};

const HOSTS: u64 = 1_000;
const NEW_LINKS: u64 = 20;
const KNOWN_LINKS: u64 = 40;
const GROUP: usize = 256;
/// Memory of the frontier: the default.
const FRONTIER_BYTES: u64 = 128 << 20;

/// Breadth-first.
struct First;

impl ClassOrder for First {
    fn score(&self, _: LinkClass) -> f64 {
        0.0
    }
}

struct Chunks(SpillFile);

impl ChunkStore for Chunks {
    fn put(&self, chunk: Vec<u8>) -> Result<ChunkPlace, Vec<u8>> {
        let length = chunk.len() as u32;
        self.0.put(&chunk).map(|offset| ChunkPlace { offset, length }).ok_or(chunk)
    }

    fn take(&self, place: ChunkPlace) -> Option<Vec<u8>> {
        self.0.take(place.offset, place.length)
    }
}

fn url(number: u64) -> CanonicalUrl {
    let host = number / NEW_LINKS % HOSTS;
    CanonicalUrl::from_canonical(format!("https://forum{host}.example.org/topic/{number}/what-was-said-there/"))
}

fn hosts() -> Vec<HostKey> {
    (0..HOSTS).map(|number| HostKey::from_origin(&format!("https://forum{number}.example.org"))).collect()
}

struct Crawl {
    hosts: Vec<HostKey>,
    frontier: Frontier,
    seen: SeenUrls,
    store: Store,
    discovered: u64,
    pages: u64,
    changes: Vec<Change>,
    /// Time spent in pops and in look-ups of known URLs.
    pops: Duration,
    known: Duration,
}

impl Crawl {
    fn new(directory: &Path) -> Self {
        let file = SpillFile::create(&directory.join("frontier.chunks")).expect("a file");
        let limits = FrontierLimits { queued_max: u64::MAX, host_pages_max: None, classes_max: 1_000 };
        let spill = Arc::new(SpillStorage::new(FRONTIER_BYTES, Box::new(Chunks(file))));
        let seen = SeenUrls::new(&DedupOptions::default(), Some(directory.join("seen")), Seed(1));
        let store = Store::create(&directory.join("state")).expect("a store");
        let frontier = Frontier::new(limits, Arc::new(First)).spilling_to(spill);
        Self {
            hosts: hosts(),
            frontier,
            seen,
            store,
            discovered: 0,
            pages: 0,
            changes: Vec::new(),
            pops: Duration::ZERO,
            known: Duration::ZERO,
        }
    }

    /// One page: takes a URL, discovers others, ends.
    fn page(&mut self) {
        let host = &self.hosts[(self.pages % HOSTS) as usize];
        // It comes with a message that was written just now.
        black_box(host.as_str().bytes().map(u64::from).sum::<u64>());
        let started = Instant::now();
        let lease = self.frontier.pop(host, clock::Instant::EPOCH).ok();
        self.pops += started.elapsed();
        self.pages += 1;
        let mut change = Change { leases: 1, ledger: Ledger::default(), ..Change::default() };
        for number in self.discovered..self.discovered + NEW_LINKS {
            self.discover(number, &mut change);
        }
        self.discovered += NEW_LINKS;
        let any = |link: u64| (self.pages * 7_919 + link * 104_729) % self.discovered;
        let known: Vec<Fingerprint> = (0..KNOWN_LINKS).map(|link| url(any(link)).fingerprint()).collect();
        let started = Instant::now();
        assert!(known.iter().all(|url| !self.seen.insert(*url)), "they are known");
        self.known += started.elapsed();
        if let Some(Lease { id, item, .. }) = lease {
            let number = self.frontier.end(id);
            change.ended.push(Ended {
                number,
                url: item.url.fingerprint(),
                host: item.url.host_key(),
                fate: Fate::Fetched,
            });
        }
        self.changes.push(change);
        if self.changes.len() >= GROUP {
            let group = CommitGroup { changes: std::mem::take(&mut self.changes), ..CommitGroup::default() };
            self.store.commit(&group, Duration::ZERO).expect("it is written");
        }
    }

    fn discover(&mut self, number: u64, change: &mut Change) {
        let url = url(number);
        if !self.seen.insert(url.fingerprint()) {
            return;
        }
        let class = LinkClass::unclassified(Apath(number % 3));
        let via = Some(Arc::from("https://forum.example.org/"));
        let item = ScheduledUrl { depth: 1, via, ..ScheduledUrl::found(url, class) };
        self.frontier.push(&item).expect("there is room");
        change.waiting.push((self.frontier.last_number(), item));
    }

    /// Nanoseconds of a pop, of a new URL, of a look-up of a known one, over the next `urls` URLs.
    fn measured(&mut self, urls: u64) -> [f64; 3] {
        (self.pops, self.known) = Default::default();
        let (started, pages) = (Instant::now(), urls / NEW_LINKS);
        (0..pages).for_each(|_| self.page());
        let new = started.elapsed().saturating_sub(self.pops + self.known);
        let each = |time: Duration, count: u64| time.as_nanos() as f64 / count as f64;
        [each(self.pops, pages), each(new, urls), each(self.known, pages * KNOWN_LINKS)]
    }
}

/// Resident memory in MiB, now and at most.
fn resident() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or_default() >> 10
    };
    (of("VmRSS:"), of("VmHWM:"))
}

/// The median of one column.
fn median(rows: &[[f64; 3]], column: usize) -> f64 {
    let mut costs: Vec<f64> = rows.iter().map(|row| row[column]).collect();
    costs.sort_by(f64::total_cmp);
    costs[costs.len() / 2]
}

fn on_disk(path: &Path) -> u64 {
    let entries = std::fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
    entries
        .map(|entry| match entry.metadata() {
            Ok(data) if data.is_dir() => on_disk(&entry.path()),
            // What is taken, not what is reserved.
            Ok(data) => std::os::unix::fs::MetadataExt::blocks(&data) * 512,
            Err(_) => 0,
        })
        .sum()
}

fn main() {
    let bench = std::env::args().any(|arg| arg == "--bench");
    let usual = if bench { 20_000_000 } else { 100_000 };
    let urls: u64 = std::env::var("HARVESTMAN_BENCH_URLS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let directory = tempfile::tempdir().expect("a directory");
    let mut crawl = Crawl::new(directory.path());
    let window = urls / 20;
    println!("nanoseconds of the wall; memory and disk as they are then");
    let head = ["URLs", "pop", "new", "known", "MiB", "MiB most", "bytes of disk"];
    println!("{}", head.map(|name| format!("{name:>13}")).concat());
    let mut rows = Vec::new();
    while crawl.discovered < urls {
        let costs = crawl.measured(window);
        let (now, most) = resident();
        let disk = on_disk(directory.path()) as f64 / crawl.discovered as f64;
        let costs_shown = costs.map(|cost| format!("{cost:>13.0}")).concat();
        println!("{:>13}{costs_shown}{now:>13}{most:>13}{disk:>13.1}", crawl.discovered);
        rows.push(costs);
    }
    let (first, last) = (&rows[1..4.min(rows.len())], &rows[rows.len().saturating_sub(3)..]);
    let [pop, new, known] = std::array::from_fn(|at| median(last, at) / median(first, at));
    println!(
        "the last three rows to the second, third and fourth: a pop {pop:.2}, a new URL {new:.2}, a known one {known:.2}"
    );
    assert_eq!(crawl.frontier.lost(), 0);
}
