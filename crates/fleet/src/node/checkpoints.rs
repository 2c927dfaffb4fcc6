//! Writes checkpoints: what the log says since the last one becomes a part, and the log is trimmed behind it.

use std::sync::Arc;

use super::End;
use super::calls::Swapped;
use super::log::{Mark, entries};
use super::parts as objects;
use super::records::{self, SourceRecord, source_key};
use super::shared::{Parts, Shared};
use crate::Partition;
use crate::rebuild::{PartBuilder, merge};
use crate::tiers::merge_from;
use crate::wire::{Packer, Part};

pub(super) async fn write(shared: Arc<Shared>) {
    loop {
        shared.clock.sleep(shared.options.checkpoint).await;
        let mut parts = shared.parts.lock().await;
        write_part(&shared, &mut parts).await;
        if let Some(from) = merge_from(&parts.sizes, shared.options.parts_max) {
            merge_parts(&shared, &mut parts, from).await;
        }
    }
}

/// Makes a part of what the log says by now.
pub(super) async fn write_part(shared: &Shared, parts: &mut Parts) {
    let began = shared.clock.now();
    let (last, stream) = (shared.log.last(), shared.log.stream());
    if last.sequence < parts.record.log_from {
        return;
    }
    let from = Mark { sequence: parts.record.log_from, number: parts.record.number };
    let (entries, reached) = match entries(&shared.calls, &shared.session, stream, from, last.sequence).await {
        Ok(read) => read,
        Err(error) => return tracing::error!("no checkpoint is written: its own log cannot be read: {error}"),
    };
    let mut builder = PartBuilder::new(&shared.options.partitions);
    entries.iter().for_each(|entry| builder.entry(entry));
    let mut record = parts.record.clone();
    record.log_from = reached.sequence;
    record.number = reached.number;
    let below = record.log_from;
    if put(shared, parts, record, &builder.finish()).await {
        let session = &shared.session.0;
        shared.calls.surely("trimming the log", || shared.calls.bus.trim(stream, session, below)).await;
        shared.calls.metrics.checkpoints.inc();
        shared.calls.metrics.checkpoint_seconds.observe(shared.clock.now().since(began));
    }
}

/// Adds a part, if it says anything.
pub(super) async fn add(shared: &Shared, parts: &mut Parts, part: &Part) {
    if !part.sections.is_empty() {
        let record = parts.record.clone();
        put(shared, parts, record, part).await;
    }
}

/// Makes one part of all from this one on, without the partitions that others go on with.
async fn merge_parts(shared: &Shared, parts: &mut Parts, from: usize) {
    let (mut read, mut old, mut spoilt) = (Vec::new(), Vec::new(), Vec::new());
    for (name, size) in parts.record.parts.iter().zip(&parts.sizes).skip(from) {
        let troubles = match objects::read(&shared.calls, name, None).await {
            Ok((part, troubles)) if troubles.is_empty() => {
                read.push(part);
                old.push(name.clone());
                continue;
            }
            Ok((_, troubles)) => troubles.join(", "),
            Err(trouble) => trouble,
        };
        tracing::error!("{troubles}: it stays as it is, for people to look at");
        spoilt.push((name.clone(), *size));
    }
    if read.is_empty() {
        return;
    }
    let mut merged = merge(&read);
    merged.sections.retain(|partition, _| is_needed(shared, *partition));
    let mut record = parts.record.clone();
    record.parts.truncate(from);
    parts.sizes.truncate(from);
    for (name, size) in spoilt {
        record.parts.push(name);
        parts.sizes.push(size);
    }
    if put(shared, parts, record, &merged).await {
        for name in old {
            objects::remove(&shared.calls, &name).await;
        }
    }
}

/// Whether what this session knows of a partition may still be asked for: nobody else has taken it since this session has.
fn is_needed(shared: &Shared, partition: Partition) -> bool {
    let (record, _) = shared.view.lock().partition(partition);
    let own = shared.tokens.lock().get(&partition).copied().unwrap_or(u64::MAX);
    record.source.as_ref() == Some(&shared.session) || record.token < own
}

/// Writes a part and what the record then says with it. False: the session is over.
async fn put(shared: &Shared, parts: &mut Parts, mut record: SourceRecord, part: &Part) -> bool {
    if !part.sections.is_empty() {
        parts.next += 1;
        let name = format!("parts.{}.{}", shared.session, parts.next);
        let object = part.encode(&mut Packer::new());
        objects::put(&shared.calls, &name, &object).await;
        // Twice: it is kept so.
        shared.calls.metrics.checkpoint_bytes.add(2 * object.len() as u64);
        record.parts.push(name);
        parts.sizes.push(object.len() as u64);
    }
    let (key, value) = (source_key(&shared.session), records::written(&record));
    match shared.calls.swap(&key, &value, Some(parts.revision)).await {
        Swapped::Done(revision) => {
            parts.record = record;
            parts.revision = revision;
            true
        }
        Swapped::Conflict(_) => {
            tracing::warn!("others have taken over what the session {} kept", shared.session);
            shared.end(End::Lost);
            false
        }
    }
}
