//! Messages to the frontier's actor, and its way to the hosts.

use std::sync::Arc;

use actix::Message;
use parking_lot::Mutex;

use super::budgets::EndReason;
use super::queues::FrontierLimits;
use super::survey::QueueSurvey;
use harvestman_core::clock::Instant;
use harvestman_core::model::{
    Admission, Change, ClassOrder, Fate, Fates, FleetEffects, Lease, LinkClass, ProgressRecord, RecrawlVisit,
    ScheduledUrl, Visit,
};
use harvestman_core::url::HostKey;

/// A host may be contacted once more and asks for a URL.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct HostDue(pub HostKey);

/// A lease has ended.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct LeaseEnded {
    /// The lease.
    pub lease: Lease,
    /// How it ended.
    pub outcome: Outcome,
    /// Bytes of the answer's body; none where no request was sent.
    pub received: Option<u64>,
}

/// How a lease ends.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// For good.
    Final(Fate, Box<PageFindings>),
    /// The URL is to be tried again, not before this time.
    Retry(Instant),
}

impl Outcome {
    /// For good, on a page that led to nothing.
    pub fn without_findings(fate: Fate) -> Self {
        Self::Final(fate, Box::default())
    }
}

/// What a page led to.
#[derive(Debug, Default, PartialEq)]
pub struct PageFindings {
    /// Its links.
    pub links: DiscoveredLinks,
    /// What was observed of the page itself, persisted for later visits.
    pub visit: Option<Box<Visit>>,
    /// What that visit observed of other pages, in a recrawl.
    pub recrawl_visit: Option<Box<RecrawlVisit>>,
}

/// Links discovered in one place, as the link filter judged them.
#[derive(Debug, Default, PartialEq)]
pub struct DiscoveredLinks {
    /// Fates that were clear at once (duplicates, out of scope, …).
    pub settled: Fates,
    /// New URLs to fetch.
    pub accepted: Vec<ScheduledUrl>,
    /// New URLs of hosts that other nodes of the fleet own; their fates are in `settled`.
    pub foreign: Vec<ScheduledUrl>,
    /// The generation ([`Order::generation`]) that their classes are of.
    pub generation: u64,
}

/// Links that belong to no lease: seeds, derived addresses, planned visits.
#[derive(Debug, Default, Message)]
#[rtype(result = "()")]
pub struct LinksFound(pub DiscoveredLinks);

/// One of the crawl's own requests (robots.txt, sitemaps) has ended.
#[derive(Debug, Default, Message)]
#[rtype(result = "()")]
pub struct OwnRequestEnded {
    /// Bytes that it brought.
    pub bytes: u64,
    /// Whether [`ErrandsAdded`] had announced it.
    pub announced: bool,
    /// The links of a sitemap.
    pub links: DiscoveredLinks,
    /// Facts to persist with it.
    pub progress: Vec<ProgressRecord>,
}

/// So many errands that [`ErrandsAdded`] announced have ended without a request.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct ErrandsDone(pub u32);

/// Something happened that concerns the fleet; it is persisted with its effects.
#[derive(Debug, Default, Message)]
#[rtype(result = "()")]
pub struct FleetEvent {
    /// Links that came with it.
    pub links: DiscoveredLinks,
    /// What it means to the fleet.
    pub effects: Box<FleetEffects>,
}

/// Decides about a URL again: by the class that it had, the URL, and the page that it was discovered on.
pub type ReadmitShared = dyn Fn(LinkClass, &str, Option<&str>) -> Admission + Send + Sync;

/// What the frontier orders by: a policy's snapshot as far as it is its business.
#[derive(Clone)]
pub struct Order {
    /// The scores.
    pub scores: Arc<dyn ClassOrder>,
    /// The snapshot's version, which leases then name; none where the policy does not learn.
    pub version: Option<u64>,
    /// Grows when classes change their meaning.
    pub generation: u64,
    /// Decides about URLs whose class is of an earlier generation.
    pub readmit: Arc<ReadmitShared>,
}

/// Where the latest order waits for the frontier, at most one at a time: of several that come while the frontier is busy the last
/// alone counts.
#[derive(Default)]
pub struct OrderSlot(Mutex<Option<Order>>);

impl OrderSlot {
    /// Leaves an order. True where the frontier must be told by [`OrderChanged`]; otherwise it has yet to come for the one before.
    #[must_use]
    pub fn leave(&self, order: Order) -> bool {
        self.0.lock().replace(order).is_none()
    }

    pub(super) fn take(&self) -> Option<Order> {
        self.0.lock().take()
    }
}

/// A new order waits in the [`OrderSlot`].
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct OrderChanged;

/// Follow the order that waits in the [`OrderSlot`] now, if one does, and say how many URLs that waited were let go by it.
#[derive(Debug, Message)]
#[rtype(result = "u64")]
pub struct FollowNow;

/// Which hosts are meant.
pub type Hosts = dyn Fn(&HostKey) -> bool + Send + Sync;

/// Say how many leases of these hosts are out.
#[derive(Message)]
#[rtype(result = "usize")]
pub struct LeasesOf(pub Arc<Hosts>);

/// Take URLs in that waited at another node, and what is known of their hosts.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct TakeOver {
    /// The URLs.
    pub waiting: Vec<ScheduledUrl>,
    /// URLs ever accepted of hosts, those that wait among them.
    pub admitted: Vec<(HostKey, u64)>,
}

/// Let go what waits of these hosts: another node holds them from now on. It is kept with this fleet_effects.
#[derive(Message)]
#[rtype(result = "()")]
pub struct LetGo {
    /// The hosts.
    pub hosts: Arc<Hosts>,
    /// What it means to the fleet.
    pub fleet_effects: Box<FleetEffects>,
}

/// Say what waits ([`QueueSurvey`]), the first so many rows of each list.
#[derive(Debug, Message)]
#[rtype(result = "QueueSurvey")]
pub struct SurveyQuery(pub usize);

/// Other limits hold from now on.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct LimitsChanged {
    /// Limits on what may wait.
    pub limits: FrontierLimits,
    /// Of so many pops of a host the last explores.
    pub explore_every: u32,
}

/// Errands were taken on that may yet discover URLs: the crawl is not over before they have ended.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct ErrandsAdded(pub u32);

/// Orders from outside.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub enum Control {
    /// Hand out nothing more; end when what is under way has ended.
    Stop,
    /// Hand out nothing more for now.
    Pause,
    /// Hand out again.
    GoOn,
    /// What may be spent was raised: hand out what it allows.
    Look,
    /// The whole fleet's crawl ends for this reason: hand out nothing more.
    End(EndReason),
    /// Keep the crawl open though nothing waits and nothing is under way, until as many [`Control::Release`] have come.
    HoldOpen,
    /// End one [`Control::HoldOpen`].
    Release,
}

/// Changes were kept; so many leases have ended with that.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Kept(pub u32);

/// Where changes are kept. Calls must not block for long; each change with leases is answered by [`Kept`].
pub trait ChangePort: Send + Sync {
    /// Keeps a change.
    fn keep(&self, change: Change);
}

/// The way to the hosts. Calls must not block.
pub trait HostPort: Send + Sync {
    /// There are URLs for this host, which had none.
    fn wake(&self, host: &HostKey);
    /// The host gets a lease that it asked for.
    fn grant(&self, lease: Lease);
    /// The host asked for a lease and there is none, or not before the time given.
    fn no_work(&self, host: &HostKey, until: Option<Instant>);
}
