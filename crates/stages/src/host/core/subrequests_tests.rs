//! Tests of the sub-requests of a host: worked cases, and that each gets one reply whatever happens.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Version};
use proptest::prelude::*;

use super::*;
use crate::host::politeness::WaitReason;
use crate::host::step::{Disposition, Errand, Step};
use crate::host::subrequest::SUBREQUESTS_MAX;
use harvestman_core::config::{Config, RobotsOptions};
use harvestman_core::model::{Answer, Failure, Fate, RequestSignature, RobotsRefusal, Timings};
use harvestman_core::seed::Seed;
use harvestman_core::url::{CanonicalUrl, HostKey};

const ROBOTS: &str = "User-agent: *\nDisallow: /closed\nSitemap: http://h.test/map.xml\n";
const DELAY: Duration = Duration::from_secs(1);

/// A host whose address is known, and the time.
struct Host {
    core: HostCore,
    rules: HostRules,
    now: Instant,
}

fn exchange(url: &CanonicalUrl, result: Result<u16, Failure>, now: Instant) -> Exchange {
    let answer = |status| Answer {
        status,
        version: Version::HTTP_11,
        headers: HeaderMap::new(),
        body: Bytes::new(),
        truncated: None,
        remote: None,
        reservation: None,
    };
    let first_byte = result.is_ok().then_some(now);
    let timings = Timings { started: now, first_byte, ended: now };
    Exchange {
        url: url.clone(),
        request_headers: HeaderMap::new(),
        signature: RequestSignature::default(),
        result: result.map(answer),
        timings,
    }
}

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::from_canonical(format!("http://h.test{path}"))
}

fn wanted(path: &str, ticket: u64) -> Subrequest {
    Subrequest::new(url(path), &HeaderMap::new()).with_ticket(ticket)
}

impl Host {
    fn new() -> Self {
        let mut config = Config::default();
        (config.host.delay.0, config.host.retries_max) = (DELAY, 1);
        let options = Arc::new(RobotsOptions::default());
        let mut core = HostCore::new(HostKey::from_origin("http://h.test"), options, Seed(1).rng());
        core.resolved(None);
        Self { core, rules: HostRules::from(&config), now: Instant::EPOCH + Duration::from_secs(1_000) }
    }

    fn next(&self) -> Step {
        self.core.next(self.now, 0, &self.rules)
    }

    /// Begins the auxiliary request that is next. Returns its URL.
    fn begin(&mut self) -> String {
        let Step::Errand(errand) = self.next() else { panic!("{:?}", self.next()) };
        self.core.begin_errand(&errand);
        errand.url().as_str().to_owned()
    }

    fn end_robots(&mut self, result: Result<u16, Failure>) {
        let (robots, sitemaps) = (exchange(&url("/robots.txt"), result, self.now), "http://h.test/map.xml".to_owned());
        self.core.robots_ended(&robots, ROBOTS.as_bytes(), self.now, &self.rules);
        self.core.take_on_sitemaps(vec![sitemaps], 0);
        self.now = self.now + DELAY;
    }

    fn end_subrequest(&mut self, path: &str) {
        let ended = exchange(&url(path), Ok(200), self.now);
        self.core.subrequest_ended(&wanted(path, 0), &ended, self.now, &self.rules);
        self.now = self.now + DELAY;
    }

    fn refused(&mut self) -> Vec<(u64, SubrequestRefusal)> {
        std::iter::from_fn(|| self.core.refuse_subrequest(self.now, &self.rules)).collect()
    }
}

