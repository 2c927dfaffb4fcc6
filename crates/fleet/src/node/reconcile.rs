//! Takes partitions and lets them go, one step after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use futures_util::future::join_all;

use super::End;
use super::bus_client::SwapOutcome;
use super::context::{HeldPartition, NodeContext};
use super::plan::{FreePartition, TakeoverSource, plan};
use super::records::{self, PartitionRecord, SessionRecord, partition_key, session_key};
use super::{checkpoints, recovery, spending};
use crate::wire::Part;
use crate::{Partition, PartitionState};

pub(super) async fn reconcile(context: Arc<NodeContext>) {
    let mut seen = 0;
    loop {
        let is_leaving = context.leaving.load(Ordering::Acquire);
        let acted = match is_leaving {
            _ if !context.is_lease_current() => false,
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

/// One step, if there is one to be done.
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
    for (whence, free) in plan.take {
        acted |= take(context, &whence, &free[..free.len().min(context.options.batch)]).await;
    }
    acted
}

async fn leave(context: &NodeContext) -> bool {
    let held: Vec<Partition> = context.held.lock().keys().copied().take(context.options.batch).collect();
    if !held.is_empty() {
        release(context, &held).await;
        return true;
    }
    // Nothing of it is under way any more.
    spending::settle(context).await;
    super::policy::wind_up(context).await;
    context.is_to_end(End::Left);
    let key = session_key(&context.session);
    context.client.retry_until_ok(&key, || context.client.bus.delete(&key)).await;
    context.end(End::Left);
    false
}

async fn release(context: &NodeContext, partitions: &[Partition]) {
    let began = context.clock.now();
    let turn = context.handover.lock().await;
    // They do not count as held any more from the beginning on: the crawler lets go of one after the other, and its positions say nothing of
    // those that it has let go of. The exchange would be trimmed of what their next holder has to read.
    let let_go: Vec<(Partition, HeldPartition)> = {
        let mut held = context.held.lock();
        partitions.iter().filter_map(|partition| Some((*partition, held.remove(partition)?))).collect()
    };
    context.held_partitions_changed();
    context.engine.release(partitions).await;
    context.held_partitions_changed();
    drop(turn);
    // At least that far: the entry that lets them go was acknowledged.
    let end = context.log.last().sequence;
    let write = |(partition, holding): (Partition, HeldPartition)| async move {
        let token = holding.record.token + 1;
        let source = Some(context.session.clone());
        let record = PartitionRecord { token, owner: None, source, end: Some(end) };
        swap(context, partition, &record, Some(holding.revision)).await
    };
    let metrics = &context.client.metrics;
    metrics.released.add(let_go.len() as u64);
    join_all(let_go.into_iter().map(write)).await;
    metrics.release_seconds.observe(context.clock.now().since(began));
}

/// Writes a partition's record; its revision, or none where somebody else has written it.
async fn swap(
    context: &NodeContext,
    partition: Partition,
    record: &PartitionRecord,
    revision: Option<u64>,
) -> Option<u64> {
    let (key, value): (String, Bytes) = (partition_key(partition), records::written(record));
    context.tokens.lock().insert(partition, record.token);
    match context.client.swap(&key, &value, revision).await {
        SwapOutcome::Done(revision) => {
            context.wrote(key, value, revision);
            Some(revision)
        }
        SwapOutcome::Conflict(held) => {
            if let Some(Err(error)) = held.map(|held| context.view.lock().apply(held)) {
                tracing::error!("{error}");
            }
            None
        }
    }
}

async fn take(context: &NodeContext, whence: &TakeoverSource, free: &[FreePartition]) -> bool {
    let began = context.clock.now();
    let wanted: BTreeSet<Partition> = free.iter().map(|(partition, ..)| *partition).collect();
    let known = match whence {
        Some((_, None)) if !is_dead(context, whence).await => None,
        Some((source, end)) => recovery::load(context, source, *end, &wanted).await,
        None => Some(wanted.iter().map(|partition| (*partition, PartitionState::default())).collect()),
    };
    let Some(mut known) = known else { return false };
    let tokens = free.iter().map(|(partition, record, _)| (*partition, record.token + 1)).collect();
    keep(context, &known, tokens).await;
    let own = |(partition, before, revision): &FreePartition| {
        let (partition, revision, token) = (*partition, *revision, before.token + 1);
        let known = known.remove(&partition)?;
        Some(async move {
            let me = Some(context.session.clone());
            let record = PartitionRecord { token, owner: me.clone(), source: me, end: None };
            let revision = swap(context, partition, &record, revision).await?;
            let holding = HeldPartition { record, revision, position: known.position, caught_up: false };
            Some((partition, known, holding))
        })
    };
    let taken = join_all(free.iter().filter_map(own)).await;
    let taken: Vec<(Partition, PartitionState, HeldPartition)> = taken.into_iter().flatten().collect();
    if !taken.is_empty() {
        let (metrics, from) = (&context.client.metrics, from(whence));
        metrics.taken.by(from).add(taken.len() as u64);
        hand_over(context, taken.into_iter()).await;
        metrics.take_seconds.by(from).observe(context.clock.now().since(began));
    }
    true
}

/// Where partitions were before, as a label of metrics.
fn from(whence: &TakeoverSource) -> &'static str {
    match whence {
        None => "new",
        Some((_, Some(_))) => "handed_over",
        Some((_, None)) => "dead",
    }
}

/// Whether the key's leader says too that a session is over.
async fn is_dead(context: &NodeContext, whence: &TakeoverSource) -> bool {
    let Some((session, _)) = whence else { return true };
    let held = context.client.get(&session_key(session)).await;
    let record = held.and_then(|held| held.value).map(|value| records::read::<SessionRecord>(&value));
    !matches!(record, Some(Ok(SessionRecord::Live(_))))
}

/// Keeps what is taken, before it is.
async fn keep(context: &NodeContext, known: &BTreeMap<Partition, PartitionState>, tokens: BTreeMap<Partition, u64>) {
    let mut parts = context.parts.lock().await;
    let is_again = known.keys().any(|partition| context.tokens.lock().contains_key(partition));
    if is_again {
        // What the log says of them is older than what is taken now, and must not come after it.
        checkpoints::write_part(context, &mut parts).await;
    }
    // From here on a merger of parts leaves them in.
    context.tokens.lock().extend(tokens);
    let known = known.iter().filter(|(_, known)| **known != PartitionState::default());
    let part = Part::of_known(known.map(|(partition, known)| (*partition, known.clone())));
    checkpoints::add(context, &mut parts, &part).await;
}

/// ShardState partitions to the crawler, shard by shard.
async fn hand_over(context: &NodeContext, taken: impl Iterator<Item = (Partition, PartitionState, HeldPartition)>) {
    let mut shards: BTreeMap<u16, Vec<(Partition, PartitionState, HeldPartition)>> = BTreeMap::new();
    for one in taken {
        shards.entry(context.options.partitions.shard(one.0)).or_default().push(one);
    }
    for taken in shards.into_values() {
        let _turn = context.handover.lock().await;
        let holdings: Vec<(Partition, HeldPartition)> = taken.iter().map(|one| (one.0, one.2.clone())).collect();
        context.engine.take(taken.into_iter().map(|(partition, known, _)| (partition, known)).collect()).await;
        context.held.lock().extend(holdings);
        context.held_partitions_changed();
    }
}
