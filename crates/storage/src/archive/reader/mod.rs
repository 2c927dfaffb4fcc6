//! Reads WARC files of Harvestman and other tools, compressed (one gzip member per record) or plain.
//!
//! Input: any [`Read`]. Output, record by record: the offset, the header, and a stream of the block. Memory is bounded
//! by the limits for any input. The reader is tolerant where the meaning is clear (bare line feeds, folded lines,
//! unknown fields and versions, several records per member, missing or additional line breaks between records);
//! anything else is a [`WarcError::Broken`] with its offset. After an error the reader returns no more records: in a
//! compressed file it is unknown where the next one starts.

mod members;
mod warc_record;

use std::io::{self, Read};

use members::MemberReader;

pub(in crate::archive) use warc_record::HttpHead;
pub use warc_record::{DigestCheck, DigestVerdict, Record, RecordHeader};

/// The limits of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum length of a record's header in bytes.
    pub header_bytes_max: usize,
    /// Maximum length of a record's block in bytes.
    pub block_bytes_max: u64,
}

impl Default for Limits {
    /// A header of 1 MiB and a block of 16 GiB: more than any crawler writes.
    fn default() -> Self {
        Self { header_bytes_max: 1 << 20, block_bytes_max: 16 << 30 }
    }
}

/// Why reading a WARC file stopped. Offsets are file offsets of the faulty record (or member).
#[derive(Debug, thiserror::Error)]
pub enum WarcError {
    /// The file could not be read.
    #[error("cannot read: {0}")]
    Io(#[source] io::Error),
    /// The file ends within a record.
    #[error("the file ends within the record at byte {offset}; truncate it there, or resume the crawl to repair it")]
    Torn {
        /// Where the record starts.
        offset: u64,
    },
    /// The bytes are not a valid record.
    #[error("no WARC record at byte {offset}: {what}")]
    Broken {
        /// Where it starts.
        offset: u64,
        /// What is wrong.
        what: String,
    },
}

/// Reads records sequentially.
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
    /// The file offset after the record (after its member, if `member_ended`).
    pub offset: u64,
    /// Length of the record in bytes from its own offset: of its member, or, in a plain file, of its header and block
    /// without the line breaks after them.
    pub length: u64,
    /// Whether the two line breaks at the end of a record are present.
    pub line_breaks: bool,
    /// Whether its gzip member ended with it and has a valid checksum. Always `true` in a plain file.
    pub member_ended: bool,
}

impl<R: Read> WarcReader<R> {
    /// Creates a reader that starts at the beginning of `input`.
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

    /// Returns the next record, or `None` at the end of the file. Skips the unread part of the previous record.
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

    /// Skips the remainder of the current record and returns how it ended, or `None` if there is no current record.
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

    /// Returns whether the input is compressed. Valid once a record was read.
    pub fn is_gzip(&self) -> bool {
        self.source.is_gzip()
    }

    /// Advances to the first byte of the next record. Returns `false` at the end of the input.
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
            Err(_) => Err(self.broken("its Content-Length is not a number")),
        }
    }

    /// Returns bytes of the block; empty only at its end.
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

    /// Consumes the two line breaks at the end of a record. Returns `false` if they are missing.
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

/// Converts an error of the source for the record that starts at `offset`.
fn at(offset: u64, error: io::Error) -> WarcError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => WarcError::Torn { offset },
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            WarcError::Broken { offset, what: error.to_string() }
        }
        _ => WarcError::Io(error),
    }
}
