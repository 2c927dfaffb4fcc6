//! Messages to the frontier's actor, and its ports.

use std::sync::Arc;

use actix::Message;
use parking_lot::Mutex;

use super::budgets::EndReason;
use super::credit::Credit;
use super::queues::FrontierLimits;
use super::survey::QueueSurvey;
use harvestman_core::clock::Instant;
use harvestman_core::model::{
    Admission, Change, ClassOrder, Fate, Fates, FleetEffects, Lastmod, Lease, LinkClass, ProgressRecord, RecrawlVisit,
    ScheduledUrl, Visit,
};
use harvestman_core::url::HostKey;

/// A host may be contacted again and asks for a URL.
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
    /// Bytes of the response's body; `None` if no request was sent.
    pub received: Option<u64>,
}

/// How a lease ends.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// For good.
    Final(Fate, Box<PageFindings>),
    /// The URL is to be retried, not before this time.
    Retry(Instant),
}

impl Outcome {
    /// Returns the final outcome of a page that led to nothing.
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

/// Links discovered in one place, with the decisions of the link filter.
#[derive(Debug, Default, PartialEq)]
pub struct DiscoveredLinks {
    /// Fates that were known at once (duplicates, out of scope, …).
    pub settled: Fates,
    /// New URLs to fetch.
    pub accepted: Vec<ScheduledUrl>,
    /// New URLs of hosts that other nodes of the fleet own; their fates are in `settled`.
    pub foreign: Vec<ScheduledUrl>,
    /// The generation ([`Order::generation`]) of their classes.
    pub generation: u64,
    /// That of the site of their page ([`Order::generation_at`]).
    pub page_generation: u64,
    /// What a sitemap states about pages, new or known.
    pub lastmods: Vec<Lastmod>,
}

/// Links that belong to no lease: seeds, derived addresses, planned visits.
#[derive(Debug, Default, Message)]
#[rtype(result = "()")]
pub struct LinksFound(pub DiscoveredLinks);

/// A part of the links of a sitemap. The last one comes with [`OwnRequestEnded`].
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct SitemapLinks {
    /// The links.
    pub links: DiscoveredLinks,
    /// Returned when they are taken in.
    pub credit: Credit,
}

/// One of the crawl's own requests (robots.txt, sitemaps) has ended.
#[derive(Debug, Default, Message)]
#[rtype(result = "()")]
pub struct OwnRequestEnded {
    /// Bytes received.
    pub bytes: u64,
    /// Whether [`ErrandsAdded`] announced it.
    pub announced: bool,
    /// The links of a sitemap, or the last part of them.
    pub links: DiscoveredLinks,
    /// Facts to persist with it.
    pub progress: Vec<ProgressRecord>,
}

/// This many errands that [`ErrandsAdded`] announced have ended without a request.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct ErrandsDone(pub u32);

/// An event that concerns the fleet; it is persisted with its effects.
#[derive(Debug, Default, Message)]
#[rtype(result = "()")]
pub struct FleetEvent {
    /// Links that came with it.
    pub links: DiscoveredLinks,
    /// Its effects on the fleet.
    pub effects: Box<FleetEffects>,
}

/// Decides about a URL again, given the class that it had, the URL, and the page where it was discovered.
pub type ReadmitShared = dyn Fn(LinkClass, &str, Option<&str>) -> Admission + Send + Sync;

/// Returns a number that changes when the classes of a host's URLs change their meaning, given its origin.
pub type GenerationAt = dyn Fn(&str) -> u64 + Send + Sync;

/// What the frontier orders by: the part of a policy's snapshot that it needs.
#[derive(Clone)]
pub struct Order {
    /// The scores.
    pub scores: Arc<dyn ClassOrder>,
    /// The snapshot's version, recorded on leases; `None` if the policy does not learn.
    pub version: Option<u64>,
    /// Increases when classes change their meaning.
    pub generation: u64,
    /// The generation of the classes of one host's URLs.
    pub generation_at: Arc<GenerationAt>,
    /// Decides about URLs whose class is of an earlier generation.
    pub readmit: Arc<ReadmitShared>,
}

/// The slot in which the latest order waits for the frontier. It holds at most one: an order that arrives while the
/// frontier is busy replaces the previous one.
#[derive(Default)]
pub struct OrderSlot(Mutex<Option<Order>>);

impl OrderSlot {
    /// Stores an order. Returns whether [`OrderChanged`] must be sent; otherwise the frontier has not taken the
    /// previous order yet.
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

/// Applies the order in the [`OrderSlot`] now, if there is one. Answers with the number of waiting URLs that it
/// rejected.
#[derive(Debug, Message)]
#[rtype(result = "u64")]
pub struct FollowNow;

/// Selects hosts.
pub type Hosts = dyn Fn(&HostKey) -> bool + Send + Sync;

/// Requests the number of leases of these hosts.
#[derive(Message)]
#[rtype(result = "usize")]
pub struct LeasesOf(pub Arc<Hosts>);

/// Takes over URLs that waited on another node, and what is known of their hosts.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct TakeOver {
    /// The URLs.
    pub waiting: Vec<ScheduledUrl>,
    /// Number of URLs ever accepted per host, including those that wait.
    pub admitted: Vec<(HostKey, u64)>,
}

/// Drops the waiting URLs of these hosts, because another node owns them from now on. Persisted together with the
/// effects.
#[derive(Message)]
#[rtype(result = "()")]
pub struct DropHosts {
    /// The hosts.
    pub hosts: Arc<Hosts>,
    /// The effects on the fleet.
    pub fleet_effects: Box<FleetEffects>,
}

/// Requests a survey of the waiting URLs ([`QueueSurvey`]); each list has at most this many rows.
#[derive(Debug, Message)]
#[rtype(result = "QueueSurvey")]
pub struct SurveyQuery(pub usize);

/// Lets the retries of these hosts come at once.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct RetryNow(pub Vec<HostKey>);

/// Asks for the hosts that have URLs waiting.
#[derive(Debug, Message)]
#[rtype(result = "Vec<HostKey>")]
pub struct WaitingHosts;

/// The limits have changed.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct LimitsChanged {
    /// Limits on what may wait.
    pub limits: FrontierLimits,
}

/// This many errands were accepted that may still discover URLs: the crawl does not end before they have.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct ErrandsAdded(pub u32);

/// Commands from outside.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub enum Control {
    /// Grants nothing more; the crawl ends when everything in progress has ended.
    Stop,
    /// Pauses granting.
    Pause,
    /// Resumes granting.
    Resume,
    /// The budgets were raised: grants what they allow.
    Look,
    /// The crawl of the whole fleet ends for this reason: grants nothing more.
    End(EndReason),
    /// Holds the crawl open although nothing waits and nothing is in progress, until as many [`Control::Release`] have
    /// arrived.
    HoldOpen,
    /// Ends one [`Control::HoldOpen`].
    Release,
}

/// Changes were persisted that end this many leases.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct LeasesCommitted(pub u32);

/// Where changes are persisted. Calls must not block for long. Each change that ends leases is answered by
/// [`LeasesCommitted`].
pub trait ChangePort: Send + Sync {
    /// Persists a change.
    fn keep(&self, change: Change);
}

/// The connection to the hosts. Calls must not block.
pub trait HostPort: Send + Sync {
    /// There are URLs for this host, which had none.
    fn wake(&self, host: &HostKey);
    /// Grants the host a lease that it asked for.
    fn grant(&self, lease: Lease);
    /// Answers a host that requested a lease: there is none, or not before this time.
    fn no_work(&self, host: &HostKey, until: Option<Instant>);
}
