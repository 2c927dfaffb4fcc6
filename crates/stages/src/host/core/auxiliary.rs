//! Requests of a host besides those for pages: sitemaps (those that are named, and the one at the usual place) and
//! sub-requests.

use super::HostCore;
use crate::host::host_rules::HostRules;
use crate::host::sitemap::{self, SITEMAP_PATH};
use crate::host::step::Disposition;
use crate::host::subrequest::{Subrequest, SubrequestRefusal};
use harvestman_core::clock::Instant;
use harvestman_core::model::{Exchange, Fate, RobotsRefusal};
use harvestman_core::url::CanonicalUrl;

impl HostCore {
    /// Returns the URL of the sitemap at the usual place if it is to be requested: robots.txt is known, names no
    /// sitemap, and does not forbid it.
    pub fn sitemap_guess(&self, now: Instant, rules: &HostRules) -> Option<String> {
        let url = self.usual_sitemap();
        let allowed = || self.refusal(&CanonicalUrl::from_canonical(url.as_str()), now, rules).is_none();
        (self.robots.wants_sitemap_guess() && allowed()).then_some(url)
    }

    /// Removes the sitemap to fetch next if it was guessed, and robots.txt forbids it by now. Returns whether it did.
    pub fn drop_forbidden_guess(&mut self, now: Instant, rules: &HostRules) -> bool {
        let guess = self.sitemaps.first().filter(|entry| self.is_guess(&entry.url));
        let url = guess.map(|entry| CanonicalUrl::from_canonical(entry.url.as_str()));
        let refused = url.is_some_and(|url| self.refusal(&url, now, rules).is_some());
        refused && self.sitemaps.take().is_some()
    }

    /// Records the end of a sitemap request, and queues the sitemap again where a page would be retried. A guess is
    /// requested once.
    pub fn sitemap_ended(
        &mut self,
        entry: sitemap::Entry,
        exchange: &Exchange,
        now: Instant,
        rules: &HostRules,
    ) -> Disposition {
        if self.is_guess(&entry.url) {
            self.record_end(exchange, now, &rules.politeness);
            return Disposition::Final;
        }
        let entry = sitemap::Entry { attempts: entry.attempts.saturating_add(1), ..entry };
        let disposition = self.page_ended(exchange, entry.attempts, now, rules);
        if disposition != Disposition::Final {
            self.sitemaps.put_back(entry);
        }
        disposition
    }

    /// Queues the sitemaps that are new and within the limits. Returns their number.
    pub fn take_on_sitemaps(&mut self, urls: Vec<String>, nesting: u32) -> u32 {
        urls.into_iter().map(|url| u32::from(self.sitemaps.add(url, nesting))).sum()
    }

    /// Drops the sitemaps that are still queued, because they cannot be fetched. Returns their number.
    pub fn drop_sitemaps(&mut self) -> u32 {
        std::iter::from_fn(|| self.sitemaps.take()).map(|_| 1).sum()
    }

    fn is_guess(&self, url: &str) -> bool {
        self.robots.wants_sitemap_guess() && url == self.usual_sitemap()
    }

    fn usual_sitemap(&self) -> String {
        format!("{}{SITEMAP_PATH}", self.key)
    }
}

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
#[path = "sitemaps_tests.rs"]
mod sitemaps_tests;

#[cfg(test)]
#[path = "subrequests_tests.rs"]
mod subrequests_tests;
