//! The record being read.

use std::io::{self, BufRead, Read};

use super::{RecordEnd, RecordHeader, WarcError, WarcReader};

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
