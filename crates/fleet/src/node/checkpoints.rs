//! Writes checkpoints: the log since the last checkpoint becomes a part, and the log is trimmed up to it.

use std::sync::Arc;

use super::bus_client::SwapOutcome;
use super::context::{CheckpointState, NodeContext};
use super::log::{LogPosition, entries};
use super::options::End;
use super::part_store;
use super::records::{self, SourceRecord, source_key};
use crate::Partition;
use crate::compaction::merge_from;
use crate::rebuild::{PartBuilder, merge};
use crate::wire::{Part, WireCodec};

pub(super) async fn write(context: Arc<NodeContext>) {
    loop {
        context.clock.sleep(context.options.checkpoint).await;
        let mut parts = context.parts.lock().await;
        write_part(&context, &mut parts).await;
        if let Some(from) = merge_from(&parts.sizes, context.options.parts_max) {
            merge_parts(&context, &mut parts, from).await;
        }
    }
}

/// Writes a part that covers the log up to now.
pub(super) async fn write_part(context: &NodeContext, parts: &mut CheckpointState) {
    let began = context.clock.now();
    let (last, stream) = (context.log.last(), context.log.stream());
    if last.sequence < parts.record.log_from {
        return;
    }
    let from = LogPosition { sequence: parts.record.log_from, number: parts.record.number };
    let (entries, reached) = match entries(&context.client, &context.session, stream, from, last.sequence).await {
        Ok(read) => read,
        Err(error) => {
            return tracing::error!("cannot write a checkpoint, because the session's own log is unreadable: {error}");
        }
    };
    let mut builder = PartBuilder::new(&context.options.partitions);
    entries.iter().for_each(|entry| builder.entry(entry));
    let mut record = parts.record.clone();
    record.log_from = reached.sequence;
    record.number = reached.number;
    let below = record.log_from;
    if put(context, parts, record, &builder.finish()).await {
        let session = &context.session.0;
        context.client.retry_until_ok("trimming the log", || context.client.bus.trim(stream, session, below)).await;
        context.client.metrics.checkpoints.inc();
        context.client.metrics.checkpoint_seconds.observe(context.clock.now().since(began));
    }
}

/// Adds a part, if it is not empty.
pub(super) async fn add(context: &NodeContext, parts: &mut CheckpointState, part: &Part) {
    if !part.sections.is_empty() {
        let record = parts.record.clone();
        put(context, parts, record, part).await;
    }
}

/// Merges all parts from index `from` on, without partitions whose state other sessions already have.
async fn merge_parts(context: &NodeContext, parts: &mut CheckpointState, from: usize) {
    let (mut read, mut old, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
    for (name, size) in parts.record.parts.iter().zip(&parts.sizes).skip(from) {
        let reasons = match part_store::read(&context.client, name, None).await {
            Ok((part, reasons)) if reasons.is_empty() => {
                read.push(part);
                old.push(name.clone());
                continue;
            }
            Ok((_, reasons)) => reasons.join(", "),
            Err(reason) => reason,
        };
        tracing::error!("{reasons}: the part is retained unmerged for inspection");
        unreadable.push((name.clone(), *size));
    }
    if read.is_empty() {
        return;
    }
    let mut merged = merge(&read);
    merged.sections.retain(|partition, _| is_needed(context, *partition));
    let mut record = parts.record.clone();
    record.parts.truncate(from);
    parts.sizes.truncate(from);
    for (name, size) in unreadable {
        record.parts.push(name);
        parts.sizes.push(size);
    }
    if put(context, parts, record, &merged).await {
        for name in old {
            part_store::remove(&context.client, &name).await;
        }
    }
}

/// Returns whether this session's state of a partition may still be requested: no other session has taken it since this
/// one did.
fn is_needed(context: &NodeContext, partition: Partition) -> bool {
    let (record, _) = context.view.lock().partition(partition);
    let own = context.tokens.lock().get(&partition).copied().unwrap_or(u64::MAX);
    record.source.as_ref() == Some(&context.session) || record.token < own
}

/// Writes a part and then the record that references it. Returns false if the session is over.
async fn put(context: &NodeContext, parts: &mut CheckpointState, mut record: SourceRecord, part: &Part) -> bool {
    if !part.sections.is_empty() {
        parts.next += 1;
        let name = format!("parts.{}.{}", context.session, parts.next);
        let object = part.encode(&mut WireCodec::new());
        part_store::put(&context.client, &name, &object).await;
        // Every part is stored twice.
        context.client.metrics.checkpoint_bytes.add(2 * object.len() as u64);
        record.parts.push(name);
        parts.sizes.push(object.len() as u64);
    }
    let (key, value) = (source_key(&context.session), records::written(&record));
    match context.client.swap(&key, &value, Some(parts.revision)).await {
        SwapOutcome::Done(revision) => {
            parts.record = record;
            parts.revision = revision;
            true
        }
        SwapOutcome::Conflict(_) => {
            tracing::warn!("another session has taken over the persisted state of the session {}", context.session);
            context.end(End::Lost);
            false
        }
    }
}
