//! Reads labels (CSV, plain or compressed) and matches them with pages.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use csv::{ReaderBuilder, StringRecord, Trim};
use flate2::bufread::MultiGzDecoder;

use super::{Corpus, CorpusError, Label, Limits, PageId, Role, TAG_SEPARATOR, Truth, canonicaliser};
use harvestman_core::spreadsheet;
use harvestman_report::figures;

/// Loads the labels of `corpus` from the file `path`. Returns notes about them too.
pub(super) fn load(path: &Path, corpus: &Corpus, limits: Limits) -> Result<(Truth, Vec<String>), CorpusError> {
    let input = open(path).map_err(|source| CorpusError::Open { path: path.to_owned(), source })?;
    let mut rows = Rows::new(path, input.take(limits.bytes_max))?;
    let mut matching = Matching::new(corpus);
    while let Some((url, label)) = rows.next_row()? {
        matching.add(url, label);
    }
    if matching.found == 0 {
        let labels = figures::count(matching.labels);
        return Err(CorpusError::OtherLabels { path: path.to_owned(), labels, name: corpus.name.clone() });
    }
    let knows_ucc = rows.columns.is_ucc.is_some();
    let mut notes = matching.notes();
    if !knows_ucc {
        notes.push("the labels have no column `is_ucc`: user-created content is not measured".to_owned());
    }
    Ok((Truth::new(corpus, matching.of_pages, knows_ucc), notes))
}

fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    let mut file = BufReader::new(File::open(path)?);
    let gzip = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    Ok(if gzip { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
}

/// The positions of the columns.
struct Columns {
    url: usize,
    page_type: usize,
    is_ucc: Option<usize>,
    is_duplicate_view: Option<usize>,
    role: Option<usize>,
    tags: Option<usize>,
    author: Option<usize>,
}

impl Columns {
    fn find(header: &StringRecord, path: &Path) -> Result<Self, CorpusError> {
        let find = |name: &str| header.iter().position(|column| column.eq_ignore_ascii_case(name));
        let needed = |column: &'static str| {
            let found = || header.iter().take(20).collect::<Vec<_>>().join(", ");
            find(column).ok_or_else(|| CorpusError::Column { path: path.to_owned(), column, found: found() })
        };
        Ok(Self {
            url: needed("url")?,
            page_type: needed("page_type")?,
            is_ucc: find("is_ucc"),
            is_duplicate_view: find("is_duplicate_view"),
            role: find("role"),
            tags: find("tags"),
            author: find("author"),
        })
    }
}

/// An iterator over the rows of a file.
struct Rows<'a, R> {
    path: &'a Path,
    reader: csv::Reader<R>,
    columns: Columns,
    record: StringRecord,
    /// The interned names of the types.
    types: BTreeSet<Arc<str>>,
}

impl<'a, R: Read> Rows<'a, R> {
    fn new(path: &'a Path, input: R) -> Result<Self, CorpusError> {
        let mut reader = ReaderBuilder::new().trim(Trim::All).flexible(true).from_reader(input);
        let header = reader.headers().map_err(|error| broken(path, 1, &error))?;
        let columns = Columns::find(header, path)?;
        Ok(Self { path, reader, columns, record: StringRecord::new(), types: BTreeSet::new() })
    }

    fn next_row(&mut self) -> Result<Option<(&str, Label)>, CorpusError> {
        let line = self.reader.position().line();
        if !self.reader.read_record(&mut self.record).map_err(|error| broken(self.path, line, &error))? {
            return Ok(None);
        }
        let line = self.record.position().map_or(line, csv::Position::line);
        let short = |what: &str| CorpusError::Labels { path: self.path.to_owned(), line, what: what.to_owned() };
        let url = self.record.get(self.columns.url).ok_or_else(|| short("it has no url"))?;
        let page_type = self.record.get(self.columns.page_type).ok_or_else(|| short("it has no page_type"))?;
        let (url, page_type) = (spreadsheet::unmarked(url), spreadsheet::unmarked(page_type));
        let text =
            |column: Option<usize>| column.and_then(|column| self.record.get(column)).map_or("", spreadsheet::unmarked);
        let flag = |column: Option<usize>| {
            flag(text(column)).ok_or_else(|| short(&format!("`{}` is neither 0 nor 1", text(column))))
        };
        let (is_ucc, is_duplicate_view) = (flag(self.columns.is_ucc)?, flag(self.columns.is_duplicate_view)?);
        let role = text(self.columns.role);
        let role = Role::of_name(role).ok_or_else(|| short(&format!("`{role}` is no role")))?;
        let page_type = match self.types.get(page_type) {
            Some(known) => Arc::clone(known),
            None => {
                let new = Arc::<str>::from(page_type);
                self.types.insert(Arc::clone(&new));
                new
            }
        };
        let label = Label { page_type, is_ucc, is_duplicate_view, role, ..Label::default() };
        let label = label.with_tags(text(self.columns.tags).split(TAG_SEPARATOR));
        Ok(Some((url, label.with_author(text(self.columns.author)))))
    }
}

fn flag(text: &str) -> Option<bool> {
    match text {
        "1" | "true" | "True" | "TRUE" | "yes" => Some(true),
        "" | "0" | "false" | "False" | "FALSE" | "no" => Some(false),
        _ => None,
    }
}

fn broken(path: &Path, line: u64, error: &csv::Error) -> CorpusError {
    let line = error.position().map_or(line, csv::Position::line);
    CorpusError::Labels { path: path.to_owned(), line, what: error.to_string() }
}

/// Matches labels with pages.
struct Matching<'a> {
    corpus: &'a Corpus,
    canonicaliser: harvestman_core::url::Canonicaliser,
    of_pages: Vec<Option<Label>>,
    labels: u64,
    /// Labels with a page.
    found: u64,
    /// Labels of pages that were labelled before.
    repeated: u64,
}

impl<'a> Matching<'a> {
    fn new(corpus: &'a Corpus) -> Self {
        let of_pages = vec![None; corpus.len()];
        Self { corpus, canonicaliser: canonicaliser(), of_pages, labels: 0, found: 0, repeated: 0 }
    }

    /// Adds a label. The first label of a page is used, as is its first response.
    fn add(&mut self, url: &str, label: Label) {
        self.labels += 1;
        let Some(id) = self.page_of(url) else { return };
        self.found += 1;
        match &mut self.of_pages[id.index()] {
            Some(_) => self.repeated += 1,
            none => *none = Some(label),
        }
    }

    fn page_of(&self, url: &str) -> Option<PageId> {
        match self.canonicaliser.parse(url) {
            Ok(canonical) => self.corpus.find_loosely(canonical.as_str()),
            Err(_) => self.corpus.find_loosely(url),
        }
    }

    fn notes(&self) -> Vec<String> {
        let count = figures::count;
        let pages = self.corpus.len() as u64;
        let unlabelled = self.of_pages.iter().filter(|label| label.is_none()).count() as u64;
        let mut notes = Vec::new();
        if self.found < self.labels {
            let missing = count(self.labels - self.found);
            notes.push(format!("{missing} of {} labelled URLs are not in the corpus", count(self.labels)));
        }
        if unlabelled > 0 {
            notes.push(format!("{} of {} URLs of the corpus have no label", count(unlabelled), count(pages)));
        }
        if self.repeated > 0 {
            notes.push(format!("{} labels of URLs labelled before were skipped", count(self.repeated)));
        }
        notes
    }
}
