//! What looking up and adding a URL costs in the set that may be wrong, in batches of 20 of which 85 % are known;
//! beside it an exact set of 64-bit hashes and the plain filter of a crate. Then the stores that a crawl can choose, in
//! batches and link by link, and how often the filter is wrong when it outgrows its plan.
//!
//! Two threads are compared with one by the same work: as many URLs in all, in a set of the same plan, half of them
//! offered by each, no URL by both. URLs are made ahead in blocks, which is not timed; the threads start on each block
//! together, so that each is timed while the other works. A thread's time is the sum over its blocks, that of the two
//! is the longer one's. On a machine with other work look at the processor's time: by it two threads are twice as fast
//! as one if neither slows the other down.
//!
//! `HARVESTMAN_BENCH_URLS` says how many are offered (to the stores a tenth), `HARVESTMAN_BENCH_PLANNED` how many the
//! set is planned for (as many as are new, if it is not given). Times are by the wall and, where the system tells it,
//! of the processor.

use std::collections::HashSet;
use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use bloomfilter::Bloom;
use foldhash::fast::FixedState;
use harvestman::config::{ByteSize, DedupOptions, DedupStore};
use harvestman::dedup::{BloomOptions, BloomSet, SeenUrls};
use harvestman::seed::Seed;
use harvestman::url::Fingerprint;

const RATE: f64 = 0.001;
const BATCH: usize = 20;
const NEW_PERCENT: u64 = 15;
/// URLs that are made ahead, and not timed.
const BLOCK: u64 = 1_000_000;
/// Unknown URLs that the rate is measured by.
const PROBES: u64 = 4_000_000;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// URLs offered; few where the benches are only tried.
fn offered() -> u64 {
    let default = if std::env::args().any(|arg| arg == "--bench") { 10_000_000 } else { 20_000 };
    number("HARVESTMAN_BENCH_URLS", default)
}

fn planned() -> u64 {
    number("HARVESTMAN_BENCH_PLANNED", offered() * NEW_PERCENT / 100)
}

fn scrambled(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn fingerprint(number: u64) -> Fingerprint {
    Fingerprint(u128::from(scrambled(number)) << 64 | u128::from(scrambled(!number)))
}

/// URLs as pages have them: mostly known ones, each as likely as any other, which is the worst for a cache.
struct Links {
    /// Where its URLs begin, so that two such do not share any.
    first: u64,
    known: u64,
    made: u64,
}

impl Links {
    fn new(thread: u64) -> Self {
        Self { first: thread << 40, known: 0, made: 0 }
    }

    fn next(&mut self) -> Fingerprint {
        self.made += 1;
        let draw = scrambled((self.first + self.made).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        if draw % 100 < NEW_PERCENT || self.known == 0 {
            self.known += 1;
            return fingerprint(self.first + self.known);
        }
        fingerprint(self.first + 1 + scrambled(draw) % self.known)
    }
}

/// Time by the wall and of the processor.
#[derive(Clone, Copy, Default)]
struct Spent {
    wall: Duration,
    cpu: Duration,
}

/// Processor time of this thread; none where the system does not say.
fn cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

/// Offers so many URLs; what it took, and how many were offered for the first time.
fn offer(urls: u64, batch: impl FnMut(&[Fingerprint])) -> (Spent, u64) {
    offer_beside(&Barrier::new(1), urls, 0, batch)
}

/// The same in a thread that starts on each block together with others.
#[expect(clippy::disallowed_methods, reason = "a measurement is of the real time")]
fn offer_beside(others: &Barrier, urls: u64, thread: u64, mut batch: impl FnMut(&[Fingerprint])) -> (Spent, u64) {
    let (mut links, mut spent, mut made) = (Links::new(thread), Spent::default(), Vec::new());
    for from in (0..urls).step_by(BLOCK as usize) {
        made.clear();
        made.extend((from..urls.min(from + BLOCK)).map(|_| links.next()));
        others.wait();
        let (start, cpu_start) = (Instant::now(), cpu());
        made.chunks(BATCH).for_each(&mut batch);
        spent.wall += start.elapsed();
        spent.cpu += cpu() - cpu_start;
    }
    (spent, links.known)
}

fn say(name: &str, spent: Spent, urls: u64) {
    let nanos = |time: Duration| time.as_nanos() as f64 / urls as f64;
    eprintln!("{name}: {:.1} ns a URL ({:.1} ns of the processor)", nanos(spent.wall), nanos(spent.cpu));
}

fn set() -> BloomSet {
    BloomSet::new(&BloomOptions { planned: planned(), false_positives: RATE, shards: 64, seed: 7 })
}

fn ours(urls: u64) {
    let (set, mut new, mut count) = (set(), Vec::new(), 0);
    let (spent, known) = offer(urls, |batch| {
        set.insert_all(batch, &mut new);
        count += new.iter().filter(|new| **new).count() as u64;
    });
    say("BloomSet", spent, urls);
    let wrong = (0..PROBES.min(urls)).filter(|number| set.contains(fingerprint((1 << 60) + number))).count();
    eprintln!(
        "  {known} URLs, {} MiB; rate measured {:.6}, expected {:.6}, allowed {RATE}; lost {}, expected {:.0}",
        set.memory_bytes() >> 20,
        wrong as f64 / PROBES.min(urls) as f64,
        set.expected_false_positive_rate(),
        known - count,
        set.expected_false_positives(),
    );
}

fn exact(urls: u64) {
    let mut set: HashSet<u64, FixedState> = HashSet::default();
    let (spent, _) = offer(urls, |batch| {
        batch.iter().for_each(|url| {
            black_box(set.insert(url.0 as u64));
        });
    });
    say("HashSet<u64>", spent, urls);
}

fn plain(urls: u64) {
    let made = Bloom::new_for_fp_rate_with_seed(planned() as usize, RATE, &[7; 32]);
    let mut filter: Bloom<u128> = made.expect("the size and the rate are above nothing");
    let (spent, _) = offer(urls, |batch| {
        batch.iter().for_each(|url| {
            black_box(filter.check_and_set(&url.0));
        });
    });
    say("bloomfilter", spent, urls);
}

/// Time by the wall of so many threads that offer the same number of URLs together, and of the processor for all.
fn threads(urls: u64, count: u64) -> Spent {
    let (set, start) = (set(), Barrier::new(count as usize));
    let work = |thread: u64| {
        let mut new = Vec::new();
        offer_beside(&start, urls / count, thread, |batch| set.insert_all(batch, &mut new)).0
    };
    let spent: Vec<Spent> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|thread| scope.spawn(move || work(thread))).collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    });
    let wall = spent.iter().map(|spent| spent.wall).max().unwrap_or_default();
    Spent { wall, cpu: spent.iter().map(|spent| spent.cpu).sum() }
}

