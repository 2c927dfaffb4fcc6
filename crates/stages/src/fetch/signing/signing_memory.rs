//! What signing remembers: the hosts that ask for signatures, signatures that several requests share, and the
//! difference between a server's clock and that of this machine.
//!
//! Ed25519 is deterministic, and a signature without a nonce covers nothing but the host and the times: requests to a
//! host within part of its lifetime may as well have the same one. Each is computed once.
//!
//! The difference is taken from the `Date` of an answer (RFC 9110, section 6.6.1). An answer that a cache has kept is
//! as old as its `Age` says (RFC 9111, section 5.1).

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use http::header::{AGE, DATE};
use http::{HeaderMap, HeaderName, HeaderValue};

use harvestman_core::clock::Instant;
use harvestman_identity::{Demand, Lifetime, SIGNATURE, SIGNATURE_AGENT, SIGNATURE_INPUT, SignatureForm};

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

/// Maximum number of hosts whose signatures are kept.
const HOSTS_MAX: usize = 4_096;
/// The part of its lifetime for which a signature is shared. The rest is left to requests on their way, and to clocks
/// that differ.
const SHARED_PART: u64 = 4;
const HEADERS: [HeaderName; 3] = [SIGNATURE_AGENT, SIGNATURE_INPUT, SIGNATURE];

/// The latest signature of each host.
#[derive(Debug, Default)]
pub(super) struct SharedSignatures {
    by_host: HashMap<Box<str>, SharedSignature>,
}

#[derive(Debug)]
struct SharedSignature {
    form: Arc<SignatureForm>,
    lifetime: Lifetime,
    values: [Option<HeaderValue>; 3],
}

impl SharedSignature {
    /// Returns whether a request of this second may have it. If the clock was set back, it is not valid yet.
    const fn is_fresh(&self, now: u64) -> bool {
        let Lifetime { created, expires } = self.lifetime;
        created <= now && now <= created + (expires - created) / SHARED_PART
    }
}

impl SharedSignatures {
    /// Adds the headers of a signature of this form that is valid for long enough, if there is one. Returns whether
    /// there is.
    pub(super) fn add(&self, origin: &str, form: &SignatureForm, now: u64, headers: &mut HeaderMap) -> bool {
        let known = self.by_host.get(origin).filter(|known| known.is_fresh(now) && *known.form == *form);
        let Some(known) = known else { return false };
        for (name, value) in HEADERS.iter().zip(&known.values) {
            match value {
                Some(value) => drop(headers.insert(name, value.clone())),
                None => drop(headers.remove(name)),
            }
        }
        true
    }

    /// Keeps the headers of a signature that is made now.
    pub(super) fn keep(&mut self, origin: &str, form: &Arc<SignatureForm>, lifetime: Lifetime, headers: &HeaderMap) {
        if self.by_host.len() >= HOSTS_MAX && !self.by_host.contains_key(origin) {
            self.make_room(lifetime.created);
        }
        let values = HEADERS.map(|name| headers.get(name).cloned());
        self.by_host.insert(origin.into(), SharedSignature { form: Arc::clone(form), lifetime, values });
    }

    /// Forgets what is shared no more; everything if that is less than half of all.
    fn make_room(&mut self, now: u64) {
        self.by_host.retain(|_, known| known.is_fresh(now));
        if self.by_host.len() > HOSTS_MAX / 2 {
            self.by_host.clear();
        }
    }
}

/// How far a signature may lie in the future before a server rejects it: what verifiers usually allow, and more than an
/// answer takes.
const FUTURE_MAX: Duration = Duration::from_secs(30);

/// How a server's clock differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Skew {
    /// It shows a later time.
    Ahead(Duration),
    /// It shows an earlier time.
    Behind(Duration),
}

/// Returns how the clock of the server that sent these headers differs from `now`, when they arrived.
pub(super) fn of(headers: &HeaderMap, now: Instant) -> Option<Skew> {
    let date = httpdate::parse_http_date(headers.get(DATE)?.to_str().ok()?).ok()?;
    let age = headers.get(AGE).and_then(|value| value.to_str().ok()?.trim().parse().ok()).unwrap_or(0);
    let theirs = Instant::EPOCH + date.duration_since(UNIX_EPOCH).unwrap_or_default() + Duration::from_secs(age);
    Some(if theirs > now { Skew::Ahead(theirs.since(now)) } else { Skew::Behind(now.since(theirs)) })
}

