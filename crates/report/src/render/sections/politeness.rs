//! Politeness: the delays between requests to a host.

use crate::document::hosts::{HostFigures, HostSummary};
use crate::document::spread::Millis;
use crate::document::{Document, OwnFigures};
use crate::figures;
use crate::render::block::{Block, Cell, Table, millis_shown};
use harvestman_stages::host::CappedDelay;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let mut blocks = waits(document);
    blocks.extend(document.own().map(|own| capped_delays(&own)).unwrap_or_default());
    blocks
}

/// The times between the requests to each host.
fn waits(document: &Document) -> Vec<Block> {
    let hosts = &document.log.hosts;
    if hosts.top.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Text(verdict(hosts, document.delay_ms)), Block::Text(method())];
    let rows = hosts.top.iter().chain(&hosts.others).map(row).collect();
    let header = vec![
        "host",
        "requests",
        "pages",
        "failed",
        "retries",
        "429 or 503",
        "robots.txt",
        "smallest gap",
        "median gap",
        "smallest wait",
        "waits below the delay",
    ];
    blocks.push(Block::Table(Table { caption: "Hosts with most requests".to_owned(), header, rows }));
    if hosts.more {
        let count = figures::count(hosts.count);
        blocks
            .push(Block::Text(format!("Only the first {count} hosts are counted apart; the last row has all others.")));
    }
    blocks
}

/// The hosts whose `Crawl-delay` is capped.
fn capped_delays(own: &OwnFigures<'_>) -> Vec<Block> {
    let (hosts, shown) = (own.crawl_delays_capped_hosts, own.crawl_delays_capped.len() as u64);
    if hosts == 0 {
        return Vec::new();
    }
    let which =
        if hosts > shown { format!("; the {} longest are shown", figures::count(shown)) } else { String::new() };
    let text = format!(
        "Hosts whose robots.txt asks for a longer Crawl-delay than `robots.crawl_delay_max`: {}{which}.",
        figures::count(hosts)
    );
    let row = |CappedDelay { host, asked_seconds, used_seconds }: &CappedDelay| {
        let delay = |seconds: &f64| Cell::millis(seconds * 1_000.0);
        vec![Cell::Code(host.clone()), delay(asked_seconds), delay(used_seconds)]
    };
    let rows = own.crawl_delays_capped.iter().map(row).collect();
    let header = vec!["host", "requested Crawl-delay", "delay used"];
    vec![Block::Text(text), Block::Table(Table { caption: "Capped crawl delays".to_owned(), header, rows })]
}

fn verdict(hosts: &HostFigures, delay: Option<u64>) -> String {
    let (waits, short) = (figures::count(hosts.waits), figures::count(hosts.waits_short));
    #[expect(clippy::cast_precision_loss, reason = "milliseconds for people to read")]
    match delay {
        Some(0) => "No delay between the requests to a host was configured.".to_owned(),
        Some(delay) => {
            let delay = millis_shown(delay as f64);
            let found =
                if hosts.waits_short == 0 { "none was shorter".to_owned() } else { format!("{short} were shorter") };
            format!(
                "The configured delay, from the first byte of a response to the next request to its host, is {delay}; of {waits} waits {found}."
            )
        }
        None => format!("The configured delay is not known. {waits} waits were measured."),
    }
}

fn method() -> String {
    "Measured in the page log: a gap is the time from the start of a request to the start of the next one to the same host, a wait is the \
     time from the first byte of a response to the start of the next request. Of a URL with retries only the last request is in the log; \
     requests for robots.txt and sitemaps are not. The delay is the shortest one in config.toml and control.jsonl; robots.txt may require \
     a longer one."
        .to_owned()
}

fn row(host: &HostSummary) -> Vec<Cell> {
    let millis = |value: Option<Millis>| Cell::maybe(value, |millis| Cell::millis(millis.0));
    vec![
        Cell::Code(host.host.clone()),
        Cell::count(host.requests),
        Cell::count(host.pages),
        Cell::count(host.failed),
        Cell::count(host.tries_again),
        Cell::count(host.slowed),
        Cell::count(host.robots),
        millis(host.gap_least_ms),
        millis(host.gap_median_ms),
        millis(host.wait_least_ms),
        Cell::count(host.waits_short),
    ]
}
