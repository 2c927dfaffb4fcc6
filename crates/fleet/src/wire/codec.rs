//! The seal around everything: format, checksum, what does not compress as it is, the rest compressed.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;
use zstd::zstd_safe::{CCtx, CDict, DCtx, DDict, compress_bound, get_frame_content_size};

/// Text that URLs are often made of. What is compressed may refer to it, which spares small batches most of what they have in common with
/// all others. Part of the format. What stands at the end is the cheapest to refer to.
const DICTIONARY: &[u8] = include_bytes!("dictionary.txt");
/// Of zstd. Level 6 saves a byte a link, level 19 two.
const LEVEL: i32 = 3;
/// Format and checksum.
const HEAD: usize = 5;

/// Why something could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// It was written by another version.
    #[error(
        "{what} has format {found}, and this version of Harvestman reads format {known}: let all nodes of the fleet run the same version"
    )]
    Format {
        /// What it is.
        what: &'static str,
        /// Its format.
        found: u8,
        /// The format that is read.
        known: u8,
    },
    /// It is not what was written.
    #[error("{what} is spoilt ({why}); it is left out, and what it said is missing")]
    Spoilt {
        /// What it was to be.
        what: &'static str,
        /// How that shows.
        why: &'static str,
    },
}

/// What is sealed.
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
    /// The first byte: what it is, and then its format. **A format changes with every type that it holds**, fates and link classes among
    /// them: their variants and fields are written by place.
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
            Self::Entry => "an entry of a log",
            Self::Index => "the index of a part",
            Self::Section => "a section of a part",
            Self::Observations => "a batch of observations",
            Self::Segment => "a segment of observations",
            Self::Publication => "a publication of the policy",
        }
    }

    pub(super) const fn spoilt(self, why: &'static str) -> WireError {
        WireError::Spoilt { what: self.name(), why }
    }

    /// Checks the first byte.
    fn check(self, found: u8) -> Result<(), WireError> {
        let known = self.byte();
        match found {
            _ if found == known => Ok(()),
            _ if found >> 4 == known >> 4 => {
                Err(WireError::Format { what: self.name(), found: found & 0xf, known: known & 0xf })
            }
            _ => Err(self.spoilt("it is something else")),
        }
    }
}

/// Compresses and decompresses. Keep one a thread: it holds memory that is dear to set up.
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
    /// A new one; some 100 KiB once it is used.
    pub fn new() -> Self {
        Self { compress: CCtx::create(), decompress: DCtx::create(), plain: Vec::new() }
    }

    /// Seals `raw`, which does not compress, and a value, which does.
    pub(super) fn seal<T: Serialize>(&mut self, kind: MessageKind, raw: &[u8], value: &T) -> Vec<u8> {
        let mut plain = std::mem::take(&mut self.plain);
        plain.clear();
        // Writing to memory fails for no type that is sealed here: each knows its length.
        let plain = postcard::to_extend(value, plain).unwrap_or_default();
        let sealed = self.seal_plain(kind, raw, &plain);
        self.plain = plain;
        sealed
    }

    /// Seals bytes.
    pub(super) fn seal_plain(&mut self, kind: MessageKind, raw: &[u8], plain: &[u8]) -> Vec<u8> {
        let mut packed = Vec::with_capacity(compress_bound(plain.len()));
        // There is room for the worst case; and what could not be compressed could not be read as anything.
        let done = self.compress.compress_using_cdict(&mut packed, plain, dictionary_to_write());
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

    /// Breaks a seal: what was not compressed, and the value's bytes, at most `max` of them.
    pub(super) fn open<'a>(
        &mut self,
        kind: MessageKind,
        sealed: &'a [u8],
        max: usize,
    ) -> Result<(&'a [u8], Vec<u8>), WireError> {
        let first = *sealed.first().ok_or(kind.spoilt("it is empty"))?;
        kind.check(first)?;
        let (head, rest) = sealed.split_at_checked(HEAD).ok_or(kind.spoilt("it is cut off"))?;
        if head[1..] != checksum(kind, rest) {
            return Err(kind.spoilt("its checksum does not match"));
        }
        let (length, rest) = postcard::take_from_bytes::<usize>(rest).map_err(|_| kind.spoilt("it has no length"))?;
        let (raw, packed) = rest.split_at_checked(length).ok_or(kind.spoilt("it is cut off"))?;
        let size = get_frame_content_size(packed).ok().flatten().ok_or(kind.spoilt("it says no size"))?;
        let size = usize::try_from(size).ok().filter(|size| *size <= max).ok_or(kind.spoilt("it is too large"))?;
        let mut plain = Vec::with_capacity(size);
        let unpacked = self.decompress.decompress_using_ddict(&mut plain, packed, dictionary_to_read());
        unpacked.map_err(|_| kind.spoilt("it cannot be decompressed"))?;
        Ok((raw, plain))
    }
}

