//! Writes encoded records to WARC files: `warc/PREFIX-YYYYMMDDhhmmss-SEQ.warc.gz`, with the suffix `.open` until the
//! file is finished. Each file starts with a warcinfo record: operator, software and crawl rules (WARC 1.1, section
//! 6.2). The records of a page are never split across files.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::Error;
use super::append_file::{AppendFile, rename, sync_directory};
use super::archive_limits::ArchiveLimits;
use super::digest::digest;
use super::encode::{EncodedPage, RecordAssembler};
use super::gzip::Content;
use super::named_fields::Fields;
use super::record_id::{RecordId, RecordIds, RunId};
use super::upload::UploadTarget;
use harvestman_core::clock::Instant;
use harvestman_core::config::archive::ArchiveOptions;

/// The directory of WARC files in the crawl directory.
pub const WARC_DIRECTORY: &str = "warc";
/// The name suffix of a file that is being written.
pub const OPEN_SUFFIX: &str = ".open";

/// The location of a page's response (or revisit) record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordLocation {
    /// The path relative to the crawl directory, with the final name of the file.
    pub file: Arc<str>,
    /// The offset of the record's first byte.
    pub offset: u64,
    /// The record's length in the file.
    pub length: u64,
}

/// Totals of this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ArchiveTotals {
    /// WARC files started.
    pub files: u64,
    /// Records of all types.
    pub records: u64,
    /// Revisit records among them.
    pub revisits: u64,
    /// Bytes written.
    pub bytes: u64,
}

/// The WARC files of a crawl.
pub struct Archive {
    directory: PathBuf,
    options: ArchiveOptions,
    info: CrawlInfo,
    ids: RecordIds,
    maker: RecordAssembler,
    current: Option<OpenFile>,
    next_sequence: u32,
    sync_every: Duration,
    synced_at: Instant,
    written: ArchiveTotals,
}

struct OpenFile {
    file: AppendFile<File>,
    name: Arc<str>,
    finished_path: PathBuf,
    holds_pages: bool,
}

impl Archive {
    /// Starts the archive in `crawl_directory` and creates its first file, so that an unwritable directory is detected
    /// now.
    pub fn create(
        crawl_directory: &Path,
        options: &ArchiveOptions,
        info: &CrawlInfo,
        run: RunId,
        now: Instant,
    ) -> Result<Self, Error> {
        check(options)?;
        let directory = crawl_directory.join(WARC_DIRECTORY);
        fs::create_dir_all(&directory).map_err(|source| Error::file("create", &directory, source))?;
        let mut archive = Self {
            next_sequence: next_sequence(&directory)?,
            directory,
            options: options.clone(),
            info: info.clone(),
            ids: run.writer_ids(),
            maker: RecordAssembler::new(options),
            current: None,
            sync_every: ArchiveLimits::default().sync_every,
            synced_at: now,
            written: ArchiveTotals::default(),
        };
        archive.begin_file(now)?;
        Ok(archive)
    }

    /// Returns the archive with this interval of syncing to disk.
    #[must_use]
    pub(super) const fn syncing_every(mut self, sync_every: Duration) -> Self {
        self.sync_every = sync_every;
        self
    }

    /// Appends a page's records. An error leaves the file unchanged: earlier records stay valid.
    pub fn append(&mut self, page: &EncodedPage, now: Instant) -> Result<RecordLocation, Error> {
        let size_max = self.options.file_size_max.0;
        let full =
            |open: &OpenFile| open.holds_pages && open.file.length().saturating_add(page.bytes.len() as u64) > size_max;
        if self.current.as_ref().is_some_and(full) {
            self.finish_file()?;
        }
        if self.current.is_none() {
            self.begin_file(now)?;
        }
        let open = self.current.as_mut().expect("a file was just started");
        let offset = open.file.append(&page.bytes)?;
        open.holds_pages = true;
        self.written.records += u64::from(page.records);
        self.written.revisits += u64::from(page.revisit);
        self.written.bytes += page.bytes.len() as u64;
        Ok(RecordLocation { file: open.name.clone(), offset, length: page.response_length })
    }

    /// Syncs written data to disk if it is due by [`ArchiveLimits::sync_every`].
    pub fn sync_if_due(&mut self, now: Instant) -> Result<(), Error> {
        if self.sync_every.is_zero() || now.since(self.synced_at) < self.sync_every {
            return Ok(());
        }
        self.synced_at = now;
        self.sync()
    }

    /// Syncs written data to disk.
    pub fn sync(&mut self) -> Result<(), Error> {
        self.current.as_mut().map_or(Ok(()), |open| open.file.sync())
    }

    /// Finishes the last file. Only then do all files of the archive have their final names.
    pub fn finish(mut self) -> Result<ArchiveTotals, Error> {
        self.finish_file()?;
        Ok(self.written)
    }

    /// Returns the totals so far.
    pub fn written(&self) -> ArchiveTotals {
        self.written
    }

