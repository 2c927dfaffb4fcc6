//! Budgets of a whole fleet: how much was granted to which session, in one key that is changed by compare-and-swap.
//!
//! A session may spend only what was granted to it, so that all sessions together never exceed the budget. It draws a
//! slice when it has used up most of the previous one: enough for some seconds, but at most its share of what is left.
//! A session that could continue but gets nothing marks itself as *hungry*, and the others return what they do not
//! need, so that the budget is used up completely. A session that leaves settles what it has spent. A dead session
//! counts as having spent all that it was granted; what it had not used is lost to the crawl, at most its last slice.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::SessionId;
use harvestman_core::clock::Instant;

/// The kinds of budgets, besides time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetKind {
    /// Successfully fetched pages.
    Pages,
    /// Requests.
    Requests,
    /// Bytes of bodies.
    Bytes,
}

impl BudgetKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Pages, Self::Requests, Self::Bytes];
}

/// An amount of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Amounts {
    /// Pages.
    pub pages: u64,
    /// Requests.
    pub requests: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Amounts {
    /// Returns the amount of a kind.
    pub const fn of(&self, kind: BudgetKind) -> u64 {
        match kind {
            BudgetKind::Pages => self.pages,
            BudgetKind::Requests => self.requests,
            BudgetKind::Bytes => self.bytes,
        }
    }

    /// Returns the amount of a kind, mutable.
    pub const fn of_mut(&mut self, kind: BudgetKind) -> &mut u64 {
        match kind {
            BudgetKind::Pages => &mut self.pages,
            BudgetKind::Requests => &mut self.requests,
            BudgetKind::Bytes => &mut self.bytes,
        }
    }

    /// Replaces the amount of each kind by the result of a function.
    pub fn each(mut self, change: impl Fn(BudgetKind, u64) -> u64) -> Self {
        BudgetKind::ALL.into_iter().for_each(|kind| *self.of_mut(kind) = change(kind, self.of(kind)));
        self
    }

    /// Adds two amounts, kind by kind.
    pub fn plus(self, other: Self) -> Self {
        self.each(|kind, amount| amount.saturating_add(other.of(kind)))
    }
}

/// The limits of the crawl; `None` means unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Pages.
    pub pages: Option<u64>,
    /// Requests.
    pub requests: Option<u64>,
    /// Bytes.
    pub bytes: Option<u64>,
    /// Time since the crawl began.
    pub time: Option<Duration>,
}

impl Limits {
    /// Returns the limit of a kind.
    pub const fn of(&self, kind: BudgetKind) -> Option<u64> {
        match kind {
            BudgetKind::Pages => self.pages,
            BudgetKind::Requests => self.requests,
            BudgetKind::Bytes => self.bytes,
        }
    }

    /// Returns whether there is no limit at all.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// A budget that is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExhaustedBudget {
    /// The budget of this kind.
    Of(BudgetKind),
    /// The time limit.
    Time,
}

/// The budget usage of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BudgetUsage {
    /// The amounts that it may spend, since its start.
    pub allowed: Amounts,
    /// The amounts that it has spent, including what is in flight.
    pub spent: Amounts,
    /// Its recent spending per second.
    pub rate: Amounts,
    /// The minimum that it needs to work at full speed.
    pub least: Amounts,
    /// The kinds of which it needed more than it had.
    pub lacks: BTreeSet<BudgetKind>,
}

impl BudgetUsage {
    /// Returns what it may still spend.
    fn remaining(&self, kind: BudgetKind) -> u64 {
        self.allowed.of(kind).saturating_sub(self.spent.of(kind))
    }
}

/// What a session was granted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BudgetGrant {
    /// The amounts granted since its start.
    pub granted: Amounts,
    /// The kinds of which it could spend more, but nothing was left.
    pub hungry: BTreeSet<BudgetKind>,
}

/// The number of seconds of its use that a session draws at once.
const DRAW_SECONDS: u64 = 5;

/// The value of the budget key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    /// When the crawl began, in microseconds since 1970.
    pub began: u64,
    /// What ended sessions have spent.
    pub settled: Amounts,
    /// The grants of the other sessions.
    pub shares: BTreeMap<SessionId, BudgetGrant>,
    /// The budget that ended the crawl.
    pub over: Option<ExhaustedBudget>,
}

impl Budget {
    /// Creates the budget of a crawl that begins now.
    pub fn beginning(now: Instant) -> Self {
        Self { began: now.as_micros(), ..Self::default() }
    }

    /// Returns what is neither granted nor spent, or `None` without a limit.
    pub fn left(&self, kind: BudgetKind, limits: &Limits) -> Option<u64> {
        let granted = self.shares.values().map(|share| share.granted.of(kind)).fold(0, u64::saturating_add);
        Some(limits.of(kind)?.saturating_sub(self.settled.of(kind).saturating_add(granted)))
    }

