//! What a session knew of partitions: read from its parts and its log.

use std::collections::{BTreeMap, BTreeSet};

use super::bus_client::SwapOutcome;
use super::context::NodeContext;
use super::log::{LogPosition, entries, log_stream};
use super::part_store;
use super::records::{self, Seal, SourceRecord, source_key};
use crate::bus::BusError;
use crate::rebuild::Rebuild;
use crate::{Partition, PartitionState, SessionId};

/// So often is a source read anew before what cannot be read is given up.
const ATTEMPTS: u32 = 4;
/// So often is a source tried to be sealed: twice, and once more for each who does it at the same time.
const SEALINGS: u32 = 16;

/// What a session knew of partitions, up to the end of its log or a sequence number of it. None: it is gone, or changes too quickly; whoever
/// asked looks again who holds them.
pub(super) async fn load(
    context: &NodeContext,
    source: &SessionId,
    end: Option<u64>,
    wanted: &BTreeSet<Partition>,
) -> Option<BTreeMap<Partition, PartitionState>> {
    let key = source_key(source);
    for attempt in 0..ATTEMPTS {
        let (record, revision) = match end {
            Some(_) => held(context, source).await?,
            None => sealed(context, source).await?,
        };
        let end = match (record.seal, end) {
            (Seal::None, Some(end)) => end,
            (Seal::At(seal), end) => end.map_or(seal, |end| end.min(seal)),
            // What was let go while somebody began to take over from it may count, or not.
            (Seal::Begun | Seal::None, _) => match sealed(context, source).await? {
                (SourceRecord { seal: Seal::At(_), .. }, _) => continue,
                _ => return None,
            },
        };
        let read = read(context, source, &record, end, wanted).await;
        // A checkpoint meanwhile: the log may have been trimmed before it was read, or parts removed.
        let is_unchanged = context.client.get(&key).await?.revision == revision;
        match read {
            Ok((known, troubles)) if is_unchanged && (troubles.is_empty() || attempt + 1 == ATTEMPTS) => {
                for trouble in troubles {
                    tracing::error!(
                        "{trouble}: the rest goes on without it. Start the node `{}` once more with its directory: it offers what waited there again",
                        source.node()
                    );
                }
                return Some(known);
            }
            Ok(_) => {}
            Err(error) => tracing::error!("the log of {source} cannot be read: {error}; it is tried again"),
        }
        context.client.pause(attempt + 1).await;
    }
    None
}

/// What a session's key says of where it keeps what it knows, and at which revision.
async fn held(context: &NodeContext, source: &SessionId) -> Option<(SourceRecord, u64)> {
    let key = source_key(source);
    let held = context.client.get(&key).await?;
    let record = records::read::<SourceRecord>(&held.value.unwrap_or_default());
    let record = record.map_err(|error| tracing::error!("the key {key} cannot be read: {error}")).ok()?;
    Some((record, held.revision))
}

/// The same of a session that is taken for dead, or lets go, with the end of what counts of its log: first it is kept from writing checkpoints,
/// then the end is looked up, then it is written. So whoever takes over from it counts the same entries.
async fn sealed(context: &NodeContext, source: &SessionId) -> Option<(SourceRecord, u64)> {
    let (key, stream) = (source_key(source), log_stream(source, context.options.log_shards));
    for attempt in 0..SEALINGS {
        let (record, revision) = held(context, source).await?;
        let seal = match record.seal {
            Seal::At(_) => return Some((record, revision)),
            Seal::None => Seal::Begun,
            Seal::Begun => {
                let last = context.client.retry(|| context.client.bus.last(stream, &source.0)).await;
                Seal::At(last.map_err(|error| tracing::error!("the log of {source} cannot be read: {error}")).ok()?)
            }
        };
        let value = records::written(&SourceRecord { seal, ..record });
        if let SwapOutcome::Conflict(_) = context.client.swap(&key, &value, Some(revision)).await {
            // Another was quicker.
            context.client.pause(attempt).await;
        }
    }
    None
}

type Read = (BTreeMap<Partition, PartitionState>, Vec<String>);

async fn read(
    context: &NodeContext,
    source: &SessionId,
    record: &SourceRecord,
    end: u64,
    wanted: &BTreeSet<Partition>,
) -> Result<Read, BusError> {
    let mut rebuild = Rebuild::new(&context.options.partitions, wanted.clone());
    let mut troubles = Vec::new();
    for name in &record.parts {
        match part_store::read(&context.client, name, Some(wanted)).await {
            Ok((part, unreadable)) => {
                rebuild.part(&part);
                troubles.extend(unreadable);
            }
            Err(trouble) => troubles.push(trouble),
        }
    }
    let stream = log_stream(source, context.options.log_shards);
    let from = LogPosition { sequence: record.log_from, number: record.number };
    let (entries, _) = entries(&context.client, source, stream, from, end).await?;
    entries.iter().for_each(|entry| rebuild.entry(entry));
    Ok((rebuild.finish(), troubles))
}
