//! Takes partitions and lets them go, one step after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use futures_util::future::join_all;

use super::End;
use super::calls::Swapped;
use super::plan::{Free, Whence, plan};
use super::records::{self, PartitionRecord, SessionRecord, partition_key, session_key};
use super::shared::{Holding, Shared};
use super::{checkpoints, source, spending};
use crate::wire::Part;
use crate::{Known, Partition};

pub(super) async fn step(shared: Arc<Shared>) {
    let mut seen = 0;
    loop {
        let is_leaving = shared.leaving.load(Ordering::Acquire);
        let acted = match is_leaving {
            _ if !shared.is_sure() => false,
            true => leave(&shared).await,
            false => act(&shared).await,
        };
        seen = if acted { shared.seen.count() } else { shared.look(&shared.seen, seen).await };
    }
}

/// One step, if there is one to be done.
async fn act(shared: &Shared) -> bool {
    let held: BTreeSet<Partition> = shared.held.lock().keys().copied().collect();
    let plan = plan(&shared.view.lock(), &shared.session, &held, &shared.options.partitions);
    let to_take: usize = plan.take.values().map(Vec::len).sum();
    shared.calls.metrics.partitions.by("to_take").set(to_take as u64);
    let mut acted = false;
    if !plan.release.is_empty() {
        let first = &plan.release[..plan.release.len().min(shared.options.batch)];
        release(shared, first).await;
        acted = true;
    }
    for (whence, free) in plan.take {
        acted |= take(shared, &whence, &free[..free.len().min(shared.options.batch)]).await;
    }
    acted
}

async fn leave(shared: &Shared) -> bool {
    let held: Vec<Partition> = shared.held.lock().keys().copied().take(shared.options.batch).collect();
    if !held.is_empty() {
        release(shared, &held).await;
        return true;
    }
    // Nothing of it is under way any more.
    spending::settle(shared).await;
    super::policy::wind_up(shared).await;
    shared.is_to_end(End::Left);
    let key = session_key(&shared.session);
    shared.calls.surely(&key, || shared.calls.bus.delete(&key)).await;
    shared.end(End::Left);
    false
}

async fn release(shared: &Shared, partitions: &[Partition]) {
    let began = shared.clock.now();
    let turn = shared.turns.lock().await;
    // They do not count as held any more from the beginning on: the crawler lets go of one after the other, and its positions say nothing of
    // those that it has let go of. The exchange would be trimmed of what their next holder has to read.
    let let_go: Vec<(Partition, Holding)> = {
        let mut held = shared.held.lock();
        partitions.iter().filter_map(|partition| Some((*partition, held.remove(partition)?))).collect()
    };
    shared.changed_hands();
    shared.engine.release(partitions).await;
    shared.changed_hands();
    drop(turn);
    // At least that far: the entry that lets them go was acknowledged.
    let end = shared.log.last().sequence;
    let write = |(partition, holding): (Partition, Holding)| async move {
        let token = holding.record.token + 1;
        let source = Some(shared.session.clone());
        let record = PartitionRecord { token, owner: None, source, end: Some(end) };
        swap(shared, partition, &record, Some(holding.revision)).await
    };
    let metrics = &shared.calls.metrics;
    metrics.released.add(let_go.len() as u64);
    join_all(let_go.into_iter().map(write)).await;
    metrics.release_seconds.observe(shared.clock.now().since(began));
}

/// Writes a partition's record; its revision, or none where somebody else has written it.
async fn swap(shared: &Shared, partition: Partition, record: &PartitionRecord, revision: Option<u64>) -> Option<u64> {
    let (key, value): (String, Bytes) = (partition_key(partition), records::written(record));
    shared.tokens.lock().insert(partition, record.token);
    match shared.calls.swap(&key, &value, revision).await {
        Swapped::Done(revision) => {
            shared.wrote(key, value, revision);
            Some(revision)
        }
        Swapped::Conflict(held) => {
            if let Some(Err(error)) = held.map(|held| shared.view.lock().apply(held)) {
                tracing::error!("{error}");
            }
            None
        }
    }
}

