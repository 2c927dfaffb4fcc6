//! Checks the digests of a record against its bytes.

use std::io::{BufRead, Read};

use super::{Record, WarcError};
use crate::archive::digest::{Digest, Hasher};

/// Maximum length of an HTTP head that is searched for a transfer coding.
const HEAD_BYTES_MAX: usize = 64 << 10;

/// The result of checking one digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DigestCheck {
    /// The digest matches the bytes.
    Right,
    /// The digest does not match.
    Wrong,
    /// The record has no digest, or one that cannot be checked: an unknown algorithm; the payload of a revisit, which
    /// is in another record; a payload with a transfer coding, where tools disagree on what the payload is.
    NotChecked,
}

/// The results of checking a record's digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DigestVerdict {
    /// `WARC-Block-Digest`.
    pub block: DigestCheck,
    /// `WARC-Payload-Digest`.
    pub payload: DigestCheck,
}

impl<R: Read> Record<'_, R> {
    /// Reads the block to its end and checks the record's digests.
    pub fn verify(&mut self) -> Result<DigestVerdict, WarcError> {
        let stated = |name| self.header().get(name).and_then(Digest::parse);
        let mut block = StatedDigest::new(stated("WARC-Block-Digest"));
        let mut payload = StatedDigest::new(stated("WARC-Payload-Digest"));
        if self.record_type() == "revisit" {
            payload = StatedDigest::new(None);
        }
        let content_type = self.header().get("Content-Type").unwrap_or_default();
        let mut head = content_type.trim_start().starts_with("application/http").then(HttpHead::default);
        let offset = self.offset();
        loop {
            let piece = self.fill_buf().map_err(|error| super::at(offset, error))?;
            if piece.is_empty() {
                break;
            }
            block.update(piece);
            let in_head = head.as_mut().map_or(0, |head| head.take(piece));
            payload.update(&piece[in_head..]);
            let length = piece.len();
            self.consume(length);
        }
        let coded = head.is_some_and(|head| head.has_transfer_coding());
        let payload = payload.check();
        let payload = if coded && payload == DigestCheck::Wrong { DigestCheck::NotChecked } else { payload };
        Ok(DigestVerdict { block: block.check(), payload })
    }
}

/// A stated digest and the digest of the bytes.
struct StatedDigest(Option<(Digest, Hasher)>);

impl StatedDigest {
    fn new(stated: Option<Digest>) -> Self {
        Self(stated.map(|digest| (digest, Hasher::new(digest.algorithm()))))
    }

    fn update(&mut self, bytes: &[u8]) {
        if let Some((_, hasher)) = &mut self.0 {
            hasher.update(bytes);
        }
    }

    fn check(self) -> DigestCheck {
        match self.0 {
            None => DigestCheck::NotChecked,
            Some((stated, hasher)) if hasher.clone().finish() == stated => DigestCheck::Right,
            Some(_) => DigestCheck::Wrong,
        }
    }
}

/// Finds the end of an HTTP head: the first empty line.
#[derive(Debug, Default)]
pub(in crate::archive) struct HttpHead {
    /// The head, up to its maximum length.
    pub kept: Vec<u8>,
    line_is_empty: bool,
    ended: bool,
}

impl HttpHead {
    /// Adds `piece` and returns how many of its bytes belong to the head.
    pub fn take(&mut self, piece: &[u8]) -> usize {
        let length = self.length_in(piece);
        let room = HEAD_BYTES_MAX.saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&piece[..length.min(room)]);
        length
    }

    fn length_in(&mut self, piece: &[u8]) -> usize {
        if self.ended {
            return 0;
        }
        for (index, byte) in piece.iter().enumerate() {
            match byte {
                b'\n' if self.line_is_empty => {
                    self.ended = true;
                    return index + 1;
                }
                b'\n' => self.line_is_empty = true,
                b'\r' => {}
                _ => self.line_is_empty = false,
            }
        }
        piece.len()
    }

    fn has_transfer_coding(&self) -> bool {
        let name = b"transfer-encoding:";
        self.kept
            .split(|byte| *byte == b'\n')
            .any(|line| line.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)))
    }
}
