//! The handle to the frontier.

use std::sync::Arc;

use actix::dev::ToEnvelope;
use actix::{Actor, Addr, Handler, Message};

use harvestman_core::clock::Instant;
use harvestman_core::model::Lease;
use harvestman_core::url::HostKey;
use harvestman_stages::frontier::{
    Allowance, Control, ErrandsAdded, ErrandsDone, FollowNow, FrontierActivity, FrontierActor, HostDue, LeaseEnded,
    LeasesOf, Order, OrderChanged, OrderSlot, Outcome, OwnRequestEnded, QueueSurvey, SurveyQuery, WaitingHosts,
};
use harvestman_stages::host::LeasePort;

/// The address of the frontier's actor, and what the frontier shares with others.
#[derive(Clone)]
pub(crate) struct FrontierHandle {
    address: Addr<FrontierActor>,
    allowance: Arc<Allowance>,
    activity: Arc<FrontierActivity>,
    orders: Arc<OrderSlot>,
}

impl FrontierHandle {
    /// Creates the handle of the actor at `address`, which is built from the same `allowance`, activity and `orders`.
    pub(crate) fn new(address: Addr<FrontierActor>, allowance: Arc<Allowance>, orders: Arc<OrderSlot>) -> Self {
        Self { address, allowance, activity: Arc::default(), orders }
    }

    /// Sends a message. It carries its own bound: a lease, an auxiliary request or the answer to a question, all
    /// limited in number (`frontier.in_flight_max`, one question per host, `ERRANDS_MAX`), so the mailbox is bounded
    /// too.
    #[expect(clippy::disallowed_methods, reason = "every message sent here is bounded by the credit that it carries")]
    pub(crate) fn send<M>(&self, message: M)
    where
        FrontierActor: Handler<M>,
        <FrontierActor as Actor>::Context: ToEnvelope<FrontierActor, M>,
        M: Message<Result = ()> + Send + 'static,
    {
        self.address.do_send(message);
    }

    /// Keeps the crawl from ending until the returned value is dropped, although nothing waits.
    pub(crate) fn hold(&self) -> CrawlHold {
        self.send(ErrandsAdded(1));
        CrawlHold(self.clone())
    }

    /// Returns what may still be spent.
    pub(crate) const fn allowance(&self) -> &Arc<Allowance> {
        &self.allowance
    }

    /// Returns what waits and what is in progress.
    pub(crate) const fn activity(&self) -> &Arc<FrontierActivity> {
        &self.activity
    }

    /// Publishes an order, which the frontier follows as soon as it can.
    pub(crate) fn publish(&self, order: Order) {
        if self.orders.leave(order) {
            self.send(OrderChanged);
        }
    }

    /// Leaves an order for [`FrontierHandle::follow_now`].
    pub(crate) fn leave(&self, order: Order) {
        let _ = self.orders.leave(order);
    }

    /// Has the frontier follow the order that was left last. Returns the number of waiting URLs that it discarded.
    pub(crate) async fn follow_now(&self) -> u64 {
        self.address.send(FollowNow).await.unwrap_or_default()
    }

    /// Surveys what waits: the first `rows` rows of each list.
    pub(crate) async fn survey(&self, rows: usize) -> QueueSurvey {
        self.address.send(SurveyQuery(rows)).await.unwrap_or_default()
    }

    /// Returns the number of leases that are out for these hosts; `None` if the frontier has ended.
    pub(crate) async fn leases_of(&self, hosts: LeasesOf) -> Option<usize> {
        self.address.send(hosts).await.ok()
    }

    /// Returns the hosts that have URLs waiting. O(hosts).
    pub(crate) async fn waiting_hosts(&self) -> Vec<HostKey> {
        self.address.send(WaitingHosts).await.unwrap_or_default()
    }

    /// Stops the crawl.
    pub(crate) fn stop(&self) {
        self.send(Control::Stop);
    }
}

/// Keeps the crawl from ending while something is on its way to the policy. Each belongs to a fetch that waits there.
pub(crate) struct CrawlHold(FrontierHandle);

impl Drop for CrawlHold {
    fn drop(&mut self) {
        self.0.send(ErrandsDone(1));
    }
}

impl LeasePort for FrontierHandle {
    fn ask(&self, host: &HostKey) {
        self.send(HostDue(host.clone()));
    }

    fn put_back(&self, lease: Lease, not_before: Instant) {
        self.send(LeaseEnded { lease, outcome: Outcome::Retry(not_before), received: None });
    }

    fn retry(&self, lease: Lease, not_before: Instant, received: u64) {
        self.send(LeaseEnded { lease, outcome: Outcome::Retry(not_before), received: Some(received) });
    }

    fn errands_added(&self, count: u32) {
        self.send(ErrandsAdded(count));
    }

    fn errand_done(&self) {
        self.send(ErrandsDone(1));
    }

    fn errand_aborted(&self) {
        // It counts as a request: it may have been sent.
        self.send(OwnRequestEnded::default());
    }
}
