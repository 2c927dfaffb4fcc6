//! Compresses records to gzip members (RFC 1952), one per record.

use libdeflater::{CompressionLvl, Compressor};

/// Buffers that exceeded this size for a large record are shrunk to it afterwards.
pub(super) const BUFFER_KEPT: usize = 1 << 20;

/// Compresses records at two levels: one for text, one for content that is already compressed. The compressors are
/// reused because creating one costs more than compressing a record.
pub(super) struct MemberCompressor {
    text: Compressor,
    encoded: Compressor,
}

/// The compressibility of a record's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// Compressible text.
    Text,
    /// Already compressed content.
    Encoded,
}

impl MemberCompressor {
    /// Creates a compressor that uses `level` for text and `level_encoded` for already compressed content (both 0 to
    /// 12; higher values count as 12).
    pub fn new(level: u8, level_encoded: u8) -> Self {
        let at = |level: u8| Compressor::new(CompressionLvl::new(i32::from(level)).unwrap_or(CompressionLvl::best()));
        Self { text: at(level), encoded: at(level_encoded) }
    }

    /// Appends `plain` to `out` as one member.
    pub fn append(&mut self, plain: &[u8], content: Content, out: &mut Vec<u8>) {
        let compressor = match content {
            Content::Text => &mut self.text,
            Content::Encoded => &mut self.encoded,
        };
        let start = out.len();
        out.resize(start + compressor.gzip_compress_bound(plain.len()), 0);
        let length = compressor.gzip_compress(plain, &mut out[start..]).expect("the bound is enough for every input");
        out.truncate(start + length);
    }
}

/// Determines from `Content-Encoding` and `Content-Type` whether a body is already compressed.
pub(super) fn content_of(encoding: Option<&[u8]>, media_type: Option<&str>) -> Content {
    let encoded = encoding.is_some_and(|value| !value.is_empty() && !value.eq_ignore_ascii_case(b"identity"));
    let media_type = media_type.unwrap_or_default().trim_start().to_ascii_lowercase();
    const COMPRESSED: &[&str] = &[
        "image/jpeg",
        "image/png",
        "image/gif",
        "image/webp",
        "image/avif",
        "video/",
        "audio/",
        "font/woff",
        "application/zip",
        "application/gzip",
    ];
    if encoded || COMPRESSED.iter().any(|start| media_type.starts_with(start)) {
        Content::Encoded
    } else {
        Content::Text
    }
}
