//! Messages to host actors, and their way to everything else.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use actix::Message;
use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

use super::core::{Errand, HostCore, HostRules};
use super::face::HostFace;
use super::gates::{GateId, Return};
use super::politeness::{Politeness, WaitReason};
use super::recollection::KnownRobots;
use harvestman_core::clock::Instant;
use harvestman_core::model::{Exchange, Fate, Lease};
use harvestman_core::url::{CanonicalUrl, HostGroup, HostKey};

/// There is work for the host.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Wake;

/// The lease that the host asked for.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Grant(pub Lease);

/// There is no URL for the host, or not before the time given.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct NoWork(pub Option<Instant>);

/// The host, which had waited at this gate, was let in.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct LetIn(pub GateId);

/// The host's address was looked up.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Resolved(pub Option<IpAddr>);

/// Other rules hold, or the host was blocked or unblocked.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct RulesChanged {
    /// The rules until now, where they are others by now.
    pub before: Option<Arc<HostRules>>,
}

/// Say how the host's clock stands; none where the host goes to sleep this moment.
#[derive(Debug, Message)]
#[rtype(result = "Option<HostFace>")]
pub struct FaceWanted;

/// A page's request has ended.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct PageEnded {
    /// Its lease.
    pub lease: Lease,
    /// Request and answer.
    pub exchange: Exchange,
}

/// A page's request was broken off, as this node may send none any more.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct PageBrokenOff(pub Lease);

/// An errand's request was broken off.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct ErrandBrokenOff(pub Errand);

/// The host is another node's from now on, and nothing of it is under way here: end.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Retire;

/// An errand's request has ended.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct ErrandEnded {
    /// The errand.
    pub errand: Errand,
    /// Request and answer.
    pub exchange: Exchange,
    /// The answer's body with its content coding removed.
    pub body: Bytes,
    /// One of the crawl's permits for errands; held until the errand's outcome is recorded.
    pub permit: OwnedSemaphorePermit,
}

/// Sitemaps that a sitemap index of this host names.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct SitemapsFound {
    /// Where they are; all on this host.
    pub urls: Vec<String>,
    /// Indexes above them.
    pub nesting: u32,
}

/// The way from a host to everything else. Calls must not block.
pub trait HostOutlets: Send + Sync {
    /// The host may be contacted once more: answer with a `Grant` or `NoWork`.
    fn ask(&self, host: &HostKey);
    /// Fetch the URL of `lease`; answer with `PageEnded`.
    fn fetch_page(&self, host: &HostKey, lease: Lease);
    /// Whether nothing may be sent to the host, as somebody has blocked it.
    fn is_blocked(&self, host: &HostKey) -> bool;
    /// Whether the crawl's budgets allow an errand now; if so, it counts as under way, and must be run.
    fn begin_errand(&self) -> bool;
    /// Run the errand; answer with `ErrandEnded`.
    fn run_errand(&self, host: &HostKey, errand: Errand);
    /// Look up the host's address; answer with `Resolved`.
    fn resolve(&self, host: &HostKey);
    /// A page was fetched (or failed for good): parse and archive it.
    fn deliver_page(&self, lease: Lease, exchange: Exchange);
    /// A URL is not fetched.
    fn refuse(&self, lease: Lease, fate: Fate);
    /// A URL was not requested after all and waits again.
    fn put_back(&self, lease: Lease, not_before: Instant);
    /// A URL is to be tried again; `received` bytes came this time.
    fn retry(&self, lease: Lease, not_before: Instant, received: u64);
    /// Errands were taken on.
    fn errands_added(&self, count: u32);
    /// An errand that brought nothing but others has ended.
    fn errand_done(&self);
    /// An errand's request was broken off; it may be run again.
    fn errand_broken_off(&self);
    /// Sitemaps were named: take them to their hosts as `SitemapsFound`, and count that as an errand for each host.
    fn sitemaps_named(&self, urls: Vec<String>, nesting: u32);
    /// An errand has brought this: a sitemap that is to be read now, with the number of indexes above it; or something else.
    fn deliver_errand(
        &self,
        sitemap: Option<(CanonicalUrl, u32)>,
        exchange: Exchange,
        body: Bytes,
        permit: OwnedSemaphorePermit,
    );
    /// The host is left alone until this time, for more than its usual delay.
    fn waits(&self, host: &HostKey, until: Instant, why: WaitReason);
    /// A request has ended, and this is known of the host now.
    fn remember(&self, host: &HostKey, memory: &Politeness);
    /// This robots.txt of the host has been fetched.
    fn remember_robots(&self, host: &HostKey, robots: &KnownRobots);
    /// Pass a gate, or be told by `LetIn` when the host may; `delay` holds for it.
    fn enter(&self, gate: GateId, host: &HostKey, delay: Duration) -> bool;
    /// Come back through a gate.
    fn leave(&self, gate: GateId, host: &HostKey, by: Return);
    /// Another delay holds for a host of this group.
    fn change_delay(&self, group: HostGroup, host: &HostKey, delay: Duration);
    /// When a gate opens for the next host; none while enough have passed it.
    fn opens(&self, gate: GateId) -> Option<Instant>;
    /// The actor would end, for lack of work. Takes the core and returns true if nothing is on its way to it.
    fn go_to_sleep(&self, host: &HostKey, core: &mut Option<HostCore>) -> bool;
}
