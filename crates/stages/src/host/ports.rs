//! How a host actor meets the rest of the crawl: the ports that it calls, one trait for each service, the replies to
//! its requests and address lookups, and the messages to it.
//!
//! Each port is implemented by the part of the pipeline that owns the service. Calls must not block.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use actix::{Message, Recipient};
use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

use super::core::HostCore;
use super::gates::{GateId, Return};
use super::health::ContentReport;
use super::history::StoredRobots;
use super::host_rules::HostRules;
use super::host_status::HostStatus;
use super::politeness::{Politeness, WaitReason};
use super::step::Errand;
use super::subrequest::{Subrequest, SubrequestReply};
use harvestman_core::clock::Instant;
use harvestman_core::model::{Exchange, Fate, FetchedPage, Lease, PolicyRefusal};
use harvestman_core::url::{CanonicalUrl, HostGroup, HostKey};

/// A host's requests and reports to the frontier.
pub trait LeasePort: Send + Sync {
    /// Asks for a URL, as the host may be contacted once more. The frontier replies with `Grant` or `NoWork`.
    fn ask(&self, host: &HostKey);
    /// Returns a URL that was not requested. It waits again, until `not_before` at least.
    fn put_back(&self, lease: Lease, not_before: Instant);
    /// Schedules the URL for another attempt; this one received `received` bytes.
    fn retry(&self, lease: Lease, not_before: Instant, received: u64);
    /// Announces `count` auxiliary requests. The crawl does not end before they have ended.
    fn errands_added(&self, count: u32);
    /// Reports that an announced auxiliary request ended without being sent.
    fn errand_done(&self);
    /// Reports that an auxiliary request was aborted; it may be run again.
    fn errand_aborted(&self);
}

/// Sends the host's requests.
pub trait RequestPort: Send + Sync {
    /// Fetches the URL of `lease`; replies with a [`HostReply`](HostReply).
    fn fetch_page(&self, host: HostRequest, lease: Lease);
    /// Returns whether the crawl's budgets allow an auxiliary request now. If so, it counts as in progress and must be
    /// run. `for_page`: a page that is in progress waits for it, so the budget of pages does not count.
    fn begin_errand(&self, for_page: bool) -> bool;
    /// Returns whether no auxiliary request for a page may begin any more: the crawl is stopped, or a budget is spent.
    fn is_over(&self) -> bool;
    /// Runs the auxiliary request; replies with a [`HostReply`](HostReply).
    fn run_errand(&self, host: HostRequest, errand: Errand);
    /// Looks up the host's address; replies with `HostReply::Resolved`.
    fn resolve(&self, host: HostRequest);
}

/// The sender of a request, and where the reply goes.
#[derive(Debug, Clone)]
pub struct HostRequest {
    /// The host.
    pub host: HostKey,
    /// Its actor.
    pub reply_to: ReplyTo,
}

/// Accepts finished work.
pub trait DeliveryPort: Send + Sync {
    /// Delivers a page that was fetched (or failed permanently), to be parsed and archived.
    fn deliver_page(&self, page: FetchedPage);
    /// Reports a URL that is not fetched, so that its line is written to the page log.
    fn refuse(&self, lease: Lease, fate: Fate);
    /// Delivers an auxiliary request that has ended, finally or to be retried.
    fn deliver_errand(&self, delivered: DeliveredErrand);
}

/// The result of an auxiliary request.
#[derive(Debug)]
pub struct DeliveredErrand {
    /// The sitemap to read now, with the number of sitemap indexes above it; `None` for everything else.
    pub sitemap: Option<(CanonicalUrl, u32)>,
    /// Whether it was announced ([`LeasePort::errands_added`]) and has now ended for good.
    pub announced: bool,
    /// Whether it is archived. Those of a log-in are not, as they hold the password.
    pub is_archived: bool,
    /// The request and its response.
    pub exchange: Exchange,
    /// The response body with its content coding removed.
    pub body: Bytes,
    /// The crawl's permit for the request, held until its outcome is recorded.
    pub permit: OwnedSemaphorePermit,
}

/// The gates that hosts of one group or at one address share.
pub trait GatePort: Send + Sync {
    /// Enters a gate and returns true, or queues the host and returns false; `GatePassed` then announces its admission.
    /// `delay` is the host's own.
    fn enter(&self, gate: GateId, host: &HostKey, delay: Duration) -> bool;
    /// Leaves a gate.
    fn leave(&self, gate: GateId, host: &HostKey, by: Return);
    /// Changes the delay of a host of this group.
    fn change_delay(&self, group: HostGroup, host: &HostKey, delay: Duration);
    /// Returns when a gate opens for the next host, or `None` while enough hosts have passed it.
    fn opens(&self, gate: GateId) -> Option<Instant>;
}

