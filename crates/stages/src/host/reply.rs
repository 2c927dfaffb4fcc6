//! Replies from a request or an address lookup to the actor of its host.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use actix::{Message, Recipient};
use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

use super::step::Errand;
use harvestman_core::model::{Exchange, Lease};

/// The reply to a call of a host actor on its [`RequestPort`](super::RequestPort).
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
