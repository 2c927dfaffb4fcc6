//! Trusted hosts, usually the seeds' own: they may have private addresses, and only they receive the credentials.

use std::collections::HashMap;

use harvestman_core::url::HostKey;

/// Host names configured by the user: exact names and `*.suffix` patterns.
///
/// A user who configures a host as a seed wants it fetched wherever it is, so the address guard allows it; and the
/// credentials (cookies, extra headers) are meant for it. All other hosts, subdomains included, are not trusted.
#[derive(Debug, Clone, Default)]
pub struct TrustedHosts {
    exact: HashMap<Box<str>, Login>,
    suffixes: Vec<Box<str>>,
}

/// The schemes over which a host may be sent the credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Login {
    HttpsOnly,
    AlsoPlain,
}

impl TrustedHosts {
    /// Returns the hosts of these seeds.
    pub fn of_seeds<'a>(seeds: impl IntoIterator<Item = &'a HostKey>) -> Self {
        let mut hosts = Self::default();
        for seed in seeds {
            let plain = seed.as_str().starts_with("http://");
            hosts.insert(bare(seed.host()), if plain { Login::AlsoPlain } else { Login::HttpsOnly });
        }
        hosts
    }

    /// Adds `pattern`: a host name or `*.suffix` (everything below the suffix).
    pub fn with(mut self, pattern: &str) -> Self {
        match pattern.strip_prefix("*.") {
            Some(suffix) => self.suffixes.push(format!(".{}", suffix.to_ascii_lowercase()).into()),
            None => self.insert(bare(pattern), Login::AlsoPlain),
        }
        self
    }

    fn insert(&mut self, host: &str, login: Login) {
        let entry = self.exact.entry(host.to_ascii_lowercase().into()).or_insert(login);
        if login == Login::AlsoPlain {
            *entry = login;
        }
    }

    /// Returns whether `host` (a canonical host name or address, with or without brackets) is one of them.
    pub fn contains(&self, host: &str) -> bool {
        let host = bare(host);
        self.exact.contains_key(host) || self.matches_suffix(host)
    }

    /// Returns whether `host` may be sent the credentials. Credentials that were configured for an https seed are not
    /// sent in plain text.
    pub(super) fn may_have_login(&self, host: &str, https: bool) -> bool {
        let host = bare(host);
        match self.exact.get(host) {
            Some(login) => https || *login == Login::AlsoPlain,
            None => self.matches_suffix(host),
        }
    }

    fn matches_suffix(&self, host: &str) -> bool {
        self.suffixes.iter().any(|suffix| host.ends_with(&**suffix))
    }

    /// Returns the exact names among them.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.exact.keys().map(|name| &**name)
    }
}

/// Returns a host without user information and without the brackets of an IPv6 address.
fn bare(host: &str) -> &str {
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seeds_host_is_trusted_and_similar_names_are_not() {
        let seeds = ["http://a.test:8080", "https://b.test", "http://[::1]:80"].map(HostKey::from_origin);
        let hosts = TrustedHosts::of_seeds(&seeds).with("*.sim.test");
        for host in ["a.test", "b.test", "::1", "[::1]", "x.sim.test", "x.y.sim.test"] {
            assert!(hosts.contains(host), "{host}");
        }
        for host in ["test", "x.a.test", "aa.test", "sim.test", "xsim.test", ""] {
            assert!(!hosts.contains(host), "{host}");
        }
    }

    #[test]
    fn the_credentials_of_an_https_seed_are_not_sent_in_plain_text() {
        let seeds = ["http://a.test", "https://b.test", "http://c.test", "https://c.test"].map(HostKey::from_origin);
        let hosts = TrustedHosts::of_seeds(&seeds);
        assert!(hosts.may_have_login("a.test", false) && hosts.may_have_login("a.test", true));
        assert!(!hosts.may_have_login("b.test", false) && hosts.may_have_login("b.test", true));
        assert!(hosts.may_have_login("c.test", false));
        assert!(!hosts.may_have_login("d.test", true));
    }
}