/// The directory of all hosts.
pub trait HostRegistry: Send + Sync {
    /// Returns why a member must not follow this URL, if following it ended sessions.
    fn refused_to_member(&self, url: &CanonicalUrl) -> Option<PolicyRefusal>;
    /// Returns whether nothing may be sent to the host because it is blocked or owned by another node.
    fn is_blocked(&self, host: &HostKey) -> bool;
    /// Reports that the host is not contacted until this time, for longer than its usual delay.
    fn waits(&self, host: &HostKey, until: Instant, why: WaitReason);
    /// Sends sitemaps that were named to their hosts as `SitemapsFound`, which counts as one auxiliary request per
    /// host.
    fn sitemaps_named(&self, urls: Vec<String>, nesting: u32);
    /// Records what is known of the host after a request has ended.
    fn remember(&self, host: &HostKey, memory: &Politeness);
    /// Records a fetched robots.txt of the host.
    fn remember_robots(&self, host: &HostKey, robots: &StoredRobots);
    /// Lets an actor without work end. Takes the core and returns true if no message is on its way to the actor.
    fn go_to_sleep(&self, host: &HostKey, core: &mut Option<HostCore>) -> bool;
}

/// The callers of sub-requests.
pub trait SubrequestPort: Send + Sync {
    /// Passes the reply to the caller with this ticket. Each sub-request gets one, unless it was withdrawn.
    fn answer(&self, ticket: u64, reply: SubrequestReply);
}

/// The ports of a host actor.
#[derive(Clone)]
pub struct HostPorts {
    /// The frontier.
    pub leases: Arc<dyn LeasePort>,
    /// The fetcher.
    pub requests: Arc<dyn RequestPort>,
    /// The workers.
    pub deliveries: Arc<dyn DeliveryPort>,
    /// The shared gates.
    pub gates: Arc<dyn GatePort>,
    /// The directory of hosts.
    pub registry: Arc<dyn HostRegistry>,
    /// The callers of sub-requests.
    pub subrequests: Arc<dyn SubrequestPort>,
}

/// The reply to a call of a host actor on its [`RequestPort`](RequestPort).
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub enum HostReply {
    /// The request for a page has ended.
    PageEnded(Lease, Exchange),
    /// The request for a page was aborted, because this node may not send requests any more.
    PageAborted(Lease),
    /// An auxiliary request has ended.
    ErrandEnded(ErrandEnded),
    /// An auxiliary request was aborted.
    ErrandAborted(Errand),
    /// The host's address was looked up; `None` if the lookup failed or the address does not matter (proxy).
    Resolved(Option<IpAddr>),
}

/// An auxiliary request that has ended.
#[derive(Debug)]
pub struct ErrandEnded {
    /// What was requested.
    pub errand: Errand,
    /// The request and its response.
    pub exchange: Exchange,
    /// The response body with its content coding removed.
    pub body: Bytes,
    /// One of the crawl's permits for auxiliary requests, held until the outcome is recorded.
    pub permit: OwnedSemaphorePermit,
}

/// Where the reply to a request goes.
#[derive(Debug, Clone)]
pub struct ReplyTo {
    actor: Recipient<HostReply>,
    pending: Arc<AtomicU32>,
}

impl ReplyTo {
    /// Creates a handle that replies to an actor which decrements `pending` with each message that it handles.
    pub(super) const fn new(actor: Recipient<HostReply>, pending: Arc<AtomicU32>) -> Self {
        Self { actor, pending }
    }

    /// Counts a reply that is sent later, so that the actor stays awake until then. Must be followed by
    /// [`ReplyTo::answer`].
    pub fn expect_answer(&self) {
        self.pending.fetch_add(1, Ordering::Relaxed);
    }

    /// Sends the reply that [`ReplyTo::expect_answer`] counted.
    ///
    /// Replies are bounded by the requests in progress, so the mailbox is bounded too.
    pub fn answer(&self, reply: HostReply) {
        self.actor.do_send(reply);
    }
}

/// Announces work for the host.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Wake;

/// Grants the lease that the host asked for.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Grant(pub Lease);

/// Reports that the frontier has no URL for the host, or none before the given time.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct NoWork(pub Option<Instant>);

/// Admits the host at a gate where it was queued.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct GatePassed(pub GateId);

/// Announces that the rules changed, or that the host was blocked or unblocked.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct RulesChanged {
    /// The previous rules, if the rules changed.
    pub before: Option<Arc<HostRules>>,
}

impl Message for ContentReport {
    type Result = ();
}

/// Ends the wait for the host: what waits for it fails, and can be fetched by another run.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct WaitOver;

/// Asks for the state of the host's clock. The response is `None` if the host is just going to sleep.
#[derive(Debug, Message)]
#[rtype(result = "Option<HostStatus>")]
pub struct StatusQuery;

/// Stops the actor: another node now owns the host, and no request of it is in progress here.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Retire;

/// Delivers sitemaps of this host that robots.txt or a sitemap index names.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct SitemapsFound {
    /// Their URLs, all on this host.
    pub urls: Vec<String>,
    /// Number of sitemap indexes that lead to them.
    pub nesting: u32,
}

/// Asks for something that a page needs. [`SubrequestPort`](SubrequestPort) gets the reply.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct SubrequestWanted(pub Subrequest);

/// Withdraws the sub-request with this ticket, because nobody waits for its reply any more.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct SubrequestWithdrawn(pub u64);
