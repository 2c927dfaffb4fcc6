//! Sending messages to actors.

use actix::dev::ToEnvelope;
use actix::{Actor, Addr, Handler, Message};

/// Sends a message that carries its own bound: a lease, an errand, an answer to a question. Those are limited in number
/// (`frontier.in_flight_max`, one question a host, `ERRANDS_MAX`), so the mailbox is too, and none may be lost.
#[expect(clippy::disallowed_methods, reason = "every message sent here is bounded by the credit that it carries")]
pub(super) fn post<A, M>(to: &Addr<A>, message: M)
where
    A: Actor + Handler<M>,
    A::Context: ToEnvelope<A, M>,
    M: Message + Send,
    M::Result: Send,
{
    to.do_send(message);
}
