//! Recovers the state of partitions from the parts and the log of another session.

use std::collections::{BTreeMap, BTreeSet};

use super::bus_client::SwapOutcome;
use super::context::NodeContext;
use super::log::{LogPosition, entries, log_stream};
use super::part_store;
use super::records::{self, Seal, SourceRecord, source_key};
use crate::bus::BusError;
use crate::rebuild::Rebuild;
use crate::{Partition, PartitionState, SessionId};

/// The number of times that a source is read before its unreadable pieces are given up.
const ATTEMPTS: u32 = 4;
/// The number of attempts to seal a source: two writes, and one more for each session that seals it concurrently.
const SEALINGS: u32 = 16;

/// Recovers partitions from a session's parts and its log, up to the log's end or a sequence number. `None` if the
/// source is gone or changes too quickly; the caller then looks up the holders again.
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
            // A release that raced with a takeover may count or not: the seal decides.
            (Seal::Begun | Seal::None, _) => match sealed(context, source).await? {
                (SourceRecord { seal: Seal::At(_), .. }, _) => continue,
                _ => return None,
            },
        };
        let read = read(context, source, &record, end, wanted).await;
        // A concurrent checkpoint may have trimmed the log or removed parts before they were read.
        let is_unchanged = context.client.get(&key).await?.revision == revision;
        match read {
            Ok((known, reasons)) if is_unchanged && (reasons.is_empty() || attempt + 1 == ATTEMPTS) => {
                for reason in reasons {
                    tracing::error!(
                        "{reason}: continuing without it. Start the node `{}` again with its directory: it offers its waiting URLs again",
                        source.node()
                    );
                }
                return Some(known);
            }
            Ok(_) => {}
            Err(error) => tracing::error!("cannot read the log of {source}: {error}; retrying"),
        }
        context.client.pause(attempt + 1).await;
    }
    None
}

/// Reads the source record of a session and its revision.
async fn held(context: &NodeContext, source: &SessionId) -> Option<(SourceRecord, u64)> {
    let key = source_key(source);
    let held = context.client.get(&key).await?;
    let record = records::read::<SourceRecord>(&held.value.unwrap_or_default());
    let record = record.map_err(|error| tracing::error!("cannot read the key {key}: {error}")).ok()?;
    Some((record, held.revision))
}

/// Reads the source record of a dead or releasing session, after sealing it. Sealing takes two writes: the first keeps
/// the session from writing checkpoints; then the end of its log is looked up and written. So all successors count the
/// same entries.
async fn sealed(context: &NodeContext, source: &SessionId) -> Option<(SourceRecord, u64)> {
    let (key, stream) = (source_key(source), log_stream(source, context.options.log_shards));
    for attempt in 0..SEALINGS {
        let (record, revision) = held(context, source).await?;
        let seal = match record.seal {
            Seal::At(_) => return Some((record, revision)),
            Seal::None => Seal::Begun,
            Seal::Begun => {
                let last = context.client.retry(|| context.client.bus.last(stream, &source.0)).await;
                Seal::At(last.map_err(|error| tracing::error!("cannot read the log of {source}: {error}")).ok()?)
            }
        };
        let value = records::written(&SourceRecord { seal, ..record });
        if let SwapOutcome::Conflict(_) = context.client.swap(&key, &value, Some(revision)).await {
            // Another session was first.
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
    let mut reasons = Vec::new();
    for name in &record.parts {
        match part_store::read(&context.client, name, Some(wanted)).await {
            Ok((part, unreadable)) => {
                rebuild.part(&part);
                reasons.extend(unreadable);
            }
            Err(reason) => reasons.push(reason),
        }
    }
    let stream = log_stream(source, context.options.log_shards);
    let from = LogPosition { sequence: record.log_from, number: record.number };
    let (entries, _) = entries(&context.client, source, stream, from, end).await?;
    entries.iter().for_each(|entry| rebuild.entry(entry));
    Ok((rebuild.finish(), reasons))
}
