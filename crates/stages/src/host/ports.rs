//! The ports of a host actor: what it needs of the rest of the crawl, one trait for each thing.
//!
//! Every port is implemented by the part of the pipeline that owns the thing. Calls must not block.

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
use harvestman_core::clock::Instant;
use harvestman_core::model::{Exchange, Fate, Lease};
use harvestman_core::url::{CanonicalUrl, HostGroup, HostKey};

/// What a host asks of, and reports to, the frontier.
pub trait LeasePort: Send + Sync {
    /// The host may be contacted once more: the frontier answers with a `Grant` or `NoWork`.
    fn ask(&self, host: &HostKey);
    /// The URL was not requested and waits again.
    fn put_back(&self, lease: Lease, not_before: Instant);
    /// The URL is to be tried again; `received` bytes came this time.
    fn retry(&self, lease: Lease, not_before: Instant, received: u64);
    /// So many errands were announced: the crawl is not over before they have ended.
    fn errands_added(&self, count: u32);
    /// An announced errand ended without a request.
    fn errand_done(&self);
    /// The request of an errand was aborted; the errand may be run again.
    fn errand_broken_off(&self);
}

/// What sends the host's requests.
pub trait RequestPort: Send + Sync {
    /// Fetches the URL of `lease`; answers with a [`HostReply`](super::HostReply).
    fn fetch_page(&self, host: HostRequest, lease: Lease);
    /// Whether the crawl's budgets allow an errand now; if so, it counts as under way and must be run.
    fn begin_errand(&self) -> bool;
    /// Runs the errand; answers with a [`HostReply`](super::HostReply).
    fn run_errand(&self, host: HostRequest, errand: Errand);
    /// Looks up the host's address; answers with `HostReply::Resolved`.
    fn resolve(&self, host: HostRequest);
}

/// Who sends a request, and where the answer goes.
#[derive(Debug, Clone)]
pub struct HostRequest {
    /// The host.
    pub host: HostKey,
    /// Its actor.
    pub reply_to: ReplyTo,
}

/// Where finished work goes.
pub trait DeliveryPort: Send + Sync {
    /// A page was fetched (or failed for good): it is parsed and archived.
    fn deliver_page(&self, lease: Lease, exchange: Exchange);
    /// A URL is not fetched: its line in the page log is written.
    fn refuse(&self, lease: Lease, fate: Fate);
    /// An errand has ended for good or is tried again.
    fn deliver_errand(&self, delivered: DeliveredErrand);
}

/// What an errand brought.
#[derive(Debug)]
pub struct DeliveredErrand {
    /// A sitemap to be read now, with the number of sitemap indexes above it; none for everything else.
    pub sitemap: Option<(CanonicalUrl, u32)>,
    /// Request and answer.
    pub exchange: Exchange,
    /// The answer's body with its content coding removed.
    pub body: Bytes,
    /// The crawl's permit for the errand, held until its outcome is recorded.
    pub permit: OwnedSemaphorePermit,
}

/// The gates that hosts of one group or one address share.
pub trait GatePort: Send + Sync {
    /// Passes a gate, or waits to be told by `LetIn` when the host may; `delay` is the host's.
    fn enter(&self, gate: GateId, host: &HostKey, delay: Duration) -> bool;
    /// Comes back through a gate.
    fn leave(&self, gate: GateId, host: &HostKey, by: Return);
    /// Changes the delay of a host of this group.
    fn change_delay(&self, group: HostGroup, host: &HostKey, delay: Duration);
    /// When a gate opens for the next host; none while enough have passed it.
    fn opens(&self, gate: GateId) -> Option<Instant>;
}

/// What is known of all hosts together.
pub trait HostRegistry: Send + Sync {
    /// Whether nothing may be sent to the host: it is blocked, or another node owns it.
    fn is_blocked(&self, host: &HostKey) -> bool;
    /// The host is not contacted until this time, for more than its usual delay.
    fn waits(&self, host: &HostKey, until: Instant, why: WaitReason);
    /// Sitemaps were named: they go to their hosts as `SitemapsFound`, which counts as an errand for each host.
    fn sitemaps_named(&self, urls: Vec<String>, nesting: u32);
    /// A request has ended, and this is known of the host now.
    fn remember(&self, host: &HostKey, memory: &Politeness);
    /// This robots.txt of the host was fetched.
    fn remember_robots(&self, host: &HostKey, robots: &StoredRobots);
    /// The actor would end for lack of work. Takes the core and returns true if no message is on its way to the actor.
    fn go_to_sleep(&self, host: &HostKey, core: &mut Option<HostCore>) -> bool;
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
}
