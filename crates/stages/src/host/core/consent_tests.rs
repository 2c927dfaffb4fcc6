use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Version};

use super::*;
use crate::host::step::{Errand, Step};
use harvestman_core::config::{Config, Purpose, RobotsOptions};
use harvestman_core::model::{Answer, RequestSignature, Signal, Timings};
use harvestman_core::seed::Seed;
use harvestman_core::url::HostKey;

/// A host whose address is known, and the time.
struct Host {
    core: HostCore,
    rules: HostRules,
    now: Instant,
}

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::from_canonical(format!("http://h.test{path}"))
}

impl Host {
    fn new(purpose: Purpose) -> Self {
        let mut config = Config::default();
        config.fetch.purpose = purpose;
        let mut core =
            HostCore::new(HostKey::from_origin("http://h.test"), Arc::new(RobotsOptions::default()), Seed(1).rng());
        core.resolved(None);
        Self { core, rules: HostRules::from(&config), now: Instant::EPOCH + Duration::from_secs(1_000) }
    }

    /// Ends the auxiliary request that is due with this body. Returns its path.
    fn errand(&mut self, status: u16, body: &str) -> String {
        self.now = self.now + Duration::from_secs(10);
        let Step::Errand(errand) = self.core.next(self.now, 0, &self.rules) else { panic!("no errand is due") };
        self.core.begin_errand(&errand);
        assert_eq!(self.core.next(self.now, 0, &self.rules), Step::Busy, "one at a time, and no page meanwhile");
        let answer = Answer {
            status,
            version: Version::HTTP_11,
            headers: HeaderMap::new(),
            body: Bytes::copy_from_slice(body.as_bytes()),
            truncated: None,
            remote: None,
            reservation: None,
        };
        let timings = Timings { started: self.now, first_byte: Some(self.now), ended: self.now };
        let (url, request_headers) = (errand.url().clone(), HeaderMap::new());
        let exchange =
            Exchange { url, request_headers, signature: RequestSignature::default(), result: Ok(answer), timings };
        match &errand {
            Errand::Robots(_) => drop(self.core.robots_ended(&exchange, body.as_bytes(), self.now, &self.rules)),
            Errand::Tdmrep(_) => self.core.tdmrep_ended(&exchange, body.as_bytes(), self.now, &self.rules),
            other => panic!("{other:?}"),
        }
        self.now = self.now + Duration::from_secs(10);
        errand.url().path_and_query().to_owned()
    }

    fn fate(&self, path: &str) -> Option<Fate> {
        self.core.refusal(&url(path), self.now, &self.rules)
    }

    fn is_ready(&self) -> bool {
        self.core.next(self.now, 0, &self.rules) == Step::Ask
    }
}

const ROBOTS: &str = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Usage: /open/ train-ai=y\n";
const TDMREP: &str = r#"[{"location":"/shop/","tdm-reservation":1},{"location":"/","tdm-reservation":0}]"#;

#[test]
fn pages_are_refused_by_what_robots_txt_states_for_the_purpose() {
    for (purpose, fate) in
        [(Purpose::Archive, None), (Purpose::TrainAi, Some(Fate::RefusedBySite(Signal::ContentSignal)))]
    {
        let mut host = Host::new(purpose);
        assert_eq!(host.errand(200, ROBOTS), "/robots.txt");
        assert_eq!(host.fate("/x"), fate);
        assert_eq!(host.fate("/open/x"), fate, "the permission of another signal changes nothing");
        let says: Vec<_> =
            host.core.statements(&url("/open/x"), &host.rules).into_iter().map(|said| said.says).collect();
        assert_eq!(says.iter().map(|says| &**says).collect::<Vec<_>>(), ["ai-train=no", "search=yes", "train-ai=y"]);
    }
}

#[test]
fn the_file_of_reservations_is_fetched_after_robots_txt_and_before_the_first_page() {
    let mut host = Host::new(Purpose::Research);
    assert_eq!(host.errand(404, ""), "/robots.txt");
    assert!(!host.is_ready());
    assert_eq!(host.errand(200, TDMREP), TDMREP_PATH);
    assert!(host.is_ready());
    assert_eq!(host.fate("/shop/1"), Some(Fate::RefusedBySite(Signal::TdmReservation)));
    assert_eq!(host.fate("/"), None);
}

#[test]
fn the_file_of_reservations_is_not_fetched_where_nothing_depends_on_it_or_robots_txt_forbids_it() {
    let mut archive = Host::new(Purpose::Archive);
    archive.errand(404, "");
    assert!(archive.is_ready());
    let mut closed = Host::new(Purpose::Research);
    closed.errand(200, "User-agent: *\nDisallow: /.well-known/\n");
    assert!(closed.is_ready());
}

#[test]
fn a_changed_robots_txt_applies_to_later_pages() {
    let mut host = Host::new(Purpose::Search);
    host.errand(200, "User-agent: *\nContent-Usage: search=y\n");
    assert_eq!(host.fate("/x"), None);
    host.now = host.now + Duration::from_secs(24 * 3_600);
    host.errand(200, "User-agent: *\nContent-Usage: search=n\n");
    assert_eq!(host.fate("/x"), Some(Fate::RefusedBySite(Signal::ContentUsage)));
}

#[test]
fn signals_that_are_only_recorded_refuse_nothing_and_those_that_are_off_are_not_there() {
    for (mode, statements) in
        [(harvestman_core::config::SignalMode::Record, 2), (harvestman_core::config::SignalMode::Off, 0)]
    {
        let mut host = Host::new(Purpose::TrainAi);
        host.rules.consent.mode = mode;
        host.errand(200, ROBOTS);
        if mode == harvestman_core::config::SignalMode::Record {
            host.errand(404, "");
        }
        assert_eq!(host.fate("/x"), None);
        assert_eq!(host.core.statements(&url("/x"), &host.rules).len(), statements);
        assert!(host.is_ready());
    }
}
