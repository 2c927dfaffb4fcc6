//! Draws this session's grants from the fleet's budgets, returns what it does not need, and, while it leads, settles
//! for dead sessions and detects an exhausted budget.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::bus_client::SwapOutcome;
use super::context::NodeContext;
use super::records::{self, BUDGET, SessionRecord, session_key};
use crate::SessionId;
use crate::budget::{Amounts, Budget, BudgetKind, BudgetUsage, Spender};
use harvestman_core::clock::Instant;

/// The polling interval. Each poll changes the key at most once.
const POLL_EVERY: Duration = Duration::from_millis(500);

/// State kept between two polls.
#[derive(Default)]
struct BudgetTracker {
    /// The amounts spent at the last poll, and its time.
    last: Option<(Instant, Amounts)>,
    rate: Amounts,
    /// The budgets that were short at the last poll.
    lacked: BTreeSet<BudgetKind>,
    /// Since when sessions with a grant are no longer alive.
    gone: BTreeMap<SessionId, Instant>,
}

pub(super) async fn spend(context: Arc<NodeContext>) {
    let Some(spender) = context.spender.clone() else { return };
    let mut tracker = BudgetTracker::default();
    loop {
        let (is_limited, is_leaving) = (!spender.limits().is_none(), context.is_leaving());
        if is_limited && !is_leaving && context.may_act() {
            let over = context.view.lock().budget.as_ref().and_then(|(budget, _)| budget.over);
            match over {
                Some(why) => spender.exhausted(why),
                None => {
                    draw(&context, &*spender, &mut tracker).await;
                    if context.view.lock().leader() == Some(&context.session) {
                        lead(&context, &*spender, &mut tracker).await;
                    }
                }
            }
        }
        context.clock.sleep(POLL_EVERY).await;
    }
}

impl BudgetTracker {
    /// Returns the crawler's usage, with its rate since the last poll or half of the previous rate, whichever is
    /// higher.
    fn usage(&mut self, spender: &dyn Spender, now: Instant) -> BudgetUsage {
        let said = spender.spending();
        if let Some((then, before)) = self.last.filter(|(then, _)| now > *then) {
            let seconds = now.since(then).as_secs_f64();
            let recent =
                |kind: BudgetKind| (said.spent.of(kind).saturating_sub(before.of(kind)) as f64 / seconds).ceil() as u64;
            self.rate = self.rate.each(|kind, rate| recent(kind).max(rate / 2));
        }
        self.last = Some((now, said.spent));
        // A shortage may be noticed less often than this is polled, so the last one still counts.
        let before = std::mem::replace(&mut self.lacked, said.lacks.clone());
        let mut lacks: BTreeSet<BudgetKind> = said.lacks.union(&before).copied().collect();
        lacks.retain(|kind| said.spent.of(*kind) >= said.allowed.of(*kind));
        BudgetUsage { rate: self.rate, lacks, ..said }
    }
}

fn known(context: &NodeContext) -> (Budget, Option<u64>) {
    match context.view.lock().budget.clone() {
        Some((budget, revision)) => (budget, Some(revision)),
        None => (Budget::beginning(context.clock.now()), None),
    }
}

