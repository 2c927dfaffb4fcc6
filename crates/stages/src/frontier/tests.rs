//! Order, limits and ledger of the frontier; `twin` compares it with a naive twin.

mod classes;
mod handover;
mod rescoring;
mod survey;
mod twin;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::{Budgets, EndReason, Frontier, FrontierLimits, NotReady, UnderWay};
use harvestman_core::clock::Instant;
use harvestman_core::model::{
    Apath, Budget, ClassOrder, Fate, Fates, Lease, Ledger, LinkClass, Priority, ScheduledUrl,
};
use harvestman_core::url::{CanonicalUrl, HostKey};

/// Scores by class: what the map says for the Apath, otherwise 0.
struct ByApath(BTreeMap<u64, f64>);

impl ClassOrder for ByApath {
    fn score(&self, class: LinkClass) -> f64 {
        self.0.get(&class.apath.0).copied().unwrap_or(0.0)
    }
}

/// A generation that no host was ever classified in, so that all are.
fn anew(_: &str) -> u64 {
    static LATEST: AtomicU64 = AtomicU64::new(1);
    LATEST.fetch_add(1, Ordering::Relaxed)
}

fn scores(pairs: &[(u64, f64)]) -> Arc<dyn ClassOrder> {
    Arc::new(ByApath(pairs.iter().copied().collect()))
}

const NO_LIMITS: FrontierLimits = FrontierLimits { queued_max: u64::MAX, host_pages_max: None, classes_max: 16_384 };

fn item(host: u8, path: u32, apath: u64, depth: u16) -> ScheduledUrl {
    ScheduledUrl {
        url: CanonicalUrl::from_canonical(format!("http://h{host}.test/p{path}?q=1")),
        class: LinkClass::unclassified(Apath(apath)),
        priority: Priority::Normal,
        depth,
        redirects: 0,
        attempts: 0,
        via: Some("http://h0.test/".into()),
    }
}

fn host(n: u8) -> HostKey {
    HostKey::from_origin(&format!("http://h{n}.test"))
}

fn at(secs: u64) -> Instant {
    Instant::EPOCH + Duration::from_secs(secs)
}

#[test]
fn retries_come_at_once_when_their_host_is_waited_for_no_longer() {
    let mut frontier = Frontier::new(NO_LIMITS, scores(&[]));
    (0..2).for_each(|path| assert_eq!(frontier.push(&item(1, path, 1, 0)), Ok(host(1))));
    for _ in 0..2 {
        let lease = frontier.pop(&host(1), at(0)).unwrap();
        assert!(frontier.retry(&lease, at(86_400)).is_some());
    }
    assert_eq!(frontier.best(&host(1), at(1)), Err(NotReady::Wait { until: at(86_400) }));
    frontier.retry_now(&host(1));
    frontier.retry_now(&host(2));
    assert!(frontier.pop(&host(1), at(1)).is_ok() && frontier.pop(&host(1), at(1)).is_ok());
    assert_eq!(frontier.best(&host(1), at(1)), Err(NotReady::Empty));
}

#[test]
fn a_pushed_url_comes_out_unchanged() {
    let mut frontier = Frontier::new(NO_LIMITS, scores(&[]));
    let pushed = ScheduledUrl { redirects: 2, attempts: 1, ..item(1, 7, 42, 3) };
    assert_eq!(frontier.push(&pushed), Ok(host(1)));
    assert_eq!(frontier.pop(&host(1), at(0)).unwrap().item, pushed);
    assert_eq!(frontier.pop(&host(1), at(0)), Err(NotReady::Empty));
}

#[test]
fn equal_scores_are_taken_breadth_first() {
    let mut frontier = Frontier::new(NO_LIMITS, scores(&[]));
    for (path, apath, depth) in [(1, 1, 2), (2, 2, 1), (3, 1, 2), (4, 3, 1), (5, 2, 2)] {
        frontier.push(&item(1, path, apath, depth)).unwrap();
    }
    let order: Vec<String> = std::iter::from_fn(|| frontier.pop(&host(1), at(0)).ok())
        .map(|lease| lease.item.url.path_and_query().to_owned())
        .collect();
    assert_eq!(order, ["/p2?q=1", "/p4?q=1", "/p1?q=1", "/p3?q=1", "/p5?q=1"]);
}

#[test]
fn new_scores_apply_to_urls_that_wait_already() {
    let mut frontier = Frontier::new(NO_LIMITS, scores(&[(1, 1.0), (2, 0.5)]));
    for path in 0..4 {
        frontier.push(&item(1, path, 1 + u64::from(path % 2), 0)).unwrap();
    }
    assert_eq!(frontier.pop(&host(1), at(0)).unwrap().item.class.apath, Apath(1));
    frontier.set_order(scores(&[(1, f64::NAN), (2, -3.0)]));
    assert_eq!(frontier.pop(&host(1), at(0)).unwrap().item.class.apath, Apath(2));
    assert_eq!(frontier.pop(&host(1), at(0)).unwrap().item.class.apath, Apath(2));
    assert_eq!(frontier.pop(&host(1), at(0)).unwrap().item.class.apath, Apath(1));
}

