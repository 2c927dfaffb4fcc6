//! Messages to host actors.

use std::sync::Arc;

use actix::Message;

use super::content_report::ContentReport;
use super::gates::GateId;
use super::rules::HostRules;
use super::status::HostStatus;
use super::subrequest::Subrequest;
use harvestman_core::clock::Instant;
use harvestman_core::model::Lease;

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

/// Asks for something that a page needs. [`SubrequestPort`](super::SubrequestPort) gets the reply.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct SubrequestWanted(pub Subrequest);

/// Withdraws the sub-request with this ticket, because nobody waits for its reply any more.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct SubrequestWithdrawn(pub u64);