async fn take(shared: &Shared, whence: &Whence, free: &[Free]) -> bool {
    let began = shared.clock.now();
    let wanted: BTreeSet<Partition> = free.iter().map(|(partition, ..)| *partition).collect();
    let known = match whence {
        Some((_, None)) if !is_dead(shared, whence).await => None,
        Some((source, end)) => source::load(shared, source, *end, &wanted).await,
        None => Some(wanted.iter().map(|partition| (*partition, Known::default())).collect()),
    };
    let Some(mut known) = known else { return false };
    let tokens = free.iter().map(|(partition, record, _)| (*partition, record.token + 1)).collect();
    keep(shared, &known, tokens).await;
    let own = |(partition, before, revision): &Free| {
        let (partition, revision, token) = (*partition, *revision, before.token + 1);
        let known = known.remove(&partition)?;
        Some(async move {
            let me = Some(shared.session.clone());
            let record = PartitionRecord { token, owner: me.clone(), source: me, end: None };
            let revision = swap(shared, partition, &record, revision).await?;
            let holding = Holding { record, revision, position: known.position, caught_up: false };
            Some((partition, known, holding))
        })
    };
    let taken = join_all(free.iter().filter_map(own)).await;
    let taken: Vec<(Partition, Known, Holding)> = taken.into_iter().flatten().collect();
    if !taken.is_empty() {
        let (metrics, from) = (&shared.calls.metrics, from(whence));
        metrics.taken.by(from).add(taken.len() as u64);
        hand_over(shared, taken.into_iter()).await;
        metrics.take_seconds.by(from).observe(shared.clock.now().since(began));
    }
    true
}

/// Where partitions were before, as a label of metrics.
fn from(whence: &Whence) -> &'static str {
    match whence {
        None => "new",
        Some((_, Some(_))) => "handed_over",
        Some((_, None)) => "dead",
    }
}

/// Whether the key's leader says too that a session is over.
async fn is_dead(shared: &Shared, whence: &Whence) -> bool {
    let Some((session, _)) = whence else { return true };
    let held = shared.calls.get(&session_key(session)).await;
    let record = held.and_then(|held| held.value).map(|value| records::read::<SessionRecord>(&value));
    !matches!(record, Some(Ok(SessionRecord::Live(_))))
}

/// Keeps what is taken, before it is.
async fn keep(shared: &Shared, known: &BTreeMap<Partition, Known>, tokens: BTreeMap<Partition, u64>) {
    let mut parts = shared.parts.lock().await;
    let is_again = known.keys().any(|partition| shared.tokens.lock().contains_key(partition));
    if is_again {
        // What the log says of them is older than what is taken now, and must not come after it.
        checkpoints::write_part(shared, &mut parts).await;
    }
    // From here on a merger of parts leaves them in.
    shared.tokens.lock().extend(tokens);
    let known = known.iter().filter(|(_, known)| **known != Known::default());
    let part = Part::of_known(known.map(|(partition, known)| (*partition, known.clone())));
    checkpoints::add(shared, &mut parts, &part).await;
}

/// Hands partitions to the crawler, shard by shard.
async fn hand_over(shared: &Shared, taken: impl Iterator<Item = (Partition, Known, Holding)>) {
    let mut shards: BTreeMap<u16, Vec<(Partition, Known, Holding)>> = BTreeMap::new();
    for one in taken {
        shards.entry(shared.options.partitions.shard(one.0)).or_default().push(one);
    }
    for taken in shards.into_values() {
        let _turn = shared.turns.lock().await;
        let holdings: Vec<(Partition, Holding)> = taken.iter().map(|one| (one.0, one.2.clone())).collect();
        shared.engine.take(taken.into_iter().map(|(partition, known, _)| (partition, known)).collect()).await;
        shared.held.lock().extend(holdings);
        shared.changed_hands();
    }
}
