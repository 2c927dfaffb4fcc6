//! What the user trusts: the origins that receive the credentials, and the hosts that may have private addresses; and
//! the address guard: which addresses a crawl may connect to.
//!
//! These are two kinds of trust. A search engine that the user names may be on the own network, but the cookies of a
//! forum are not meant for it; and a forum that gets them has no business in the own network.
//!
//! A link, a redirect or a DNS response can point a crawler at machines that only its own network reaches (server-side
//! request forgery). The guard therefore checks addresses after resolution, immediately before the connection: the
//! address that is checked is the one that is connected to, and no second DNS response can change it in between.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use super::addresses::is_public;
use super::target::Target;
use harvestman_core::url::{HostKey, registrable_domain};

/// What the user trusts.
#[derive(Debug, Default)]
pub struct Trust {
    pub(super) credentials: CredentialScope,
    pub(super) addresses: AddressTrust,
}

impl Trust {
    /// Trusts these seeds with both: with the credentials and with private addresses.
    pub fn of_seeds<'a>(seeds: impl IntoIterator<Item = &'a HostKey>) -> Self {
        let mut trust = Self::default();
        for seed in seeds {
            trust.credentials.add(seed);
            trust.addresses.add(seed);
        }
        trust
    }

    /// Also sends the credentials to these origins.
    #[must_use]
    pub fn with_credentials_for<'a>(mut self, origins: impl IntoIterator<Item = &'a HostKey>) -> Self {
        origins.into_iter().for_each(|origin| self.credentials.add(origin));
        self
    }

    /// Also lets these hosts have private addresses.
    #[must_use]
    pub fn with_addresses_of<'a>(mut self, hosts: impl IntoIterator<Item = &'a HostKey>) -> Self {
        hosts.into_iter().for_each(|host| self.addresses.add(host));
        self
    }
}

/// The origins that receive the credentials of the user: scheme, host and port, none of which may differ.
///
/// Another port is another server, often of somebody else, and another scheme is read by everybody on the way.
#[derive(Debug, Default)]
pub(super) struct CredentialScope {
    /// By host: whether it is https, and the port.
    origins: HashMap<Box<str>, Vec<(bool, u16)>>,
    sites: HashSet<Box<str>>,
}

impl CredentialScope {
    fn add(&mut self, origin: &HostKey) {
        let url = origin.url("/");
        let Some(target) = Target::of(&url) else { return };
        let host = bare(target.host());
        self.sites.insert(registrable_domain(host).into());
        let of_host = self.origins.entry(host.into()).or_default();
        if !of_host.contains(&(target.https, target.port)) {
            of_host.push((target.https, target.port));
        }
    }

    /// Returns whether a request to `target` may carry the credentials.
    pub(super) fn includes(&self, target: &Target<'_>) -> bool {
        self.origins.get(bare(target.host())).is_some_and(|of_host| of_host.contains(&(target.https, target.port)))
    }

    /// Returns whether one of the origins is of the same site, so that a user may expect the credentials there.
    pub(super) fn is_near(&self, target: &Target<'_>) -> bool {
        self.sites.contains(registrable_domain(bare(target.host())))
    }

    /// Returns the hosts of the origins.
    pub(super) fn hosts(&self) -> impl Iterator<Item = &str> {
        self.origins.keys().map(|host| &**host)
    }
}

/// The hosts that may have private addresses.
///
/// A host that had a public address once keeps to public ones: otherwise whoever controls its name could lead the crawl
/// into the own network by a later answer (DNS rebinding).
#[derive(Debug, Default)]
pub(super) struct AddressTrust(HashMap<Box<str>, AtomicBool>);

impl AddressTrust {
    fn add(&mut self, host: &HostKey) {
        let url = host.url("/");
        if let Some(target) = Target::of(&url) {
            self.0.entry(bare(target.host()).to_ascii_lowercase().into()).or_default();
        }
    }

    /// Returns whether `host` may have private addresses.
    pub(super) fn includes(&self, host: &str) -> bool {
        self.0.get(bare(host)).is_some_and(|was_public| !was_public.load(Ordering::Relaxed))
    }

    /// Takes in the addresses that `host` has now.
    pub(super) fn note(&self, host: &str, addresses: &[SocketAddr]) {
        if addresses.iter().any(|address| is_public(address.ip())) {
            self.note_public(host);
        }
    }

    /// Takes in that `host` has, or had, a public address.
    pub(super) fn note_public(&self, host: &str) {
        if let Some(was_public) = self.0.get(bare(host)) {
            was_public.store(true, Ordering::Relaxed);
        }
    }
}

