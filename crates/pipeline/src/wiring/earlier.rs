//! What earlier runs of a crawl left.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use super::CrawlBuilder;
use crate::error::Error;
use crate::hosts::RememberedHosts;
use crate::recrawl::Loaded;
use crate::run::output::STATE_DIRECTORY;
use crate::run::resume::Past;
use harvestman_core::model::PageRecord;
use harvestman_core::url::{CanonicalUrl, HostKey};
use harvestman_stages::fetch::is_public;
use harvestman_storage::store::{RecrawlRound, Store, VisitReader};

/// How much of the page log is read. Only seeds are trusted with private addresses, and their lines come first.
const READ_MAX: u64 = 4 << 20;

/// What is known of earlier runs.
pub(super) struct EarlierRuns {
    pub(super) past: Past,
    /// Whether there was an earlier run.
    pub(super) goes_on: bool,
    /// `None` if the state is not persisted.
    pub(super) store: Option<Store>,
    pub(super) keeps_visits: bool,
    /// Visits of earlier runs.
    pub(super) reader: Option<VisitReader>,
    /// The recrawl that continues or begins, and the loaded visits that it plans by.
    pub(super) round: Option<(RecrawlRound, Loaded)>,
    /// What is known of hosts; `None` if there was no earlier run and no other node.
    pub(super) hosts: Option<RememberedHosts>,
}

impl EarlierRuns {
    /// Reads what is `left`. If nothing is left and the state is persisted, creates the state.
    pub(super) fn recall(builder: &CrawlBuilder<'_>, directory: &Path, left: Option<Store>) -> Result<Self, Error> {
        let config = builder.config;
        let past = left.as_ref().map(Past::read).transpose()?;
        let goes_on = past.is_some();
        let mut past = past.unwrap_or_default();
        let reader = left.as_ref().map(Store::visits);
        let known = past.round.take().zip(reader.as_ref());
        let load = |(round, reader): (RecrawlRound, &VisitReader)| {
            let loaded = Loaded::read(reader, round.number)?;
            Ok::<_, Error>((round, loaded))
        };
        let round = known.map(load).transpose()?;
        let hosts = std::mem::take(&mut past.hosts);
        let hosts = (goes_on || builder.environment.has_history()).then(|| Arc::new(Mutex::new(hosts)));
        let store = match left {
            None if config.state.enabled => Some(Store::create(&directory.join(STATE_DIRECTORY))?),
            left => left,
        };
        let keeps_visits = store.is_some() && config.state.visits;
        Ok(Self { past, goes_on, store, keeps_visits, reader, round, hosts })
    }

    /// Returns the number of the recrawl; 0 for the crawl itself.
    pub(super) fn round_number(&self) -> u32 {
        self.round.as_ref().map_or(0, |(round, _)| round.number)
    }
}

/// Returns the hosts that answered from a public address in an earlier run, by the beginning of the page log of a crawl
/// directory: a resumed crawl does not follow them into the own network. A log that is compressed or missing names
/// none: then the first answer of the name server in this run counts.
pub(super) fn public_hosts(directory: &Path) -> Vec<HostKey> {
    let Ok(log) = File::open(directory.join("pages.jsonl")) else { return Vec::new() };
    let lines = BufReader::new(log.take(READ_MAX)).lines().map_while(Result::ok);
    let host = |line: String| {
        let page: PageRecord = serde_json::from_str(&line).ok()?;
        let address: IpAddr = page.ip?.parse().ok()?;
        is_public(address).then(|| CanonicalUrl::from_canonical(page.url).host_key())
    };
    lines.filter_map(host).collect::<BTreeSet<HostKey>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_answered_from_public_addresses_are_found_whatever_else_the_log_has() {
        let line = |url: &str, ip: &str| {
            let ip = if ip.is_empty() { String::new() } else { format!(r#","ip":"{ip}""#) };
            format!(r#"{{"url":"{url}","fate":"fetched","depth":0,"attempts":1{ip}}}"#)
        };
        let log = [
            line("http://a.test/", "8.8.8.8"),
            line("http://lan.test:81/", "10.0.0.1"),
            "damaged".to_owned(),
            line("http://unknown.test/", ""),
            line("https://b.test:8443/x", "2606:4700::1111"),
            line("http://a.test/2", "8.8.8.8"),
        ];
        let directory = tempfile::tempdir().unwrap();
        assert!(public_hosts(directory.path()).is_empty());
        std::fs::write(directory.path().join("pages.jsonl"), log.join("\n")).unwrap();
        let found = public_hosts(directory.path());
        assert_eq!(found.iter().map(HostKey::as_str).collect::<Vec<_>>(), ["http://a.test", "https://b.test:8443"]);
    }
}
