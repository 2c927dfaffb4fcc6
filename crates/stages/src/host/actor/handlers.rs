//! What each message does to a host.

use actix::{ActorContext, Context, Handler};

use super::{HostActor, Turn};
use crate::host::core::{Disposition, Errand, RobotsResult};
use crate::host::gates::Return;
use crate::host::messages::{
    ErrandBrokenOff, ErrandEnded, Grant, LetIn, NoWork, PageBrokenOff, PageEnded, Resolved, Retire, RulesChanged,
    SitemapsFound, StatusQuery, Wake,
};
use crate::host::ports::DeliveredErrand;
use crate::host::sitemap;
use crate::host::status::HostStatus;
use harvestman_core::model::Fate;

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

    fn handle(&mut self, Grant(lease): Grant, ctx: &mut Context<Self>) {
        self.taken();
        self.asked = false;
        self.setup.metrics.stage.received.inc();
        let now = self.setup.clock.now();
        let Some(core) = self.core.as_mut() else { return };
        let blocked = self.ports.registry.is_blocked(&self.key);
        let ready = core.may_send(now, &self.setup.rules.load()) && self.turn == Turn::Held;
        if blocked {
            self.setup.metrics.put_back.inc();
            self.ports.leases.put_back(lease, now);
        } else if let Some(fate) = core.refusal(&lease, now, &self.setup.rules.load()) {
            if let Some(reason) = fate.reason() {
                self.setup.metrics.stage.dropped.by(reason).inc();
            }
            if let Fate::Robots(why) = fate {
                self.setup.metrics.robots_decisions.by(why.label()).inc();
            }
            self.ports.deliveries.refuse(lease, fate);
        } else if !ready {
            // Between the question and the answer another request of this host has failed, and it must be left alone.
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

impl Handler<LetIn> for HostActor {
    type Result = ();

    fn handle(&mut self, LetIn(gate): LetIn, ctx: &mut Context<Self>) {
        self.taken();
        match self.turn {
            Turn::Waiting(number) => self.pass_gates(number + 1),
            // Another life of this host waited there.
            _ => self.ports.gates.leave(gate, &self.key, Return { delay: self.delay(), ..Return::default() }),
        }
        self.advance(ctx);
    }
}

impl Handler<Resolved> for HostActor {
    type Result = ();

    fn handle(&mut self, Resolved(ip): Resolved, ctx: &mut Context<Self>) {
        self.taken();
        if let Some(core) = self.core.as_mut() {
            core.resolved(ip);
        }
        self.advance(ctx);
    }
}

impl Handler<PageEnded> for HostActor {
    type Result = ();

    fn handle(&mut self, PageEnded { mut lease, exchange }: PageEnded, ctx: &mut Context<Self>) {
        self.taken();
        let now = self.setup.clock.now();
        let Some(core) = self.core.as_mut() else { return };
        lease.item.attempts = lease.item.attempts.saturating_add(1);
        let disposition = core.page_ended(&exchange, lease.item.attempts, now, &self.setup.rules.load());
        self.ports.registry.remember(&self.key, core.memory());
        self.come_back(Some(exchange.timings.first_byte.unwrap_or(now)));
        match disposition {
            Disposition::Final => self.ports.deliveries.deliver_page(lease, exchange),
            Disposition::Retry(not_before) => {
                self.setup.metrics.retries.inc();
                let received = exchange.result.as_ref().map_or(0, |answer| answer.body.len() as u64);
                self.ports.leases.retry(lease, not_before, received);
            }
        }
        self.advance(ctx);
    }
}

impl Handler<PageBrokenOff> for HostActor {
    type Result = ();

    fn handle(&mut self, PageBrokenOff(lease): PageBrokenOff, ctx: &mut Context<Self>) {
        self.taken();
        self.ports.leases.put_back(lease, self.setup.clock.now());
        self.broken_off(None);
        self.advance(ctx);
    }
}

impl Handler<ErrandBrokenOff> for HostActor {
    type Result = ();

    fn handle(&mut self, ErrandBrokenOff(errand): ErrandBrokenOff, ctx: &mut Context<Self>) {
        self.taken();
        self.broken_off(Some(errand));
        self.ports.leases.errand_broken_off();
        self.advance(ctx);
    }
}

impl Handler<Retire> for HostActor {
    type Result = ();

    fn handle(&mut self, _: Retire, ctx: &mut Context<Self>) {
        self.taken();
        // Where it waits, nobody expects it any more; through what it has passed it comes back, and its delay counts no longer.
        match self.turn {
            Turn::Held => self.leave_gates(usize::MAX, Return::default()),
            Turn::Waiting(number) => self.leave_gates(number, Return::default()),
            Turn::None => {}
        }
        if let Some(mut core) = self.core.take() {
            // Who holds the host from now on knows of them.
            (0..core.drop_sitemaps()).for_each(|_| self.ports.leases.errand_done());
        }
        ctx.stop();
    }
}

impl Handler<ErrandEnded> for HostActor {
    type Result = ();

    fn handle(&mut self, ErrandEnded { errand, exchange, body, permit }: ErrandEnded, ctx: &mut Context<Self>) {
        self.taken();
        let now = self.setup.clock.now();
        let Some(core) = self.core.as_mut() else { return };
        let mut is_final = true;
        match &errand {
            Errand::Robots(_) => {
                let result = core.robots_ended(&exchange, &body, now, &self.setup.rules.load());
                self.setup.metrics.robots_fetches.by(result.label()).inc();
                let robots = core.stored_robots(&result, &body);
                // The sitemaps first: none is forgotten by a run that remembers who named them.
                if let RobotsResult::Rules(sitemaps) = result {
                    self.ports.registry.sitemaps_named(sitemaps, 0);
                }
                if let Some(robots) = robots {
                    self.ports.registry.remember_robots(&self.key, &robots);
                }
                self.report_capped_delay();
            }
            Errand::Sitemap { url, nesting, attempts } => {
                let entry = sitemap::Entry { url: url.as_str().to_owned(), depth: *nesting, attempts: *attempts };
                let disposition = core.sitemap_ended(entry, &exchange, now, &self.setup.rules.load());
                is_final = disposition == Disposition::Final;
            }
        }
        self.remember();
        self.come_back(Some(exchange.timings.first_byte.unwrap_or(now)));
        let sitemap = match errand {
            Errand::Sitemap { url, nesting, .. } if is_final => Some((url, nesting)),
            _ => None,
        };
        self.ports.deliveries.deliver_errand(DeliveredErrand { sitemap, exchange, body, permit });
        self.advance(ctx);
    }
}

impl Handler<SitemapsFound> for HostActor {
    type Result = ();

    fn handle(&mut self, SitemapsFound { urls, nesting }: SitemapsFound, ctx: &mut Context<Self>) {
        self.taken();
        if let Some(core) = self.core.as_mut() {
            let taken = core.take_on_sitemaps(urls, nesting);
            // The handing-over of the sitemaps was an errand itself, so that the crawl could not end before this.
            self.ports.leases.errands_added(taken);
            self.ports.leases.errand_done();
        }
        self.advance(ctx);
    }
}
