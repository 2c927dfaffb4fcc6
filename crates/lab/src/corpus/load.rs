//! Reads a corpus from a WARC file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use bytes::Bytes;

use super::build::Builder;
use super::{Corpus, CorpusError, Limits, StoredResponse, canonicaliser, labels};
use harvestman_core::url::{CanonicalUrl, Canonicaliser};
use harvestman_report::figures;
use harvestman_stages::fetch::{RecordedResponse, redirect};
use harvestman_storage::archive::reader::{self, Record, RecordHeader, WarcReader};

impl Corpus {
    /// Reads a WARC file (of any tool, compressed or plain) and its labels, within the [default limits](Limits).
    ///
    /// A file that ends within a record is read up to there, and [`Corpus::notes`] says so.
    ///
    /// # Errors
    /// A file cannot be read, has no page to start a crawl from, exceeds the limits, or the labels belong to another
    /// file.
    pub fn load(warc: &Path, labels: Option<&Path>) -> Result<Self, CorpusError> {
        Self::load_within(warc, labels, Limits::default())
    }

    /// The same, within other limits.
    ///
    /// # Errors
    ///
    /// As [`Corpus::load`].
    pub fn load_within(warc: &Path, labels: Option<&Path>, limits: Limits) -> Result<Self, CorpusError> {
        let file = File::open(warc).map_err(|source| CorpusError::Open { path: warc.to_owned(), source })?;
        let mut loader = Loader::new(name_of(warc), limits);
        loader.read(warc, file)?;
        let mut corpus = loader.finish()?;
        let Some(path) = labels else { return Ok(corpus) };
        let (truth, notes) = labels::load(path, &corpus, limits)?;
        corpus.notes.extend(notes);
        Ok(corpus.labelled(truth))
    }
}

/// Returns the file name without `.warc`, `.gz` and similar suffixes.
pub fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut name = &*name;
    for ending in [".open", ".gz", ".warc"] {
        name = name.strip_suffix(ending).unwrap_or(name);
    }
    name.to_owned()
}

/// Numbers of skipped records, by reason.
#[derive(Debug, Default)]
struct LeftOut {
    /// Further responses of a known URL.
    repeated: u64,
    /// Responses that are not HTTP, or whose URL is not a web address.
    foreign: u64,
    too_long: u64,
    /// Revisits whose original response is not in the file.
    revisits: u64,
    /// Bodies that could not be decoded completely; the decoded part is kept.
    torn_bodies: u64,
    /// The offset of the record within which the file ends.
    torn_at: Option<u64>,
    records: u64,
}

struct Loader {
    builder: Builder,
    canonicaliser: Canonicaliser,
    response_bytes_max: u64,
    left_out: LeftOut,
}

impl Loader {
    fn new(name: String, limits: Limits) -> Self {
        Self {
            builder: Builder::new(name, limits),
            canonicaliser: canonicaliser(),
            response_bytes_max: limits.response_bytes_max,
            left_out: LeftOut::default(),
        }
    }

    fn read(&mut self, path: &Path, input: impl Read) -> Result<(), CorpusError> {
        let mut reader = WarcReader::new(input, reader::Limits::default());
        loop {
            match self.read_record(&mut reader) {
                Ok(true) => self.left_out.records += 1,
                Ok(false) => return Ok(()),
                Err(Stop::Here(error)) => return Err(error),
                Err(Stop::Record(reader::WarcError::Torn { offset })) => {
                    self.left_out.torn_at = Some(offset);
                    return Ok(());
                }
                Err(Stop::Record(source)) => return Err(CorpusError::Warc { path: path.to_owned(), source }),
            }
        }
    }

    /// Reads the next record. Returns false at the end of the file.
    fn read_record<R: Read>(&mut self, reader: &mut WarcReader<R>) -> Result<bool, Stop> {
        let Some(mut record) = reader.next_record()? else { return Ok(false) };
        let wanted = self.wanted(&record);
        let mut block = Vec::new();
        if wanted.is_some() {
            block.reserve_exact(usize::try_from(record.remaining()).unwrap_or(0).min(1 << 20));
            record.read_block(&mut block, self.response_bytes_max)?;
            block.shrink_to_fit();
        }
        // A record is accepted after it has been read completely, because a compressed one is verified only at its end.
        record.end()?;
        if let Some((url, body_of)) = wanted {
            self.take(url, &body_of, Bytes::from(block)).map_err(Stop::Here)?;
        }
        Ok(true)
    }

