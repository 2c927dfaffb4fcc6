//! How hosts were spared.

use serde_json::Value;

use super::Material;
use crate::document::hosts::HostRow;
use crate::figures;
use crate::render::block::{Block, Cell, Table, millis_shown};

pub(super) fn blocks(material: &Material<'_>) -> Vec<Block> {
    let mut blocks = waits(material);
    blocks.extend(capped_delays(material));
    blocks
}

/// The waits between the requests to each host.
fn waits(material: &Material<'_>) -> Vec<Block> {
    let hosts = &material.document.log.hosts;
    if hosts.top.is_empty() {
        return Vec::new();
    }
    let delay = material.document.delay_ms;
    let mut blocks = vec![Block::Text(verdict(material, delay)), Block::Text(method())];
    let rows = hosts.top.iter().chain(&hosts.others).map(row).collect();
    let header = vec![
        "host",
        "requests",
        "pages",
        "failed",
        "further tries",
        "429 or 503",
        "robots.txt",
        "smallest gap",
        "median gap",
        "smallest wait",
        "shorter than asked",
    ];
    blocks.push(Block::Table(Table { caption: "Hosts with most requests".to_owned(), header, rows }));
    if hosts.more {
        let told = figures::count(hosts.count);
        blocks.push(Block::Text(format!(
            "The first {told} hosts that were met are told apart; the rest is in the last row."
        )));
    }
    blocks
}

/// The hosts whose `Crawl-delay` is capped.
fn capped_delays(material: &Material<'_>) -> Vec<Block> {
    let capped = material.said("crawl_delays_capped").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let hosts = material.said("crawl_delays_capped_hosts").and_then(Value::as_u64).unwrap_or(capped.len() as u64);
    if hosts == 0 {
        return Vec::new();
    }
    let shown = capped.len() as u64;
    let which =
        if hosts > shown { format!("; the {} longest are shown", figures::count(shown)) } else { String::new() };
    let text = format!(
        "Hosts whose robots.txt asks for a longer Crawl-delay than `robots.crawl_delay_max`: {}{which}.",
        figures::count(hosts)
    );
    let row = |capped: &Value| {
        let seconds = |name: &str| Cell::maybe(capped[name].as_f64(), |seconds| Cell::millis(seconds * 1_000.0));
        let host = Cell::maybe(capped["host"].as_str(), |host| Cell::Code(host.to_owned()));
        vec![host, seconds("asked_seconds"), seconds("used_seconds")]
    };
    let rows = capped.iter().map(row).collect();
    let header = vec!["host", "Crawl-delay asked for", "delay used"];
    vec![Block::Text(text), Block::Table(Table { caption: "Capped crawl delays".to_owned(), header, rows })]
}

fn verdict(material: &Material<'_>, delay: Option<u64>) -> String {
    let hosts = &material.document.log.hosts;
    let (waits, short) = (figures::count(hosts.waits), figures::count(hosts.waits_short));
    #[expect(clippy::cast_precision_loss, reason = "milliseconds for people to read")]
    match delay {
        Some(0) => "No delay between the requests to a host was asked for.".to_owned(),
        Some(delay) => {
            let delay = millis_shown(delay as f64);
            let found =
                if hosts.waits_short == 0 { "none was shorter".to_owned() } else { format!("{short} were shorter") };
            format!(
                "A delay of {delay} from the first byte of an answer to the next request to its host was asked for; of {waits} such waits {found}."
            )
        }
        None => format!("Which delay was asked for is not known. {waits} waits were measured."),
    }
}

fn method() -> String {
    "Measured by the page log: a gap is the time from the start of a request to the start of the next one to the same host, a wait that from \
     the first byte of an answer. Of a URL that was tried several times the last try is there; requests for robots.txt and sitemaps have no \
     lines. The delay is the shortest that config.toml and control.jsonl know of; robots.txt may have asked for more."
        .to_owned()
}

fn row(host: &HostRow) -> Vec<Cell> {
    let millis = |value: Option<crate::document::spread::Millis>| Cell::maybe(value, |millis| Cell::millis(millis.0));
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
