//! The hosts that ask for signatures, within a limit.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use harvestman_identity::{Demand, SignatureForm};

/// Maximum number of refused URLs of a host whose nonces are kept.
const REFUSED_MAX: usize = 16;

/// What each host has asked for last.
#[derive(Debug)]
pub(super) struct AskingHosts {
    hosts: HashMap<Box<str>, AskingHost>,
    /// The hosts, those that were added first in front.
    order: VecDeque<Box<str>>,
    max: usize,
}

/// What one host has asked for.
#[derive(Debug)]
struct AskingHost {
    form: Arc<SignatureForm>,
    /// The nonces for URLs that were refused, so that no other request uses them up.
    refused: VecDeque<(u64, String)>,
    /// The nonce for any URL.
    spare: Option<String>,
}

impl AskingHosts {
    pub(super) fn new(max: usize) -> Self {
        Self { hosts: HashMap::new(), order: VecDeque::new(), max }
    }

    /// Returns what the next request for the URL with this hash needs. A nonce is returned once.
    pub(super) fn next(&mut self, origin: &str, url: u64) -> Option<Demand> {
        let host = self.hosts.get_mut(origin)?;
        let own = host.refused.iter().position(|(refused, _)| *refused == url);
        let own = own.and_then(|at| host.refused.remove(at)).map(|(_, nonce)| nonce);
        Some(Demand { form: Arc::clone(&host.form), nonce: own.or_else(|| host.spare.take()) })
    }

    /// Remembers what `origin` asks for; the oldest host is forgotten if there are too many. `refused` is the hash of
    /// the URL whose next request gets the nonce, if it was refused for want of this signature. Returns whether
    /// anything can be remembered.
    pub(super) fn put(&mut self, origin: &str, refused: Option<u64>, demand: Demand) -> bool {
        if self.max == 0 {
            return false;
        }
        if !self.hosts.contains_key(origin) {
            self.make_room();
            self.order.push_back(origin.into());
            let host = AskingHost { form: Arc::clone(&demand.form), refused: VecDeque::new(), spare: None };
            self.hosts.insert(origin.into(), host);
        }
        let Some(host) = self.hosts.get_mut(origin) else { return false };
        host.form = demand.form;
        match (refused, demand.nonce) {
            (Some(url), Some(nonce)) => {
                host.refused.retain(|(other, _)| *other != url);
                if host.refused.len() >= REFUSED_MAX {
                    host.refused.pop_front();
                }
                host.refused.push_back((url, nonce));
            }
            (None, nonce @ Some(_)) => host.spare = nonce,
            (_, None) => {}
        }
        true
    }

    fn make_room(&mut self) {
        while self.order.len() >= self.max {
            if let Some(oldest) = self.order.pop_front() {
                self.hosts.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use harvestman_identity::{Identity, SigningKey};

    use super::*;

    fn demand(nonce: &str) -> Demand {
        let key = SigningKey::from_pem(SigningKey::new_pem(&[1; 32]).as_bytes()).unwrap();
        let form = Arc::clone(Identity::new(key, None).usual());
        Demand { form, nonce: (!nonce.is_empty()).then(|| nonce.to_owned()) }
    }

    #[test]
    fn a_nonce_is_used_once_and_the_form_always() {
        let mut hosts = AskingHosts::new(2);
        assert_eq!(hosts.next("http://a.test", 1), None);
        assert!(hosts.put("http://a.test", None, demand("n")));
        assert_eq!(hosts.next("http://a.test", 1), Some(demand("n")));
        assert_eq!(hosts.next("http://a.test", 1), Some(demand("")));
        assert!(hosts.put("http://a.test", None, demand("m")) && hosts.put("http://a.test", None, demand("")));
        assert_eq!(hosts.next("http://a.test", 2), Some(demand("m")), "an answer without a nonce withdraws none");
    }

    #[test]
    fn the_nonce_of_a_refused_url_is_for_that_url() {
        let mut hosts = AskingHosts::new(2);
        hosts.put("a", Some(1), demand("first"));
        hosts.put("a", Some(2), demand("second"));
        hosts.put("a", None, demand("any"));
        assert_eq!(["any", ""].map(demand), [3, 4].map(|url| hosts.next("a", url).unwrap()));
        assert_eq!(["second", "first", ""].map(demand), [2, 1, 1].map(|url| hosts.next("a", url).unwrap()));
        for url in 0..=REFUSED_MAX as u64 {
            hosts.put("a", Some(url), demand("n"));
        }
        assert_eq!([demand(""), demand("n")], [0, 1].map(|url| hosts.next("a", url).unwrap()));
    }

    #[test]
    fn no_more_hosts_are_remembered_than_allowed_and_the_oldest_is_forgotten_first() {
        let mut hosts = AskingHosts::new(2);
        for host in ["a", "b", "a", "c"] {
            assert!(hosts.put(host, None, demand("")));
        }
        assert_eq!(["a", "b", "c"].map(|host| hosts.next(host, 1).is_some()), [false, true, true]);
        assert_eq!((hosts.hosts.len(), hosts.order.len()), (2, 2));
        assert!(!AskingHosts::new(0).put("a", None, demand("")));
    }
}
