//! Handling of requests that have ended, and of sub-requests of pages that are rendered.

use actix::{AsyncContext, Context, Handler};
use bytes::Bytes;

use super::{BUDGET_RECHECK, HostActor};
use crate::host::core::HostCore;
use crate::host::ports::{DeliveredErrand, ErrandEnded, SubrequestWanted, SubrequestWithdrawn};
use crate::host::sitemap;
use crate::host::step::{Disposition, Errand, RobotsResult};
use crate::host::subrequest::{SubrequestRefusal, SubrequestReply};
use harvestman_core::clock::Instant;
use harvestman_core::model::{Answer, Exchange, FetchedPage, Lease};

impl HostActor {
    /// Records the end of a page's request, and delivers the page or has it retried.
    pub(super) fn page_ended(&mut self, mut lease: Lease, exchange: Exchange) {
        let now = self.setup.clock.now();
        let Some(core) = self.core.as_mut() else { return };
        lease.item.attempts = lease.item.attempts.saturating_add(1);
        let disposition = core.page_ended(&exchange, lease.item.attempts, now, &self.setup.rules.load());
        self.ports.registry.remember(&self.key, core.memory());
        self.come_back(Some(exchange.timings.first_byte.unwrap_or(now)));
        match disposition {
            Disposition::Final => self.ports.deliveries.deliver_page(FetchedPage { lease, exchange }),
            Disposition::Retry(not_before) => {
                self.setup.metrics.retries.inc();
                let received = exchange.result.as_ref().map_or(0, |answer| answer.body.len() as u64);
                self.ports.leases.retry(lease, not_before, received);
            }
        }
    }

    /// Records the end of an auxiliary request, and delivers its result.
    pub(super) fn errand_ended(&mut self, ErrandEnded { errand, exchange, body, permit }: ErrandEnded) {
        let now = self.setup.clock.now();
        let Some(core) = self.core.as_mut() else { return };
        let mut is_final = true;
        match &errand {
            Errand::Robots(_) => {
                let result = core.robots_ended(&exchange, &body, now, &self.setup.rules.load());
                self.setup.metrics.robots_fetches.by(result.label()).inc();
                let robots = core.stored_robots(&result, &body);
                // The sitemaps first: once robots.txt is recorded, another run would not fetch it again to find them.
                let guess = core.sitemap_guess(now, &self.setup.rules.load());
                let mut sitemaps = if let RobotsResult::Rules(named) = result { named } else { Vec::new() };
                sitemaps.extend(guess);
                if !sitemaps.is_empty() {
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
            Errand::Tdmrep(_) => core.tdmrep_ended(&exchange, &body, now, &self.setup.rules.load()),
            Errand::Subrequest(wanted) => {
                let disposition = core.subrequest_ended(wanted, &exchange, now, &self.setup.rules.load());
                is_final = disposition == Disposition::Final;
                if is_final {
                    self.reply(wanted.ticket, &exchange, &body);
                } else {
                    self.setup.metrics.retries.inc();
                }
            }
        }
        self.remember();
        self.come_back(Some(exchange.timings.first_byte.unwrap_or(now)));
        let is_archived = !matches!(&errand, Errand::Subrequest(wanted) if wanted.is_of_log_in());
        let (sitemap, announced) = match errand {
            Errand::Sitemap { url, nesting, .. } if is_final => (Some((url, nesting)), true),
            Errand::Subrequest(_) => (None, is_final),
            Errand::Robots(_) | Errand::Sitemap { .. } | Errand::Tdmrep(_) => (None, false),
        };
        let delivered = DeliveredErrand { sitemap, announced, is_archived, exchange, body, permit };
        self.ports.deliveries.deliver_errand(delivered);
    }
}

impl Handler<SubrequestWanted> for HostActor {
    type Result = ();

    fn handle(&mut self, SubrequestWanted(wanted): SubrequestWanted, ctx: &mut Context<Self>) {
        self.taken();
        let ticket = wanted.ticket;
        let queued = self.core.as_mut().ok_or(SubrequestRefusal::HostBlocked);
        match queued.and_then(|core| core.want_subrequest(wanted)) {
            Ok(()) => self.watch_end(ctx),
            Err(why) => self.refuse(ticket, why),
        }
        self.advance(ctx);
    }
}

impl Handler<SubrequestWithdrawn> for HostActor {
    type Result = ();

    fn handle(&mut self, SubrequestWithdrawn(ticket): SubrequestWithdrawn, ctx: &mut Context<Self>) {
        self.taken();
        if self.core.as_mut().is_some_and(|core| core.withdraw_subrequest(ticket)) {
            self.ports.leases.errand_done();
        }
        self.advance(ctx);
    }
}

impl HostActor {
    /// Refuses a sub-request.
    pub(super) fn refuse(&self, ticket: u64, why: SubrequestRefusal) {
        self.ports.subrequests.answer(ticket, SubrequestReply::Refused(why));
        self.ports.leases.errand_done();
    }

    /// Refuses all sub-requests that wait.
    pub(super) fn refuse_all(&mut self, why: SubrequestRefusal) {
        let waiting = self.core.as_mut().map(HostCore::drop_subrequests).unwrap_or_default();
        waiting.into_iter().for_each(|ticket| self.refuse(ticket, why));
    }

    /// Refuses the sub-requests that may not be sent, up to the first that may.
    pub(super) fn refuse_forbidden(&mut self, now: Instant) {
        if !self.has_subrequests() {
            return;
        }
        if self.ports.registry.is_blocked(&self.key) {
            self.refuse_all(SubrequestRefusal::HostBlocked);
        }
        let rules = self.setup.rules.load();
        while let Some((ticket, why)) = self.core.as_mut().and_then(|core| core.refuse_subrequest(now, &rules)) {
            self.refuse(ticket, why);
        }
    }

    /// Replies to a sub-request that was sent. Whether it is recorded too is not waited for.
    pub(super) fn reply(&self, ticket: u64, exchange: &Exchange, body: &Bytes) {
        let reply = match &exchange.result {
            Ok(answer) => {
                // The caller may keep the answer for long, and others wait for the place of a large body.
                let answer = Answer { reservation: None, ..answer.clone() };
                let Exchange { url, request_headers, signature, timings, .. } = exchange;
                let (url, request_headers) = (url.clone(), request_headers.clone());
                let (signature, timings) = (*signature, *timings);
                let exchange = Box::new(Exchange { url, request_headers, signature, result: Ok(answer), timings });
                SubrequestReply::Answered { exchange, body: body.clone() }
            }
            Err(failure) => SubrequestReply::Refused(SubrequestRefusal::Failed(*failure)),
        };
        self.ports.subrequests.answer(ticket, reply);
    }

    fn has_subrequests(&self) -> bool {
        self.core.as_ref().is_some_and(HostCore::has_subrequests)
    }

    /// Checks at intervals, as long as sub-requests wait, whether the crawl is over: none of them may wait for the end
    /// of a pause of the host then.
    fn watch_end(&mut self, ctx: &mut Context<Self>) {
        if self.watch.is_some() {
            return;
        }
        self.watch = Some(ctx.run_interval(BUDGET_RECHECK, |actor, ctx| {
            if actor.has_subrequests() && actor.ports.requests.is_over() {
                actor.refuse_all(SubrequestRefusal::Budget);
                actor.advance(ctx);
            }
            if !actor.has_subrequests()
                && let Some(watch) = actor.watch.take()
            {
                ctx.cancel_future(watch);
            }
        }));
    }
}