    /// Returns what a session was granted.
    pub fn granted(&self, session: &SessionId) -> Amounts {
        self.shares.get(session).map(|share| share.granted).unwrap_or_default()
    }

    /// Returns what a session may retain, so that hungry sessions get what it does not need now. All of it if no
    /// session is hungry.
    pub fn retainable(&self, session: &SessionId, limits: &Limits, usage: &BudgetUsage) -> Amounts {
        usage.allowed.each(|kind, allowed| {
            let rest = usage.remaining(kind);
            if rest == 0 || !self.others_are_hungry(kind, session, usage) || self.left(kind, limits) != Some(0) {
                return allowed;
            }
            // A session that uses the budget keeps half: it will ask for more, too.
            let retained = if usage.rate.of(kind) > 0 { rest / 2 } else { 0 };
            allowed - rest + retained
        })
    }

    /// Returns whether another session is hungry and this one is not.
    fn others_are_hungry(&self, kind: BudgetKind, session: &SessionId, usage: &BudgetUsage) -> bool {
        let mut others = self.shares.iter().filter(|(other, _)| *other != session);
        !usage.lacks.contains(&kind) && others.any(|(_, share)| share.hungry.contains(&kind))
    }

    /// Returns the budget after a session has drawn what it needs and is available, where it holds `held` now.
    /// Unchanged if it needs nothing.
    #[must_use]
    pub fn with_draw(
        &self,
        session: &SessionId,
        held: Amounts,
        limits: &Limits,
        usage: &BudgetUsage,
        nodes: u64,
    ) -> Self {
        let mut new = self.clone();
        // What it overspent (bytes that were in flight) is gone.
        let granted =
            held.each(|kind, held| if limits.of(kind).is_some() { held.max(usage.spent.of(kind)) } else { held });
        let mut share = BudgetGrant { granted, hungry: BTreeSet::new() };
        new.shares.insert(session.clone(), share.clone());
        for kind in BudgetKind::ALL {
            let Some(left) = new.left(kind, limits) else { continue };
            let rest = share.granted.of(kind) - usage.spent.of(kind);
            let wanted = (usage.rate.of(kind) * DRAW_SECONDS).max(usage.least.of(kind)).max(1);
            let is_low = rest < wanted.div_ceil(2) && !self.others_are_hungry(kind, session, usage);
            let slice = if is_low || usage.lacks.contains(&kind) {
                wanted.saturating_sub(rest).min(left.div_ceil(nodes.max(1)))
            } else {
                0
            };
            *share.granted.of_mut(kind) += slice;
            if usage.lacks.contains(&kind) && rest == 0 && slice == 0 {
                share.hungry.insert(kind);
            }
        }
        new.shares.insert(session.clone(), share);
        new
    }

    /// Returns the budget after a session has ended that spent this much.
    #[must_use]
    pub fn with_settlement(&self, session: &SessionId, spent: Amounts) -> Self {
        let mut new = self.clone();
        if new.shares.remove(session).is_some() {
            new.settled = new.settled.plus(spent);
        }
        new
    }

    /// Returns the budget after a session has died, whose whole grant counts as spent.
    #[must_use]
    pub fn with_dead(&self, session: &SessionId) -> Self {
        self.with_settlement(session, self.granted(session))
    }

    /// Returns the budget that is used up, if any. `spent` gives what each live session has definitely spent.
    pub fn used_up(
        &self,
        limits: &Limits,
        now: Instant,
        spent: impl Fn(&SessionId) -> Amounts,
    ) -> Option<ExhaustedBudget> {
        let all = self.shares.keys().map(spent).fold(self.settled, Amounts::plus);
        let is_spent = |kind: &BudgetKind| limits.of(*kind).is_some_and(|limit| all.of(*kind) >= limit);
        let is_late = limits.time.is_some_and(|time| now >= Instant::from_micros(self.began) + time);
        BudgetKind::ALL.into_iter().find(is_spent).map(ExhaustedBudget::Of).or(is_late.then_some(ExhaustedBudget::Time))
    }
}

/// The crawler of a node, as a spender of budgets. Where there is a limit, its allowance begins at zero.
pub trait Spender: Send + Sync {
    /// Returns the current limits of the whole crawl.
    fn limits(&self) -> Limits;
    /// Returns the usage without its rate, which the caller measures. What it lacks is what it has lacked since the
    /// last call.
    fn spending(&self) -> BudgetUsage;
    /// Raises the allowance to this amount, if that is more than the current one.
    fn raise(&self, allowed: Amounts);
    /// Lowers the allowance to this amount, but not below what is spent and in flight. Returns the new allowance.
    fn lower(&self, allowed: Amounts) -> Amounts;
    /// Ends the crawl because a budget is used up.
    fn exhausted(&self, why: ExhaustedBudget);
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
