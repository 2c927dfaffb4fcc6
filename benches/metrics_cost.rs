//! What metrics cost: whole crawls with and without them, in one run, by processor time.
//!
//! A static site of 20,000 pages (about 25 KB and 90 links each) is served by another process. It is crawled
//! breadth-first without an archive, which is where metrics weigh most as nothing else is so cheap; once with
//! everything counted and written out each second, as for a Prometheus that scrapes more often than most do, and once
//! with instruments that count nothing ([`Metrics::off`]). A round is without, with, with, without, so that a machine
//! that grows slower or warmer harms neither.
//!
//! Printed are the processor seconds of this process in each, and their ratio round by round; then the middle, the
//! quartiles and the extremes of the ratios. `HARVESTMAN_BENCH_PAGES` and `HARVESTMAN_BENCH_ROUNDS` change the size.
//! Exit code 1: the middle is above `HARVESTMAN_BENCH_PERCENT_MAX` (3).
#![expect(clippy::print_stdout, reason = "a bench's result is what it prints")]

mod static_site;

use std::sync::mpsc;
use std::time::Duration;

use harvestman::metrics::Metrics;
use harvestman::report::Hooks;
use static_site::{Coding, Site, cpu_seconds, median, number};

/// How often metrics are written out.
const SCRAPE_EVERY: Duration = Duration::from_secs(1);

fn main() {
    let pages = number("HARVESTMAN_BENCH_PAGES", 20_000);
    let rounds = number("HARVESTMAN_BENCH_ROUNDS", 7);
    let most = 1.0 + number("HARVESTMAN_BENCH_PERCENT_MAX", 3) as f64 / 100.0;
    let mut site = Site::start(pages, 0, Coding::Identity);
    println!("site: {pages} static pages at {}; {rounds} rounds; processor seconds of this process", site.seed);
    // The first crawl finds memory and files as no later one does.
    crawl(&site.seed, pages, Metrics::off());
    println!("{:>5} {:>10} {:>10} {:>8}", "round", "without", "with", "ratio");
    let mut ratios: Vec<f64> = (1..=rounds).map(|round| one_round(&site.seed, pages, round)).collect();
    site.stop();
    let middle = median(&mut ratios);
    let at = |share: f64| ratios[((ratios.len() - 1) as f64 * share).round() as usize];
    println!(
        "with metrics by without: {middle:.3} (quartiles {:.3} and {:.3}, extremes {:.3} and {:.3})",
        at(0.25),
        at(0.75),
        at(0.0),
        at(1.0)
    );
    if middle > most {
        println!("metrics cost more than they may: {most:.2}");
        std::process::exit(1);
    }
}

/// Crawls without, with, with and without metrics, so that a drift of the machine falls on both alike. Returns the
/// ratio.
fn one_round(seed: &str, pages: u64, round: u64) -> f64 {
    let first = crawl(seed, pages, Metrics::off());
    let with = crawl(seed, pages, Metrics::new()) + crawl(seed, pages, Metrics::new());
    let without = first + crawl(seed, pages, Metrics::off());
    println!("{round:>5} {without:>10.2} {with:>10.2} {:>8.3}", with / without);
    with / without
}

/// Crawls the whole site; the processor seconds that it took.
fn crawl(seed: &str, pages: u64, metrics: Metrics) -> f64 {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut config = static_site::config(seed, directory.path());
    (config.archive.enabled, config.state.enabled) = (false, false);
    let mut found = 0;
    let seconds = cpu_seconds(|| {
        let hooks = Hooks { metrics: metrics.clone(), ..Hooks::none() };
        let (over, ended) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            let metrics = &metrics;
            scope.spawn(move || scrape(metrics, &ended));
            let system = harvestman::pipeline::runtime(&config);
            found = system.block_on(harvestman::pipeline::run(&config, hooks)).expect("the crawl runs").pages;
            drop(over);
        });
    });
    assert_eq!(found, pages, "every page is found");
    seconds
}

/// Writes all metrics out from time to time, until the crawl has ended.
fn scrape(metrics: &Metrics, ended: &mpsc::Receiver<()>) {
    while ended.recv_timeout(SCRAPE_EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
        std::hint::black_box(metrics.encode());
    }
}