    /// Returns the URL of a relevant record, and where its body is. Requests, metadata, resources and similar records
    /// hold no response.
    fn wanted<R: Read>(&mut self, record: &Record<'_, R>) -> Option<(CanonicalUrl, BodyOf)> {
        if !matches!(record.record_type(), "response" | "revisit") {
            return None;
        }
        let Some(url) = record.target_uri().and_then(|uri| self.canonicaliser.parse(uri).ok()) else {
            self.left_out.foreign += 1;
            return None;
        };
        if self.builder.corpus().find(url.as_str()).is_some() {
            self.left_out.repeated += 1;
            return None;
        }
        if record.remaining() > self.response_bytes_max {
            self.left_out.too_long += 1;
            return None;
        }
        let body_of = body_of(record.header(), &url, &self.canonicaliser);
        Some((url, body_of))
    }

    fn take(&mut self, url: CanonicalUrl, body_of: &BodyOf, message: Bytes) -> Result<(), CorpusError> {
        let Some(response) = RecordedResponse::read(&message) else {
            self.left_out.foreign += 1;
            return Ok(());
        };
        let body = match body_of {
            BodyOf::Itself => {
                self.left_out.torn_bodies += u64::from(!response.is_whole);
                Some(response.body)
            }
            BodyOf::Another(other) => self.body_at(other),
            BodyOf::Unknown => None,
        };
        let Some(body) = body else {
            self.left_out.revisits += 1;
            return Ok(());
        };
        let location = redirect::target(response.status, &response.headers).and_then(|to| self.resolve(&url, &to));
        self.builder
            .add(url, StoredResponse { status: response.status, headers: response.headers, body, location })
            .map(drop)
    }

    fn body_at(&self, url: &CanonicalUrl) -> Option<Bytes> {
        let corpus = self.builder.corpus();
        corpus.find(url.as_str()).map(|id| corpus.page(id).body.clone())
    }

    fn resolve(&self, page: &CanonicalUrl, to: &str) -> Option<CanonicalUrl> {
        self.canonicaliser.resolver(page, None).resolve(to).ok().map(|url| url.to_url())
    }

    fn finish(self) -> Result<Corpus, CorpusError> {
        let what = self.left_out.what(self.builder.corpus().len());
        let mut corpus = self.builder.finish(|| what)?;
        corpus.notes = self.left_out.notes(corpus.len());
        Ok(corpus)
    }
}

/// The reason why reading stops.
enum Stop {
    /// The file is damaged.
    Record(reader::WarcError),
    /// The contents are unsuitable.
    Here(CorpusError),
}

impl From<reader::WarcError> for Stop {
    fn from(error: reader::WarcError) -> Self {
        Self::Record(error)
    }
}

impl LeftOut {
    fn what(&self, responses: usize) -> String {
        let torn = self.torn_at.map(|offset| format!("; it ends within the record at byte {offset}"));
        format!("{} complete records, {responses} responses{}", figures::count(self.records), torn.unwrap_or_default())
    }

    fn notes(&self, pages: usize) -> Vec<String> {
        let counted = |n: u64, what: &str| (n > 0).then(|| format!("{} {what}", figures::count(n)));
        let torn = self.torn_at.map(|offset| {
            let pages = figures::count(pages as u64);
            format!(
                "the file ends within the record at byte {offset}: the complete records before it were kept ({pages} URLs)"
            )
        });
        torn.into_iter()
            .chain(counted(self.repeated, "further responses of known URLs were skipped"))
            .chain(counted(self.foreign, "responses that are not HTTP or not of a web address were skipped"))
            .chain(counted(self.too_long, "responses longer than the limit were skipped"))
            .chain(counted(self.revisits, "revisits of responses that are not in the file were skipped"))
            .chain(counted(self.torn_bodies, "bodies could not be decoded completely; the decoded parts were kept"))
            .collect()
    }
}

/// The location of the body of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
enum BodyOf {
    /// In the record itself.
    Itself,
    /// In the response to this URL.
    Another(CanonicalUrl),
    /// Unknown: the response is not named, or the server only reported no change.
    Unknown,
}

/// Determines the body from the header of a `response` or `revisit` record (WARC 1.1, section 6.7). A
/// revisit that names no URL refers to its own URL.
fn body_of(header: &RecordHeader, url: &CanonicalUrl, canonicaliser: &Canonicaliser) -> BodyOf {
    if header.get("WARC-Type") != Some("revisit") {
        return BodyOf::Itself;
    }
    if !header.get("WARC-Profile").is_some_and(|profile| profile.contains("identical-payload-digest")) {
        return BodyOf::Unknown;
    }
    match header.get("WARC-Refers-To-Target-URI") {
        None => BodyOf::Another(url.clone()),
        Some(uri) => {
            let uri = uri.trim_start_matches('<').trim_end_matches('>');
            canonicaliser.parse(uri).map_or(BodyOf::Unknown, BodyOf::Another)
        }
    }
}
