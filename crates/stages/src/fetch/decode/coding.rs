//! One content coding, and what is left when it is removed.
//!
//! Nearly every coded body is one gzip member, which [`whole_member`] decodes in one call. Everything else is decoded
//! as a stream.

use std::io::{self, Read};

use bytes::Bytes;
use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};

use super::member::whole_member;
use harvestman_core::config::FetchOptions;

/// How many times larger than its coded form a body may become: decompression bombs reach 1,000 with gzip and 32,000
/// with zstd, ordinary pages stay below 100.
const RATIO_MAX: u32 = 500;

/// Maximum number of content codings of one body. Misconfigured servers stack two; each more multiplies what a bomb may
/// reach.
const CODINGS_MAX: u32 = 3;

/// Limits on a decoded body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodeLimits {
    /// The maximum number of decoded bytes.
    pub bytes_max: usize,
    /// The maximum number of decoded bytes per coded byte, once there are more than `RATIO_FREE_BYTES`.
    pub ratio_max: u32,
    /// The maximum number of stacked codings.
    pub codings_max: u32,
}

impl From<&FetchOptions> for DecodeLimits {
    fn from(options: &FetchOptions) -> Self {
        Self { bytes_max: options.decoded_max.as_usize(), ratio_max: RATIO_MAX, codings_max: CODINGS_MAX }
    }
}

/// Below this length the ratio is not checked: small bodies do no harm, and a page of blanks compresses well.
pub const RATIO_FREE_BYTES: usize = 1 << 20;

/// Why a decoded body was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// It exceeds the length limit.
    Length,
    /// It exceeds the ratio limit.
    Ratio,
}

/// Why a body could not be decoded to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The coding is not supported.
    #[error("unknown content coding `{0}`")]
    Unknown(String),
    /// More codings than the limit.
    #[error("too many content codings")]
    TooMany,
    /// The coded data end early.
    #[error("the {0} data end early")]
    Truncated(&'static str),
    /// The coded data are invalid.
    #[error("the {0} data are broken")]
    Broken(&'static str),
}

/// A decoded body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// What could be decoded; the body itself (no copy) if it has no coding, or one that is not known.
    pub bytes: Bytes,
    /// The limit that cut it, if any.
    pub cut: Option<Cut>,
    /// The decoding error, if any.
    pub error: Option<DecodeError>,
}

impl Decoded {
    pub(super) fn whole(bytes: Bytes) -> Self {
        Self { bytes, cut: None, error: None }
    }

    /// Returns whether nothing of the body could be decoded.
    pub fn is_unreadable(&self) -> bool {
        match &self.error {
            Some(DecodeError::Unknown(_) | DecodeError::TooMany) => true,
            Some(DecodeError::Truncated(_) | DecodeError::Broken(_)) => self.bytes.is_empty(),
            None => false,
        }
    }

    /// Returns the result of removing a coding from this one. An error in an outer coding causes those inside it, so
    /// the first one is reported.
    pub(super) fn then(self, next: Self) -> Self {
        Self { bytes: next.bytes, cut: self.cut.or(next.cut), error: self.error.or(next.error) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// Decodes one coding.
pub(super) fn undo(coding: Coding, data: &[u8], coded_len: usize, limits: &DecodeLimits) -> Decoded {
    let mut output = Output::new(coded_len, limits);
    if coding == Coding::Gzip
        && let Some(bytes) = whole_member(data, output.max)
    {
        return Decoded { bytes: bytes.into(), cut: None, error: None };
    }
    output.reserve(data.len());
    let (name, result) = match coding {
        Coding::Gzip => ("gzip", gunzip(data, &mut output)),
        Coding::Deflate => ("deflate", inflate(data, &mut output)),
        Coding::Brotli => ("br", output.fill(&mut brotli_decompressor::Decompressor::new(data, BROTLI_BUFFER))),
        Coding::Zstd => ("zstd", unzstd(data, &mut output)),
    };
    let error = result.err().map(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => DecodeError::Truncated(name),
        _ => DecodeError::Broken(name),
    });
    Decoded { bytes: output.bytes.into(), cut: output.cut, error }
}

const BROTLI_BUFFER: usize = 4_096;

/// Decodes all members of a gzip stream. Ignores anything behind the first member that is not another member: it is
/// padding.
fn gunzip(data: &[u8], output: &mut Output) -> io::Result<()> {
    let mut rest = data;
    loop {
        let mut decoder = GzDecoder::new(rest);
        output.fill(&mut decoder)?;
        rest = decoder.into_inner();
        if output.cut.is_some() || !rest.starts_with(&[0x1f, 0x8b]) {
            return Ok(());
        }
    }
}

/// Decodes `deflate`, which means zlib, but many servers send it raw. If the first two bytes of raw data look like a
/// zlib header by chance, the header's checksum detects it in most cases, and the decoder in the others.
fn inflate(data: &[u8], output: &mut Output) -> io::Result<()> {
    let header = u16::from_be_bytes([data.first().copied().unwrap_or(0), data.get(1).copied().unwrap_or(0)]);
    let looks_like_zlib = header >> 8 & 0x0f == 8 && header.is_multiple_of(31);
    if looks_like_zlib {
        let result = output.fill(&mut ZlibDecoder::new(data));
        if result.is_ok() || !output.bytes.is_empty() {
            return result;
        }
    }
    output.fill(&mut DeflateDecoder::new(data))
}

/// The largest window that RFC 9659 allows as a content coding: 8 MiB.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

fn unzstd(data: &[u8], output: &mut Output) -> io::Result<()> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(data)?;
    decoder.window_log_max(ZSTD_WINDOW_LOG_MAX)?;
    output.fill(&mut decoder)
}

/// The buffer for decoded bytes, which enforces the limits.
struct Output {
    bytes: Vec<u8>,
    max: usize,
    /// The limit that `max` represents.
    cut_at_max: Cut,
    cut: Option<Cut>,
}

/// The maximum allocation before anything is decoded.
const FIRST_ALLOCATION_MAX: usize = 256 << 10;

impl Output {
    fn new(coded_len: usize, limits: &DecodeLimits) -> Self {
        let by_ratio = coded_len.saturating_mul(limits.ratio_max as usize).max(RATIO_FREE_BYTES);
        let (max, cut_at_max) =
            if by_ratio < limits.bytes_max { (by_ratio, Cut::Ratio) } else { (limits.bytes_max, Cut::Length) };
        Self { bytes: Vec::new(), max, cut_at_max, cut: None }
    }

    /// Allocates memory for a body of this coded length.
    fn reserve(&mut self, data_len: usize) {
        // HTML compresses about five to one.
        self.bytes.reserve_exact(data_len.saturating_mul(5).min(self.max).min(FIRST_ALLOCATION_MAX));
    }

    /// Reads everything from `decoder`, up to the limit. After an error, the bytes before it remain.
    fn fill(&mut self, decoder: &mut impl Read) -> io::Result<()> {
        let room = self.max - self.bytes.len();
        // Reading one byte beyond the limit distinguishes a body that just fits from one that does not.
        let result = decoder.take(room as u64 + 1).read_to_end(&mut self.bytes);
        if self.bytes.len() > self.max {
            self.bytes.truncate(self.max);
            self.cut = Some(self.cut_at_max);
            return Ok(());
        }
        result.map(drop)
    }
}
