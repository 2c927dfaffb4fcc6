//! Hosts that change their node: what the actor drops and takes over again.

use actix::{Context, Handler};
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::*;
use crate::frontier::{
    Allowance, DropHosts, EarlyStopOptions, FrontierActivity, FrontierActor, FrontierSetup, HostDue, HostPort, Hosts,
    Order, TakeOver,
};
use harvestman_core::clock::Clock;
use harvestman_core::model::SingleNode;
use harvestman_metrics::Metrics;

/// What hosts receive, in order.
#[derive(Default)]
struct RecordedCalls(Mutex<Vec<String>>);

impl RecordedCalls {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock())
    }
}

impl HostPort for RecordedCalls {
    fn wake(&self, host: &HostKey) {
        self.0.lock().push(format!("wake {}", host.as_str()));
    }

    fn grant(&self, lease: Lease) {
        self.0.lock().push(format!("grant {}", lease.item.url.as_str()));
    }

    fn no_work(&self, host: &HostKey, _: Option<Instant>) {
        self.0.lock().push(format!("no work {}", host.as_str()));
    }
}

fn actor(calls: &Arc<RecordedCalls>, in_flight_max: u32) -> FrontierActor {
    let (metrics, ledger) = (Metrics::off(), Arc::new(Mutex::new(Ledger::default())));
    FrontierActor::new(FrontierSetup {
        limits: NO_LIMITS,
        allowance: Arc::new(Allowance::new(Budgets::default(), Arc::clone(&ledger))),
        in_flight_max,
        early_stop: EarlyStopOptions { share: 0.0, requests: 0 },
        explore_every: 0,
        order: Order {
            scores: scores(&[]),
            version: None,
            generation: 0,
            generation_at: Arc::new(|_| 0),
            readmit: Arc::new(|class, _, _| class.into()),
        },
        orders: Arc::default(),
        ownership: SingleNode::shared(),
        activity: Arc::new(FrontierActivity::default()),
        hosts: Arc::clone(calls) as _,
        clock: Clock::system(),
        ledger,
        metrics: Arc::clone(&metrics.frontier),
        crawl_metrics: Arc::clone(&metrics.crawl),
        spill: Arc::default(),
        finished: oneshot::channel().0,
    })
}

fn take(actor: &mut FrontierActor, items: Vec<ScheduledUrl>) {
    actor.handle(TakeOver { waiting: items, admitted: Vec::new() }, &mut Context::new());
}

fn drop_host(actor: &mut FrontierActor, gone: HostKey) {
    let hosts: Arc<Hosts> = Arc::new(move |host| *host == gone);
    actor.handle(DropHosts { hosts, fleet_effects: Box::default() }, &mut Context::new());
}

#[test]
fn a_dropped_host_is_woken_when_it_is_taken_over_again() {
    let calls = Arc::new(RecordedCalls::default());
    let mut actor = actor(&calls, 8);
    take(&mut actor, vec![item(1, 1, 0, 0), item(2, 1, 0, 0)]);
    assert_eq!(calls.take(), ["wake http://h1.test", "wake http://h2.test"]);
    drop_host(&mut actor, host(1));
    take(&mut actor, vec![item(1, 1, 0, 0), item(2, 2, 0, 0)]);
    assert_eq!(calls.take(), ["wake http://h1.test"], "the other one is awake");
}

#[test]
fn a_dropped_host_gets_no_lease_for_its_earlier_request() {
    let calls = Arc::new(RecordedCalls::default());
    let mut actor = actor(&calls, 1);
    take(&mut actor, vec![item(1, 1, 0, 0), item(2, 1, 0, 0)]);
    actor.handle(HostDue(host(2)), &mut Context::new());
    actor.handle(HostDue(host(1)), &mut Context::new());
    assert_eq!(calls.take().last().map(String::as_str), Some("grant http://h2.test/p1?q=1"), "one at a time");
    drop_host(&mut actor, host(1));
    take(&mut actor, vec![item(1, 1, 0, 0)]);
    actor.handle(crate::frontier::Control::Resume, &mut Context::new());
    assert_eq!(calls.take(), ["wake http://h1.test"], "it is woken again, and has to request a lease again");
}
