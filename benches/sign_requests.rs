//! What signing all requests costs, relative to what a crawl spends on a page in the same run.
//!
//! A static site of 10,000 pages (about 29 KB and 84 links each) is served by another process and crawled
//! breadth-first, without and with signed requests, in the order without, with, with, without, so that a machine that
//! grows slower harms neither: without nonces, as by default, where requests share a signature for a while, and with
//! nonces, where each request has one of its own. The crawls have their archive and their state, as by default.
//!
//! Printed are the processor seconds of this process in each and their ratio, round by round; the time of a single
//! signature, of which many are made in a row; and its share of the processor time of a page. Exit code 1: the ratio
//! without nonces is above `HARVESTMAN_BENCH_PERCENT_MAX` (3). `HARVESTMAN_BENCH_PAGES` and `HARVESTMAN_BENCH_ROUNDS`
//! change the size.
#![expect(clippy::print_stdout, reason = "a bench's result is what it prints")]

mod static_site;

use std::path::Path;

use harvestman::identity::{AgentForm, Identity, Lifetime, RequestTarget, SignatureAgent, file};
use harvestman::report::Hooks;
use http::HeaderMap;
use static_site::{Coding, Site, cpu_seconds, median, number};

/// Number of signatures that are timed together.
const SIGNATURES: u64 = 20_000;

fn main() {
    let pages = number("HARVESTMAN_BENCH_PAGES", 10_000);
    let rounds = number("HARVESTMAN_BENCH_ROUNDS", 5);
    let most = number("HARVESTMAN_BENCH_PERCENT_MAX", 3) as f64;
    let folder = tempfile::tempdir().expect("a temporary directory");
    let key = folder.path().join("key.pem");
    file::create(&key, &[1; 32]).expect("a key");
    let signature = signature_seconds(&key);
    println!("a signature: {:.1} µs of processor time", signature * 1e6);
    let mut site = Site::start(pages, 0, Coding::Identity);
    // The first crawl finds memory and files as no later one does.
    crawl(&site.seed, pages, None);
    let mut is_cheap = true;
    for (name, has_nonce) in [("without nonces", false), ("with nonces", true)] {
        println!("{name}: {pages} pages\n{:>5} {:>10} {:>10} {:>8}", "round", "unsigned", "signed", "ratio");
        let signed = || crawl(&site.seed, pages, Some((&key, has_nonce)));
        let (mut ratios, mut pages_cost) = (Vec::new(), Vec::new());
        for round in 1..=rounds {
            let first = crawl(&site.seed, pages, None);
            let with = signed() + signed();
            let without = first + crawl(&site.seed, pages, None);
            println!("{round:>5} {without:>10.2} {with:>10.2} {:>8.3}", with / without);
            ratios.push(with / without);
            pages_cost.push(without / 2.0 / pages as f64);
        }
        let (ratio, page) = (median(&mut ratios), median(&mut pages_cost));
        let (micros, share) = (page * 1e6, signature / page * 100.0);
        println!(
            "{name}: signed by unsigned {ratio:.3} (median); a page {micros:.0} µs, a signature {share:.2} % of that"
        );
        is_cheap &= has_nonce || ratio <= 1.0 + most / 100.0;
    }
    site.stop();
    if !is_cheap {
        println!("signatures without nonces cost more than they may: {most} %");
        std::process::exit(1);
    }
}

/// The processor time of one signature, with the headers around it.
fn signature_seconds(key: &Path) -> f64 {
    let key = file::read(key).expect("a key").key;
    let agent = SignatureAgent::parse("https://bot.example.org", AgentForm::Dictionary).expect("an address");
    let identity = Identity::new(key, Some(agent));
    let uri = "http://forum.example.org:8080/thread/1234.html?page=2".parse().expect("a URL");
    let target = RequestTarget { method: "GET", uri: &uri };
    let mut headers = HeaderMap::new();
    let seconds = cpu_seconds(|| {
        for n in 0..SIGNATURES {
            let lifetime = Lifetime { created: n, expires: n + 60 };
            let nonce = Some("uZB2iNZmvlX4Gb3mcmpBZQH0cq9V6eFB5C0UD2m4Y2c=");
            identity.sign(target, &mut headers, identity.usual(), lifetime, nonce).expect("a signature");
            std::hint::black_box(&headers);
        }
    });
    seconds / SIGNATURES as f64
}

/// Crawls the whole site, signed with this key, with or without nonces. Returns the processor seconds that it took.
fn crawl(seed: &str, pages: u64, signed: Option<(&Path, bool)>) -> f64 {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut config = static_site::config(seed, directory.path());
    if let Some((key, has_nonce)) = signed {
        config.identity.key_file = key.display().to_string();
        config.identity.agent = "https://bot.example.org".to_owned();
        config.identity.nonce = has_nonce;
    }
    let mut found = 0;
    let seconds = cpu_seconds(|| {
        let system = harvestman::pipeline::runtime(&config);
        found = system.block_on(harvestman::pipeline::run(&config, Hooks::none())).expect("the crawl runs").pages;
    });
    assert_eq!(found, pages, "every page is found");
    seconds
}