/// Returns a host without the brackets of an IPv6 address.
fn bare(host: &str) -> &str {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

/// Decides which addresses of which hosts may be connected to.
#[derive(Debug)]
pub(super) struct Guard {
    /// Hosts that may have any address.
    pub(super) trusted: AddressTrust,
    /// Every host may have any address.
    pub(super) private_addresses: bool,
}

impl Guard {
    /// Returns whether `host` may have any address.
    pub(super) fn trusts(&self, host: &str) -> bool {
        self.private_addresses || self.trusted.includes(host)
    }

    /// Takes in the addresses that `host` has now, and keeps those that may be connected to.
    pub(super) fn keep_allowed(&self, host: &str, addresses: &mut Vec<SocketAddr>) {
        self.trusted.note(host, addresses);
        if !self.trusts(host) {
            addresses.retain(|address| is_public(address.ip()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::url::CanonicalUrl;

    fn origin(text: &str) -> HostKey {
        HostKey::from_origin(text)
    }

    fn receives(trust: &Trust, url: &str) -> bool {
        trust.credentials.includes(&Target::of(&CanonicalUrl::from_canonical(url)).unwrap())
    }

    #[test]
    fn credentials_are_for_the_exact_origins_of_seeds_and_of_what_is_added() {
        let seeds = ["http://a.test:8080", "https://b.test", "http://[::1]:81"].map(HostKey::from_origin);
        let trust = Trust::of_seeds(&seeds).with_credentials_for([&origin("https://login.b.test")]);
        for url in [
            "http://a.test:8080/x",
            "https://b.test/",
            "https://b.test:443/",
            "http://[::1]:81/",
            "https://login.b.test/",
        ] {
            assert!(receives(&trust, url), "{url}");
        }
        for url in [
            "http://a.test/",
            "http://a.test:8081/",
            "https://a.test:8080/",
            "http://b.test/",
            "http://b.test:443/",
            "https://b.test:8443/",
            "https://www.b.test/",
            "http://login.b.test/",
            "http://[::1]/",
            "http://a.test:8080.evil.test/",
        ] {
            assert!(!receives(&trust, url), "{url}");
        }
    }

    #[test]
    fn a_search_may_be_private_and_gets_no_credentials() {
        let trust = Trust::of_seeds([&origin("https://b.test")]).with_addresses_of([&origin("http://search.lan:88")]);
        assert!(!receives(&trust, "http://search.lan:88/?q=x"));
        assert!(trust.addresses.includes("search.lan") && trust.addresses.includes("b.test"));
        assert!(!trust.addresses.includes("x.search.lan") && !trust.addresses.includes("lan"));
    }

    #[test]
    fn a_host_that_was_public_once_stays_public() {
        let trust = Trust::of_seeds(&["http://a.test", "http://b.test"].map(HostKey::from_origin)).addresses;
        let addresses = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<SocketAddr>>();
        trust.note("a.test", &addresses(&["10.0.0.1:80"]));
        assert!(trust.includes("a.test"), "it is in the own network");
        trust.note("a.test", &addresses(&["10.0.0.1:80", "8.8.8.8:80"]));
        trust.note("a.test", &addresses(&["10.0.0.1:80"]));
        assert!(!trust.includes("a.test") && trust.includes("b.test"));
        trust.note_public("b.test");
        assert!(!trust.includes("b.test"));
    }

    #[test]
    fn only_trusted_hosts_may_have_private_addresses_unless_all_may() {
        let seed = HostKey::from_origin("http://intranet.test");
        let mut guard = Guard { trusted: Trust::of_seeds([&seed]).addresses, private_addresses: false };
        let kept = |guard: &Guard, host: &str, addresses: &[[u8; 4]]| {
            let mut addresses: Vec<SocketAddr> = addresses.iter().map(|address| (*address, 80).into()).collect();
            guard.keep_allowed(host, &mut addresses);
            addresses.len()
        };
        let (private, public) = ([10, 0, 0, 1], [8, 8, 8, 8]);
        assert_eq!(kept(&guard, "intranet.test", &[private, private]), 2);
        assert_eq!(kept(&guard, "other.test", &[private]), 0);
        assert_eq!(kept(&guard, "sub.intranet.test", &[private]), 0);
        assert_eq!(kept(&guard, "other.test", &[public, private]), 1);
        // From the first public address on, its private ones are left out.
        assert_eq!(kept(&guard, "intranet.test", &[private, public]), 1);
        assert_eq!(kept(&guard, "intranet.test", &[private]), 0);
        guard.private_addresses = true;
        assert_eq!(kept(&guard, "other.test", &[private]), 1);
    }
}
