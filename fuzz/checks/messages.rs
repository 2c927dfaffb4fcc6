//! Messages of other processes: nodes of a fleet, and the browser.

use std::collections::BTreeSet;

use bytes::Bytes;
use harvestman::fleet::wire::{
    Batch, LINKS_MAX, ObservationSegment, Observations, PartReader, WireCodec, decode_entry, decode_publication,
};

/// The first byte selects the kind. What is read stays within the limits.
pub fn fleet_messages(input: &[u8]) {
    let Some((kind, bytes)) = input.split_first() else { return };
    let mut codec = WireCodec::new();
    match kind % 6 {
        0 => {
            if let Ok(batch) = Batch::read(bytes, &mut codec) {
                assert!(batch.links.len() <= LINKS_MAX);
            }
        }
        1 => drop(decode_entry(bytes, &mut codec)),
        2 => drop(Observations::read(bytes, &mut codec)),
        3 => drop(ObservationSegment::read(&Bytes::copy_from_slice(bytes), &mut codec)),
        4 => drop(decode_publication(bytes, &mut codec)),
        _ => {
            if let Ok(reader) = PartReader::open(Bytes::copy_from_slice(bytes), &mut codec) {
                let wanted: BTreeSet<_> = reader.partitions().take(8).collect();
                let _ = reader.read(&wanted, &mut codec);
            }
        }
    }
}

/// Any bytes on the pipe of a browser: reading ends, with at most one event for each message.
pub fn browser_messages(bytes: &[u8]) {
    let messages = bytes.iter().filter(|&&byte| byte == 0).count();
    assert!(harvestman_render::fuzzing::events(bytes) <= messages);
}
