//! The ports of a host actor: the services of the rest of the crawl that it uses, one trait for each.
//!
//! Each port is implemented by the part of the pipeline that owns the service. Calls must not block.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

use super::core::HostCore;
use super::gates::{GateId, Return};
use super::history::StoredRobots;
use super::politeness::{Politeness, WaitReason};
use super::reply::ReplyTo;
use super::step::Errand;
use super::subrequest::SubrequestReply;
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
    /// Fetches the URL of `lease`; replies with a [`HostReply`](super::HostReply).
    fn fetch_page(&self, host: HostRequest, lease: Lease);
    /// Returns whether the crawl's budgets allow an auxiliary request now. If so, it counts as in progress and must be
    /// run. `for_page`: a page that is in progress waits for it, so the budget of pages does not count.
    fn begin_errand(&self, for_page: bool) -> bool;
    /// Returns whether no auxiliary request for a page may begin any more: the crawl is stopped, or a budget is spent.
    fn is_over(&self) -> bool;
    /// Runs the auxiliary request; replies with a [`HostReply`](super::HostReply).
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
