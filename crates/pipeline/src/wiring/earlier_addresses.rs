//! Hosts that had a public address in an earlier run: a resumed crawl does not follow them into the own network.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::net::IpAddr;
use std::path::Path;

use harvestman_core::model::PageRecord;
use harvestman_core::url::{CanonicalUrl, HostKey};
use harvestman_stages::fetch::is_public;

/// How much of the page log is read. Only seeds are trusted with private addresses, and their lines come first.
const READ_MAX: u64 = 4 << 20;

/// Returns the hosts that answered from a public address, by the beginning of the page log of a crawl directory. A log
/// that is compressed or missing names none: then the first answer of the name server in this run counts.
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
