//! What a pop costs when all scores changed since the one before, with ten million URLs waiting in two thousand classes
//! of one host; beside it a heap of URLs that is built anew with each change, at a size that it can bear.
//!
//! Says first what it measured by itself, pop by pop: medians, the tail, and the memory of what waits.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use foldhash::fast::FixedState;
use harvestman::clock;
use harvestman::frontier::{Frontier, FrontierLimits};
use harvestman::model::{Apath, ClassOrder, ClusterId, LinkClass, PatternId, Priority, ScheduledUrl, UrlPattern};
use harvestman::url::{CanonicalUrl, HostKey};

const CLASSES: u64 = 2_000;
const HOST: &str = "https://forum.example.org";
/// Links of a page that lead to new URLs; so many of them stand at one place.
const LINKS: u64 = 20;
const LINKS_TOGETHER: u64 = 4;
/// What the naive heap can bear.
const SMALL: u64 = 100_000;
/// Pops that are measured one by one.
const POPS: usize = 5_000;

/// URLs waiting; few where the benches are only tried.
fn large() -> u64 {
    if std::env::args().any(|arg| arg == "--bench") { 10_000_000 } else { 20_000 }
}

fn scrambled(number: u64) -> u64 {
    let mixed = (number ^ (number >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11
}

fn class(number: u64) -> LinkClass {
    let pattern = UrlPattern { coarse: PatternId(scrambled(number / 5)), fine: PatternId(scrambled(number)) };
    LinkClass::at(ClusterId((number / 100) as u32), Apath(scrambled(number / 10))).with_pattern(pattern)
}

/// Scores of all classes, looked up as a policy's snapshot does.
struct Scores(HashMap<LinkClass, f64, FixedState>);

impl ClassOrder for Scores {
    fn score(&self, class: LinkClass) -> f64 {
        self.0.get(&class).copied().unwrap_or(0.0)
    }
}

/// Orders that have nothing to do with one another.
fn orders() -> Vec<Arc<dyn ClassOrder>> {
    let score = |order: u64, class: u64| scrambled(order * CLASSES + class) as f64;
    let table = |order| (0..CLASSES).map(|number| (class(number), score(order, number))).collect();
    (0..16).map(|order| Arc::new(Scores(table(order))) as Arc<dyn ClassOrder>).collect()
}

/// The links of many pages, as a forum's pages have them.
fn urls(count: u64) -> impl Iterator<Item = ScheduledUrl> {
    (0..count / LINKS).flat_map(|page| {
        let via: Arc<str> = format!("{HOST}/forum/garden-{}/?page={}", scrambled(page) % 50, page % 1_000).into();
        (0..LINKS).map(move |link| ScheduledUrl {
            url: CanonicalUrl::from_canonical(format!("{HOST}/forum/topic/{}/?post={}", page * 7, page * LINKS + link)),
            class: class(scrambled(page * LINKS + link / LINKS_TOGETHER) % CLASSES),
            priority: Priority::Normal,
            depth: (page / 100_000) as u16,
            redirects: 0,
            attempts: 0,
            via: Some(Arc::clone(&via)),
        })
    })
}

fn frontier(count: u64, order: &Arc<dyn ClassOrder>) -> Frontier {
    let limits = FrontierLimits { queued_max: u64::MAX, host_pages_max: None, classes_max: 16_384 };
    let mut frontier = Frontier::new(limits, Arc::clone(order));
    urls(count).for_each(|url| {
        frontier.push(&url).expect("no limit");
    });
    frontier
}

fn pop(frontier: &mut Frontier, host: &HostKey) -> usize {
    let lease = frontier.pop(host, clock::Instant::EPOCH).expect("more wait than are popped");
    frontier.end(lease.id);
    lease.item.url.as_str().len()
}

/// URLs by score, depth and order of discovery.
struct Naive(BinaryHeap<Waiting>);

/// Score, depth and order, URL, class.
type Waiting = (u64, Reverse<(u16, u64)>, Text, LinkClass);

/// A URL's text, which has no say in the order.
type Text = Box<str>;

impl Naive {
    fn new(count: u64) -> Self {
        let items = (0..).zip(urls(count));
        Self(items.map(|(at, url)| (0, Reverse((url.depth, at)), url.url.as_str().into(), url.class)).collect())
    }

    /// Scores here are whole and not negative, so that they can be compared as numbers.
    fn set_order(&mut self, scores: &dyn ClassOrder) {
        let mut all = std::mem::take(&mut self.0).into_vec();
        for (score, _, _, class) in &mut all {
            *score = scores.score(*class) as u64;
        }
        self.0 = all.into();
    }

    fn pop(&mut self) -> usize {
        self.0.pop().map_or(0, |(_, _, url, _)| url.len())
    }
}

#[expect(clippy::disallowed_methods, reason = "a measurement is of the real time")]
fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

/// Median and 99th percentile in microseconds.
fn spread(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let micros = |at: usize| times[at].as_secs_f64() * 1e6;
    format!("median {:.2} µs, p99 {:.2} µs", micros(times.len() / 2), micros(times.len() * 99 / 100))
}

/// Resident memory of this process in bytes; none where the system does not say.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1_024)
}

fn say_memory(what: &str, before: Option<u64>, count: u64) {
    if let (Some(before), Some(now)) = (before, resident()) {
        let bytes = now.saturating_sub(before);
        eprintln!("{what}: {} MiB resident for {count} URLs, {} bytes a URL", bytes >> 20, bytes / count);
    }
}

/// What one change and one pop cost, again and again.
fn one_by_one(name: &str, orders: &[Arc<dyn ClassOrder>], frontier: &mut Frontier, pops: usize) -> Duration {
    let host = HostKey::from_origin(HOST);
    let mut times: [Vec<Duration>; 3] = Default::default();
    for order in orders.iter().cycle().take(pops) {
        let change = timed(|| frontier.set_order(Arc::clone(order)));
        let pop = timed(|| pop(frontier, &host));
        for (times, time) in times.iter_mut().zip([change, pop, change + pop]) {
            times.push(time);
        }
    }
    let [changes, pops, both] = times;
    eprintln!("{name}: set_order {}; pop after it {}; both {}", spread(changes), spread(pops), spread(both.clone()));
    both.iter().sum::<Duration>() / both.len() as u32
}

fn one_by_one_naive(orders: &[Arc<dyn ClassOrder>], naive: &mut Naive, pops: usize) -> Duration {
    let times = orders.iter().cycle().take(pops).map(|order| {
        timed(|| {
            naive.set_order(&**order);
            naive.pop()
        })
    });
    let times: Vec<Duration> = times.collect();
    eprintln!("naive heap of {SMALL} URLs: change and pop {}", spread(times.clone()));
    times.iter().sum::<Duration>() / times.len() as u32
}

fn rescored_pop(c: &mut Criterion) {
    let (large, orders, host) = (large(), orders(), HostKey::from_origin(HOST));
    let before = resident();
    let mut many = frontier(large, &orders[0]);
    say_memory("packed", before, large);
    one_by_one(&format!("frontier of {large} URLs"), &orders, &mut many, POPS);
    let mut few = frontier(SMALL, &orders[0]);
    let ours = one_by_one(&format!("frontier of {SMALL} URLs"), &orders, &mut few, POPS);
    let mut naive = Naive::new(SMALL);
    let theirs = one_by_one_naive(&orders, &mut naive, 50);
    eprintln!("change and pop at {SMALL} URLs: naive / frontier = {:.0}", theirs.as_secs_f64() / ours.as_secs_f64());

    let mut group = c.benchmark_group("frontier::rescored");
    let mut turn = orders.iter().cycle();
    let mut next = || Arc::clone(turn.next().expect("a cycle"));
    group.bench_function(BenchmarkId::new("pop_after_change", large), |b| {
        b.iter_custom(|pops| {
            (0..pops)
                .map(|_| {
                    many.set_order(next());
                    timed(|| pop(&mut many, &host))
                })
                .sum()
        });
    });
    group.bench_function(BenchmarkId::new("change_and_pop", large), |b| {
        b.iter(|| {
            many.set_order(next());
            pop(&mut many, &host)
        });
    });
    group.sample_size(10);
    group.bench_function(BenchmarkId::new("naive_change_and_pop", SMALL), |b| {
        b.iter(|| {
            naive.set_order(&*next());
            naive.pop()
        });
    });
    group.finish();

    let whole = timed(|| many.reclassify(&|_| 1, &|class, _, _| class.on(ClusterId(class.cluster.0 / 2)).into()));
    eprintln!("reclassify {} URLs: {:.2} s", many.queued(), whole.as_secs_f64());
}

criterion_group!(benches, rescored_pop);
criterion_main!(benches);
