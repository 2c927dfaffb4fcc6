//! Where a crawl stands.

use super::crawl::Crawl;
use super::recrawl::RecrawlHandle;
use harvestman_core::clock::Instant;
use harvestman_core::config::BudgetOptions;
use harvestman_metrics::{HostMetrics, RecrawlMetrics};
use harvestman_report::{BudgetKind, BudgetUse, CrawlStatus, HostWait, InForce, RecrawlFigures, Waits};
use harvestman_stages::host::WaitReason;

impl Crawl {
    /// A snapshot of the running crawl.
    pub(super) fn status(&self, draining: bool) -> CrawlStatus {
        let ledger = self.ledger.lock().clone();
        let board = &self.lines.0;
        let (statuses, errors) = board.fetching.tally.totals();
        let (open, leased) = (ledger.open(), board.allowance.leases());
        let mut status = CrawlStatus {
            elapsed: self.clock.now().since(self.started),
            pages: ledger.pages(),
            bytes: ledger.bytes(),
            requests: ledger.requests(),
            queued: open.saturating_sub(leased),
            leased,
            hosts: board.hosts.len() as u64,
            discovered: ledger.discovered(),
            fates: (&ledger.fates(open)).into(),
            errors,
            statuses,
            traps: self.traps.traps(),
            budgets: Vec::new(),
            outlook: board.allowance.outlook(),
            recrawl: board.recrawl.get().map(RecrawlHandle::figures),
            draining,
            paused: false,
            waits: self.waits(),
            stall: None,
            in_force: InForce::default(),
            fleet: self.standing.lock().clone(),
        };
        status.budgets = budgets(&self.told.config().budget, &status);
        status.in_force = self.told.in_force();
        status
    }

    /// Sets the metrics that nobody counts as it happens.
    pub(super) fn show(&self, status: &CrawlStatus) {
        let metrics = &self.lines.0.metrics;
        if !metrics.is_on() {
            return;
        }
        super::seen::show(&self.seen.figures(), &metrics.dedup);
        for budget in &status.budgets {
            metrics.crawl.budget_remaining.by(budget.budget.label()).set(1.0 - budget.fraction());
        }
        metrics.crawl.paused.set(u64::from(status.paused));
        metrics.crawl.stopping.set(u64::from(status.draining));
        metrics.policy.banned.set(status.in_force.banned.len() as u64);
        metrics.policy.pinned.set(status.in_force.pinned.len() as u64);
        metrics.host.blocked.set(status.in_force.blocked.len() as u64);
        if let Ok(disk) = rustix::fs::statvfs(&self.directory) {
            metrics.archive.free_bytes.set(disk.f_bavail.saturating_mul(disk.f_frsize));
        }
        self.show_waits(&metrics.host);
        if let Some(figures) = &status.recrawl {
            show_recrawl(figures, &metrics.recrawl);
        }
    }

    fn show_waits(&self, metrics: &HostMetrics) {
        let waits = self.lines.0.waits.lock();
        let causes =
            [WaitReason::BackOff, WaitReason::Breaker, WaitReason::Robots, WaitReason::Blocked, WaitReason::Group];
        for cause in causes {
            metrics.waiting.by(cause.label()).set(waits.values().filter(|(_, why)| *why == cause).count() as u64);
        }
    }
}

fn show_recrawl(figures: &RecrawlFigures, metrics: &RecrawlMetrics) {
    metrics.known.set(figures.known);
    metrics.expected.set(figures.expected.round() as u64);
    metrics.new_pages.raise_to(figures.new_pages);
    let RecrawlFigures { changed, not_modified, same, gone, failed, .. } = figures;
    let outcomes =
        [("changed", changed), ("not_modified", not_modified), ("same", same), ("gone", gone), ("failed", failed)];
    outcomes.into_iter().for_each(|(outcome, count)| metrics.visits.by(outcome).raise_to(*count));
}

/// Hosts that are named in a status at most.
const WAITS_MAX: usize = 20;

impl Crawl {
    /// The hosts that are left alone now, those that go on soonest first.
    fn waits(&self) -> Waits {
        let now = self.clock.now();
        let mut waits = self.lines.0.waits.lock();
        waits.retain(|_, (until, _)| *until > now);
        let is_blocked = |(_, why): &(Instant, WaitReason)| *why == WaitReason::Blocked;
        let blocked = waits.values().filter(|wait| is_blocked(wait)).count() as u64;
        let others = waits.iter().filter(|(_, wait)| !is_blocked(wait));
        let mut all: Vec<_> = others.map(|(host, (until, why))| (*until, host, why.label())).collect();
        all.sort_unstable();
        let named = all.iter().take(WAITS_MAX).map(|(until, host, reason)| HostWait {
            host: host.to_string(),
            reason: (*reason).into(),
            until: until.timestamp().to_string(),
            seconds: until.since(now).as_secs_f64().ceil() as u64,
        });
        Waits { hosts: all.len() as u64, first: named.collect(), blocked }
    }
}

fn budgets(options: &BudgetOptions, status: &CrawlStatus) -> Vec<BudgetUse> {
    let all = [
        (BudgetKind::Pages, status.pages, options.pages),
        (BudgetKind::Bytes, status.bytes, options.bytes.0),
        (BudgetKind::Time, status.elapsed.as_secs(), options.time.0.as_secs()),
        (BudgetKind::Requests, status.requests, options.requests),
    ];
    let set = all.into_iter().filter(|(_, _, limit)| *limit > 0);
    set.map(|(budget, used, limit)| BudgetUse { budget, used, limit }).collect()
}
