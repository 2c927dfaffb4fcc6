//! The sitemaps of a host: those that are named, and the one at the usual place.

use super::HostCore;
use crate::host::rules::HostRules;
use crate::host::sitemap::{self, SITEMAP_PATH};
use crate::host::step::Disposition;
use harvestman_core::clock::Instant;
use harvestman_core::model::Exchange;
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

#[cfg(test)]
#[path = "sitemaps_tests.rs"]
mod tests;
