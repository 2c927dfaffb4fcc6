//! Samples as learning reads them.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use url::Url;

use super::make_url::resolve;
use super::places::Places;
use super::sample::{SAMPLE_REQUESTS_MAX, SAMPLES_MAX, Sample, SampleKind};
use super::source::Situation;
use super::url_parts::UrlParts;

/// A sample, read.
pub(super) struct PageFacts<'s> {
    pub url: Url,
    pub places: Places,
    /// Its requests, each URL once.
    pub requests: Vec<RequestFacts<'s>>,
}

/// A request of a sample, read.
pub(super) struct RequestFacts<'s> {
    pub url: Url,
    pub parts: UrlParts,
    pub kind: SampleKind,
    pub is_useful: bool,
    body: &'s [u8],
    answer: OnceLock<Places>,
}

impl<'s> PageFacts<'s> {
    /// Reads samples, at most [`SAMPLES_MAX`].
    pub fn of_all(samples: &'s [Sample]) -> Vec<Self> {
        samples.iter().take(SAMPLES_MAX).map(Self::of).collect()
    }

    /// Reads a sample.
    pub fn of(sample: &'s Sample) -> Self {
        let mut seen = BTreeSet::new();
        let requests = sample.requests.iter().take(SAMPLE_REQUESTS_MAX).filter_map(|request| {
            let url = resolve(&request.url, "").unwrap_or_else(|| request.url.clone());
            seen.insert(url.clone()).then_some(())?;
            let (kind, is_useful) = (request.kind, request.is_useful);
            let parts = UrlParts::of(&url).or_else(|| UrlParts::of_socket(&url))?;
            Some(RequestFacts { url, parts, kind, is_useful, body: &request.body, answer: OnceLock::new() })
        });
        Self { url: sample.page_url.clone(), places: Places::of_page(&sample.html), requests: requests.collect() }
    }
}

impl RequestFacts<'_> {
    /// Returns the values of its answer.
    pub fn answer(&self) -> &Places {
        self.answer.get_or_init(|| Places::of_answer(self.body))
    }
}

/// Requests of one slot and one sample that follow each other.
#[derive(Debug, Clone)]
pub(super) struct Chain {
    /// Index of the sample.
    pub sample: usize,
    /// Indexes of the requests, at least one.
    pub requests: Vec<usize>,
    /// Index of the request whose answer starts the chain.
    pub started_by: Option<usize>,
    /// The value for which it was started.
    pub each: Option<String>,
}

impl Chain {
    /// Returns the situation in which its request with this index was made.
    pub fn situation<'a>(&'a self, facts: &'a [PageFacts<'_>], index: usize) -> Situation<'a> {
        let page = &facts[self.sample];
        let before = index.checked_sub(1).map(|at| self.requests[at]).or(self.started_by);
        Situation {
            page_url: page.url.as_str(),
            page: &page.places,
            previous: before.map(|request| page.requests[request].answer()),
            index,
            each: self.each.as_deref(),
        }
    }
}