/// A lease whose request failed.
fn tried(lease: &Lease) -> Lease {
    Lease { item: ScheduledUrl { attempts: lease.item.attempts + 1, ..lease.item.clone() }, ..lease.clone() }
}

#[test]
fn a_retry_waits_for_its_time() {
    let mut frontier = Frontier::new(NO_LIMITS, scores(&[]));
    frontier.push(&item(1, 1, 1, 5)).unwrap();
    frontier.push(&item(1, 2, 1, 5)).unwrap();
    let again = tried(&frontier.pop(&host(1), at(0)).unwrap());
    assert!(frontier.retry(&again, at(10)).is_some());
    assert!(frontier.retry(&again, at(10)).is_none(), "a lease ends once");
    assert_eq!(frontier.queued(), 2);
    let second = frontier.pop(&host(1), at(5)).unwrap();
    assert_eq!(second.item.url.path_and_query(), "/p2?q=1");
    assert_eq!(frontier.pop(&host(1), at(5)), Err(NotReady::Wait { until: at(10) }));
    assert_eq!(frontier.pop(&host(1), at(10)).unwrap().item, again.item);
}

#[test]
fn a_retry_comes_after_some_others_but_not_after_all() {
    let mut frontier = Frontier::new(NO_LIMITS, scores(&[]));
    (0..40).for_each(|path| drop(frontier.push(&item(1, path, 1, 5)).unwrap()));
    let again = tried(&frontier.pop(&host(1), at(0)).unwrap());
    frontier.retry(&again, at(0)).unwrap();
    let next = |frontier: &mut Frontier| frontier.pop(&host(1), at(0)).unwrap().item;
    assert!((0..16).all(|_| next(&mut frontier).attempts == 0));
    assert_eq!(next(&mut frontier), again.item);
    assert_eq!(next(&mut frontier).attempts, 0);
}

#[test]
fn a_url_that_was_put_back_comes_first_again() {
    let mut frontier = Frontier::new(NO_LIMITS, scores(&[]));
    (0..3).for_each(|path| drop(frontier.push(&item(1, path, 1, 5)).unwrap()));
    let again = frontier.pop(&host(1), at(0)).unwrap();
    frontier.put_back(&again, at(10)).unwrap();
    assert_ne!(frontier.pop(&host(1), at(9)).unwrap().item, again.item);
    assert_eq!(frontier.pop(&host(1), at(10)).unwrap().item, again.item);
}

#[test]
fn limits_reject_at_the_limit_and_not_below() {
    let limits = FrontierLimits { queued_max: 3, host_pages_max: Some(2), ..NO_LIMITS };
    let mut frontier = Frontier::new(limits, scores(&[]));
    assert!(frontier.push(&item(1, 1, 1, 0)).is_ok());
    assert!(frontier.push(&item(1, 2, 1, 0)).is_ok());
    assert_eq!(frontier.push(&item(1, 3, 1, 0)), Err(Budget::HostPages));
    assert!(frontier.push(&item(2, 1, 1, 0)).is_ok());
    assert_eq!(frontier.push(&item(3, 1, 1, 0)), Err(Budget::Frontier));
    frontier.pop(&host(1), at(0)).unwrap();
    assert!(frontier.push(&item(3, 1, 1, 0)).is_ok());
    assert_eq!(frontier.push(&item(1, 4, 1, 0)), Err(Budget::Frontier));
}

#[test]
fn a_budget_counts_requests_in_progress_as_spent() {
    let mut ledger = Ledger::default();
    let mut settled = Fates::default();
    settled.add(Fate::Duplicate, 3);
    ledger.discover(&settled, 2);
    ledger.settle(Fate::Fetched);
    ledger.request(100);
    let budgets = Budgets { pages: Some(3), bytes: Some(101), requests: None, until: Some(at(9)) };
    let leases = |leases| UnderWay { leases, errands: 7 };
    assert_eq!(budgets.exhausted(&ledger, leases(1), at(8)), None);
    assert_eq!(budgets.exhausted(&ledger, leases(2), at(8)), Some(EndReason::Pages));
    assert_eq!(budgets.exhausted(&ledger, leases(1), at(9)), Some(EndReason::Time));
    ledger.request(1);
    assert_eq!(budgets.exhausted(&ledger, leases(1), at(8)), Some(EndReason::Bytes));
    assert!(ledger.balances(1) && !ledger.balances(0));
    assert_eq!(ledger.fates(1).total(), ledger.discovered());
}
