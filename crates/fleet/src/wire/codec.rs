//! The frame of every message and object: format, checksum, incompressible bytes, and a compressed body.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;
use zstd::zstd_safe::{CCtx, CDict, DCtx, DDict, compress_bound, get_frame_content_size};

/// A dictionary of text that is common in URLs. It spares small batches most of what they have in common with all
/// others. Part of the format. Text at the end is the cheapest to refer to.
const DICTIONARY: &[u8] = include_bytes!("dictionary.txt");
/// The compression level of zstd. Level 6 saves one byte per link, level 19 two.
const LEVEL: i32 = 3;
/// Bytes of the format and the checksum.
const HEAD: usize = 5;

/// Why data could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The data has another format version.
    #[error(
        "{what} has format {found}, and this version of Harvestman reads format {known}: run the same version on all nodes of the fleet"
    )]
    Format {
        /// The kind of the data.
        what: &'static str,
        /// Its format.
        found: u8,
        /// The format that this version reads.
        known: u8,
    },
    /// The data is corrupt.
    #[error("{what} is corrupt ({why}); it is skipped and its content is lost")]
    Corrupt {
        /// The expected kind of the data.
        what: &'static str,
        /// The symptom.
        why: &'static str,
    },
}

/// The kind of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageKind {
    Batch,
    Entry,
    Index,
    Section,
    Observations,
    Segment,
    Publication,
}

impl MessageKind {
    /// The first byte: the kind and its format version. **The version must change with every type that the kind
    /// contains**, including fates and link classes: their variants and fields are encoded by position.
    const fn byte(self) -> u8 {
        match self {
            Self::Batch => 0x11,
            Self::Entry => 0x21,
            Self::Index => 0x31,
            Self::Section => 0x41,
            Self::Observations => 0x51,
            Self::Segment => 0x61,
            Self::Publication => 0x71,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Batch => "a batch of links",
            Self::Entry => "a log entry",
            Self::Index => "the index of a part",
            Self::Section => "a section of a part",
            Self::Observations => "a batch of observations",
            Self::Segment => "a segment of observations",
            Self::Publication => "a publication of the policy",
        }
    }

    pub(super) const fn corrupt(self, why: &'static str) -> WireError {
        WireError::Corrupt { what: self.name(), why }
    }

    /// Checks the first byte.
    fn check(self, found: u8) -> Result<(), WireError> {
        let known = self.byte();
        match found {
            _ if found == known => Ok(()),
            _ if found >> 4 == known >> 4 => {
                Err(WireError::Format { what: self.name(), found: found & 0xf, known: known & 0xf })
            }
            _ => Err(self.corrupt("it is of another kind")),
        }
    }
}

/// Encodes and decodes frames. Keep one per thread: its buffers are expensive to set up.
pub struct WireCodec {
    compress: CCtx<'static>,
    decompress: DCtx<'static>,
    plain: Vec<u8>,
}

impl Default for WireCodec {
    fn default() -> Self {
        Self::new()
    }
}

impl WireCodec {
    /// Creates a codec; it takes some 100 KiB once it is used.
    pub fn new() -> Self {
        Self { compress: CCtx::create(), decompress: DCtx::create(), plain: Vec::new() }
    }

    /// Encodes `raw`, which is incompressible, and a value, which is compressed.
    pub(super) fn encode<T: Serialize>(&mut self, kind: MessageKind, raw: &[u8], value: &T) -> Vec<u8> {
        let mut plain = std::mem::take(&mut self.plain);
        plain.clear();
        // Writing to memory cannot fail for the types that are encoded here: each knows its length.
        let plain = postcard::to_extend(value, plain).unwrap_or_default();
        let sealed = self.encode_plain(kind, raw, &plain);
        self.plain = plain;
        sealed
    }

    /// Encodes bytes.
    pub(super) fn encode_plain(&mut self, kind: MessageKind, raw: &[u8], plain: &[u8]) -> Vec<u8> {
        let mut packed = Vec::with_capacity(compress_bound(plain.len()));
        // The buffer suffices for the worst case. If compression fails anyway, the frame is unreadable as any value.
        let done = self.compress.compress_using_cdict(&mut packed, plain, compression_dictionary());
        if done.is_err() {
            packed.clear();
        }
        let sealed = Vec::with_capacity(HEAD + 10 + raw.len() + packed.len());
        let mut sealed = postcard::to_extend(&raw.len(), extended(sealed)).unwrap_or_default();
        sealed.extend_from_slice(raw);
        sealed.extend_from_slice(&packed);
        let check = checksum(kind, &sealed[HEAD..]);
        sealed[0] = kind.byte();
        sealed[1..HEAD].copy_from_slice(&check);
        sealed
    }

