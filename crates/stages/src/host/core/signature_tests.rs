use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Version};

use super::*;
use harvestman_core::config::Config;
use harvestman_core::model::{Answer, RequestSignature, SignReason};
use harvestman_core::seed::Seed;

const NOW: Instant = Instant::from_micros(1_000_000_000);
const DELAY: Duration = Duration::from_secs(1);

fn host(retries_max: u8) -> (HostCore, HostRules) {
    let mut config = Config::default();
    (config.host.delay.0, config.host.retries_max) = (DELAY, retries_max);
    let options = Arc::new(RobotsOptions::default());
    let mut core = HostCore::new(HostKey::from_origin("http://h.test"), options, Seed(1).rng());
    core.resolved(None);
    (core, HostRules::from(&config))
}

/// An answer with this status that wants a signature or not.
fn exchange(path: &str, status: u16, is_wanted: bool) -> Exchange {
    let answer = Answer {
        status,
        version: Version::HTTP_11,
        headers: HeaderMap::new(),
        body: Bytes::new(),
        truncated: None,
        remote: None,
        reservation: None,
    };
    Exchange {
        url: CanonicalUrl::from_canonical(format!("http://h.test{path}")),
        request_headers: HeaderMap::new(),
        signature: RequestSignature { reason: Some(SignReason::Always), is_wanted },
        result: Ok(answer),
        timings: Timings { started: NOW, first_byte: Some(NOW), ended: NOW },
    }
}

#[test]
fn a_page_that_wants_a_signature_is_requested_again_after_the_delay() {
    let (mut core, rules) = host(2);
    core.started();
    assert_eq!(core.page_ended(&exchange("/", 403, true), 1, NOW, &rules), Disposition::Retry(NOW));
    assert!(!core.may_send(NOW, &rules) && core.may_send(NOW + DELAY, &rules));
    assert_eq!(core.page_ended(&exchange("/", 403, false), 2, NOW + DELAY, &rules), Disposition::Final);
}

#[test]
fn the_signature_is_tried_once_even_where_nothing_is_retried_and_not_for_ever() {
    for (retries_max, tries) in [(0, 1), (1, 1), (3, 3)] {
        let (mut core, rules) = host(retries_max);
        let again = (1..=9).take_while(|attempts| {
            core.page_ended(&exchange("/", 401, true), *attempts, NOW, &rules) != Disposition::Final
        });
        assert_eq!(again.count(), tries);
    }
}

#[test]
fn robots_txt_that_wants_a_signature_is_requested_once_more() {
    let (mut core, rules) = host(2);
    let url = CanonicalUrl::from_canonical("http://h.test/robots.txt");
    let errand = Step::Errand(Errand::Robots(url.clone()));
    assert_eq!(core.next(NOW, 0, &rules), errand);
    core.begin_errand(&Errand::Robots(url.clone()));
    let wants = exchange("/robots.txt", 403, true);
    assert_eq!(core.robots_ended(&wants, b"", NOW, &rules), RobotsResult::SignatureWanted);
    assert!(matches!(core.next(NOW, 0, &rules), Step::Wait { .. }), "the delay holds");
    assert_eq!(core.next(NOW + DELAY, 0, &rules), errand);
    core.begin_errand(&Errand::Robots(url));
    assert_eq!(core.robots_ended(&wants, b"", NOW + DELAY, &rules), RobotsResult::Absent, "once is enough");
}

#[test]
fn rules_that_need_a_signature_are_obeyed() {
    let (mut core, rules) = host(2);
    let url = CanonicalUrl::from_canonical("http://h.test/robots.txt");
    core.begin_errand(&Errand::Robots(url.clone()));
    core.robots_ended(&exchange("/robots.txt", 401, true), b"", NOW, &rules);
    core.begin_errand(&Errand::Robots(url));
    let signed = exchange("/robots.txt", 200, false);
    core.robots_ended(&signed, b"User-agent: *\nDisallow: /closed", NOW, &rules);
    let closed = CanonicalUrl::from_canonical("http://h.test/closed");
    assert_eq!(core.refusal(&closed, NOW, &rules), Some(Fate::Robots(RobotsRefusal::Disallowed)));
}
