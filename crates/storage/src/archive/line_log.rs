//! A log of JSON lines that are collected in memory and appended in batches. With compression, a batch is one complete
//! gzip member or zstd frame, so that truncation loses only the last batch and everything before it remains readable.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::Error;
use super::append_file::{AppendFile, sync_directory};
use super::archive_limits::ArchiveLimits;
use super::gzip::{Content, MemberCompressor};
use harvestman_core::clock::Instant;
use harvestman_core::config::archive::LineCompression;
use harvestman_core::crawl_file;

/// The compression level for both gzip and zstd. Batches are large and few, so good compression costs little per line.
const BATCH_LEVEL: u8 = 3;

/// A log of lines.
pub struct LineLog {
    file: AppendFile<File>,
    batch: Vec<u8>,
    compress: Compress,
    flush_every: std::time::Duration,
    flush_bytes: usize,
    oldest_line_at: Option<Instant>,
}

enum Compress {
    None,
    Gzip(MemberCompressor),
    Zstd,
}

impl LineLog {
    /// Opens the log `name` (for example `pages.jsonl`; compression adds its suffix) in `directory` to continue after
    /// its last complete line or batch. Incomplete data after that, left by a crash, is removed.
    pub fn open(
        directory: &Path,
        name: &str,
        compression: LineCompression,
        limits: ArchiveLimits,
    ) -> Result<Self, Error> {
        let path = directory.join(format!("{name}{}", suffix(compression)));
        let whole = whole_length(&path, compression).map_err(|source| Error::file("read", &path, source))?;
        let file = AppendFile::resume(path, whole)?;
        sync_directory(directory)?;
        let compress = match compression {
            LineCompression::None => Compress::None,
            LineCompression::Gzip => Compress::Gzip(MemberCompressor::new(BATCH_LEVEL, BATCH_LEVEL)),
            LineCompression::Zstd => Compress::Zstd,
        };
        Ok(Self {
            file,
            batch: Vec::new(),
            compress,
            flush_every: limits.flush_every,
            flush_bytes: limits.flush_bytes,
            oldest_line_at: None,
        })
    }

    /// Appends one or more lines, which `write` writes with their line breaks. After an error these lines are not part
    /// of the log; earlier lines still wait.
    pub fn append(&mut self, now: Instant, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), Error> {
        let before = self.batch.len();
        write(&mut self.batch);
        self.oldest_line_at.get_or_insert(now);
        let full = self.batch.len() >= self.flush_bytes;
        let written = if full { self.flush() } else { self.flush_if_due(now) };
        if written.is_err() {
            self.batch.truncate(before);
        }
        written
    }

    /// Writes the batch if its oldest line has waited for the flush interval.
    pub fn flush_if_due(&mut self, now: Instant) -> Result<(), Error> {
        match self.oldest_line_at {
            Some(since) if now.since(since) >= self.flush_every => self.flush(),
            _ => Ok(()),
        }
    }

    /// Writes the batch.
    pub fn flush(&mut self) -> Result<(), Error> {
        if self.batch.is_empty() {
            return Ok(());
        }
        match &mut self.compress {
            Compress::None => drop(self.file.append(&self.batch)?),
            Compress::Gzip(members) => {
                let mut member = Vec::new();
                members.append(&self.batch, Content::Text, &mut member);
                self.file.append(&member)?;
            }
            Compress::Zstd => {
                let frame = zstd::bulk::compress(&self.batch, i32::from(BATCH_LEVEL))
                    .map_err(|source| Error::file("compress", self.file.path(), source))?;
                self.file.append(&frame)?;
            }
        }
        self.batch.clear();
        self.oldest_line_at = None;
        Ok(())
    }

    /// Writes the batch and syncs the file to disk.
    pub fn sync(&mut self) -> Result<(), Error> {
        self.flush()?;
        self.file.sync()
    }

    /// Writes the batch, syncs the file to disk and closes the log.
    pub fn finish(mut self) -> Result<(), Error> {
        self.sync()
    }

