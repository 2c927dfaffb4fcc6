//! The compressed index: sorted lines in gzip members, and a table of the members' first keys (ZipNum).
//!
//! A reader searches the table, then reads one member. The table begins with a line that names the format.

use std::io::{self, Write};

use super::manifest::sha256;
use crate::archive::gzip::{Content, MemberCompressor};

/// Name of the file with the members.
pub(super) const MEMBERS: &str = "index.cdx.gz";
/// A member ends after so many lines, as in files of py-wacz.
const LINES_MAX: usize = 1_024;
/// A member ends after the line that reaches so many bytes.
const BYTES_MAX: usize = 4 << 20;
/// Compression level of the members.
const LEVEL: u8 = 6;

/// Compresses the sorted lines that are written to it.
pub(super) struct MemberWriter<W> {
    out: W,
    compressor: MemberCompressor,
    /// The lines of the next member.
    lines: Vec<u8>,
    count: usize,
    /// Where the next member starts.
    offset: u64,
    table: Vec<u8>,
}

impl<W: Write> MemberWriter<W> {
    pub fn new(out: W) -> Self {
        let table = format!("!meta 0 {{\"format\": \"cdxj-gzip-1.0\", \"filename\": \"{MEMBERS}\"}}\n").into_bytes();
        let compressor = MemberCompressor::new(LEVEL, LEVEL);
        Self { out, compressor, lines: Vec::new(), count: 0, offset: 0, table }
    }

    /// Writes the last member and returns the table, which is some 150 bytes long for each member.
    pub fn finish(mut self) -> io::Result<Vec<u8>> {
        self.end_member()?;
        Ok(self.table)
    }

    fn end_member(&mut self) -> io::Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let mut member = Vec::new();
        self.compressor.append(&self.lines, Content::Text, &mut member);
        self.out.write_all(&member)?;
        let (offset, length, digest) = (self.offset, member.len(), sha256(&member));
        // A line is `KEY TIME {…}`.
        let first = self.lines.split(|byte| *byte == b'{').next().unwrap_or_default();
        self.table.extend_from_slice(first);
        writeln!(self.table, "{{\"offset\": {offset}, \"length\": {length}, \"digest\": \"{digest}\"}}")?;
        self.offset += member.len() as u64;
        self.lines.clear();
        self.count = 0;
        Ok(())
    }
}

impl<W: Write> Write for MemberWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.lines.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.count += 1;
                if self.count >= LINES_MAX || self.lines.len() >= BYTES_MAX {
                    self.end_member()?;
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn written(lines: &[String], pieces: usize) -> (Vec<u8>, String) {
        let mut out = Vec::new();
        let mut writer = MemberWriter::new(&mut out);
        for piece in lines.concat().as_bytes().chunks(pieces) {
            writer.write_all(piece).unwrap();
        }
        let table = writer.finish().unwrap();
        (out, String::from_utf8(table).unwrap())
    }

    /// Reads the members that the table names, one by one.
    fn read(members: &[u8], table: &str) -> Vec<String> {
        let member = |line: &str| {
            let fields: Value = serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
            let at = |name: &str| fields[name].as_u64().unwrap() as usize;
            let bytes = &members[at("offset")..at("offset") + at("length")];
            assert_eq!(fields["digest"], sha256(bytes));
            let mut text = String::new();
            flate2::read::GzDecoder::new(bytes).read_to_string(&mut text).unwrap();
            assert_eq!(line.split('{').next(), text.split('{').next(), "the key of its first line");
            text
        };
        table.lines().skip(1).map(member).collect()
    }

    fn line(number: usize) -> String {
        format!("org,example)/{number:07} 20260102030405 {{\"url\": \"https://example.org/{number}\"}}\n")
    }

    proptest! {
        #[test]
        fn the_table_leads_to_every_line(count in 0_usize..3_000, pieces in 1_usize..5_000) {
            let lines: Vec<String> = (0..count).map(line).collect();
            let (members, table) = written(&lines, pieces);
            let read = read(&members, &table);
            let head = "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}";
            prop_assert_eq!(table.lines().next(), Some(head));
            prop_assert_eq!(read.len(), count.div_ceil(LINES_MAX));
            prop_assert_eq!(read.concat(), lines.concat());
        }
    }

    #[test]
    fn long_lines_end_a_member_early() {
        let long = |number: usize| format!("a)/{number} 2026 {{\"url\": \"{}\"}}\n", "x".repeat(BYTES_MAX / 2));
        let lines: Vec<String> = (0..5).map(long).collect();
        let (members, table) = written(&lines, usize::MAX);
        assert_eq!(read(&members, &table).iter().map(|member| member.lines().count()).collect::<Vec<_>>(), [2, 2, 1]);
    }
}
