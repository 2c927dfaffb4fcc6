//! Builds an index document by document.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tantivy::indexer::NoMergePolicy;
use tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{Index, IndexWriter, ReloadPolicy, TantivyDocument};

use crate::index::error::Error;
use crate::index::limits::{DOCUMENTS_MAX, TEXT_BYTES_MAX, TITLE_BYTES_MAX, URL_BYTES_MAX};
use crate::index::page::{IndexedPage, NUMBER};
use crate::index::search::LocalIndex;
use crate::index::words::{WORDS, WordTokenizer};

/// Memory of the writer for the postings of a segment.
const WRITER_BYTES: usize = 64 << 20;
/// Bytes of texts after which they are written out. The queue before the writer is bounded by documents only.
const UNWRITTEN_BYTES_MAX: usize = 64 << 20;

/// An index under construction.
pub struct IndexBuilder {
    index: Index,
    writer: IndexWriter,
    text: Field,
    number: Field,
    /// The documents by address, with their numbers: in the order in which they were added, from 0.
    pages: BTreeMap<Box<str>, (u32, IndexedPage)>,
    unwritten_bytes: usize,
    unwritten_bytes_max: usize,
}

impl IndexBuilder {
    /// Creates an index in memory.
    ///
    /// # Errors
    /// The thread of the writer cannot be started.
    pub fn new() -> Result<Self, Error> {
        let (schema, text, number) = schema();
        Self::on(Index::create_in_ram(schema), text, number)
    }

    /// Creates an index in files of `directory`. Addresses, titles and excerpts are in memory all the same, so that the
    /// files are of no use once the index is dropped.
    ///
    /// # Errors
    /// The directory does not exist, cannot be written, or holds an index.
    pub fn in_directory(directory: &Path) -> Result<Self, Error> {
        let (schema, text, number) = schema();
        let index = Index::create_in_dir(directory, schema);
        let index =
            index.map_err(|source| Error::Directory { path: directory.to_owned(), source: Box::new(source) })?;
        Self::on(index, text, number)
    }

    fn on(index: Index, text: Field, number: Field) -> Result<Self, Error> {
        index.tokenizers().register(WORDS, WordTokenizer);
        // One thread, so that documents are numbered in order.
        let writer = index.writer_with_num_threads(1, WRITER_BYTES)?;
        // All segments become one at the end.
        writer.set_merge_policy(Box::new(NoMergePolicy));
        let (pages, unwritten_bytes_max) = (BTreeMap::new(), UNWRITTEN_BYTES_MAX);
        Ok(Self { index, writer, text, number, pages, unwritten_bytes: 0, unwritten_bytes_max })
    }

    /// Writes texts out after this many bytes, so that a test has several segments.
    #[cfg(test)]
    pub(crate) fn with_unwritten_bytes_max(mut self, bytes: usize) -> Self {
        self.unwritten_bytes_max = bytes;
        self
    }

    /// Adds a document. Returns false if there is one with this address already, or the address is longer than
    /// [`URL_BYTES_MAX`]. Of a long title or text only the beginning counts ([`TITLE_BYTES_MAX`], [`TEXT_BYTES_MAX`]).
    ///
    /// # Errors
    /// The index is full, or cannot be written.
    pub fn add(&mut self, url: &str, title: Option<&str>, text: &str) -> Result<bool, Error> {
        if url.len() > URL_BYTES_MAX || self.pages.contains_key(url) {
            return Ok(false);
        }
        let Some(number) = u32::try_from(self.pages.len()).ok().filter(|number| (*number as usize) < DOCUMENTS_MAX)
        else {
            return Err(Error::Full);
        };
        let (title, text) = (beginning(title.unwrap_or_default(), TITLE_BYTES_MAX), beginning(text, TEXT_BYTES_MAX));
        let mut document = TantivyDocument::new();
        document.add_u64(self.number, u64::from(number));
        // Two values of one field: no phrase runs from the title into the text.
        document.add_text(self.text, title);
        document.add_text(self.text, text);
        self.writer.add_document(document)?;
        self.pages.insert(url.into(), (number, IndexedPage::new(url, title, text)));
        self.unwritten_bytes += title.len() + text.len();
        if self.unwritten_bytes >= self.unwritten_bytes_max {
            self.writer.commit()?;
            self.unwritten_bytes = 0;
        }
        Ok(true)
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Returns whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Returns the index.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn finish(mut self) -> Result<LocalIndex, Error> {
        self.writer.commit()?;
        let segments = self.index.searchable_segment_ids()?;
        // Scores are sums in an order that depends on the segment. In one segment they are the same every time.
        if segments.len() > 1 {
            self.writer.merge(&segments).wait()?;
            self.writer.garbage_collect_files().wait()?;
        }
        self.writer.wait_merging_threads()?;
        let reader = self.index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let mut ranks = vec![0; self.pages.len()];
        let mut pages = Vec::with_capacity(self.pages.len());
        for (rank, (number, page)) in (0..).zip(self.pages.into_values()) {
            ranks[number as usize] = rank;
            pages.push(page);
        }
        Ok(LocalIndex { reader, text: self.text, ranks: Arc::from(ranks), pages })
    }
}

fn schema() -> (Schema, Field, Field) {
    let mut builder = Schema::builder();
    let indexing = TextFieldIndexing::default().set_tokenizer(WORDS);
    let indexing = indexing.set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let text = builder.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
    let number = builder.add_u64_field(NUMBER, FAST);
    (builder.build(), text, number)
}

/// Returns the beginning of `text` that has at most `bytes_max` bytes and ends with a whole word, if there are several.
fn beginning(text: &str, bytes_max: usize) -> &str {
    if text.len() <= bytes_max {
        return text;
    }
    let whole = (0..=bytes_max).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let cut = &text[..whole];
    cut.rfind(char::is_whitespace).map_or(cut, |end| &cut[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_ends_with_a_whole_word() {
        assert_eq!(beginning("one two three", 9), "one two");
        assert_eq!(beginning("one two", 7), "one two");
        assert_eq!(beginning("ééé", 3), "é");
        assert_eq!(beginning("é", 1), "");
    }
}