#[test]
fn robots_txt_comes_first_then_sub_requests_in_their_order_then_sitemaps_then_pages() {
    let mut host = Host::new();
    host.core.want_subrequest(wanted("/a.js", 1)).unwrap();
    host.core.want_subrequest(wanted("/b.js", 2)).unwrap();
    assert!(!host.core.is_idle() && host.refused().is_empty(), "robots.txt is not known");
    assert_eq!(host.begin(), "http://h.test/robots.txt");
    host.end_robots(Ok(200));
    assert_eq!(host.begin(), "http://h.test/a.js");
    host.end_subrequest("/a.js");
    assert_eq!(host.begin(), "http://h.test/b.js");
    host.end_subrequest("/b.js");
    assert_eq!(host.begin(), "http://h.test/map.xml");
    host.core.aborted(None, host.now, &host.rules);
    host.now = host.now + DELAY;
    assert_eq!(host.next(), Step::Ask);
    assert!(host.core.is_idle());
}

#[test]
fn a_sub_request_keeps_the_delay_and_its_end_begins_the_next_one() {
    let mut host = Host::new();
    host.begin();
    host.end_robots(Ok(404));
    host.core.drop_sitemaps();
    host.core.want_subrequest(wanted("/a.js", 1)).unwrap();
    host.core.want_subrequest(wanted("/b.js", 2)).unwrap();
    host.begin();
    assert_eq!(host.next(), Step::Busy);
    let ended = host.now;
    host.end_subrequest("/a.js");
    host.now = ended;
    assert_eq!(host.next(), Step::Wait { until: ended + DELAY, why: WaitReason::Delay });
}

#[test]
fn what_robots_txt_disallows_is_refused_when_its_turn_comes() {
    let mut host = Host::new();
    for (path, ticket) in [("/closed/a", 1), ("/closed/b", 2), ("/open", 3), ("/closed/c", 4)] {
        host.core.want_subrequest(wanted(path, ticket)).unwrap();
    }
    host.begin();
    host.end_robots(Ok(200));
    assert_eq!(host.refused(), [(1, SubrequestRefusal::Robots), (2, SubrequestRefusal::Robots)]);
    assert_eq!(host.begin(), "http://h.test/open");
    host.end_subrequest("/open");
    assert_eq!(host.refused(), [(4, SubrequestRefusal::Robots)]);
    assert_eq!(
        host.core.refusal(&url("/closed"), host.now, &host.rules),
        Some(Fate::Robots(RobotsRefusal::Disallowed))
    );
}

#[test]
fn while_robots_txt_is_unavailable_every_sub_request_is_refused() {
    let mut host = Host::new();
    host.core.want_subrequest(wanted("/a.js", 1)).unwrap();
    host.begin();
    host.end_robots(Ok(503));
    assert_eq!(host.refused(), [(1, SubrequestRefusal::Robots)]);
    host.core.want_subrequest(wanted("/b.js", 2)).unwrap();
    assert_eq!(host.refused(), [(2, SubrequestRefusal::Robots)]);
}

#[test]
fn sub_requests_to_a_host_that_cannot_be_reached_fail_when_the_retries_are_used_up() {
    let mut host = Host::new();
    host.core.want_subrequest(wanted("/a.js", 1)).unwrap();
    host.begin();
    host.end_robots(Err(Failure::Connect));
    assert!(host.refused().is_empty(), "it is tried again");
    host.now = host.now + Duration::from_secs(3_600);
    host.begin();
    host.end_robots(Err(Failure::Connect));
    assert_eq!(host.refused(), [(1, SubrequestRefusal::Failed(Failure::Connect))]);
}

#[test]
fn a_host_that_is_given_up_refuses_all_sub_requests() {
    let mut host = Host::new();
    host.begin();
    host.end_robots(Ok(404));
    host.core.want_subrequest(wanted("/a.js", 1)).unwrap();
    host.core.want_subrequest(wanted("/closed", 2)).unwrap();
    for number in 0..1_000 {
        host.core.started();
        let failed = exchange(&url(&format!("/{number}")), Err(Failure::Connect), host.now);
        host.core.page_ended(&failed, u8::MAX, host.now, &host.rules);
        host.now = host.now + Duration::from_secs(24 * 3_600);
    }
    assert_eq!(host.refused(), [(1, SubrequestRefusal::HostBlocked), (2, SubrequestRefusal::HostBlocked)]);
}

