//! Builds a corpus page by page, within limits.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::{Corpus, CorpusError, Limits, PageId, StoredResponse};
use harvestman_core::url::CanonicalUrl;

/// Bytes of a page besides its contents: index entries, header tables.
const PAGE_OVERHEAD: u64 = 512;

/// A corpus under construction.
pub(super) struct Builder {
    corpus: Corpus,
    limits: Limits,
    bytes: u64,
    seed: Option<PageId>,
}

impl Builder {
    pub fn new(name: String, limits: Limits) -> Self {
        let corpus = Corpus {
            name,
            notes: Vec::new(),
            urls: Vec::new(),
            pages: Vec::new(),
            by_url: HashMap::new(),
            by_loose_form: OnceLock::new(),
            seed: PageId(0),
            truth: None,
        };
        Self { corpus, limits, bytes: 0, seed: None }
    }

    /// The pages so far.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Adds a page, unless its URL is present. Returns whether it was added.
    pub fn add(&mut self, url: CanonicalUrl, page: StoredResponse) -> Result<bool, CorpusError> {
        let fingerprint = url.fingerprint();
        if self.corpus.by_url.contains_key(&fingerprint) {
            return Ok(false);
        }
        self.bytes += PAGE_OVERHEAD + url.as_str().len() as u64 + page.size();
        let id = u32::try_from(self.corpus.pages.len()).map(PageId);
        let (Ok(id), true) = (id, self.bytes <= self.limits.bytes_max) else {
            return Err(CorpusError::TooLarge { name: self.corpus.name.clone(), limit: self.limits.bytes_max });
        };
        if self.seed.is_none() && page.is_page() {
            self.seed = Some(id);
        }
        self.corpus.by_url.insert(fingerprint, id);
        self.corpus.urls.push(url);
        self.corpus.pages.push(page);
        Ok(true)
    }

    /// Returns the corpus. `what` describes the input for the error that no crawl can start in it.
    pub fn finish(mut self, what: impl FnOnce() -> String) -> Result<Corpus, CorpusError> {
        let Some(seed) = self.seed else {
            return Err(CorpusError::NoPage { name: self.corpus.name, what: what() });
        };
        self.corpus.seed = seed;
        Ok(self.corpus)
    }
}

impl Corpus {
    pub(super) fn with_seed(self, seed: PageId) -> Self {
        Self { seed, ..self }
    }
}
