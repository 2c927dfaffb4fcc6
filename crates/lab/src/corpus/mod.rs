//! Labelled corpora: a recorded site in memory for replaying crawls and, separately, the truth about its pages.
//!
//! Input: a WARC file of any tool (plain or compressed) and optionally labels (CSV, plain or compressed); or a
//! simulated [`World`](harvestman_sim::World). A [`Corpus`] holds what a crawler can see: canonical URLs, statuses,
//! headers, bodies. What it must not see, the page types and which of them are valuable, is accessible only through
//! [`Corpus::truth`].

mod build;
mod error;
mod from_world;
mod html_pages;
mod label;
mod labels;
mod load;
mod merge;
mod stored;
#[cfg(test)]
pub(crate) mod tests;
mod truth;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use percent_encoding::percent_decode_str;

pub use error::CorpusError;
pub use html_pages::{HtmlPage, html_pages};
pub(crate) use label::TAG_SEPARATOR;
pub use label::{Label, Role, TAGS_MAX, TEXT_CHARS_MAX};
pub use load::name_of;
pub use stored::StoredResponse;
pub use truth::{Truth, TypeCounts};

use harvestman_core::config::url::UrlOptions;
use harvestman_core::url::{CanonicalUrl, Canonicaliser, Fingerprint};

/// A page of a corpus: its index in the order of the file, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageId(pub u32);

impl PageId {
    /// Returns the index into a list with one entry per page of the corpus.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Limits of a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum bytes of all pages (decoded bodies, headers, URLs, and 512 bytes per page); more is an error.
    pub bytes_max: u64,
    /// Responses longer than this, in bytes as recorded, are skipped.
    pub response_bytes_max: u64,
}

impl Default for Limits {
    /// 8 GiB in total, and 256 MiB per response.
    fn default() -> Self {
        Self { bytes_max: 8 << 30, response_bytes_max: 256 << 20 }
    }
}

/// A recorded site in memory. Pages are in the order of the file; the first response of each URL is kept.
#[derive(Debug)]
pub struct Corpus {
    /// The name: the file name without its suffixes.
    pub name: String,
    /// Notes about the file: truncation, skipped records, labels without a page.
    pub notes: Vec<String>,
    urls: Vec<CanonicalUrl>,
    pages: Vec<StoredResponse>,
    by_url: HashMap<Fingerprint, PageId>,
    by_loose_form: OnceLock<HashMap<Box<str>, PageId>>,
    seed: PageId,
    truth: Option<Truth>,
}

impl Corpus {
    /// Returns the number of pages, i.e. of answered URLs.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Returns false: a corpus has at least its seed.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Returns all pages, in the order of the file.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = PageId> + use<> {
        (0..u32::try_from(self.pages.len()).expect("pages are numbered by u32")).map(PageId)
    }

    /// Returns the stored response.
    pub fn page(&self, id: PageId) -> &StoredResponse {
        &self.pages[id.index()]
    }

    /// Returns the URL.
    pub fn url(&self, id: PageId) -> &CanonicalUrl {
        &self.urls[id.index()]
    }

    /// Returns the page with this canonical URL.
    pub fn find(&self, url: &str) -> Option<PageId> {
        self.find_fingerprint(Fingerprint::of(url))
    }

    /// Returns the page whose canonical URL has this fingerprint.
    pub fn find_fingerprint(&self, fingerprint: Fingerprint) -> Option<PageId> {
        self.by_url.get(&fingerprint).copied()
    }

    /// Returns the page with this URL or, failing that, the first one with the same URL after decoding escapes and
    /// dropping the scheme (tools disagree on both).
    pub fn find_loosely(&self, url: &str) -> Option<PageId> {
        self.find(url).or_else(|| self.loose_forms().get(&*loose_form(url)).copied())
    }

    fn loose_forms(&self) -> &HashMap<Box<str>, PageId> {
        self.by_loose_form.get_or_init(|| {
            let mut forms = HashMap::with_capacity(self.len());
            for (id, url) in self.ids().zip(&self.urls) {
                forms.entry(loose_form(url.as_str()).into()).or_insert(id);
            }
            forms
        })
    }

    /// Returns the page on which a fetch of `id` ends after at most `hops_max` redirects: the page itself if it does
    /// not redirect; `None` if the redirects leave the corpus or do not end.
    pub fn landing(&self, id: PageId, hops_max: usize) -> Option<PageId> {
        let mut at = id;
        for _ in 0..=hops_max {
            match &self.page(at).location {
                None => return Some(at),
                Some(to) => at = self.find_loosely(to.as_str())?,
            }
        }
        None
    }

    /// Returns the start of a crawl: the first HTML page with status 200.
    pub const fn seed(&self) -> PageId {
        self.seed
    }

    /// Returns the corpus with this truth.
    #[must_use]
    pub fn labelled(self, truth: Truth) -> Self {
        Self { truth: Some(truth), ..self }
    }

    /// Returns the truth about the pages, which no policy may see; `None` without labels.
    pub const fn truth(&self) -> Option<&Truth> {
        self.truth.as_ref()
    }
}

/// Returns the canonicaliser with default settings, which defines the URLs of a corpus.
pub fn canonicaliser() -> Canonicaliser {
    Canonicaliser::new(&UrlOptions::default()).expect("the default settings name parameters that can be matched")
}

/// Returns `url` without its scheme and with its escapes decoded. The result is for comparison only and not a URL.
fn loose_form(url: &str) -> Cow<'_, str> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or(url);
    percent_decode_str(rest).decode_utf8_lossy()
}
