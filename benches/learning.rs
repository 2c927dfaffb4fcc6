//! What learning costs, relative to a breadth-first crawl in the same run.
//!
//! A static site (pages of about 29 KB with 84 links) is served by another process and crawled in turn by `bfs` and by
//! `ucc`, each with its archive and its state on disk. Printed are the processor and the wall time of each crawl, and the
//! pages of `ucc` by processor second and by second, relative to those of `bfs`, pair by pair.
//!
//! `cargo bench --bench learning` takes some minutes; `HARVESTMAN_BENCH_PAGES` and `HARVESTMAN_BENCH_ROUNDS` change its
//! size.
#![expect(clippy::print_stdout, reason = "a bench's result is what it prints")]

mod static_site;

use harvestman::clock::Stopwatch;
use harvestman::config::PolicyKind;
use harvestman::report::{Hooks, Report};
use static_site::{Coding, Site, cpu_seconds, median, number};

fn main() {
    let pages = number("HARVESTMAN_BENCH_PAGES", 50_000);
    let rounds = number("HARVESTMAN_BENCH_ROUNDS", 3);
    let mut site = Site::start(pages, Coding::Identity);
    println!(
        "{pages} static pages, {rounds} rounds: processor seconds, seconds, pages of `ucc` relative to `bfs` by each"
    );
    let mut ratios = [const { Vec::new() }; 2];
    for round in 1..=rounds {
        let [bfs, ucc] = [PolicyKind::Bfs, PolicyKind::Ucc].map(|policy| crawl(&site.seed, pages, policy));
        let row = [bfs.0 / ucc.0, bfs.1 / ucc.1];
        println!(
            "{round}: bfs {:.2} and {:.2}, ucc {:.2} and {:.2}: [{:.2}] and [{:.2}]",
            bfs.0, bfs.1, ucc.0, ucc.1, row[0], row[1]
        );
        ratios.iter_mut().zip(row).for_each(|(ratios, ratio)| ratios.push(ratio));
    }
    let [by_cpu, by_time] = ratios.each_mut().map(|ratios| median(ratios));
    println!("median ratio: pages by processor second {by_cpu:.2}, pages by second {by_time:.2}");
    site.stop();
}

/// Crawls the site. Returns the processor time and the time that it took, in seconds.
fn crawl(seed: &str, pages: u64, policy: PolicyKind) -> (f64, f64) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut config = static_site::config(seed, directory.path());
    config.crawl.policy = policy;
    let mut report: Option<Report> = None;
    let mut watch = Stopwatch::start();
    let cpu = cpu_seconds(|| {
        let system = harvestman::pipeline::runtime(&config);
        report = Some(system.block_on(harvestman::pipeline::run(&config, Hooks::none())).expect("the crawl runs"));
    });
    assert_eq!(report.expect("it ran").pages, pages, "every page is found");
    (cpu, watch.lap().as_secs_f64())
}
