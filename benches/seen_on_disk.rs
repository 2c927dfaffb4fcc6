//! What the set of URLs on disk costs a fingerprint: batches of 20, of which 17 were seen before at any time, with 64
//! MiB of memory.
//!
//! Immediate answers with several runs in tiers and with one run, additions that a Bloom filter promised to be new, and
//! deferred answers in both ways. For each: wall and processor time a fingerprint, the longest call (a merge), what was
//! written, what was kept; and for immediate answers a look-up that hits and one that misses. The page cache is the
//! system's: all figures are of files that fit into it, unless there are more URLs than that.
//!
//! `HARVESTMAN_BENCH_URLS` is the number of fingerprints offered (default 1,000,000; few where the benches are only
//! tried), `HARVESTMAN_BENCH_MEMORY` the memory in MiB (default 64; 1 up to the default number, so that there are
//! merges).

#![expect(clippy::print_stdout, reason = "a bench's result is what it prints")]

use std::path::Path;
use std::time::{Duration, Instant};

use harvestman::dedup::{DeferredSet, DiskError, DiskOptions, DiskSet};
use harvestman::report::Usage;
use harvestman::url::Fingerprint;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

const BATCH: u64 = 20;
const NEW: u64 = 3;
const LOOKUPS: u64 = 100_000;

