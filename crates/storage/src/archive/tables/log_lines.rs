//! Reads a log of lines with any compression in bounded memory, and errors of converting it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use parquet::errors::ParquetError;

/// Maximum length of a line. A page has several hundred links of several hundred bytes each.
pub(super) const LINE_MAX: usize = 64 << 20;

/// A line of a log.
pub(super) struct Line<'a> {
    /// The line without its line break; `None` if it is too long.
    pub text: Option<&'a [u8]>,
    /// The line number, from 1.
    pub number: u64,
    /// Whether the log ends before the line does.
    pub unfinished: bool,
}

/// Reads the lines of a log. If a crawl was resumed with another compression there are several files, which are read in
/// sequence.
pub(super) struct LogReader {
    files: VecDeque<PathBuf>,
    input: Option<Box<dyn BufRead>>,
    line: Vec<u8>,
    number: u64,
    line_max: usize,
}

impl LogReader {
    /// Opens the log `name`. Returns `None` if it has no file.
    pub fn open(directory: &Path, name: &str) -> Result<Option<Self>, TableError> {
        let files = ["", ".gz", ".zst"].map(|suffix| directory.join(format!("{name}{suffix}")));
        let files: VecDeque<PathBuf> = files.into_iter().filter(|path| path.exists()).collect();
        let Some(first) = files.front().cloned() else { return Ok(None) };
        let mut reader = Self { files, input: None, line: Vec::new(), number: 0, line_max: LINE_MAX };
        reader.next_file().map_err(|error| TableError::Read(first.display().to_string(), error))?;
        Ok(Some(reader))
    }

    fn next_file(&mut self) -> io::Result<bool> {
        let Some(path) = self.files.pop_front() else { return Ok(false) };
        let file = BufReader::with_capacity(256 << 10, File::open(&path)?);
        self.number = 0;
        self.input = Some(match path.extension().and_then(|suffix| suffix.to_str()) {
            Some("gz") => Box::new(BufReader::new(MultiGzDecoder::new(file))),
            Some("zst") => Box::new(BufReader::new(zstd::Decoder::with_buffer(file)?)),
            _ => Box::new(file),
        });
        Ok(true)
    }

    /// Returns the next non-empty line, or `None` at the end. After an error the remainder of that file is skipped.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let Some(input) = &mut self.input else { return Ok(None) };
            let read = read_line(input, &mut self.line, self.line_max);
            if read.is_err() {
                self.input = None;
            }
            let read = read?;
            if read.is_empty() {
                self.input = None;
                self.next_file()?;
                continue;
            }
            self.number += 1;
            if read.whole_length > 0 || !read.ended {
                let (whole, number, unfinished) = (read.whole_length <= self.line_max as u64, self.number, !read.ended);
                return Ok(Some(Line { text: whole.then_some(&self.line[..]), number, unfinished }));
            }
        }
    }
}

struct LineRead {
    /// Length without the line break.
    whole_length: u64,
    ended: bool,
}

impl LineRead {
    const fn is_empty(&self) -> bool {
        self.whole_length == 0 && !self.ended
    }
}

/// Reads a line up to its line break. Stores at most `length_max` bytes of it.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>, length_max: usize) -> io::Result<LineRead> {
    line.clear();
    let mut whole_length = 0;
    loop {
        let piece = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            piece => piece?,
        };
        let found = memchr::memchr(b'\n', piece);
        let length = found.unwrap_or(piece.len());
        line.extend_from_slice(&piece[..length.min(length_max - line.len())]);
        whole_length += length as u64;
        let at_end = piece.is_empty();
        input.consume(length + usize::from(found.is_some()));
        if found.is_some() || at_end {
            return Ok(LineRead { whole_length, ended: found.is_some() });
        }
    }
}

/// Why no table was written.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The directory does not contain the log.
    #[error("there is no log")]
    NoLog,
    /// The log cannot be opened.
    #[error("cannot read {0}")]
    Read(String, #[source] io::Error),
    /// The table could not be written.
    #[error("{0}")]
    Write(#[from] ParquetError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_too_long_are_reported_and_later_lines_are_read() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a"), "123\n\n12345\n1234\nx").unwrap();
        let mut reader = LogReader::open(directory.path(), "a").unwrap().unwrap();
        reader.line_max = 4;
        let mut seen = Vec::new();
        while let Some(line) = reader.next_line().unwrap() {
            seen.push((line.number, line.text.map(|text| String::from_utf8_lossy(text).into_owned()), line.unfinished));
        }
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(seen, [(1, text("123"), false), (3, None, false), (4, text("1234"), false), (5, text("x"), true)]);
    }
}