    /// Returns the path of the file.
    pub fn path(&self) -> PathBuf {
        self.file.path().to_path_buf()
    }
}

impl LineLog {
    /// Truncates the log `name` in `directory`, with any compression, before the first line for which `is_lost` returns
    /// true, or before its batch. Lines are passed without their line breaks. The log must not be open for writing.
    pub(super) fn cut_before(
        directory: &Path,
        name: &str,
        mut is_lost: impl FnMut(&[u8]) -> bool,
    ) -> Result<(), Error> {
        for compression in [LineCompression::None, LineCompression::Gzip, LineCompression::Zstd] {
            let path = directory.join(format!("{name}{}", suffix(compression)));
            let retained = match crawl_file::open(&path) {
                Ok(file) => length_before(file, compression, &mut is_lost),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => Err(error),
            };
            let retained = retained.map_err(|source| Error::file("read", &path, source))?;
            let shorten = |file: File| file.set_len(retained).and_then(|()| file.sync_all());
            let shortened = crawl_file::open_with(&path, File::options().write(true)).and_then(shorten);
            shortened.map_err(|source| Error::file("truncate", &path, source))?;
        }
        Ok(())
    }
}

/// Returns the length of the complete lines, or batches, before the first line that is lost.
fn length_before(file: File, compression: LineCompression, is_lost: &mut impl FnMut(&[u8]) -> bool) -> io::Result<u64> {
    let mut lost_in = |lines: &[u8]| {
        let lines = lines.strip_suffix(b"\n").unwrap_or(lines);
        lines.split(|byte| *byte == b'\n').any(&mut *is_lost)
    };
    let torn = || Err(io::ErrorKind::InvalidData.into());
    match compression {
        LineCompression::None => {
            let (mut input, mut line, mut retained) = (BufReader::new(file), Vec::new(), 0);
            while input.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") && !lost_in(&line) {
                retained += line.len() as u64;
                line.clear();
            }
            Ok(retained)
        }
        LineCompression::Gzip => whole_batches(file, |input| {
            let mut lines = Vec::new();
            flate2::bufread::GzDecoder::new(input).read_to_end(&mut lines)?;
            if lost_in(&lines) { torn() } else { Ok(()) }
        }),
        LineCompression::Zstd => whole_batches(file, |input| {
            let mut lines = Vec::new();
            zstd::stream::read::Decoder::with_buffer(input)?.single_frame().read_to_end(&mut lines)?;
            if lost_in(&lines) { torn() } else { Ok(()) }
        }),
    }
}

fn suffix(compression: LineCompression) -> &'static str {
    match compression {
        LineCompression::None => "",
        LineCompression::Gzip => ".gz",
        LineCompression::Zstd => ".zst",
    }
}

/// Returns how many bytes of the log at `path` are complete lines or batches; 0 if it does not exist.
fn whole_length(path: &Path, compression: LineCompression) -> io::Result<u64> {
    let file = match crawl_file::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    match compression {
        LineCompression::None => whole_lines(BufReader::new(file)),
        LineCompression::Gzip => whole_batches(file, |input| {
            let mut member = flate2::bufread::GzDecoder::new(input);
            io::copy(&mut member, &mut io::sink()).map(drop)
        }),
        LineCompression::Zstd => whole_batches(file, |input| {
            let mut frame = zstd::stream::read::Decoder::with_buffer(input)?.single_frame();
            io::copy(&mut frame, &mut io::sink()).map(drop)
        }),
    }
}

fn whole_lines(mut input: impl BufRead) -> io::Result<u64> {
    let (mut whole, mut read) = (0, 0);
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(whole);
        }
        let length = buffer.len();
        if let Some(last) = memchr::memrchr(b'\n', buffer) {
            whole = read + last as u64 + 1;
        }
        read += length as u64;
        input.consume(length);
    }
}

