//! Where a crawl stands.

use super::crawl::Crawl;
use super::recrawl::RecrawlPort;
use crate::clock::Instant;
use crate::config::BudgetOptions;
use crate::host::WaitReason;
use crate::report::{BudgetKind, BudgetUse, CrawlStatus, HostWait, InForce, Waits};

impl Crawl {
    /// A snapshot of the running crawl.
    pub(super) fn status(&self, draining: bool) -> CrawlStatus {
        let ledger = self.ledger.lock().clone();
        let board = &self.lines.0;
        let (statuses, errors) = board.fetching.tally.totals();
        let open = ledger.open();
        let mut status = CrawlStatus {
            elapsed: self.clock.now().since(self.started),
            pages: ledger.pages(),
            bytes: ledger.bytes(),
            requests: ledger.requests(),
            queued: open.saturating_sub(board.metrics.frontier.leased.get().unsigned_abs()),
            leased: board.metrics.frontier.leased.get().unsigned_abs(),
            hosts: board.hosts.len() as u64,
            discovered: ledger.discovered(),
            fates: ledger.fates(open),
            errors,
            statuses,
            traps: self.traps.traps(),
            budgets: Vec::new(),
            outlook: board.allowance.outlook(),
            recrawl: board.recrawl.get().map(RecrawlPort::figures),
            draining,
            paused: false,
            waits: self.waits(),
            stall: None,
            in_force: InForce::default(),
        };
        super::seen::show(&self.seen.figures(), &board.metrics.dedup);
        status.budgets = budgets(&self.told.config().budget, &status);
        status.in_force = self.told.in_force();
        for budget in &status.budgets {
            board.metrics.crawl.budget_remaining.by(budget.budget.label()).set(1.0 - budget.fraction());
        }
        status
    }
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
            reason,
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
