//! Draws what a session may spend of the fleet's budgets, gives back what it does not need, and, while it leads, settles for the dead and
//! finds that a budget is used up.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::bus_client::SwapOutcome;
use super::context::NodeContext;
use super::records::{self, BUDGET, SessionRecord, session_key};
use crate::SessionId;
use crate::budget::{Amounts, Budget, BudgetKind, BudgetUsage, Spender};
use harvestman_core::clock::Instant;

/// How often it is looked whether there is something to do; each time the key is changed once at most.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What is remembered between two looks.
#[derive(Default)]
struct BudgetTracker {
    /// What had been spent when.
    last: Option<(Instant, Amounts)>,
    rate: Amounts,
    /// What the session lacked at the last look.
    lacked: BTreeSet<BudgetKind>,
    /// Since when sessions with a share do not live any more.
    gone: BTreeMap<SessionId, Instant>,
}

pub(super) async fn spend(context: Arc<NodeContext>) {
    let Some(spender) = context.spender.clone() else { return };
    let mut tracker = BudgetTracker::default();
    loop {
        let (is_limited, is_leaving) = (!spender.limits().is_none(), context.is_leaving());
        if is_limited && !is_leaving && context.is_lease_current() {
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
        context.clock.sleep(LOOK_EVERY).await;
    }
}

impl BudgetTracker {
    /// What the session says, with what it has spent a second since the last look, or half of what that was before.
    fn ask(&mut self, spender: &dyn Spender, now: Instant) -> BudgetUsage {
        let said = spender.spending();
        if let Some((then, before)) = self.last.filter(|(then, _)| now > *then) {
            let seconds = now.since(then).as_secs_f64();
            let lately =
                |kind: BudgetKind| (said.spent.of(kind).saturating_sub(before.of(kind)) as f64 / seconds).ceil() as u64;
            self.rate = self.rate.each(|kind, rate| lately(kind).max(rate / 2));
        }
        self.last = Some((now, said.spent));
        // Whoever lacks something may notice it less often than it is asked.
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

/// Draws and gives back. The crawler is lowered before the key says so, and raised afterwards.
async fn draw(context: &NodeContext, spender: &dyn Spender, tracker: &mut BudgetTracker) {
    let _turn = context.spending.lock().await;
    if context.is_leaving() {
        return;
    }
    let (limits, mut said) = (spender.limits(), tracker.ask(spender, context.clock.now()));
    let nodes = context.view.lock().nodes().len() as u64;
    let (mut budget, mut revision) = known(context);
    // It may hold less than the key says, never more; what was given back is not taken again for what is held.
    let keeps = budget.keeps(&context.session, &limits, &said);
    let gives = |kind: BudgetKind| keeps.of(kind) < said.allowed.of(kind);
    let given: Vec<BudgetKind> = BudgetKind::ALL.into_iter().filter(|kind| gives(*kind)).collect();
    let is_given = |kind: BudgetKind| given.contains(&kind);
    if !given.is_empty() {
        said.allowed = spender.lower(keeps);
    }
    loop {
        let in_key = budget.granted(&context.session);
        let held = in_key.each(|kind, in_key| if is_given(kind) { said.allowed.of(kind) } else { in_key });
        let new = budget.drawn(&context.session, held, &limits, &said, nodes);
        if new == budget {
            // By a write whose answer was lost, it may be.
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
    let budget = budget.map_err(|error| tracing::error!("the fleet's budget cannot be read: {error}"));
    Some((budget.ok()?, held.revision))
}

/// A session that leaves says what it has spent, and spends nothing more.
pub(super) async fn settle(context: &NodeContext) {
    let Some(spender) = &context.spender else { return };
    let _turn = context.spending.lock().await;
    let spent = spender.lower(Amounts::default());
    change(context, |budget| budget.settled(&context.session, spent)).await;
}

/// Changes the key, if there is one and it is not so already.
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

/// What the leader does besides.
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
        // One that leaves settles by itself.
        let since = *tracker.gone.entry(session.clone()).or_insert(now);
        if now.since(since) >= context.options.terms.lease && is_dead(context, &session).await {
            tracing::info!("the session {session} has died: what it was granted of the budgets counts as spent");
            change(context, |budget| budget.buried(&session)).await;
        }
    }
}

/// Asks the keys' leader. A session's key is made before its share, and never again.
async fn is_dead(context: &NodeContext, session: &SessionId) -> bool {
    let key = session_key(session);
    match context.client.once(context.client.bus.get(&key)).await {
        Ok(Some(held)) => held.value.is_some_and(|value| matches!(records::read(&value), Ok(SessionRecord::Evicted))),
        Ok(None) => true,
        Err(_) => false,
    }
}
