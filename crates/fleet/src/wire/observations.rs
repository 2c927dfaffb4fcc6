//! Encoding of the policy's data: batches of observations, segments of batches, publications. The encoding of single
//! observations and of the content of publications is up to the policy.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::codec::{MessageKind, WireCodec, WireError, value};
use crate::SessionId;

/// The most decompressed bytes of a batch.
const BATCH_MAX: usize = 32 << 20;
/// The most decompressed bytes of a segment's index.
const INDEX_MAX: usize = 8 << 20;
/// The most decompressed bytes of a publication.
const PUBLICATION_MAX: usize = 256 << 20;

/// Observations of one session, in the order in which it made them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observations {
    /// The session.
    pub sender: SessionId,
    /// The number of the batch, counted from 1.
    pub number: u64,
    /// The encoded observations.
    pub observations: Vec<Bytes>,
}

impl Observations {
    /// Encodes the batch as a message.
    pub fn encode(&self, codec: &mut WireCodec) -> Bytes {
        codec.encode(MessageKind::Observations, b"", self).into()
    }

    /// Decodes a message.
    ///
    /// # Errors
    /// The message was written by a node of another format, or is corrupt.
    pub fn read(bytes: &[u8], codec: &mut WireCodec) -> Result<Self, WireError> {
        let (_, plain) = codec.decode(MessageKind::Observations, bytes, BATCH_MAX)?;
        value(MessageKind::Observations, &plain)
    }
}

/// A segment: consecutive batches that were shown to the policy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObservationSegment {
    /// The last batch of each session up to the end of the segment.
    pub senders: Vec<(SessionId, u64)>,
    /// The batches, encoded as messages.
    pub batches: Vec<Bytes>,
}

#[derive(Serialize, Deserialize)]
struct Index {
    senders: Vec<(SessionId, u64)>,
    lengths: Vec<u32>,
}

impl ObservationSegment {
    /// Encodes the segment as an object. Its batches are already compressed.
    pub fn encode(&self, codec: &mut WireCodec) -> Bytes {
        let lengths = self.batches.iter().map(|batch| batch.len() as u32).collect();
        let index = Index { senders: self.senders.clone(), lengths };
        codec.encode(MessageKind::Segment, &self.batches.concat(), &index).into()
    }

    /// Decodes an object.
    ///
    /// # Errors
    /// The object was written by a node of another format, or is corrupt.
    pub fn read(bytes: &Bytes, codec: &mut WireCodec) -> Result<Self, WireError> {
        let kind = MessageKind::Segment;
        let (mut raw, plain) = codec.decode(kind, bytes, INDEX_MAX)?;
        let Index { senders, lengths } = value(kind, &plain)?;
        let mut batches = Vec::new();
        for length in lengths {
            let (batch, rest) =
                raw.split_at_checked(length as usize).ok_or(kind.corrupt("its batches are truncated"))?;
            batches.push(bytes.slice_ref(batch));
            raw = rest;
        }
        Ok(Self { senders, batches })
    }
}

/// Encodes a publication as an object.
pub fn encode_publication(plain: &[u8], codec: &mut WireCodec) -> Bytes {
    codec.encode_plain(MessageKind::Publication, b"", plain).into()
}

/// Decodes a publication.
///
/// # Errors
/// The object was written by a node of another format, or is corrupt.
pub fn decode_publication(bytes: &[u8], codec: &mut WireCodec) -> Result<Vec<u8>, WireError> {
    Ok(codec.decode(MessageKind::Publication, bytes, PUBLICATION_MAX)?.1)
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
            let mut codec = WireCodec::new();
            let messages: Vec<Bytes> = all.iter().map(|batch| batch.encode(&mut codec)).collect();
            for (batch, message) in all.iter().zip(&messages) {
                prop_assert_eq!(&Observations::read(message, &mut codec).unwrap(), batch);
            }
            let senders = all.iter().map(|batch| (batch.sender.clone(), batch.number)).collect();
            let segment = ObservationSegment { senders, batches: messages };
            let object = segment.encode(&mut codec);
            prop_assert_eq!(&ObservationSegment::read(&object, &mut codec).unwrap(), &segment);
            let mut corrupt = object.to_vec();
            let at = at.index(corrupt.len());
            corrupt[at] ^= 1 << bit;
            prop_assert!(ObservationSegment::read(&corrupt.into(), &mut codec).is_err());
        }
    }

    #[test]
    fn a_publication_is_read_as_it_was_written() {
        let mut codec = WireCodec::new();
        let sealed = encode_publication(b"what was learned", &mut codec);
        assert_eq!(decode_publication(&sealed, &mut codec).unwrap(), b"what was learned");
        assert!(Observations::read(&sealed, &mut codec).is_err());
    }
}