/// Draws from the budget and returns the surplus. The crawler's allowance is lowered before the key changes and raised
/// afterwards.
async fn draw(context: &NodeContext, spender: &dyn Spender, tracker: &mut BudgetTracker) {
    let _turn = context.spending.lock().await;
    if context.is_leaving() {
        return;
    }
    let (limits, mut said) = (spender.limits(), tracker.usage(spender, context.clock.now()));
    let nodes = context.view.lock().nodes().len() as u64;
    let (mut budget, mut revision) = known(context);
    // The allowance may be below the granted amount, never above. What was returned is not counted as held again.
    let retainable = budget.retainable(&context.session, &limits, &said);
    let has_surplus = |kind: BudgetKind| retainable.of(kind) < said.allowed.of(kind);
    let given: Vec<BudgetKind> = BudgetKind::ALL.into_iter().filter(|kind| has_surplus(*kind)).collect();
    let is_given = |kind: BudgetKind| given.contains(&kind);
    if !given.is_empty() {
        said.allowed = spender.lower(retainable);
    }
    loop {
        let in_key = budget.granted(&context.session);
        let held = in_key.each(|kind, in_key| if is_given(kind) { said.allowed.of(kind) } else { in_key });
        let new = budget.with_draw(&context.session, held, &limits, &said, nodes);
        if new == budget {
            // Possibly by an earlier write whose answer was lost.
            return spender.raise(budget.granted(&context.session));
        }
        let value = records::written(&new);
        match context.client.swap(BUDGET, &value, revision).await {
            SwapOutcome::Done(revision) => {
                context.wrote(BUDGET.to_owned(), value, revision);
                return spender.raise(new.granted(&context.session));
            }
            SwapOutcome::Conflict(held) => match read(held) {
                Some((found, at)) => (budget, revision) = (found, Some(at)),
                None => return,
            },
        }
        if budget.over.is_some() {
            return;
        }
    }
}

fn read(held: Option<crate::bus::KeyValue>) -> Option<(Budget, u64)> {
    let held = held?;
    let budget = records::read(&held.value?);
    let budget = budget.map_err(|error| tracing::error!("cannot read the fleet's budget: {error}"));
    Some((budget.ok()?, held.revision))
}

/// Settles the budget of a leaving session, which spends nothing more.
pub(super) async fn settle(context: &NodeContext) {
    let Some(spender) = &context.spender else { return };
    let _turn = context.spending.lock().await;
    let spent = spender.lower(Amounts::default());
    change(context, |budget| budget.with_settlement(&context.session, spent)).await;
}

/// Changes the key, if it exists and the change has an effect.
async fn change(context: &NodeContext, make: impl Fn(&Budget) -> Budget) {
    let Some((mut budget, mut revision)) = context.view.lock().budget.clone() else { return };
    loop {
        let new = make(&budget);
        if new == budget {
            return;
        }
        let value = records::written(&new);
        match context.client.swap(BUDGET, &value, Some(revision)).await {
            SwapOutcome::Done(revision) => return context.wrote(BUDGET.to_owned(), value, revision),
            SwapOutcome::Conflict(held) => match read(held) {
                Some(found) => (budget, revision) = found,
                None => return,
            },
        }
    }
}

/// Performs the leader's share of the work.
async fn lead(context: &NodeContext, spender: &dyn Spender, tracker: &mut BudgetTracker) {
    let Some((budget, _)) = context.view.lock().budget.clone() else { return };
    let limits = spender.limits();
    let spent = |session: &SessionId| {
        let view = context.view.lock();
        let said = view.heartbeat(session);
        said.map(|said| Amounts { pages: said.pages, requests: said.requests, bytes: said.bytes }).unwrap_or_default()
    };
    if let Some(why) = budget.used_up(&limits, context.clock.now(), spent) {
        change(context, |budget| Budget { over: budget.over.or(Some(why)), ..budget.clone() }).await;
        return;
    }
    let now = context.clock.now();
    let is_gone = |session: &&SessionId| context.view.lock().heartbeat(session).is_none();
    let gone: Vec<SessionId> = budget.shares.keys().filter(is_gone).cloned().collect();
    tracker.gone.retain(|session, _| gone.contains(session));
    for session in gone {
        // A session that leaves settles by itself.
        let since = *tracker.gone.entry(session.clone()).or_insert(now);
        if now.since(since) >= context.options.terms.lease && is_dead(context, &session).await {
            tracing::info!("the session {session} is dead: its budget grant counts as spent");
            change(context, |budget| budget.with_dead(&session)).await;
        }
    }
}

/// Asks the leader of the key. A session's key is created before its grant, and never again.
async fn is_dead(context: &NodeContext, session: &SessionId) -> bool {
    let key = session_key(session);
    match context.client.once(context.client.bus.get(&key)).await {
        Ok(Some(held)) => held.value.is_some_and(|value| matches!(records::read(&value), Ok(SessionRecord::Evicted))),
        Ok(None) => true,
        Err(_) => false,
    }
}
