//! The examples that a policy starts from.

use super::PageFacts;
use harvestman_core::url::CanonicalUrl;

/// A page like those that are wanted.
#[derive(Debug, Clone)]
pub struct ExamplePage {
    /// The address of the page.
    pub url: CanonicalUrl,
    /// The page's facts, where it is available; they include its body unless the page is a seed of the crawl.
    pub facts: Option<PageFacts>,
}
