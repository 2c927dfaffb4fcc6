//! WACZ files: WARC files, their index, a list of pages and a manifest in one ZIP file. A replay tool reads from it
//! what it needs, also over HTTP.
//!
//! ```text
//! archive/….warc.gz        WARC files, stored without further compression
//! indexes/index.cdx.gz     the index, in gzip members of some thousand lines
//! indexes/index.idx        the first key of each member, and where the member is
//! pages/pages.jsonl        the pages with their titles, and their texts if wanted
//! datapackage.json         the manifest: length and SHA-256 of each file above
//! datapackage-digest.json  SHA-256 of the manifest
//! ```
//!
//! Everything is streamed: memory is bounded by a block of the index and the names of the files.
//!
//! Source: Web Archive Collection Zipped 1.1.1 (specs.webrecorder.net/wacz/1.1.1). Of it, signatures are not written,
//! as they assert who made a file: that is a matter of the archive that publishes it.

mod index;
mod manifest;

use std::io::{self, Read, Seek, Write};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::cdxj::LineSorter;
use index::{MEMBERS, MemberWriter};
use manifest::{DIGEST, Description, EntryWriter, MANIFEST, MainPage, Resources, digest, manifest};

pub use manifest::{PageList, WaczPage};

/// Files from this length on get ZIP64 fields, which ZIP files need from 4 GiB on.
const ZIP64_BYTES_MIN: u64 = 4_000_000_000;
const COPY_BUFFER: usize = 256 << 10;

/// A WACZ file that is being written. Add the WARC files, then the index and the pages.
pub struct WaczWriter<W: Write + Seek> {
    zip: ZipWriter<W>,
    created: Timestamp,
    resources: Resources,
    main_page: Option<MainPage>,
}

impl<W: Write + Seek> WaczWriter<W> {
    /// Begins a file at the start of `out`. `created` is the time that the manifest and the ZIP file state.
    pub fn new(out: W, created: Timestamp) -> Self {
        Self { zip: ZipWriter::new(out), created, resources: Resources::default(), main_page: None }
    }

    /// Stores the first `length` bytes of a WARC file as `archive/NAME`.
    ///
    /// # Errors
    /// `out` or `warc` fails, or `warc` is shorter.
    pub fn add_archive(&mut self, name: &str, warc: impl Read, length: u64) -> Result<(), AddError> {
        let options = self.options(CompressionMethod::Stored).large_file(length >= ZIP64_BYTES_MIN);
        self.add(format!("archive/{name}"), options, |entry| copy(warc.take(length), entry, length))
    }

    /// Writes the index of all WARC files, whose lines name the files as [`Self::add_archive`] does.
    ///
    /// # Errors
    /// `out` or the sorter's files fail.
    pub fn add_index(&mut self, lines: LineSorter) -> io::Result<()> {
        let stored = self.options(CompressionMethod::Stored).large_file(true);
        let table = self.add(format!("indexes/{MEMBERS}"), stored, |entry| {
            let mut members = MemberWriter::new(entry);
            lines.finish(&mut members)?;
            members.finish()
        })?;
        let options = self.options(CompressionMethod::Deflated).large_file(table.len() as u64 >= ZIP64_BYTES_MIN);
        self.add("indexes/index.idx".to_owned(), options, |entry| entry.write_all(&table))
    }

    /// Writes the list of the pages that `write` adds to it. The first of them is the one that replay tools open.
    /// `has_text` states whether pages may have texts.
    ///
    /// # Errors
    /// `out` fails, or `write` does.
    pub fn add_pages<T, E: From<io::Error>>(
        &mut self,
        has_text: bool,
        write: impl FnOnce(&mut PageList<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let options = self.options(CompressionMethod::Deflated).large_file(true);
        let mut first = None;
        let written = self.add("pages/pages.jsonl".to_owned(), options, |entry| {
            let mut list = PageList::begin(entry, has_text)?;
            let written = write(&mut list)?;
            first = list.into_first();
            Ok::<T, E>(written)
        })?;
        self.main_page = first;
        Ok(written)
    }

    /// Writes the manifest and the directory of the ZIP file, and returns the output.
    ///
    /// # Errors
    /// `out` fails.
    pub fn finish(mut self, title: Option<&str>) -> io::Result<W> {
        let about = Description { title, created: self.created, main_page: self.main_page.as_ref() };
        let manifest = manifest(&about, &self.resources);
        let digest = digest(&manifest);
        let options = self.options(CompressionMethod::Deflated);
        // The manifest lists all files but itself and its digest.
        for (name, text) in [(MANIFEST, manifest), (DIGEST, digest)] {
            self.zip.start_file(name, options)?;
            self.zip.write_all(text.as_bytes())?;
        }
        Ok(self.zip.finish()?)
    }

    /// Writes a file and lists it in the manifest.
    fn add<T, E: From<io::Error>>(
        &mut self,
        path: String,
        options: SimpleFileOptions,
        write: impl FnOnce(&mut EntryWriter<'_, W>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.zip.start_file(path.as_str(), options).map_err(io::Error::from)?;
        let mut entry = EntryWriter::new(&mut self.zip);
        let written = write(&mut entry)?;
        let (digest, bytes) = (entry.digest(), entry.bytes());
        self.resources.add(path, digest, bytes);
        Ok(written)
    }

    fn options(&self, method: CompressionMethod) -> SimpleFileOptions {
        let options = SimpleFileOptions::default().compression_method(method).unix_permissions(0o644);
        let time = zip_time(self.created);
        options.last_modified_time(time)
    }
}

/// Copies `length` bytes.
fn copy(mut from: impl Read, to: &mut impl Write, length: u64) -> Result<(), AddError> {
    let mut buffer = vec![0; COPY_BUFFER];
    let mut copied = 0;
    loop {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => {
                to.write_all(&buffer[..read])?;
                copied += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(AddError::Input(error)),
        }
    }
    if copied == length { Ok(()) } else { Err(AddError::Shorter { copied, length }) }
}

/// Why a WARC file was not added.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// The WACZ file could not be written.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
    /// The WARC file could not be read.
    #[error("cannot read: {0}")]
    Input(#[source] io::Error),
    /// The WARC file has changed.
    #[error("it has become shorter: {copied} bytes instead of {length}; export it again")]
    Shorter {
        /// Number of bytes that it has now.
        copied: u64,
        /// Number of bytes that it should have.
        length: u64,
    },
}

/// Converts a time to UTC as ZIP files have it, from 1980 on with two seconds of resolution.
fn zip_time(time: Timestamp) -> DateTime {
    let time = time.to_zoned(TimeZone::UTC).datetime();
    let small = |value: i8| u8::try_from(value).unwrap_or_default();
    let year = u16::try_from(time.year()).unwrap_or_default();
    DateTime::from_date_and_time(
        year,
        small(time.month()),
        small(time.day()),
        small(time.hour()),
        small(time.minute()),
        small(time.second()),
    )
    .unwrap_or_default()
}

#[cfg(test)]
mod tests;