#[test]
fn sub_requests_do_not_wait_for_a_promised_url() {
    let mut host = Host::new();
    host.begin();
    host.end_robots(Ok(404));
    host.core.drop_sitemaps();
    assert_eq!(host.core.next(host.now, 1, &host.rules), Step::Busy);
    host.core.want_subrequest(wanted("/a.js", 1)).unwrap();
    let expected = Step::Errand(Errand::Subrequest(wanted("/a.js", 1)));
    assert_eq!(host.core.next(host.now, 1, &host.rules), expected);
    host.begin();
    assert!(!host.core.may_send(host.now, &host.rules), "a URL that is granted meanwhile is returned");
}

#[test]
fn a_sub_request_that_fails_is_sent_again_as_a_page_would_be_unless_its_caller_has_gone() {
    for is_withdrawn in [false, true] {
        let mut host = Host::new();
        host.begin();
        host.end_robots(Ok(404));
        host.core.drop_sitemaps();
        host.core.want_subrequest(wanted("/a.js", 1)).unwrap();
        let mut sent = 0;
        while host.core.has_subrequests() {
            host.now = host.now + Duration::from_secs(3_600);
            let Step::Errand(errand) = host.core.next(host.now, 0, &host.rules) else { panic!() };
            host.core.begin_errand(&errand);
            let Errand::Subrequest(again) = errand else { panic!() };
            sent += 1;
            if is_withdrawn {
                assert!(!host.core.withdraw_subrequest(1), "it is under way");
            }
            let failed = exchange(&again.url, Ok(503), host.now);
            let disposition = host.core.subrequest_ended(&again, &failed, host.now, &host.rules);
            assert_eq!(disposition == Disposition::Final, !host.core.has_subrequests());
        }
        assert_eq!(sent, if is_withdrawn { 1 } else { 1 + u32::from(host.rules.retries_max) });
    }
}

#[test]
fn one_more_than_the_bound_is_refused() {
    let mut host = Host::new();
    for ticket in 0..SUBREQUESTS_MAX as u64 {
        host.core.want_subrequest(wanted("/a", ticket)).unwrap();
    }
    assert_eq!(host.core.want_subrequest(wanted("/a", 9_999)), Err(SubrequestRefusal::Busy));
    assert_eq!(host.core.drop_subrequests().len(), SUBREQUESTS_MAX);
    assert!(!host.core.has_subrequests());
}

/// What may happen to a host.
#[derive(Debug, Clone)]
enum Event {
    Want {
        is_closed: bool,
    },
    Withdraw(usize),
    Step {
        promised: bool,
    },
    /// A request in progress ends.
    End(usize, Result<u16, Failure>),
    Abort(usize),
    /// The host is blocked, or the crawl is over.
    RefuseAll,
    Pass(Duration),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let result = prop_oneof![
        4 => Just(Ok(200)),
        1 => Just(Ok(404)),
        1 => Just(Ok(503)),
        1 => Just(Err(Failure::Connect)),
        1 => Just(Err(Failure::Disconnected)),
    ];
    let event = prop_oneof![
        6 => any::<bool>().prop_map(|is_closed| Event::Want { is_closed }),
        1 => any::<usize>().prop_map(Event::Withdraw),
        8 => any::<bool>().prop_map(|promised| Event::Step { promised }),
        6 => (any::<usize>(), result).prop_map(|(which, result)| Event::End(which, result)),
        1 => any::<usize>().prop_map(Event::Abort),
        1 => Just(Event::RefuseAll),
        4 => (1..120_u64).prop_map(|seconds| Event::Pass(Duration::from_secs(seconds))),
    ];
    prop::collection::vec(event, 1..120)
}

/// A host under random events, driven as its actor drives it.
struct Driven {
    host: Host,
    under_way: Vec<Errand>,
    /// The tickets, in order.
    tickets: Vec<u64>,
    withdrawn: HashSet<u64>,
    replies: HashMap<u64, u32>,
}