    fn begin_file(&mut self, now: Instant) -> Result<(), Error> {
        let suffix = if self.options.compress { "warc.gz" } else { "warc" };
        let date = now.timestamp().strftime("%Y%m%d%H%M%S");
        let name = format!("{}-{date}-{:05}.{suffix}", self.options.prefix, self.next_sequence);
        let finished_path = self.directory.join(&name);
        let file = AppendFile::create(self.directory.join(format!("{name}{OPEN_SUFFIX}")))?;
        sync_directory(&self.directory)?;
        self.next_sequence = self.next_sequence.saturating_add(1);
        let id = self.ids.next_id();
        let first = encode(&mut self.maker, &self.options, &self.info, id, &name, now);
        let mut open =
            OpenFile { file, name: format!("{WARC_DIRECTORY}/{name}").into(), finished_path, holds_pages: false };
        if let Err(error) = open.file.append(&first) {
            // An empty file is not a valid WARC file, so it is removed; if this fails too, a repair removes it.
            let _ = fs::remove_file(open.file.path());
            return Err(error);
        }
        self.written.files += 1;
        self.written.records += 1;
        self.written.bytes += first.len() as u64;
        self.current = Some(open);
        Ok(())
    }

    fn finish_file(&mut self) -> Result<(), Error> {
        let Some(mut open) = self.current.take() else { return Ok(()) };
        open.file.sync()?;
        rename(open.file.path(), &open.finished_path)
    }
}

/// Validates the settings of the archive before anything is created.
///
/// # Errors
/// Fails with [`Error::Setting`] if a setting is invalid.
pub fn check(options: &ArchiveOptions) -> Result<(), Error> {
    let prefix = &options.prefix;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if prefix.is_empty() || prefix.len() > 100 || prefix.starts_with('.') || !prefix.chars().all(plain) {
        let hint = "use 1 to 100 letters, digits, `-`, `_` or `.`, not starting with `.`";
        return Err(Error::Setting { key: "prefix", value: format!("{prefix:?}"), hint });
    }
    if options.level > 12 {
        let (value, hint) = (options.level.to_string(), "use 0 (stored) to 12 (smallest)");
        return Err(Error::Setting { key: "level", value, hint });
    }
    if !options.upload.is_empty() {
        let value = || format!("{:?}", options.upload);
        if options.upload.parse::<UploadTarget>().is_err() {
            let hint = "write s3://BUCKET/PREFIX, as in s3://archives/forum-2026";
            return Err(Error::Setting { key: "upload", value: value(), hint });
        }
        if cfg!(not(feature = "upload")) {
            let hint = "this build of Harvestman has no uploads: build it with `--features upload`";
            return Err(Error::Setting { key: "upload", value: value(), hint });
        }
    }
    for name in &options.redact_request_headers {
        if name.parse::<http::header::HeaderName>().is_err() {
            let value = format!("{name:?}");
            return Err(Error::Setting { key: "redact_request_headers", value, hint: "use HTTP header names" });
        }
    }
    Ok(())
}

/// Returns one more than the highest sequence number of the WARC files in `directory`, so that a resumed crawl
/// continues the sequence.
fn next_sequence(directory: &Path) -> Result<u32, Error> {
    let listed = |source| Error::file("list", directory, source);
    let mut next = 0;
    for entry in fs::read_dir(directory).map_err(listed)? {
        let name = entry.map_err(listed)?.file_name();
        let sequence =
            name.to_str().and_then(|name| name.split_once(".warc")).and_then(|(stem, _)| stem.rsplit('-').next());
        if let Some(sequence) = sequence.and_then(|digits| digits.parse::<u32>().ok()) {
            next = next.max(sequence.saturating_add(1));
        }
    }
    Ok(next)
}

const CONFORMS_TO: &str = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";

/// The description of the crawl in the warcinfo record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CrawlInfo {
    /// The robots.txt policy: `obeyed` or `ignored` (`classic` or `ignore` in other tools).
    pub robots: String,
    /// The contact for the crawl: a name, an address, a URL.
    pub operator: Option<String>,
    /// The User-Agent header of all requests.
    pub user_agent: Option<String>,
    /// The purpose of the crawl.
    pub description: Option<String>,
}

/// Encodes the first record of a file.
pub(super) fn encode(
    maker: &mut RecordAssembler,
    options: &ArchiveOptions,
    info: &CrawlInfo,
    id: RecordId,
    file_name: &str,
    now: Instant,
) -> Vec<u8> {
    let block = block(info);
    let mut fields = maker.start("warcinfo");
    fields.id("WARC-Record-ID", id).date("WARC-Date", now).text("WARC-Filename", file_name);
    fields.put("Content-Type", "application/warc-fields");
    fields.digest("WARC-Block-Digest", &digest(options.digest, &[&block]));
    maker.finish(&[&block], Content::Text);
    maker.take()
}

fn block(info: &CrawlInfo) -> Vec<u8> {
    let mut block = Vec::new();
    let mut fields = Fields(&mut block);
    fields.put("software", concat!("harvestman/", env!("CARGO_PKG_VERSION")));
    fields.put("format", "WARC File Format 1.1").put("conformsTo", CONFORMS_TO);
    fields.text("robots", &info.robots);
    let optional = [
        ("operator", info.operator.as_deref()),
        ("http-header-user-agent", info.user_agent.as_deref()),
        ("description", info.description.as_deref()),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            fields.text(name, value);
        }
    }
    block
}
