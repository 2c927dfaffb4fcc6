//! Handling of requests that have ended.

use super::HostActor;
use crate::host::ports::DeliveredErrand;
use crate::host::reply::ErrandEnded;
use crate::host::sitemap;
use crate::host::step::{Disposition, Errand, RobotsResult};
use harvestman_core::model::{Exchange, FetchedPage, Lease};

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