impl Skew {
    /// Returns whether a server with this clock rejects a signature that is valid for `lifetime`: it has expired, or
    /// was not created yet.
    pub(super) fn spoils(self, lifetime: Duration) -> bool {
        match self {
            Self::Ahead(by) => by >= lifetime,
            Self::Behind(by) => by > FUTURE_MAX,
        }
    }
}

impl fmt::Display for Skew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (by, side) = match self {
            Self::Ahead(by) => (by, "ahead of"),
            Self::Behind(by) => (by, "behind"),
        };
        write!(f, "{} s {side} that of this machine", by.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use harvestman_identity::{Identity, SigningKey};

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

    #[test]
    fn signatures_are_shared_for_part_of_their_lifetime_and_their_number_is_bounded() {
        let key = SigningKey::from_pem(SigningKey::new_pem(&[2; 32]).as_bytes()).unwrap();
        let form = Arc::clone(Identity::new(key, None).usual());
        let (mut shared, mut headers) = (SharedSignatures::default(), HeaderMap::new());
        headers.insert(SIGNATURE, HeaderValue::from_static("sig1=:AA==:"));
        let lifetime = |created| Lifetime { created, expires: created + 60 };
        shared.keep("http://a.test", &form, lifetime(100), &headers);
        let has = |shared: &SharedSignatures, now| {
            let mut of_request = HeaderMap::new();
            shared.add("http://a.test", &form, now, &mut of_request).then(|| assert_eq!(of_request, headers)).is_some()
        };
        assert_eq!([99, 100, 115, 116].map(|now| has(&shared, now)), [false, true, true, false]);
        for number in 0..3 * HOSTS_MAX as u64 {
            shared.keep(&format!("http://{number}.test"), &form, lifetime(100 + number / 100), &headers);
            assert!(shared.by_host.len() <= HOSTS_MAX);
        }
        assert!(shared.by_host.len() > HOSTS_MAX / 4, "what is fresh is kept");
    }

    /// Sun, 06 Nov 1994 08:49:37 GMT.
    const NOW: Instant = Instant::from_micros(784_111_777_000_000);

    fn skew(date: &str, age: &str) -> Option<Skew> {
        let mut headers = HeaderMap::new();
        headers.insert(DATE, HeaderValue::from_str(date).unwrap());
        headers.insert(AGE, HeaderValue::from_str(age).unwrap());
        of(&headers, NOW)
    }

    #[test]
    fn the_difference_is_measured_without_the_age_of_the_answer() {
        let seconds = Duration::from_secs;
        assert_eq!(skew("Sun, 06 Nov 1994 08:49:37 GMT", ""), Some(Skew::Behind(seconds(0))));
        assert_eq!(skew("Sun, 06 Nov 1994 09:49:37 GMT", "0"), Some(Skew::Ahead(seconds(3_600))));
        assert_eq!(skew("Sun, 06 Nov 1994 07:49:37 GMT", "3590"), Some(Skew::Behind(seconds(10))));
        assert_eq!(skew("Sun, 06 Nov 1994 07:49:37 GMT", "x"), Some(Skew::Behind(seconds(3_600))));
        assert_eq!(skew("yesterday", ""), None);
        assert_eq!(of(&HeaderMap::new(), NOW), None);
    }

    #[test]
    fn a_signature_is_spoilt_by_a_clock_that_is_later_than_its_end_or_earlier_than_its_beginning() {
        let minute = Duration::from_secs(60);
        assert!(!Skew::Ahead(Duration::from_secs(59)).spoils(minute) && Skew::Ahead(minute).spoils(minute));
        assert!(!Skew::Behind(FUTURE_MAX).spoils(minute));
        assert!(Skew::Behind(FUTURE_MAX + Duration::from_secs(1)).spoils(minute));
    }

    #[test]
    fn the_difference_is_told_in_words() {
        assert_eq!(Skew::Ahead(Duration::from_secs(90)).to_string(), "90 s ahead of that of this machine");
    }

    proptest! {
        #[test]
        fn no_header_makes_it_panic(date in "\\PC{0,40}", age in "[0-9]{0,30}") {
            let _ = HeaderValue::from_str(&date).map(|_| skew(&date, &age));
        }
    }
}
