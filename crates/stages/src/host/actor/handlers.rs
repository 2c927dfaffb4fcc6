//! The message handlers of a host actor, and the addresses through which the directory of hosts reaches running actors.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use actix::dev::ToEnvelope;
use actix::{ActorContext, Addr, Context, Handler, Message};

use super::{HostActor, Turn};
use crate::host::gates::Return;
use crate::host::health::ContentReport;
use crate::host::host_status::HostStatus;
use crate::host::ports::{
    GatePassed, Grant, HostReply, NoWork, Retire, RulesChanged, SitemapsFound, StatusQuery, WaitOver, Wake,
};
use crate::host::step::Errand;
use crate::host::subrequest::SubrequestRefusal;
use harvestman_core::model::{Failure, Fate, LinkClass};

impl Handler<Wake> for HostActor {
    type Result = ();

    fn handle(&mut self, _: Wake, ctx: &mut Context<Self>) {
        self.taken();
        self.wanted = true;
        self.advance(ctx);
    }
}

impl Handler<Grant> for HostActor {
    type Result = ();

    fn handle(&mut self, Grant(mut lease): Grant, ctx: &mut Context<Self>) {
        self.taken();
        self.asked = false;
        self.setup.metrics.stage.received.inc();
        let now = self.setup.clock.now();
        let Some(core) = self.core.as_mut() else { return };
        lease.statements = core.statements(&lease.item.url, &self.setup.rules.load());
        let blocked = self.ports.registry.is_blocked(&self.key);
        let ready = core.may_send(now, &self.setup.rules.load()) && self.turn == Turn::Held;
        if blocked {
            self.setup.metrics.put_back.inc();
            self.ports.leases.put_back(lease, now);
        } else if let Some(why) = self.ports.registry.refused_to_member(&lease.item.url) {
            self.setup.metrics.stage.dropped.by(why.label()).inc();
            self.ports.deliveries.refuse(lease, Fate::Policy(why));
        } else if let Some(fate) = core.refusal(&lease.item.url, now, &self.setup.rules.load()) {
            let fate = match fate {
                // The next recrawl plans the visit anew.
                Fate::Failed(Failure::WaitOver) if lease.item.class == LinkClass::REVISIT => {
                    Fate::Failed(Failure::HostGivenUp)
                }
                fate => fate,
            };
            if let Some(reason) = fate.reason() {
                self.setup.metrics.stage.dropped.by(reason).inc();
            }
            if let Fate::Robots(why) = fate {
                self.setup.metrics.robots_decisions.by(why.label()).inc();
            }
            self.ports.deliveries.refuse(lease, fate);
        } else if !ready {
            // Another request of this host failed between the question and the reply, so nothing may be sent now.
            self.setup.metrics.put_back.inc();
            self.ports.leases.put_back(lease, now);
        } else {
            core.started();
            self.turn = Turn::None;
            self.setup.metrics.robots_decisions.by("allowed").inc();
            self.setup.metrics.stage.sent.inc();
            self.ports.requests.fetch_page(self.request(ctx), lease);
        }
        self.advance(ctx);
    }
}

impl Handler<RulesChanged> for HostActor {
    type Result = ();

    fn handle(&mut self, RulesChanged { before }: RulesChanged, ctx: &mut Context<Self>) {
        self.taken();
        if let (Some(core), Some(before)) = (self.core.as_mut(), before) {
            core.change_pace(&before, &self.setup.rules.load());
            if let Some(group) = self.group {
                self.ports.gates.change_delay(group, &self.key, self.delay());
            }
        }
        self.advance(ctx);
    }
}

impl Handler<WaitOver> for HostActor {
    type Result = ();

    fn handle(&mut self, _: WaitOver, ctx: &mut Context<Self>) {
        self.taken();
        if let Some(core) = self.core.as_mut() {
            core.end_wait();
        }
        self.advance(ctx);
    }
}

impl Handler<ContentReport> for HostActor {
    type Result = ();

    fn handle(&mut self, report: ContentReport, ctx: &mut Context<Self>) {
        self.taken();
        let now = self.setup.clock.now();
        let Some(core) = self.core.as_mut() else { return };
        if let Some(until) = core.content_reported(&report, now, &self.setup.rules.load()) {
            tracing::warn!(
                host = self.key.as_str(),
                until = %until.timestamp(),
                "the host sends a page in place of those that are asked for: a challenge, a log-in page or a refusal; its URLs \
                 wait. See what it sends in the page log, contact its operator, log in with `fetch.cookies_file`, or crawl \
                 more slowly (`host.delay`)"
            );
        }
        self.advance(ctx);
    }
}

