//! The sub-requests of a host.

use super::HostCore;
use crate::host::rules::HostRules;
use crate::host::step::Disposition;
use crate::host::subrequest::{Subrequest, SubrequestRefusal};
use harvestman_core::clock::Instant;
use harvestman_core::model::{Exchange, Fate, RobotsRefusal};

impl HostCore {
    /// Queues a sub-request.
    ///
    /// # Errors
    /// Too many wait already.
    pub fn want_subrequest(&mut self, wanted: Subrequest) -> Result<(), SubrequestRefusal> {
        if self.subrequests.add(wanted) { Ok(()) } else { Err(SubrequestRefusal::Busy) }
    }

    /// Returns whether sub-requests wait.
    pub fn has_subrequests(&self) -> bool {
        !self.subrequests.is_empty()
    }

    /// Removes a sub-request that is no longer wanted. Returns whether it waited.
    pub fn withdraw_subrequest(&mut self, ticket: u64) -> bool {
        self.subrequests.remove(ticket)
    }

    /// Removes and returns the first sub-request if it may not be sent, with the reason. To be called until it returns
    /// `None`: then the first one may be sent, unless robots.txt is to be fetched before.
    pub fn refuse_subrequest(&mut self, now: Instant, rules: &HostRules) -> Option<(u64, SubrequestRefusal)> {
        let first = self.subrequests.first()?;
        let why = self.refusal(&first.url, now, rules)?;
        if first.is_named_by_user() && matches!(why, Fate::Robots(RobotsRefusal::Disallowed) | Fate::RefusedBySite(_)) {
            return None;
        }
        self.subrequests.take().map(|refused| (refused.ticket, why.into()))
    }

    /// Removes all sub-requests that wait. Returns their tickets.
    pub fn drop_subrequests(&mut self) -> Vec<u64> {
        std::iter::from_fn(|| self.subrequests.take()).map(|dropped| dropped.ticket).collect()
    }

    /// Records the end of a sub-request that was sent, and decides whether it is sent again. If so it is queued.
    pub fn subrequest_ended(
        &mut self,
        sent: &Subrequest,
        exchange: &Exchange,
        now: Instant,
        rules: &HostRules,
    ) -> Disposition {
        let Some(wanted) = self.subrequests.end(sent) else {
            self.record_end(exchange, now, &rules.politeness);
            return Disposition::Final;
        };
        if wanted.body().is_some() {
            // Nobody knows whether it was processed.
            self.record_end(exchange, now, &rules.politeness);
            return Disposition::Final;
        }
        let disposition = self.page_ended(exchange, wanted.attempts(), now, rules);
        if disposition != Disposition::Final {
            self.subrequests.put_back(wanted);
        }
        disposition
    }
}

#[cfg(test)]
mod tests;
