//! Reads the lines of a log in a crawl directory, plain or compressed, complete or torn.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use anyhow::Context as _;
use flate2::bufread::MultiGzDecoder;

/// The longest accepted line. Longer ones are not written by Harvestman: a disk that lost power leaves zeros.
const LINE_MAX: u64 = 16 << 20;

/// The next element of a log.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next<'a> {
    /// A line, without its line break.
    Line(&'a [u8]),
    /// A line longer than [`LINE_MAX`].
    TooLong,
    /// The log ends within a line or a compressed batch: its crawl is running or was killed.
    Torn,
    /// The log ends.
    End,
}

/// An iterator over the lines of a log.
pub(super) struct Lines {
    reader: BufReader<Box<dyn Read>>,
    line: Vec<u8>,
    length: u64,
    read: Rc<Cell<u64>>,
}

/// A file that counts the bytes read.
struct Counted {
    file: File,
    read: Rc<Cell<u64>>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file.read(buffer)?;
        self.read.set(self.read.get() + bytes as u64);
        Ok(bytes)
    }
}

impl Lines {
    /// Opens the log `name` (for example `pages.jsonl`; compression adds a suffix) in a directory. Returns `None` if
    /// the crawl did not write it.
    pub(super) fn open(directory: &Path, name: &str) -> anyhow::Result<Option<Self>> {
        for suffix in ["", ".gz", ".zst"] {
            let path = directory.join(format!("{name}{suffix}"));
            let file = match File::open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
            };
            let length = file.metadata().with_context(|| format!("cannot read {}", path.display()))?.len();
            let read = Rc::new(Cell::new(0));
            let file = BufReader::new(Counted { file, read: Rc::clone(&read) });
            let plain: Box<dyn Read> = match suffix {
                "" => Box::new(file),
                ".gz" => Box::new(MultiGzDecoder::new(file)),
                _ => Box::new(zstd::Decoder::with_buffer(file)?),
            };
            return Ok(Some(Self { reader: BufReader::with_capacity(1 << 16, plain), line: Vec::new(), length, read }));
        }
        Ok(None)
    }

    /// Returns the next element.
    pub(super) fn step(&mut self) -> io::Result<Next<'_>> {
        self.line.clear();
        match self.reader.by_ref().take(LINE_MAX).read_until(b'\n', &mut self.line) {
            Ok(0) => return Ok(Next::End),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(Next::Torn),
            Err(error) => return Err(error),
        }
        if self.line.ends_with(b"\n") {
            return Ok(Next::Line(&self.line[..self.line.len() - 1]));
        }
        if (self.line.len() as u64) < LINE_MAX {
            return Ok(Next::Torn);
        }
        self.line = Vec::new();
        match self.reader.skip_until(b'\n') {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(error),
            _ => Ok(Next::TooLong),
        }
    }

    /// Returns the next complete line, or `None` at the end or where the log is torn.
    pub(super) fn next_line(&mut self) -> io::Result<Option<&[u8]>> {
        match self.step()? {
            Next::Line(line) => Ok(Some(line)),
            Next::TooLong | Next::Torn | Next::End => Ok(None),
        }
    }

    /// Returns the bytes read so far and the length of the file.
    pub(super) fn progress(&self) -> (u64, u64) {
        (self.read.get(), self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn steps(name: &str, bytes: &[u8]) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(name), bytes).unwrap();
        let mut lines = Lines::open(dir.path(), "log.jsonl").unwrap().unwrap();
        let mut steps = Vec::new();
        loop {
            match lines.step().unwrap() {
                Next::Line(line) => steps.push(String::from_utf8_lossy(line).into_owned()),
                other => {
                    steps.push(format!("{other:?}"));
                    if steps.last().is_some_and(|last| last != "TooLong") {
                        return steps;
                    }
                }
            }
        }
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn logs_are_read_with_any_compression() {
        let batches = [gzip(b"a\nb\n"), gzip(b"c\n")].concat();
        let frames = [zstd::bulk::compress(b"a\n", 1).unwrap(), zstd::bulk::compress(b"b\nc\n", 1).unwrap()].concat();
        for (name, bytes) in
            [("log.jsonl", b"a\nb\nc\n".to_vec()), ("log.jsonl.gz", batches), ("log.jsonl.zst", frames)]
        {
            assert_eq!(steps(name, &bytes), ["a", "b", "c", "End"], "{name}");
        }
    }

    #[test]
    fn a_torn_end_is_distinguished_from_an_end() {
        assert_eq!(steps("log.jsonl", b"a\n{\"ur"), ["a", "Torn"]);
        let batches = [gzip(b"a\n"), gzip(b"b\n")].concat();
        let cut = steps("log.jsonl.gz", &batches[..batches.len() - 12]);
        assert_eq!((cut.first().map(String::as_str), cut.last().map(String::as_str)), (Some("a"), Some("Torn")));
    }

    #[test]
    fn a_compressed_log_is_torn_wherever_it_is_cut() {
        let batch = |from: u32| (from..from + 40).map(|at| format!("{{\"line\":{at}}}\n")).collect::<String>();
        let (one, other) = (batch(0), batch(40));
        let frame = |text: &str| zstd::bulk::compress(text.as_bytes(), 1).unwrap();
        for (name, first, second) in [
            ("log.jsonl.gz", gzip(one.as_bytes()), gzip(other.as_bytes())),
            ("log.jsonl.zst", frame(&one), frame(&other)),
        ] {
            let all = [first.clone(), second].concat();
            for cut in 1..all.len() {
                let steps = steps(name, &all[..cut]);
                let end = if cut == first.len() { "End" } else { "Torn" };
                assert_eq!(steps.last().map(String::as_str), Some(end), "{name} cut at {cut} of {}", all.len());
            }
        }
    }

    #[test]
    fn an_endless_line_is_skipped_in_bounded_memory() {
        let mut text = vec![0; LINE_MAX as usize + 5];
        text.extend(b"\nb\n");
        assert_eq!(steps("log.jsonl", &text), ["TooLong", "b", "End"]);
    }

    #[test]
    fn a_log_that_was_not_written_is_none() {
        assert!(Lines::open(tempfile::tempdir().unwrap().path(), "log.jsonl").unwrap().is_none());
    }
}
