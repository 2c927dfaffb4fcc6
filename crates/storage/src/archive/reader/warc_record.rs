//! A record: its header (version and named fields), the block being read, and the check of its digests.

use std::io::{self, BufRead, Read};
use std::ops::Range;

use super::{RecordEnd, WarcError, WarcReader};
use crate::archive::digest::{Digest, Hasher};

/// The fields of a record's header, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordHeader {
    /// The version line, names and values, concatenated. With `fields` these are only two buffers for a whole file.
    text: String,
    version: Range<usize>,
    fields: Vec<(Range<usize>, Range<usize>)>,
}

impl RecordHeader {
    /// Returns the value of the first field with this name (case-insensitive).
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Iterates over the names and values of all fields.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(name, value)| (&self.text[name.clone()], &self.text[value.clone()]))
    }

    /// Returns the version, for example `WARC/1.1`.
    pub fn version(&self) -> &str {
        &self.text[self.version.clone()]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.version = 0..0;
        self.fields.clear();
    }

    /// Adds a line. Returns `false` if it should be the version line and is not. A line without a colon is skipped; a
    /// folded line continues the previous value. Invalid UTF-8 is replaced by U+FFFD.
    pub(super) fn push_line(&mut self, line: &[u8]) -> bool {
        let line = String::from_utf8_lossy(line);
        if self.version.is_empty() {
            self.version = self.push(line.trim());
            return line.starts_with("WARC/");
        }
        if line.starts_with([' ', '\t']) {
            if let Some(last) = self.fields.last_mut() {
                self.text.push(' ');
                self.text.push_str(line.trim());
                last.1.end = self.text.len();
            }
        } else if let Some((name, value)) = line.split_once(':') {
            let name = self.push(name.trim_end());
            let value = self.push(value.trim());
            self.fields.push((name, value));
        }
        true
    }

    fn push(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }
}

/// The current record: its offset, its header and, through [`Read`] and [`BufRead`], its block.
pub struct Record<'a, R> {
    reader: &'a mut WarcReader<R>,
}

impl<'a, R: Read> Record<'a, R> {
    pub(super) fn new(reader: &'a mut WarcReader<R>) -> Self {
        Self { reader }
    }

    /// Returns the file offset of the record (or of the gzip member that contains it).
    pub fn offset(&self) -> u64 {
        self.reader.record_offset
    }

    /// Returns the header.
    pub fn header(&self) -> &RecordHeader {
        &self.reader.header
    }

    /// Returns the `WARC-Type`, for example `response`.
    pub fn record_type(&self) -> &str {
        self.header().get("WARC-Type").unwrap_or_default()
    }

    /// Returns the `WARC-Target-URI` without the angle brackets that some tools put around it.
    pub fn target_uri(&self) -> Option<&str> {
        self.header().get("WARC-Target-URI").map(|uri| uri.trim_start_matches('<').trim_end_matches('>'))
    }

    /// Returns the number of unread bytes of the block; initially its length.
    pub fn remaining(&self) -> u64 {
        self.reader.remaining
    }

    /// Returns the buffered next bytes of the block without consuming them; empty at the end of the block.
    pub fn peek(&mut self) -> Result<&[u8], WarcError> {
        let offset = self.reader.record_offset;
        self.reader.fill_block().map_err(|error| super::at(offset, error))
    }

    /// Reads the remainder of the block into `block`, and reuses its capacity: a caller that passes the same buffer
    /// again reads a whole file without allocations.
    ///
    /// # Errors
    /// Fails if the remainder is longer than `length_max`, or cannot be read.
    pub fn read_block(&mut self, block: &mut Vec<u8>, length_max: u64) -> Result<(), WarcError> {
        block.clear();
        if self.remaining() > length_max {
            let what = format!("its block of {} bytes is longer than {length_max}", self.remaining());
            return Err(self.reader.broken(&what));
        }
        loop {
            let piece = self.reader.fill_block();
            match piece {
                Ok([]) => return Ok(()),
                Ok(piece) => {
                    let length = piece.len();
                    block.extend_from_slice(piece);
                    self.reader.consume_block(length);
                }
                Err(error) => return Err(super::at(self.reader.record_offset, error)),
            }
        }
    }

    /// Skips the remainder of the record and returns how it ended.
    pub fn end(self) -> Result<RecordEnd, WarcError> {
        Ok(self.reader.end_record()?.expect("there is a current record"))
    }
}

impl<R: Read> Read for Record<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut piece = self.reader.fill_block()?;
        let length = piece.read(buffer)?;
        self.reader.consume_block(length);
        Ok(length)
    }
}

impl<R: Read> BufRead for Record<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_block()
    }

    fn consume(&mut self, length: usize) {
        self.reader.consume_block(length);
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_names_are_case_insensitive_and_folded_values_are_joined() {
        let mut header = RecordHeader::default();
        for line in ["WARC/1.0", "warc-type:response", "X: a", "\t b", "nonsense", "X: c"] {
            assert!(header.push_line(line.as_bytes()));
        }
        assert_eq!(header.version(), "WARC/1.0");
        assert_eq!(header.get("WARC-Type"), Some("response"));
        assert_eq!(header.iter().collect::<Vec<_>>(), [("warc-type", "response"), ("X", "a b"), ("X", "c")]);
        assert!(!RecordHeader::default().push_line(b"HTTP/1.1 200 OK"));
    }
}