/// Reads batches with `read_one` until one is incomplete, and returns the length of the complete ones.
fn whole_batches(
    file: File,
    mut read_one: impl FnMut(&mut Counted<BufReader<File>>) -> io::Result<()>,
) -> io::Result<u64> {
    let mut input = Counted { inner: BufReader::new(file), count: 0 };
    loop {
        let whole = input.count;
        if input.fill_buf()?.is_empty() || read_one(&mut input).is_err() {
            return Ok(whole);
        }
    }
}

/// A reader that counts the consumed bytes.
struct Counted<R> {
    inner: R,
    count: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.count += length as u64;
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        self.count += length as u64;
        self.inner.consume(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path, compression: LineCompression) -> String {
        let bytes = std::fs::read(path).unwrap();
        let mut text = String::new();
        match compression {
            LineCompression::None => return String::from_utf8(bytes).unwrap(),
            LineCompression::Gzip => flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap(),
            LineCompression::Zstd => {
                zstd::stream::read::Decoder::new(&bytes[..]).unwrap().read_to_string(&mut text).unwrap()
            }
        };
        text
    }

    fn write(directory: &Path, compression: LineCompression, lines: &[&str]) -> PathBuf {
        let mut log = LineLog::open(directory, "log.jsonl", compression, ArchiveLimits::default()).unwrap();
        for line in lines {
            log.append(Instant::EPOCH, |out| out.extend_from_slice(line.as_bytes())).unwrap();
            log.flush().unwrap();
        }
        let path = log.path();
        log.finish().unwrap();
        path
    }

    #[test]
    fn a_log_truncated_anywhere_continues_after_its_last_complete_batch() {
        for compression in [LineCompression::None, LineCompression::Gzip, LineCompression::Zstd] {
            let directory = tempfile::tempdir().unwrap();
            let path = write(directory.path(), compression, &["{\"a\":1}\n"]);
            let first = std::fs::metadata(&path).unwrap().len();
            write(directory.path(), compression, &["{\"b\":2}\n"]);
            let whole = std::fs::read(&path).unwrap();
            for cut in 0..=whole.len() {
                std::fs::write(&path, &whole[..cut]).unwrap();
                write(directory.path(), compression, &["{\"c\":3}\n"]);
                let retained = match cut as u64 {
                    cut if cut < first => "",
                    cut if cut < whole.len() as u64 => "{\"a\":1}\n",
                    _ => "{\"a\":1}\n{\"b\":2}\n",
                };
                assert_eq!(
                    read(&path, compression),
                    format!("{retained}{{\"c\":3}}\n"),
                    "{compression:?} cut at {cut}"
                );
            }
        }
    }

    #[test]
    fn lines_wait_no_longer_than_the_flush_interval() {
        let directory = tempfile::tempdir().unwrap();
        let limits = ArchiveLimits::default();
        let mut log = LineLog::open(directory.path(), "log.jsonl", LineCompression::None, limits).unwrap();
        let start = Instant::from_micros(5_000_000);
        log.append(start, |out| out.extend_from_slice(b"1\n")).unwrap();
        let almost = start + limits.flush_every - std::time::Duration::from_micros(1);
        log.flush_if_due(almost).unwrap();
        assert_eq!(std::fs::metadata(log.path()).unwrap().len(), 0);
        log.flush_if_due(start + limits.flush_every).unwrap();
        assert_eq!(std::fs::metadata(log.path()).unwrap().len(), 2);
    }

    #[test]
    fn lines_are_written_when_the_batch_is_full() {
        let directory = tempfile::tempdir().unwrap();
        let limits = ArchiveLimits { flush_bytes: 4, ..ArchiveLimits::default() };
        let mut log = LineLog::open(directory.path(), "log.jsonl", LineCompression::None, limits).unwrap();
        log.append(Instant::EPOCH, |out| out.extend_from_slice(b"12\n")).unwrap();
        assert_eq!(std::fs::metadata(log.path()).unwrap().len(), 0);
        log.append(Instant::EPOCH, |out| out.extend_from_slice(b"\n")).unwrap();
        assert_eq!(std::fs::metadata(log.path()).unwrap().len(), 4);
    }
}
