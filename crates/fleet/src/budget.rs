//! Budgets of a whole fleet: how much of them was granted to which session, in one key that is changed by compare-and-swap.
//!
//! A session may spend what was granted to it and nothing else, so that together they never spend more than there is. It draws a slice when
//! it has used up most of the one before: as much as it needs for some seconds, but never more than its part of what is left. Whoever could
//! go on and gets nothing says that it is *hungry*, and the others give back what they do not need: so the last of it is used up, too. A
//! session that leaves settles what it has spent. One that died is taken to have spent all that it was granted: what it had not used is lost
//! to the crawl, at most its last slice.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::SessionId;
use harvestman_core::clock::Instant;

/// What budgets are of, besides time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetKind {
    /// Pages fetched with success.
    Pages,
    /// Requests.
    Requests,
    /// Bytes of bodies.
    Bytes,
}

impl BudgetKind {
    /// All of them.
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
    /// That of a kind.
    pub const fn of(&self, kind: BudgetKind) -> u64 {
        match kind {
            BudgetKind::Pages => self.pages,
            BudgetKind::Requests => self.requests,
            BudgetKind::Bytes => self.bytes,
        }
    }

    /// That of a kind, to be changed.
    pub const fn of_mut(&mut self, kind: BudgetKind) -> &mut u64 {
        match kind {
            BudgetKind::Pages => &mut self.pages,
            BudgetKind::Requests => &mut self.requests,
            BudgetKind::Bytes => &mut self.bytes,
        }
    }

    /// Of each kind what a function makes of it.
    pub fn each(mut self, change: impl Fn(BudgetKind, u64) -> u64) -> Self {
        BudgetKind::ALL.into_iter().for_each(|kind| *self.of_mut(kind) = change(kind, self.of(kind)));
        self
    }

    /// Of each kind the sum.
    pub fn plus(self, other: Self) -> Self {
        self.each(|kind, amount| amount.saturating_add(other.of(kind)))
    }
}

/// The budgets; none of a kind: no limit.
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
    /// That of a kind.
    pub const fn of(&self, kind: BudgetKind) -> Option<u64> {
        match kind {
            BudgetKind::Pages => self.pages,
            BudgetKind::Requests => self.requests,
            BudgetKind::Bytes => self.bytes,
        }
    }

    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Which budget is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExhaustedBudget {
    /// Of this kind.
    Of(BudgetKind),
    /// That of time.
    Time,
}

/// What a session says of its spending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BudgetUsage {
    /// What it may spend, since it began.
    pub allowed: Amounts,
    /// What it has spent, with what is under way.
    pub spent: Amounts,
    /// What it has spent a second lately.
    pub rate: Amounts,
    /// What it would have at least, to go at full speed.
    pub least: Amounts,
    /// Of what it needed more than it had.
    pub lacks: BTreeSet<BudgetKind>,
}

impl BudgetUsage {
    /// What it may spend yet.
    fn rest(&self, kind: BudgetKind) -> u64 {
        self.allowed.of(kind).saturating_sub(self.spent.of(kind))
    }
}

/// What a session was granted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BudgetGrant {
    /// Since it began.
    pub granted: Amounts,
    /// It could spend more of these, and there is nothing left.
    pub hungry: BTreeSet<BudgetKind>,
}

/// So many seconds of its use does a session draw at once.
const SECONDS_DRAWN: u64 = 5;

/// What the key holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    /// When the crawl began: microseconds since 1970.
    pub began: u64,
    /// What sessions that have ended have spent.
    pub settled: Amounts,
    /// The others.
    pub shares: BTreeMap<SessionId, BudgetGrant>,
    /// What ended the crawl.
    pub over: Option<ExhaustedBudget>,
}

impl Budget {
    /// That of a crawl that begins now.
    pub fn beginning(now: Instant) -> Self {
        Self { began: now.as_micros(), ..Self::default() }
    }