impl Driven {
    fn reply(&mut self, ticket: u64) {
        *self.replies.entry(ticket).or_default() += 1;
    }

    fn step(&mut self, promised: bool) {
        for (ticket, _) in self.host.refused() {
            self.reply(ticket);
        }
        let Host { core, rules, now } = &mut self.host;
        if let Step::Errand(errand) = core.next(*now, u32::from(promised), rules) {
            if let Errand::Subrequest(sent) = &errand {
                assert!(core.refusal(&sent.url, *now, rules).is_none(), "{sent:?}");
            }
            core.begin_errand(&errand);
            assert!(core.memory().in_flight() <= rules.politeness.connections);
            self.under_way.push(errand);
        }
    }

    fn take(&mut self, which: usize) -> Option<Errand> {
        let count = self.under_way.len();
        (count > 0).then(|| self.under_way.swap_remove(which % count))
    }

    fn end(&mut self, errand: Errand, result: Result<u16, Failure>) {
        let Host { core, rules, now } = &mut self.host;
        let ended = exchange(errand.url(), result, *now);
        match errand {
            Errand::Robots(_) => drop(core.robots_ended(&ended, ROBOTS.as_bytes(), *now, rules)),
            Errand::Sitemap { .. } | Errand::Tdmrep(_) => panic!("none was named"),
            Errand::Subrequest(sent) => {
                if core.subrequest_ended(&sent, &ended, *now, rules) == Disposition::Final {
                    self.reply(sent.ticket);
                }
            }
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Want { is_closed } => {
                let ticket = self.tickets.len() as u64;
                self.tickets.push(ticket);
                let path = if is_closed { "/closed" } else { "/open" };
                if self.host.core.want_subrequest(wanted(path, ticket)).is_err() {
                    self.reply(ticket);
                }
            }
            Event::Withdraw(which) if !self.tickets.is_empty() => {
                let ticket = self.tickets[which % self.tickets.len()];
                if self.host.core.withdraw_subrequest(ticket) {
                    self.withdrawn.insert(ticket);
                }
            }
            Event::Withdraw(_) => {}
            Event::Step { promised } => self.step(promised),
            Event::End(which, result) => {
                if let Some(errand) = self.take(which) {
                    self.end(errand, result);
                }
            }
            Event::Abort(which) => {
                if let Some(errand) = self.take(which) {
                    if let Errand::Subrequest(sent) = &errand {
                        self.reply(sent.ticket);
                    }
                    self.host.core.aborted(Some(errand), self.host.now, &self.host.rules);
                }
            }
            Event::RefuseAll => self.host.core.drop_subrequests().into_iter().for_each(|ticket| self.reply(ticket)),
            Event::Pass(time) => self.host.now = self.host.now + time,
        }
        let waiting = self.host.core.has_subrequests();
        assert!(!(waiting && self.host.core.is_idle()), "a host with sub-requests does not sleep");
    }
}

proptest! {
    #[test]
    fn each_sub_request_gets_exactly_one_reply(events in events()) {
        let (tickets, replies) = (Vec::new(), HashMap::new());
        let mut driven =
            Driven { host: Host::new(), under_way: Vec::new(), tickets, withdrawn: HashSet::new(), replies };
        events.into_iter().for_each(|event| driven.happen(event));
        // From now on nothing fails, and none may wait forever.
        for _ in 0..2_000 {
            while let Some(errand) = driven.take(0) {
                driven.end(errand, Ok(200));
            }
            driven.host.now = driven.host.now + Duration::from_secs(60);
            driven.step(true);
        }
        prop_assert!(!driven.host.core.has_subrequests() && driven.under_way.is_empty());
        for ticket in &driven.tickets {
            let expected = u32::from(!driven.withdrawn.contains(ticket));
            prop_assert_eq!(driven.replies.get(ticket).copied().unwrap_or_default(), expected, "ticket {}", ticket);
        }
    }
}
