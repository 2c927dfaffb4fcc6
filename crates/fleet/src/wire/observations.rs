//! What the policy of a fleet is shown, and what it publishes: batches of observations, segments that keep batches, publications. What an
//! observation and a publication are is no business of the wire.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::codec::{MessageKind, WireCodec, WireError, value};
use crate::SessionId;

/// The most bytes of a batch, decompressed.
const BATCH_MAX: usize = 32 << 20;
/// The most bytes of what stands beside a segment's batches.
const INDEX_MAX: usize = 8 << 20;
/// The most bytes of a publication, decompressed.
const PUBLICATION_MAX: usize = 256 << 20;

/// Observations of one session, in the order in which it made them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observations {
    /// The session.
    pub sender: SessionId,
    /// Counts its batches, from 1.
    pub number: u64,
    /// The observations, each encoded.
    pub observations: Vec<Bytes>,
}

impl Observations {
    /// The batch as a message.
    pub fn encode(&self, packer: &mut WireCodec) -> Bytes {
        packer.seal(MessageKind::Observations, b"", self).into()
    }

    /// Reads a message.
    ///
    /// # Errors
    /// Where it was not written by a node of this format, or has changed since.
    pub fn read(bytes: &[u8], packer: &mut WireCodec) -> Result<Self, WireError> {
        let (_, plain) = packer.open(MessageKind::Observations, bytes, BATCH_MAX)?;
        value(MessageKind::Observations, &plain)
    }
}

/// Batches that were shown to the policy, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObservationSegment {
    /// Of each session: its last batch up to the end of the segment.
    pub senders: Vec<(SessionId, u64)>,
    /// The batches, as their messages were.
    pub batches: Vec<Bytes>,
}

#[derive(Serialize, Deserialize)]
struct Index {
    senders: Vec<(SessionId, u64)>,
    lengths: Vec<u32>,
}

impl ObservationSegment {
    /// The segment as an object. Its batches are compressed already.
    pub fn encode(&self, packer: &mut WireCodec) -> Bytes {
        let lengths = self.batches.iter().map(|batch| batch.len() as u32).collect();
        let index = Index { senders: self.senders.clone(), lengths };
        packer.seal(MessageKind::Segment, &self.batches.concat(), &index).into()
    }

    /// Reads an object.
    ///
    /// # Errors
    /// Where it was not written by a node of this format, or has changed since.
    pub fn read(bytes: &Bytes, packer: &mut WireCodec) -> Result<Self, WireError> {
        let kind = MessageKind::Segment;
        let (mut raw, plain) = packer.open(kind, bytes, INDEX_MAX)?;
        let Index { senders, lengths } = value(kind, &plain)?;
        let mut batches = Vec::new();
        for length in lengths {
            let (batch, rest) = raw.split_at_checked(length as usize).ok_or(kind.spoilt("its batches are cut off"))?;
            batches.push(bytes.slice_ref(batch));
            raw = rest;
        }
        Ok(Self { senders, batches })
    }
}

/// A publication as an object.
pub fn seal_publication(plain: &[u8], packer: &mut WireCodec) -> Bytes {
    packer.seal_plain(MessageKind::Publication, b"", plain).into()
}

/// Reads such an object.
///
/// # Errors
/// Where it was not written by a node of this format, or has changed since.
pub fn open_publication(bytes: &[u8], packer: &mut WireCodec) -> Result<Vec<u8>, WireError> {
    Ok(packer.open(MessageKind::Publication, bytes, PUBLICATION_MAX)?.1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn batches() -> impl Strategy<Value = Observations> {
        let observations = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..9);
        ("[a-z]{1,5}", any::<u64>(), observations).prop_map(|(sender, number, observations)| Observations {
            sender: SessionId(sender),
            number,
            observations: observations.into_iter().map(Bytes::from).collect(),
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn what_is_written_is_read_and_what_is_spoilt_is_told(
            all in prop::collection::vec(batches(), 0..6), at in any::<prop::sample::Index>(), bit in 0..8_u8,
        ) {
            let mut packer = WireCodec::new();
            let messages: Vec<Bytes> = all.iter().map(|batch| batch.encode(&mut packer)).collect();
            for (batch, message) in all.iter().zip(&messages) {
                prop_assert_eq!(&Observations::read(message, &mut packer).unwrap(), batch);
            }
            let senders = all.iter().map(|batch| (batch.sender.clone(), batch.number)).collect();
            let segment = ObservationSegment { senders, batches: messages };
            let object = segment.encode(&mut packer);
            prop_assert_eq!(&ObservationSegment::read(&object, &mut packer).unwrap(), &segment);
            let mut spoilt = object.to_vec();
            let at = at.index(spoilt.len());
            spoilt[at] ^= 1 << bit;
            prop_assert!(ObservationSegment::read(&spoilt.into(), &mut packer).is_err());
        }
    }

    #[test]
    fn a_publication_is_read_as_it_was_written() {
        let mut packer = WireCodec::new();
        let sealed = seal_publication(b"what was learnt", &mut packer);
        assert_eq!(open_publication(&sealed, &mut packer).unwrap(), b"what was learnt");
        assert!(Observations::read(&sealed, &mut packer).is_err());
    }
}
