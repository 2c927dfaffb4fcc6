//! Messages to host actors.

use std::net::IpAddr;
use std::sync::Arc;

use actix::Message;
use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

use super::core::{Errand, HostRules};
use super::gates::GateId;
use super::status::HostStatus;
use harvestman_core::clock::Instant;
use harvestman_core::model::{Exchange, Lease};

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
#[rtype(result = "Option<HostStatus>")]
pub struct StatusQuery;

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