/// Reads a value that was sealed.
pub(super) fn value<'a, T: Deserialize<'a>>(kind: MessageKind, plain: &'a [u8]) -> Result<T, WireError> {
    postcard::from_bytes(plain).map_err(|_| kind.spoilt("its fields cannot be read"))
}

fn extended(mut sealed: Vec<u8>) -> Vec<u8> {
    sealed.resize(HEAD, 0);
    sealed
}

fn checksum(kind: MessageKind, bytes: &[u8]) -> [u8; 4] {
    (xxh3_64_with_seed(bytes, kind.byte().into()) as u32).to_le_bytes()
}

fn dictionary_to_write() -> &'static CDict<'static> {
    static PREPARED: OnceLock<CDict<'static>> = OnceLock::new();
    PREPARED.get_or_init(|| CDict::create(DICTIONARY, LEVEL))
}

fn dictionary_to_read() -> &'static DDict<'static> {
    static PREPARED: OnceLock<DDict<'static>> = OnceLock::new();
    PREPARED.get_or_init(|| DDict::create(DICTIONARY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_comes_out_again_and_nothing_else_does() {
        let mut packer = WireCodec::new();
        let sealed = packer.seal(MessageKind::Batch, b"raw", &("value", 7_u64));
        let (raw, plain) = packer.open(MessageKind::Batch, &sealed, 100).unwrap();
        assert_eq!((raw, value(MessageKind::Batch, &plain).unwrap()), (b"raw".as_slice(), ("value", 7_u64)));
        assert!(packer.open(MessageKind::Entry, &sealed, 100).unwrap_err().to_string().contains("something else"));
        for at in 1..sealed.len() {
            let mut spoilt = sealed.clone();
            spoilt[at] ^= 4;
            assert!(
                matches!(packer.open(MessageKind::Batch, &spoilt, 100), Err(WireError::Spoilt { .. })),
                "byte {at}"
            );
        }
    }

    #[test]
    fn another_format_is_told_from_a_spoilt_message() {
        let mut packer = WireCodec::new();
        let mut sealed = packer.seal(MessageKind::Entry, b"", &());
        sealed[0] += 1;
        let error = packer.open(MessageKind::Entry, &sealed, 100).unwrap_err();
        assert_eq!(error, WireError::Format { what: "an entry of a log", found: 2, known: 1 });
        assert!(error.to_string().contains("let all nodes of the fleet run the same version"), "{error}");
    }

    #[test]
    fn nothing_is_decompressed_beyond_its_bound() {
        let mut packer = WireCodec::new();
        let sealed = packer.seal(MessageKind::Batch, b"", &vec![0_u8; 997]);
        assert!(sealed.len() < 40);
        assert!(packer.open(MessageKind::Batch, &sealed, 999).is_ok());
        assert!(packer.open(MessageKind::Batch, &sealed, 998).unwrap_err().to_string().contains("too large"));
    }
}
