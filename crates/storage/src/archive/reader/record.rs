//! A record that is being read.

use std::io::{self, BufRead, Read};

use super::{RecordEnd, RecordHeader, WarcError, WarcReader};

/// The record at hand: its place, its header and, through [`Read`] and [`BufRead`], its block.
pub struct Record<'a, R> {
    reader: &'a mut WarcReader<R>,
}

impl<'a, R: Read> Record<'a, R> {
    pub(super) fn new(reader: &'a mut WarcReader<R>) -> Self {
        Self { reader }
    }

    /// Where the record (or the gzip member that it is in) starts in the file.
    pub fn offset(&self) -> u64 {
        self.reader.record_offset
    }

    /// Its header.
    pub fn header(&self) -> &RecordHeader {
        &self.reader.header
    }

    /// `WARC-Type`, as in `response`.
    pub fn record_type(&self) -> &str {
        self.header().get("WARC-Type").unwrap_or_default()
    }

    /// `WARC-Target-URI`, without the angle brackets that some tools put around it.
    pub fn target_uri(&self) -> Option<&str> {
        self.header().get("WARC-Target-URI").map(|uri| uri.trim_start_matches('<').trim_end_matches('>'))
    }

    /// Bytes of the block that are not read yet; at first, its length.
    pub fn remaining(&self) -> u64 {
        self.reader.remaining
    }

    /// The next bytes of the block, as many as are at hand, without taking them; empty at its end.
    pub fn peek(&mut self) -> Result<&[u8], WarcError> {
        let offset = self.reader.record_offset;
        self.reader.fill_block().map_err(|error| super::at(offset, error))
    }

    /// Reads the rest of the block into `block`, whose capacity is kept: a caller that passes the same one again reads a whole
    /// file without allocating. An error where it is longer than `length_max`.
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

    /// Skips what is left of the record and says how it ended.
    pub fn end(self) -> Result<RecordEnd, WarcError> {
        Ok(self.reader.end_record()?.expect("a record is at hand"))
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
