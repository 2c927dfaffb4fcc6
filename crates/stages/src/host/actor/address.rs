//! Addresses through which the directory of hosts reaches running actors.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use actix::dev::ToEnvelope;
use actix::{Addr, Handler, Message};

use super::HostActor;

/// The address of a running host actor, with the number of messages on their way to it.
///
/// An actor does not go to sleep while messages are on their way to it, so that none is lost.
#[derive(Debug, Clone)]
pub struct HostAddress {
    address: Addr<HostActor>,
    pending: Arc<AtomicU32>,
}

impl HostAddress {
    /// Creates the address of an actor that decrements `pending` with each message that it handles.
    pub const fn new(address: Addr<HostActor>, pending: Arc<AtomicU32>) -> Self {
        Self { address, pending }
    }

    /// Sends a message. Each message is bounded by what it carries: a lease, an auxiliary request, or the reply to a
    /// question, all limited in number (`frontier.in_flight_max`, one question per host, the permits for auxiliary
    /// requests), so the mailbox is bounded too.
    #[expect(clippy::disallowed_methods, reason = "every message sent here is bounded by what it carries")]
    pub fn send<M>(&self, message: M)
    where
        HostActor: Handler<M>,
        M: Message<Result = ()> + Send + 'static,
    {
        self.pending.fetch_add(1, Ordering::Relaxed);
        self.address.do_send(message);
    }

    /// Sends a query and waits for the reply. Returns `None` if the actor has ended.
    pub async fn ask<M>(&self, question: M) -> Option<M::Result>
    where
        HostActor: Handler<M>,
        <HostActor as actix::Actor>::Context: ToEnvelope<HostActor, M>,
        M: Message + Send + 'static,
        M::Result: Send,
    {
        self.pending.fetch_add(1, Ordering::Relaxed);
        self.address.send(question).await.ok()
    }

    /// Returns whether no message is on its way to the actor.
    pub fn is_quiet(&self) -> bool {
        self.pending.load(Ordering::Relaxed) == 0
    }
}