    /// What is granted to nobody and was spent by nobody; none without a limit.
    pub fn left(&self, kind: BudgetKind, limits: &Limits) -> Option<u64> {
        let granted = self.shares.values().map(|share| share.granted.of(kind)).fold(0, u64::saturating_add);
        Some(limits.of(kind)?.saturating_sub(self.settled.of(kind).saturating_add(granted)))
    }

    /// What a session was granted.
    pub fn granted(&self, session: &SessionId) -> Amounts {
        self.shares.get(session).map(|share| share.granted).unwrap_or_default()
    }

    /// What a session may keep, so that others who lack something get what it does not need now. As much as it has, if nobody lacks any.
    pub fn keeps(&self, session: &SessionId, limits: &Limits, said: &BudgetUsage) -> Amounts {
        said.allowed.each(|kind, allowed| {
            let rest = said.rest(kind);
            if rest == 0 || !self.is_others(kind, session, said) || self.left(kind, limits) != Some(0) {
                return allowed;
            }
            // One that uses it keeps half: it will ask for more as well.
            let kept = if said.rate.of(kind) > 0 { rest / 2 } else { 0 };
            allowed - rest + kept
        })
    }

    /// Whether others lack something, and this session does not.
    fn is_others(&self, kind: BudgetKind, session: &SessionId, said: &BudgetUsage) -> bool {
        let mut others = self.shares.iter().filter(|(other, _)| *other != session);
        !said.lacks.contains(&kind) && others.any(|(_, share)| share.hungry.contains(&kind))
    }

    /// After a session has drawn what it needs and there is, where it holds `held` now; as before where it needs nothing.
    #[must_use]
    pub fn drawn(&self, session: &SessionId, held: Amounts, limits: &Limits, said: &BudgetUsage, nodes: u64) -> Self {
        let mut new = self.clone();
        // What it spent beyond that (bytes that were under way) is gone.
        let granted =
            held.each(|kind, held| if limits.of(kind).is_some() { held.max(said.spent.of(kind)) } else { held });
        let mut share = BudgetGrant { granted, hungry: BTreeSet::new() };
        new.shares.insert(session.clone(), share.clone());
        for kind in BudgetKind::ALL {
            let Some(left) = new.left(kind, limits) else { continue };
            let rest = share.granted.of(kind) - said.spent.of(kind);
            let wanted = (said.rate.of(kind) * SECONDS_DRAWN).max(said.least.of(kind)).max(1);
            let is_low = rest < wanted.div_ceil(2) && !self.is_others(kind, session, said);
            let slice = if is_low || said.lacks.contains(&kind) {
                wanted.saturating_sub(rest).min(left.div_ceil(nodes.max(1)))
            } else {
                0
            };
            *share.granted.of_mut(kind) += slice;
            if said.lacks.contains(&kind) && rest == 0 && slice == 0 {
                share.hungry.insert(kind);
            }
        }
        new.shares.insert(session.clone(), share);
        new
    }

    /// After a session has ended that has spent so much.
    #[must_use]
    pub fn settled(&self, session: &SessionId, spent: Amounts) -> Self {
        let mut new = self.clone();
        if new.shares.remove(session).is_some() {
            new.settled = new.settled.plus(spent);
        }
        new
    }

    /// After a session has died: whether it has spent what it was granted nobody knows.
    #[must_use]
    pub fn buried(&self, session: &SessionId) -> Self {
        self.settled(session, self.granted(session))
    }

    /// Which budget is used up, if one is, when the sessions that live say that they have spent so much for good.
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

/// Who spends: the crawler of a node. What it may spend begins with nothing where there is a limit.
pub trait Spender: Send + Sync {
    /// The limits of the whole crawl, as they are set now.
    fn limits(&self) -> Limits;
    /// What it says; the rate is left to whoever asks. What it lacks is what it has lacked since it was asked last.
    fn spending(&self) -> BudgetUsage;
    /// It may spend so much from now on, if that is more than it may now.
    fn raise(&self, allowed: Amounts);
    /// It may spend no more than that from now on, but what it has spent and what is under way; what that makes.
    fn lower(&self, allowed: Amounts) -> Amounts;
    /// The crawl is over, as a budget is used up.
    fn exhausted(&self, why: ExhaustedBudget);
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