fn main() -> Result<(), DiskError> {
    let tried = !std::env::args().any(|arg| arg == "--bench");
    let urls = number("HARVESTMAN_BENCH_URLS", if tried { 20_000 } else { 1_000_000 });
    let memory = number("HARVESTMAN_BENCH_MEMORY", if urls > 1_000_000 { 64 } else { 1 }) as usize;
    let directory =
        tempfile::tempdir().map_err(|source| DiskError::File { action: "make", path: "".into(), source })?;
    println!("{urls} fingerprints, {} of {BATCH} known, {memory} MiB", BATCH - NEW);
    for (name, ratio) in [("ratio 1", 1), ("ratio 4", 4), ("one run", u64::MAX)] {
        let options = DiskOptions { memory: memory << 20, ratio };
        immediate(&format!("immediate, {name}"), &directory.path().join("seen"), &options, urls)?;
        promised(&format!("promised, {name}"), &directory.path().join("seen"), &options, urls)?;
        deferred(&format!("deferred, {name}"), &directory.path().join("seen"), &options, urls)?;
    }
    Ok(())
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The fingerprint of the `n`-th URL.
fn url(n: u64) -> Fingerprint {
    Fingerprint(xxh3_128(&n.to_le_bytes()))
}

/// Any number below `end`, the same each time.
fn any_below(end: u64, draw: u64) -> u64 {
    xxh3_64(&draw.to_le_bytes()) % end
}

/// The `n`-th batch: known ones from anywhere before, and among them the next new ones.
fn fill(batch: &mut Vec<Fingerprint>, n: u64) {
    batch.clear();
    batch.extend((0..NEW).map(|new| url(n * NEW + new)));
    batch.extend((NEW..BATCH).map(|place| url(any_below(n * NEW + NEW, n * BATCH + place))));
}

fn immediate(name: &str, directory: &Path, options: &DiskOptions, urls: u64) -> Result<(), DiskError> {
    let mut set = DiskSet::create(directory, options)?;
    let (mut batch, mut new, mut told) = (Vec::new(), Vec::new(), 0);
    let meter = Meter::start();
    let longest = longest(0..urls / BATCH, |n| {
        fill(&mut batch, n);
        set.insert_all(&batch, &mut new)?;
        told += new.iter().filter(|new| **new).count() as u64;
        Ok(())
    })?;
    set.flush()?;
    meter.say(name, urls, longest, (told, set.len(), set.runs(), set.memory_bytes()));
    let known = set.len();
    lookups("  hit", known, |n| set.contains(url(any_below(known, n))))?;
    lookups("  miss", known, |n| set.contains(url(known + n)))?;
    drop(set);
    let meter = Meter::start();
    let known = DiskSet::open(directory, options)?.len();
    println!("  opened and checked: {:.1} ns a fingerprint held", 1e3 * per(meter.since().0, known));
    remove(directory);
    Ok(())
}

/// Behind a filter that never errs: what is new is added without asking, what it knows is looked up.
fn promised(name: &str, directory: &Path, options: &DiskOptions, urls: u64) -> Result<(), DiskError> {
    let mut set = DiskSet::create(directory, options)?;
    let (mut batch, mut told) = (Vec::new(), 0);
    let meter = Meter::start();
    let longest = longest(0..urls / BATCH, |n| {
        fill(&mut batch, n);
        let (new, known) = batch.split_at(NEW as usize);
        new.iter().try_for_each(|url| set.add(*url))?;
        for url in known {
            told += u64::from(!set.contains(*url)?);
        }
        Ok(())
    })?;
    set.flush()?;
    meter.say(name, urls, longest, (told, set.len(), set.runs(), set.memory_bytes()));
    remove(directory);
    Ok(())
}

fn deferred(name: &str, directory: &Path, options: &DiskOptions, urls: u64) -> Result<(), DiskError> {
    let mut set = DeferredSet::create(directory, options)?;
    let (mut batch, mut told) = (Vec::new(), 0);
    let mut memory = 0;
    let meter = Meter::start();
    let longest = longest(0..urls / BATCH, |n| {
        fill(&mut batch, n);
        for url in &batch {
            if set.is_full() {
                memory = memory.max(set.memory_bytes());
                set.merge(|_, new| told += u64::from(new))?;
            }
            set.put(*url, n)?;
        }
        Ok(())
    })?;
    set.merge(|_, new| told += u64::from(new))?;
    meter.say(name, urls, longest, (told, set.len(), set.runs(), memory.max(set.memory_bytes())));
    remove(directory);
    Ok(())
}

fn remove(directory: &Path) {
    let _ = std::fs::remove_dir_all(directory);
}

/// Does the work for each number and returns how long it took at most.
#[expect(clippy::disallowed_methods, reason = "a measurement is of the real time")]
fn longest(
    range: std::ops::Range<u64>,
    mut work: impl FnMut(u64) -> Result<(), DiskError>,
) -> Result<Duration, DiskError> {
    let mut longest = Duration::ZERO;
    for n in range {
        let start = Instant::now();
        work(n)?;
        longest = longest.max(start.elapsed());
    }
    Ok(longest)
}

fn lookups(name: &str, known: u64, mut contains: impl FnMut(u64) -> Result<bool, DiskError>) -> Result<(), DiskError> {
    let count = LOOKUPS.min(known);
    let (meter, mut hits) = (Meter::start(), 0);
    for n in 0..count {
        hits += u64::from(contains(n)?);
    }
    let (wall, cpu, _) = meter.since();
    println!("{name}: {:.2} µs, {:.2} µs of processor; {hits} of {count} known", per(wall, count), per(cpu, count));
    Ok(())
}

fn per(seconds: f64, count: u64) -> f64 {
    seconds * 1e6 / count.max(1) as f64
}

/// Wall time, processor time and bytes written of this process, since it was started.
struct Meter {
    start: Instant,
    cpu: f64,
    written: u64,
}

impl Meter {
    #[expect(clippy::disallowed_methods, reason = "a measurement is of the real time")]
    fn start() -> Self {
        Self { start: Instant::now(), cpu: cpu_seconds(), written: written_bytes() }
    }

    fn since(&self) -> (f64, f64, u64) {
        (self.start.elapsed().as_secs_f64(), cpu_seconds() - self.cpu, written_bytes() - self.written)
    }

    fn say(&self, name: &str, urls: u64, longest: Duration, (told, len, runs, memory): (u64, u64, usize, usize)) {
        let (wall, cpu, written) = self.since();
        println!(
            "{name}: {:.2} µs, {:.2} µs of processor; longest call {:.2} s; {} MB written; {told} new, {len} held, {runs} runs, {:.1} MiB",
            per(wall, urls),
            per(cpu, urls),
            longest.as_secs_f64(),
            written / 1_000_000,
            memory as f64 / f64::from(1 << 20)
        );
    }
}

/// Processor time of this thread's process; not a number where the system does not tell it.
fn cpu_seconds() -> f64 {
    Usage::now().cpu_seconds.unwrap_or(f64::NAN)
}

/// Bytes that this process has written, where the system tells it.
fn written_bytes() -> u64 {
    let told = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix("wchar: "));
    line.and_then(|bytes| bytes.parse().ok()).unwrap_or(0)
}
