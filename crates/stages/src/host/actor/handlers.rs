//! The message handlers of a host actor.

use actix::{ActorContext, Context, Handler};

use super::{HostActor, Turn};
use crate::host::content_report::ContentReport;
use crate::host::gates::Return;
use crate::host::messages::{
    GatePassed, Grant, NoWork, Retire, RulesChanged, SitemapsFound, StatusQuery, WaitOver, Wake,
};
use crate::host::reply::HostReply;
use crate::host::status::HostStatus;
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