impl Handler<StatusQuery> for HostActor {
    type Result = Option<HostStatus>;

    fn handle(&mut self, _: StatusQuery, _: &mut Context<Self>) -> Self::Result {
        self.taken();
        let now = self.setup.clock.now();
        let status = self.core.as_ref()?.status(now, &self.setup.rules.load());
        let gate = match self.turn {
            Turn::Waiting(number) => self.gates().get(number).copied().flatten(),
            _ => None,
        };
        let opens = |gate| self.ports.gates.opens(gate).filter(|opens| *opens > now);
        Some(gate.map_or(status, |gate| status.queued(gate.reason(), opens(gate))))
    }
}

impl Handler<NoWork> for HostActor {
    type Result = ();

    fn handle(&mut self, NoWork(until): NoWork, ctx: &mut Context<Self>) {
        self.taken();
        self.asked = false;
        self.wanted = until.is_some();
        match until {
            Some(until) => {
                self.release_turn();
                self.look_again(until, ctx);
            }
            None => self.advance(ctx),
        }
    }
}

impl Handler<GatePassed> for HostActor {
    type Result = ();

    fn handle(&mut self, GatePassed(gate): GatePassed, ctx: &mut Context<Self>) {
        self.taken();
        match self.turn {
            Turn::Waiting(number) => self.pass_gates(number + 1),
            // An earlier actor of this host was queued there.
            _ => self.ports.gates.leave(gate, &self.key, Return { delay: self.delay(), ..Return::default() }),
        }
        self.advance(ctx);
    }
}

impl Handler<HostReply> for HostActor {
    type Result = ();

    fn handle(&mut self, reply: HostReply, ctx: &mut Context<Self>) {
        self.taken();
        match reply {
            HostReply::PageEnded(lease, exchange) => self.page_ended(lease, exchange),
            HostReply::PageAborted(lease) => {
                self.ports.leases.put_back(lease, self.setup.clock.now());
                self.aborted(None);
            }
            HostReply::ErrandEnded(ended) => self.errand_ended(ended),
            HostReply::ErrandAborted(errand) => {
                if let Errand::Subrequest(wanted) = &errand {
                    self.refuse(wanted.ticket, SubrequestRefusal::Aborted);
                }
                self.aborted(Some(errand));
                self.ports.leases.errand_aborted();
            }
            HostReply::Resolved(address) => {
                if let Some(core) = self.core.as_mut() {
                    core.resolved(address);
                }
            }
        }
        self.advance(ctx);
    }
}

impl Handler<Retire> for HostActor {
    type Result = ();

    fn handle(&mut self, _: Retire, ctx: &mut Context<Self>) {
        self.taken();
        // The directory removes the host from the queue of the gate at which it waits. Here it leaves the gates that it
        // has passed, with a delay of zero because its own no longer counts.
        match self.turn {
            Turn::Held => self.leave_gates(usize::MAX, Return::default()),
            Turn::Waiting(number) => self.leave_gates(number, Return::default()),
            Turn::None => {}
        }
        if let Some(mut core) = self.core.take() {
            // The new owner of the host knows of them.
            (0..core.drop_sitemaps()).for_each(|_| self.ports.leases.errand_done());
            let waiting = core.drop_subrequests();
            waiting.into_iter().for_each(|ticket| self.refuse(ticket, SubrequestRefusal::HostBlocked));
        }
        ctx.stop();
    }
}

impl Handler<SitemapsFound> for HostActor {
    type Result = ();

    fn handle(&mut self, SitemapsFound { urls, nesting }: SitemapsFound, ctx: &mut Context<Self>) {
        self.taken();
        if let Some(core) = self.core.as_mut() {
            let taken = core.take_on_sitemaps(urls, nesting);
            // Handing over the sitemaps counted as an auxiliary request itself, so that the crawl could not end before
            // this.
            self.ports.leases.errands_added(taken);
            self.ports.leases.errand_done();
        }
        self.advance(ctx);
    }
}

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
