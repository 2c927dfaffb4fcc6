//! Where a crawl stands.

use super::wiring::Crawl;
use crate::config::BudgetOptions;
use crate::report::{BudgetKind, BudgetUse, CrawlStatus};

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
            draining,
        };
        super::seen::show(&self.seen.figures(), &board.metrics.dedup);
        status.budgets = budgets(&self.budget, &status);
        for budget in &status.budgets {
            board.metrics.crawl.budget_remaining.by(budget.budget.label()).set(1.0 - budget.fraction());
        }
        status
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
