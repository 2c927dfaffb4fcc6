//! The way back from a request or an address lookup to the actor of its host.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use actix::{Message, Recipient};
use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

use super::step::Errand;
use harvestman_core::model::{Exchange, Lease};

/// The answer to something that a host actor asked of its [`RequestPort`](super::RequestPort).
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub enum HostReply {
    /// The request for a page has ended.
    PageEnded(Lease, Exchange),
    /// The request for a page was aborted, because this node may not send any more.
    PageAborted(Lease),
    /// The request of an errand has ended.
    ErrandEnded(ErrandEnded),
    /// The request of an errand was aborted.
    ErrandAborted(Errand),
    /// The host's address was looked up; none where it could not be, or does not matter (proxy).
    Resolved(Option<IpAddr>),
}

/// An errand whose request has ended.
#[derive(Debug)]
pub struct ErrandEnded {
    /// The errand.
    pub errand: Errand,
    /// Request and answer.
    pub exchange: Exchange,
    /// The answer's body with its content coding removed.
    pub body: Bytes,
    /// One of the crawl's permits for errands, held until the errand's outcome is recorded.
    pub permit: OwnedSemaphorePermit,
}

/// Where the answer to a request goes.
#[derive(Debug, Clone)]
pub struct ReplyTo {
    actor: Recipient<HostReply>,
    pending: Arc<AtomicU32>,
}

impl ReplyTo {
    /// Returns the way back to an actor that decrements `pending` with each message that it handles.
    pub(super) const fn new(actor: Recipient<HostReply>, pending: Arc<AtomicU32>) -> Self {
        Self { actor, pending }
    }

    /// Counts an answer that is sent later, so that the actor stays awake until then. Follow it by [`ReplyTo::answer`].
    pub fn expect_answer(&self) {
        self.pending.fetch_add(1, Ordering::Relaxed);
    }

    /// Sends the answer that [`ReplyTo::expect_answer`] counted.
    ///
    /// Answers are bounded by the requests under way, so the mailbox is bounded too.
    pub fn answer(&self, reply: HostReply) {
        self.actor.do_send(reply);
    }
}
