//! The minimal crawler as a spender of a budget of requests.

use super::Toy;
use crate::budget::{Amounts, BudgetKind, BudgetUsage, ExhaustedBudget, Limits, Spender};

fn requests(requests: u64) -> Amounts {
    Amounts { requests, ..Amounts::default() }
}

impl Spender for Toy {
    fn limits(&self) -> Limits {
        Limits { requests: self.limit, ..Limits::default() }
    }

    fn spending(&self) -> BudgetUsage {
        let mut inner = self.inner.lock();
        let lacks = std::mem::take(&mut inner.lacks).then_some(BudgetKind::Requests).into_iter().collect();
        let (allowed, spent) = (requests(inner.allowed), requests(inner.ledger.requests()));
        BudgetUsage { allowed, spent, least: requests(4), lacks, ..BudgetUsage::default() }
    }

    fn raise(&self, allowed: Amounts) {
        let mut inner = self.inner.lock();
        inner.allowed = inner.allowed.max(allowed.requests);
        drop(inner);
        self.changed.raise();
    }

    fn lower(&self, allowed: Amounts) -> Amounts {
        let mut inner = self.inner.lock();
        inner.allowed = inner.allowed.min(allowed.requests.max(inner.ledger.requests()));
        requests(inner.allowed)
    }

    fn exhausted(&self, _: ExhaustedBudget) {
        self.lower(Amounts::default());
    }
}
