//! Reconciles the partitions that a node holds with those assigned to it: releases and takes them in bounded steps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::future::join_all;

use super::context::{HeldPartition, NodeContext};
use super::options::End;
use super::partition_writes::swap;
use super::plan::{FreePartition, TakeoverSource, plan};
use super::records::{self, PartitionRecord, SessionRecord, session_key};
use super::{checkpoints, recovery, spending};
use crate::wire::Part;
use crate::{Partition, PartitionState, SessionId};

/// A partition whose record names this session from now on.
struct TakenPartition {
    partition: Partition,
    state: PartitionState,
    held: HeldPartition,
}

pub(super) async fn reconcile(context: Arc<NodeContext>) {
    let mut seen = 0;
    loop {
        let is_leaving = context.leaving.load(Ordering::Acquire);
        let acted = match is_leaving {
            _ if !context.may_act() => false,
            true => leave(&context).await,
            false => act(&context).await,
        };
        seen = if acted {
            context.view_changed.count()
        } else {
            context.changed_or_timeout(&context.view_changed, seen).await
        };
    }
}

/// Performs one step if there is one. Returns whether it did.
async fn act(context: &NodeContext) -> bool {
    let held: BTreeSet<Partition> = context.held.lock().keys().copied().collect();
    let plan = plan(&context.view.lock(), &context.session, &held, &context.options.partitions);
    let to_take: usize = plan.take.values().map(Vec::len).sum();
    context.client.metrics.partitions.by("to_take").set(to_take as u64);
    let mut acted = false;
    if !plan.release.is_empty() {
        let first = &plan.release[..plan.release.len().min(context.options.batch)];
        release(context, first).await;
        acted = true;
    }
    for (source, free) in plan.take {
        acted |= take(context, &source, &free[..free.len().min(context.options.batch)]).await;
    }
    acted
}

/// Releases a batch of partitions, and ends the session once none is left.
async fn leave(context: &NodeContext) -> bool {
    let held: Vec<Partition> = context.held.lock().keys().copied().take(context.options.batch).collect();
    if !held.is_empty() {
        release(context, &held).await;
        return true;
    }
    // Nothing is in flight any more.
    spending::settle(context).await;
    super::policy::wind_up(context).await;
    context.decide_end(End::Left);
    let key = session_key(&context.session);
    context.client.retry_until_ok(&key, || context.client.bus.delete(&key)).await;
    context.end(End::Left);
    false
}

async fn release(context: &NodeContext, partitions: &[Partition]) {
    let began = context.clock.now();
    let turn = context.handover.lock().await;
    // They count as not held from the start: the crawler releases them one by one, and its positions do not cover those
    // already released. Otherwise the exchange would be trimmed of links that their next holder has to read.
    let released: Vec<(Partition, HeldPartition)> = {
        let mut held = context.held.lock();
        partitions.iter().filter_map(|partition| Some((*partition, held.remove(partition)?))).collect()
    };
    context.held_partitions_changed();
    context.engine.release(partitions).await;
    context.held_partitions_changed();
    drop(turn);
    // The log counts at least up to here: the entry that releases them was acknowledged.
    let end = context.log.last().sequence;
    let write = |(partition, held): (Partition, HeldPartition)| async move {
        let token = held.record.token + 1;
        let source = Some(context.session.clone());
        let record = PartitionRecord { token, owner: None, source, end: Some(end) };
        swap(context, partition, &record, Some(held.revision)).await
    };
    let metrics = &context.client.metrics;
    metrics.released.add(released.len() as u64);
    join_all(released.into_iter().map(write)).await;
    metrics.release_seconds.observe(context.clock.now().since(began));
}

/// Takes partitions of one source. Returns whether it could be tried.
async fn take(context: &NodeContext, source: &TakeoverSource, free: &[FreePartition]) -> bool {
    let began = context.clock.now();
    let wanted: BTreeSet<Partition> = free.iter().map(|free| free.partition).collect();
    let states = match source {
        TakeoverSource::Session { session, end: None } if !is_dead(context, session).await => None,
        TakeoverSource::Session { session, end } => recovery::load(context, session, *end, &wanted).await,
        TakeoverSource::New => Some(wanted.iter().map(|partition| (*partition, PartitionState::default())).collect()),
    };
    let Some(mut states) = states else { return false };
    let tokens = free.iter().map(|free| (free.partition, free.record.token + 1)).collect();
    persist(context, &states, tokens).await;
    let own = |free: &FreePartition| {
        let (partition, revision, token) = (free.partition, free.revision, free.record.token + 1);
        let state = states.remove(&partition)?;
        Some(async move {
            let me = Some(context.session.clone());
            let record = PartitionRecord { token, owner: me.clone(), source: me, end: None };
            let revision = swap(context, partition, &record, revision).await?;
            let held = HeldPartition { record, revision, position: state.position, caught_up: false };
            Some(TakenPartition { partition, state, held })
        })
    };
    let taken = join_all(free.iter().filter_map(own)).await;
    let taken: Vec<TakenPartition> = taken.into_iter().flatten().collect();
    if !taken.is_empty() {
        let (metrics, from) = (&context.client.metrics, label(source));
        metrics.taken.by(from).add(taken.len() as u64);
        hand_over(context, taken).await;
        metrics.take_seconds.by(from).observe(context.clock.now().since(began));
    }
    true
}

/// Returns the label of a source in metrics.
const fn label(source: &TakeoverSource) -> &'static str {
    match source {
        TakeoverSource::New => "new",
        TakeoverSource::Session { end: Some(_), .. } => "handed_over",
        TakeoverSource::Session { end: None, .. } => "dead",
    }
}

/// Asks the leader of the session's key whether the session is over.
async fn is_dead(context: &NodeContext, session: &SessionId) -> bool {
    let held = context.client.get(&session_key(session)).await;
    let record = held.and_then(|held| held.value).map(|value| records::read::<SessionRecord>(&value));
    !matches!(record, Some(Ok(SessionRecord::Live(_))))
}

/// Persists the state of partitions before they are taken.
async fn persist(
    context: &NodeContext,
    states: &BTreeMap<Partition, PartitionState>,
    tokens: BTreeMap<Partition, u64>,
) {
    let mut parts = context.parts.lock().await;
    let was_held_before = states.keys().any(|partition| context.tokens.lock().contains_key(partition));
    if was_held_before {
        // What the log says of them is older than the state that is taken now, and must not be applied after it.
        checkpoints::write_part(context, &mut parts).await;
    }
    // From here on, merging parts retains these partitions.
    context.tokens.lock().extend(tokens);
    let states = states.iter().filter(|(_, state)| **state != PartitionState::default());
    let part = Part::of_states(states.map(|(partition, state)| (*partition, state.clone())));
    checkpoints::add(context, &mut parts, &part).await;
}

/// Hands partitions to the crawler, shard by shard.
async fn hand_over(context: &NodeContext, taken: Vec<TakenPartition>) {
    let mut shards: BTreeMap<u16, Vec<TakenPartition>> = BTreeMap::new();
    for one in taken {
        shards.entry(context.options.partitions.shard(one.partition)).or_default().push(one);
    }
    for taken in shards.into_values() {
        let _turn = context.handover.lock().await;
        let held: Vec<(Partition, HeldPartition)> = taken.iter().map(|one| (one.partition, one.held.clone())).collect();
        context.engine.take(taken.into_iter().map(|one| (one.partition, one.state)).collect()).await;
        context.held.lock().extend(held);
        context.held_partitions_changed();
    }
}
