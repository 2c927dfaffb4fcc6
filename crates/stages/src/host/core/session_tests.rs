use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};

use super::*;
use crate::host::health::ContentReport;
use crate::host::subrequest::{Subrequest, SubrequestRefusal};
use harvestman_core::config::{Config, RobotsOptions};
use harvestman_core::model::{Exchange, Failure, PostBody, RequestSignature, Timings};
use harvestman_core::seed::Seed;
use harvestman_core::url::{CanonicalUrl, HostKey};

const NOW: Instant = Instant::from_micros(1_000_000_000);

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::from_canonical(format!("http://h.test{path}"))
}

fn failed(url: &CanonicalUrl, failure: Failure) -> Exchange {
    Exchange {
        url: url.clone(),
        request_headers: HeaderMap::new(),
        signature: RequestSignature::default(),
        result: Err(failure),
        timings: Timings { started: NOW, first_byte: None, ended: NOW },
    }
}

/// A host where the crawl logs in, whose address is known, with rules that allow three retries.
fn host(robots: &str) -> (HostCore, HostRules) {
    let mut config = Config::default();
    config.crawl.seeds = vec!["http://h.test/".to_owned()];
    config.login.url = "http://h.test/login".to_owned();
    config.host.delay.0 = Duration::ZERO;
    config.host.retries_max = 3;
    let options = Arc::new(RobotsOptions::default());
    let mut core = HostCore::new(HostKey::from_origin("http://h.test"), options, Seed(1).rng());
    core.resolved(None);
    let rules = HostRules::from(&config);
    let Step::Errand(errand) = core.next(NOW, 0, &rules) else { panic!("robots.txt comes first") };
    core.begin_errand(&errand);
    let mut answer = failed(errand.url(), Failure::Internal);
    answer.timings.first_byte = Some(NOW);
    answer.result = Ok(harvestman_core::model::Answer {
        status: 200,
        version: http::Version::HTTP_11,
        headers: HeaderMap::new(),
        body: Bytes::new(),
        truncated: None,
        remote: None,
        reservation: None,
    });
    core.robots_ended(&answer, robots.as_bytes(), NOW, &rules);
    (core, rules)
}

fn of_log_in(path: &str, is_named: bool) -> Subrequest {
    Subrequest::log_in(url(path), HeaderMap::new(), None, is_named).with_ticket(1)
}

#[test]
fn pages_wait_for_the_log_in_and_for_the_next_after_the_session_is_lost() {
    let (mut core, rules) = host("");
    let waits = Step::Wait { until: NOW + SAID_EVERY, why: WaitReason::LogIn };
    assert_eq!(core.next(NOW, 0, &rules), waits);
    assert!(!core.may_send(NOW, &rules));
    core.content_reported(&ContentReport::SessionFound, NOW, &rules);
    assert_eq!((core.next(NOW, 0, &rules), core.may_send(NOW, &rules)), (Step::Ask, true));
    core.content_reported(&ContentReport::SessionLost, NOW, &rules);
    assert_eq!(core.next(NOW, 0, &rules), waits);
    assert_eq!(core.status(NOW, &rules).state, "log_in");
}

#[test]
fn other_hosts_need_no_session() {
    let (core, rules) = host("");
    let other = HostKey::from_origin("http://other.test");
    let other = HostCore::new(other, Arc::new(RobotsOptions::default()), Seed(1).rng());
    assert!(core.waits_for_session(&rules) && !other.waits_for_session(&rules));
}

#[test]
fn requests_of_a_log_in_are_sent_before_all_others_while_these_wait() {
    let (mut core, rules) = host("");
    core.want_subrequest(Subrequest::new(url("/a.js"), &HeaderMap::new()).with_ticket(2)).unwrap();
    assert!(matches!(core.next(NOW, 0, &rules), Step::Wait { why: WaitReason::LogIn, .. }));
    core.want_subrequest(of_log_in("/login", true)).unwrap();
    let Step::Errand(errand) = core.next(NOW, 0, &rules) else { panic!("{:?}", core.next(NOW, 0, &rules)) };
    assert_eq!((errand.url(), errand.label()), (&url("/login"), "log_in"));
}

#[test]
fn robots_txt_is_not_asked_about_what_the_user_named() {
    let (mut core, rules) = host("User-agent: *\nDisallow: /");
    core.want_subrequest(of_log_in("/login", true)).unwrap();
    assert_eq!(core.refuse_subrequest(NOW, &rules), None);
    assert!(matches!(core.next(NOW, 0, &rules), Step::Errand(_)));
    core.drop_subrequests();
    core.want_subrequest(of_log_in("/check", false)).unwrap();
    assert_eq!(core.refuse_subrequest(NOW, &rules), Some((1, SubrequestRefusal::Robots)));
}

#[test]
fn a_form_is_sent_once_and_a_page_again_after_a_failure() {
    for (body, retries) in [(None, true), (Some(&b"password=x"[..]), false)] {
        let (mut core, rules) = host("");
        let body = body.map(|bytes| PostBody {
            content_type: HeaderValue::from_static("application/x-www-form-urlencoded"),
            bytes: Bytes::from_static(bytes),
        });
        core.want_subrequest(Subrequest::log_in(url("/in"), HeaderMap::new(), body, true).with_ticket(1)).unwrap();
        let Step::Errand(Errand::Subrequest(sent)) = core.next(NOW, 0, &rules) else { panic!("it is sent") };
        core.begin_errand(&Errand::Subrequest(sent.clone()));
        let disposition = core.subrequest_ended(&sent, &failed(&sent.url, Failure::Disconnected), NOW, &rules);
        assert_eq!(disposition != crate::host::step::Disposition::Final, retries);
        assert_eq!(core.has_subrequests(), retries);
    }
}

#[test]
fn the_host_of_a_log_in_gets_one_request_at_a_time() {
    let (mut core, rules) = host("");
    core.content_reported(&ContentReport::SessionFound, NOW, &rules);
    core.started();
    assert_eq!(core.next(NOW, 0, &rules), Step::Busy);
}
