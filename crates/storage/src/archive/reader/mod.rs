//! Reads WARC files: Harvestman's own and other tools', compressed (a gzip member a record) or plain.
//!
//! Input: any [`Read`]. Output, record by record: offset, header, a stream of the block. Memory is bounded by the limits,
//! whatever the input holds. Tolerant where the meaning is clear (bare line feeds, folded lines, unknown fields and versions,
//! several records a member, missing or additional line breaks between records); the rest is a [`WarcError::Broken`] that says where.
//! After an error the reader gives no more records: in a compressed file there is no telling where the next one starts.

mod header;
mod members;
mod record;
mod verify;

use std::io::{self, Read};

pub use header::RecordHeader;
use members::MemberReader;
pub use record::Record;
pub(in crate::archive) use verify::HttpHead;
pub use verify::{DigestCheck, DigestVerdict};

/// What a reader accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest header of a record, bytes.
    pub header_bytes_max: usize,
    /// Longest block of a record, bytes.
    pub block_bytes_max: u64,
}

impl Default for Limits {
    /// A header of 1 MiB and a block of 16 GiB: more than any crawler writes.
    fn default() -> Self {
        Self { header_bytes_max: 1 << 20, block_bytes_max: 16 << 30 }
    }
}

/// Why a WARC file cannot be read on. Offsets are those of the record (or member) that is at fault, in the file.
#[derive(Debug, thiserror::Error)]
pub enum WarcError {
    /// The file could not be read.
    #[error("cannot read: {0}")]
    Io(#[source] io::Error),
    /// The file ends within a record.
    #[error("the file ends within the record at byte {offset}; cut it there, or resume the crawl to have it repaired")]
    Torn {
        /// Where the record starts.
        offset: u64,
    },
    /// What stands there is no record.
    #[error("no WARC record at byte {offset}: {what}")]
    Broken {
        /// Where it starts.
        offset: u64,
        /// What is wrong.
        what: String,
    },
}

/// Reads records one after the other.
pub struct WarcReader<R> {
    source: MemberReader<R>,
    limits: Limits,
    header: RecordHeader,
    record_offset: u64,
    remaining: u64,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    BetweenRecords,
    InBlock,
    Ended,
}

/// How a record ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordEnd {
    /// Offset in the file behind the record (behind its member, if `member_ended`).
    pub offset: u64,
    /// Bytes that hold the record from its own offset on: its member, or, in a plain file, its header and block without the line
    /// breaks behind them.
    pub length: u64,
    /// Whether the two line breaks that belong to a record are there.
    pub line_breaks: bool,
    /// Whether its gzip member ended with it and, in a compressed file, is whole by its checksum. Always so in a plain file.
    pub member_ended: bool,
}

impl<R: Read> WarcReader<R> {
    /// Reads `input` from its start.
    pub fn new(input: R, limits: Limits) -> Self {
        Self {
            source: MemberReader::new(input),
            limits,
            header: RecordHeader::default(),
            record_offset: 0,
            remaining: 0,
            state: State::BetweenRecords,
        }
    }

