//! Sub-requests of pages that are rendered.

use actix::{AsyncContext, Context, Handler};
use bytes::Bytes;

use super::{BUDGET_RECHECK, HostActor};
use crate::host::core::HostCore;
use crate::host::messages::{SubrequestWanted, SubrequestWithdrawn};
use crate::host::subrequest::{SubrequestRefusal, SubrequestReply};
use harvestman_core::clock::Instant;
use harvestman_core::model::{Answer, Exchange};

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
