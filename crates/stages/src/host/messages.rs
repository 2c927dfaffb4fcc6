//! Messages to host actors.

use std::sync::Arc;

use actix::Message;

use super::gates::GateId;
use super::rules::HostRules;
use super::status::HostStatus;
use harvestman_core::clock::Instant;
use harvestman_core::model::Lease;

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

/// The host is another node's from now on, and nothing of it is under way here: end.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Retire;

/// Sitemaps that a sitemap index of this host names.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct SitemapsFound {
    /// Where they are; all on this host.
    pub urls: Vec<String>,
    /// Indexes above them.
    pub nesting: u32,
}
