//! A node's share of its fleet's budgets.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::Error;
use crate::handles::FrontierHandle;
use harvestman_core::clock::{Clock, Instant};
use harvestman_fleet::budget::{Amounts, Budget, BudgetKind, BudgetUsage, ExhaustedBudget, Limits, Spender};
use harvestman_fleet::bus::{Bus, BusError, KeyValue};
use harvestman_fleet::node::records::{self, BUDGET};
use harvestman_fleet::retry::retry;
use harvestman_stages::frontier::{Allowance, Control, EndReason, SpentBudgets};

/// The minimum number of bytes that a node is granted, if bytes are limited.
const BYTES_LEAST: u64 = 4 << 20;

/// The maximum number of attempts at a change that conflicts with others.
const ATTEMPTS: u32 = 16;

/// The budget share of a node's crawl.
pub(super) struct BudgetShare {
    frontier: FrontierHandle,
    /// When this session began; the crawl's time limit counts from here.
    started: Instant,
    /// The maximum number of leases out at once.
    in_flight_max: u64,
}

impl BudgetShare {
    pub(super) fn new(frontier: FrontierHandle, started: Instant, in_flight_max: u32) -> Arc<Self> {
        Arc::new(Self { frontier, started, in_flight_max: u64::from(in_flight_max) })
    }

    fn allowance(&self) -> &Allowance {
        self.frontier.allowance()
    }
}

fn amounts(SpentBudgets { pages, requests, bytes }: SpentBudgets) -> Amounts {
    Amounts { pages, requests, bytes }
}

fn spent(Amounts { pages, requests, bytes }: Amounts) -> SpentBudgets {
    SpentBudgets { pages, requests, bytes }
}

impl Spender for BudgetShare {
    fn limits(&self) -> Limits {
        let budgets = self.allowance().budgets();
        let time = budgets.until.map(|until| until.since(self.started));
        Limits { pages: budgets.pages, requests: budgets.requests, bytes: budgets.bytes, time }
    }

    fn spending(&self) -> BudgetUsage {
        let (share, spent) = self.allowance().share();
        let lacks = [
            (BudgetKind::Pages, share.shortages.pages),
            (BudgetKind::Requests, share.shortages.requests),
            (BudgetKind::Bytes, share.shortages.bytes),
        ];
        let lacks: BTreeSet<BudgetKind> = lacks.into_iter().filter(|(_, lacks)| *lacks).map(|(kind, _)| kind).collect();
        let least = Amounts { pages: self.in_flight_max, requests: self.in_flight_max * 2, bytes: BYTES_LEAST };
        BudgetUsage { allowed: amounts(share.allowed), spent: amounts(spent), least, lacks, ..BudgetUsage::default() }
    }

    fn raise(&self, allowed: Amounts) {
        if self.allowance().raise(spent(allowed)) {
            self.frontier.send(Control::Look);
        }
    }

    fn lower(&self, allowed: Amounts) -> Amounts {
        amounts(self.allowance().lower(spent(allowed)))
    }

    fn exhausted(&self, why: ExhaustedBudget) {
        self.frontier.send(Control::End(match why {
            ExhaustedBudget::Of(BudgetKind::Pages) => EndReason::Pages,
            ExhaustedBudget::Of(BudgetKind::Requests) => EndReason::Requests,
            ExhaustedBudget::Of(BudgetKind::Bytes) => EndReason::Bytes,
            ExhaustedBudget::Time => EndReason::Time,
        }));
    }
}

/// Reopens a crawl whose budget was used up; it ends again if that is still so.
pub(super) async fn reopen(bus: &dyn Bus, clock: &Clock) -> Result<(), Error> {
    let wrong = |error: &dyn std::fmt::Display| Error::Configuration(format!("the fleet's budgets: {error}"));
    for _ in 0..ATTEMPTS {
        let Some(held) = retry(clock, || bus.get(BUDGET)).await.map_err(|error| wrong(&error))? else {
            return Ok(());
        };
        let budget: Budget = records::read(&held.value.unwrap_or_default()).map_err(|error| wrong(&error))?;
        if budget.over.is_none() {
            return Ok(());
        }
        let value = records::written(&Budget { over: None, ..budget });
        match retry(clock, || bus.update(BUDGET, value.clone(), held.revision)).await {
            Err(BusError::Conflict) => {}
            written => return written.map(drop).map_err(|error| wrong(&error)),
        }
    }
    Err(wrong(&"they change all the time; try again"))
}

/// Returns the error of a node that tries to join a crawl whose budget is used up.
pub(super) fn is_used_up(name: &str, why: ExhaustedBudget) -> Error {
    let setting = match why {
        ExhaustedBudget::Of(BudgetKind::Pages) => "pages",
        ExhaustedBudget::Of(BudgetKind::Requests) => "requests",
        ExhaustedBudget::Of(BudgetKind::Bytes) => "bytes",
        ExhaustedBudget::Time => "time",
    };
    Error::Configuration(format!(
        "the fleet's crawl `{name}` has used up its budget of {setting}; `harvestman fleet join SERVERS --resume \
         --set budget.{setting}=…` resumes it with a larger one"
    ))
}

/// Returns which budget of the fleet's crawl is used up, if one is.
pub(super) fn used_up(held: Option<KeyValue>) -> Result<Option<ExhaustedBudget>, Error> {
    let Some(value) = held.and_then(|held| held.value) else { return Ok(None) };
    let budget: Result<Budget, _> = records::read(&value);
    let wrong = |error| Error::Configuration(format!("the fleet's budgets: {error}"));
    budget.map(|budget| budget.over).map_err(wrong)
}