    /// The next record; none at the end of the file. What was not read of the last record's block is skipped.
    pub fn next_record(&mut self) -> Result<Option<Record<'_, R>>, WarcError> {
        self.end_record()?;
        if self.state == State::Ended {
            return Ok(None);
        }
        self.state = State::Ended;
        if !self.find_record()? {
            return Ok(None);
        }
        self.read_header()?;
        self.remaining = self.content_length()?;
        self.state = State::InBlock;
        Ok(Some(Record::new(self)))
    }

    /// Skips the rest of the record at hand, and says how it ended; none where no record is at hand.
    pub fn end_record(&mut self) -> Result<Option<RecordEnd>, WarcError> {
        if self.state != State::InBlock {
            return Ok(None);
        }
        self.state = State::Ended;
        let offset = self.record_offset;
        while self.remaining > 0 {
            let length = self.fill_block().map_err(|error| at(offset, error))?.len();
            self.consume_block(length);
        }
        let block_end = self.source.offset();
        let line_breaks = self.line_breaks().map_err(|error| at(offset, error))?;
        let member_ended = self.source.fill().map_err(|error| at(offset, error))?.is_empty();
        self.state = State::BetweenRecords;
        let plain = !self.source.is_gzip();
        let length = if plain { block_end } else { self.source.offset() } - offset;
        let offset = self.source.offset();
        Ok(Some(RecordEnd { offset, length, line_breaks, member_ended: member_ended || plain }))
    }

    /// Whether the input is compressed; known once a record was read.
    pub fn is_gzip(&self) -> bool {
        self.source.is_gzip()
    }

    /// Goes to the first byte of the next record. False at the end of the input.
    fn find_record(&mut self) -> Result<bool, WarcError> {
        loop {
            self.record_offset = self.source.piece_offset();
            let offset = self.record_offset;
            let buffer = self.source.fill().map_err(|error| at(offset, error))?;
            if buffer.is_empty() {
                let more = self.source.next_member().map_err(|error| at(self.source.offset(), error))?;
                if !more {
                    return Ok(false);
                }
                continue;
            }
            let blank = buffer.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            if blank == 0 {
                self.record_offset = self.source.piece_offset();
                return Ok(true);
            }
            self.source.consume(blank);
        }
    }

    fn read_header(&mut self) -> Result<(), WarcError> {
        self.header.clear();
        let mut left = self.limits.header_bytes_max;
        let mut line = Vec::new();
        loop {
            line.clear();
            self.read_line(&mut line, left)?;
            left -= line.len();
            let text = line.trim_ascii_end();
            if text.is_empty() {
                break;
            }
            if !self.header.push_line(text) {
                return Err(self.broken("it does not start with `WARC/`"));
            }
        }
        if self.header.is_empty() { Err(self.broken("it has no fields")) } else { Ok(()) }
    }

    fn read_line(&mut self, line: &mut Vec<u8>, length_max: usize) -> Result<(), WarcError> {
        loop {
            let offset = self.record_offset;
            let buffer = self.source.fill().map_err(|error| at(offset, error))?;
            if buffer.is_empty() {
                return Err(WarcError::Torn { offset });
            }
            let found = memchr::memchr(b'\n', buffer);
            let length = found.map_or(buffer.len(), |index| index + 1);
            if line.len() + length > length_max {
                let limit = self.limits.header_bytes_max;
                return Err(self.broken(&format!("its header is longer than {limit} bytes")));
            }
            line.extend_from_slice(&buffer[..length]);
            self.source.consume(length);
            if found.is_some() {
                return Ok(());
            }
        }
    }

    fn content_length(&self) -> Result<u64, WarcError> {
        let Some(text) = self.header.get("Content-Length") else { return Err(self.broken("it has no Content-Length")) };
        match text.parse::<u64>() {
            Ok(length) if length <= self.limits.block_bytes_max => Ok(length),
            Ok(length) => {
                let limit = self.limits.block_bytes_max;
                Err(self.broken(&format!("its block of {length} bytes is longer than {limit}")))
            }
            Err(_) => Err(self.broken("its Content-Length is no number")),
        }
    }

    /// Bytes of the block; empty at its end, never empty before.
    fn fill_block(&mut self) -> io::Result<&[u8]> {
        if self.remaining == 0 {
            return Ok(&[]);
        }
        let limit = usize::try_from(self.remaining).unwrap_or(usize::MAX);
        let buffer = self.source.fill()?;
        if buffer.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends within a record"));
        }
        Ok(&buffer[..buffer.len().min(limit)])
    }

    fn consume_block(&mut self, length: usize) {
        self.source.consume(length);
        self.remaining -= length as u64;
    }

    /// Takes the two line breaks that end a record; false where they are not there.
    fn line_breaks(&mut self) -> io::Result<bool> {
        for expected in *b"\r\n\r\n" {
            match self.source.fill()?.first() {
                Some(&byte) if byte == expected => self.source.consume(1),
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    fn broken(&self, what: &str) -> WarcError {
        WarcError::Broken { offset: self.record_offset, what: what.to_owned() }
    }
}

/// What an error of the source means for the record that starts at `offset`.
fn at(offset: u64, error: io::Error) -> WarcError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => WarcError::Torn { offset },
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            WarcError::Broken { offset, what: error.to_string() }
        }
        _ => WarcError::Io(error),
    }
}