    /// Decodes a frame into its incompressible bytes and the bytes of its value, of which there are at most `max`.
    pub(super) fn decode<'a>(
        &mut self,
        kind: MessageKind,
        sealed: &'a [u8],
        max: usize,
    ) -> Result<(&'a [u8], Vec<u8>), WireError> {
        let first = *sealed.first().ok_or(kind.corrupt("it is empty"))?;
        kind.check(first)?;
        let (head, rest) = sealed.split_at_checked(HEAD).ok_or(kind.corrupt("it is truncated"))?;
        if head[1..] != checksum(kind, rest) {
            return Err(kind.corrupt("its checksum does not match"));
        }
        let (length, rest) =
            postcard::take_from_bytes::<usize>(rest).map_err(|_| kind.corrupt("its length is missing"))?;
        let (raw, packed) = rest.split_at_checked(length).ok_or(kind.corrupt("it is truncated"))?;
        let size = get_frame_content_size(packed).ok().flatten().ok_or(kind.corrupt("its size is missing"))?;
        let size = usize::try_from(size).ok().filter(|size| *size <= max).ok_or(kind.corrupt("it is too large"))?;
        let mut plain = Vec::with_capacity(size);
        let unpacked = self.decompress.decompress_using_ddict(&mut plain, packed, decompression_dictionary());
        unpacked.map_err(|_| kind.corrupt("it cannot be decompressed"))?;
        Ok((raw, plain))
    }
}

/// Decodes a value.
pub(super) fn value<'a, T: Deserialize<'a>>(kind: MessageKind, plain: &'a [u8]) -> Result<T, WireError> {
    postcard::from_bytes(plain).map_err(|_| kind.corrupt("its fields are unreadable"))
}

fn extended(mut sealed: Vec<u8>) -> Vec<u8> {
    sealed.resize(HEAD, 0);
    sealed
}

fn checksum(kind: MessageKind, bytes: &[u8]) -> [u8; 4] {
    (xxh3_64_with_seed(bytes, kind.byte().into()) as u32).to_le_bytes()
}

fn compression_dictionary() -> &'static CDict<'static> {
    static PREPARED: OnceLock<CDict<'static>> = OnceLock::new();
    PREPARED.get_or_init(|| CDict::create(DICTIONARY, LEVEL))
}

fn decompression_dictionary() -> &'static DDict<'static> {
    static PREPARED: OnceLock<DDict<'static>> = OnceLock::new();
    PREPARED.get_or_init(|| DDict::create(DICTIONARY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_comes_out_again_and_nothing_else_does() {
        let mut codec = WireCodec::new();
        let sealed = codec.encode(MessageKind::Batch, b"raw", &("value", 7_u64));
        let (raw, plain) = codec.decode(MessageKind::Batch, &sealed, 100).unwrap();
        assert_eq!((raw, value(MessageKind::Batch, &plain).unwrap()), (b"raw".as_slice(), ("value", 7_u64)));
        assert!(codec.decode(MessageKind::Entry, &sealed, 100).unwrap_err().to_string().contains("another kind"));
        for at in 1..sealed.len() {
            let mut corrupt = sealed.clone();
            corrupt[at] ^= 4;
            assert!(
                matches!(codec.decode(MessageKind::Batch, &corrupt, 100), Err(WireError::Corrupt { .. })),
                "byte {at}"
            );
        }
    }

    #[test]
    fn another_format_is_told_from_a_spoilt_message() {
        let mut codec = WireCodec::new();
        let mut sealed = codec.encode(MessageKind::Entry, b"", &());
        sealed[0] += 1;
        let error = codec.decode(MessageKind::Entry, &sealed, 100).unwrap_err();
        assert_eq!(error, WireError::Format { what: "a log entry", found: 2, known: 1 });
        assert!(error.to_string().contains("run the same version on all nodes of the fleet"), "{error}");
    }

    #[test]
    fn nothing_is_decompressed_beyond_its_bound() {
        let mut codec = WireCodec::new();
        let sealed = codec.encode(MessageKind::Batch, b"", &vec![0_u8; 997]);
        assert!(sealed.len() < 40);
        assert!(codec.decode(MessageKind::Batch, &sealed, 999).is_ok());
        assert!(codec.decode(MessageKind::Batch, &sealed, 998).unwrap_err().to_string().contains("too large"));
    }
}
