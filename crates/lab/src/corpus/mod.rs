//! Labelled corpora: a recorded site in memory, as crawls are replayed over it, and apart from it what is true of its pages.
//!
//! Input: a WARC file of any tool (plain or compressed) and, where there are any, labels (CSV, plain or compressed); or a
//! simulated [`World`](harvestman_sim::World). A [`Corpus`] is what a crawler can see: canonical URLs, statuses, headers, bodies.
//! What it may not see, the types of pages and which of them are worth having, is reachable only through [`Corpus::truth`].

mod body;
mod build;
mod error;
mod from_world;
mod head;
mod labels;
mod load;
mod revisit;
mod spelling;
mod stored;
#[cfg(test)]
mod tests;
mod truth;

use std::collections::HashMap;
use std::sync::OnceLock;

pub use error::Error;
pub(crate) use load::name_of;
pub use stored::Stored;
pub use truth::{Label, Truth, TypeCounts};

use harvestman_core::config::url::UrlOptions;
use harvestman_core::url::{CanonicalUrl, Canonicaliser, Fingerprint};

/// A page of a corpus: its place in the file's order, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageId(pub u32);

impl PageId {
    /// As an index into a list with an entry for each page of the corpus.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// How much of a file is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes of all pages together (decoded bodies, headers, URLs, and 512 bytes for each page besides); more is an
    /// error.
    pub bytes_max: u64,
    /// Responses longer than this, in bytes as recorded, are left out.
    pub response_bytes_max: u64,
}

impl Default for Limits {
    /// 8 GiB in memory, and responses of at most 256 MiB.
    fn default() -> Self {
        Self { bytes_max: 8 << 30, response_bytes_max: 256 << 20 }
    }
}

/// A recorded site in memory. Pages are in the order of the file; of several responses of a URL the first is kept.
#[derive(Debug)]
pub struct Corpus {
    /// What it is called: the file's name without its endings.
    pub name: String,
    /// What is to be told about the file: that it was cut off, what was left out, labels without a page.
    pub notes: Vec<String>,
    urls: Vec<CanonicalUrl>,
    pages: Vec<Stored>,
    by_url: HashMap<Fingerprint, PageId>,
    by_loose_form: OnceLock<HashMap<Box<str>, PageId>>,
    seed: PageId,
    truth: Option<Truth>,
}

impl Corpus {
    /// Number of pages: of URLs that something answered.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Never: a corpus has at least its seed.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// All pages, in the order of the file.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = PageId> + use<> {
        (0..u32::try_from(self.pages.len()).expect("pages are numbered by u32")).map(PageId)
    }

    /// What answered.
    pub fn page(&self, id: PageId) -> &Stored {
        &self.pages[id.index()]
    }

    /// Its URL.
    pub fn url(&self, id: PageId) -> &CanonicalUrl {
        &self.urls[id.index()]
    }

    /// The page with this canonical URL.
    pub fn find(&self, url: &str) -> Option<PageId> {
        self.find_fingerprint(Fingerprint::of(url))
    }

    /// The page whose canonical URL has this fingerprint.
    pub fn find_fingerprint(&self, fingerprint: Fingerprint) -> Option<PageId> {
        self.by_url.get(&fingerprint).copied()
    }

    /// The page with this URL or, as a second chance, the first with the same URL once escapes are decoded and the scheme is
    /// left off (tools disagree on both).
    pub fn find_loosely(&self, url: &str) -> Option<PageId> {
        self.find(url).or_else(|| self.loose_forms().get(&*spelling::loose_form(url)).copied())
    }

    fn loose_forms(&self) -> &HashMap<Box<str>, PageId> {
        self.by_loose_form.get_or_init(|| {
            let mut forms = HashMap::with_capacity(self.len());
            for (id, url) in self.ids().zip(&self.urls) {
                forms.entry(spelling::loose_form(url.as_str()).into()).or_insert(id);
            }
            forms
        })
    }

    /// Where a fetch of `id` ends when its redirects are followed, `hops_max` of them at most: the page itself where it
    /// redirects nowhere; none where the way leaves the corpus or has no end.
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

    /// Where a crawl starts: the first HTML page with status 200.
    pub const fn seed(&self) -> PageId {
        self.seed
    }

    /// The same corpus with this truth.
    #[must_use]
    pub fn labelled(self, truth: Truth) -> Self {
        Self { truth: Some(truth), ..self }
    }

    /// What is true of the pages and no policy may see; none without labels.
    pub const fn truth(&self) -> Option<&Truth> {
        self.truth.as_ref()
    }
}

/// The canonicaliser of a crawl with default settings, by which a corpus names its pages.
pub fn canonicaliser() -> Canonicaliser {
    Canonicaliser::new(&UrlOptions::default()).expect("the default settings name parameters that can be matched")
}