/// The stores of a crawl, a page's links at once and one by one; on disk with memory for a sixteenth of what is new.
fn stores(urls: u64) {
    let new = urls * NEW_PERCENT / 100;
    for (store, memory) in DedupStore::ALL.into_iter().flat_map(|store| [(store, u64::MAX), (store, new * 30 / 16)]) {
        let on_disk = memory < u64::MAX;
        if on_disk && store == DedupStore::BloomOnly {
            continue;
        }
        let options = DedupOptions { store, planned: planned(), false_positives: RATE, memory: ByteSize(memory) };
        let name = format!("{}{}", store.name(), if on_disk { " on disk" } else { "" });
        let directory = tempfile::tempdir().expect("a directory for files of the bench");
        let made = |name| SeenUrls::new(&options, Some(directory.path().join(name)), Seed(7));
        let (seen, mut new) = (made("batches"), Vec::new());
        say(&format!("{name}, in batches"), offer(urls, |batch| seen.insert_all(batch, &mut new)).0, urls);
        drop(seen);
        let seen = made("singly");
        let singly = |batch: &[Fingerprint]| batch.iter().for_each(|url| _ = black_box(seen.insert(*url)));
        say(&format!("{name}, link by link"), offer(urls, singly).0, urls);
        let figures = seen.stats();
        let (memory, disk) = (figures.memory_bytes >> 20, figures.disk_bytes >> 20);
        eprintln!("  {} URLs, {memory} MiB, {disk} MiB on disk; {:?}", figures.urls, figures.wrongly_dropped);
    }
}

/// The rate measured when as many, 4 and 16 times as many have come as were planned for.
fn growth(most: u64) {
    let planned = (most / 16).max(100);
    let set = BloomSet::new(&BloomOptions { planned, false_positives: RATE, shards: 64, seed: 7 });
    let (mut offered, mut new, probes) = (0, Vec::new(), PROBES.min(most));
    for times in [1, 4, 16] {
        let numbers: Vec<_> = (offered..times * planned).map(fingerprint).collect();
        numbers.chunks(BATCH).for_each(|batch| set.insert_all(batch, &mut new));
        offered = times * planned;
        let wrong = (0..probes).filter(|number| set.contains(fingerprint((1 << 60) + number))).count();
        let rate = wrong as f64 / probes as f64;
        eprintln!("{times} times the {planned} planned: rate {rate:.6}, {:.2} of what is allowed", rate / RATE);
    }
}

fn main() {
    let urls = offered();
    eprintln!("{urls} URLs in batches of {BATCH}, {NEW_PERCENT} % new, planned for {}", planned());
    ours(urls);
    exact(urls);
    plain(urls);
    let (one, two) = (threads(urls, 1), threads(urls, 2));
    let by_cpu = 2.0 * one.cpu.as_secs_f64() / two.cpu.as_secs_f64();
    let by_wall = one.wall.as_secs_f64() / two.wall.as_secs_f64();
    eprintln!("two threads to one: {by_wall:.2} times by the wall, {by_cpu:.2} by the processor's time");
    growth(urls * NEW_PERCENT / 100);
    stores(urls / 10);
}
