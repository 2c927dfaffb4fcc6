//! The links of a document that lead to pages of the crawl.

use harvestman_core::model::ParsedPage;
use harvestman_core::url::{CanonicalRef, CanonicalUrl, Canonicaliser, Scope};

/// Decides which links of documents lead to pages of the crawl.
#[derive(Clone, Copy)]
pub(crate) struct LinkScope<'a> {
    pub(crate) canonicaliser: &'a Canonicaliser,
    pub(crate) scope: &'a Scope,
}

impl LinkScope<'_> {
    /// Calls `take` with each link of the document of the page at `url` that leads to a page of the crawl, and with
    /// each such URL to which its scripts wanted to navigate. A URL that is linked repeatedly is passed repeatedly.
    pub(crate) fn each_link(
        self,
        url: &CanonicalUrl,
        page: &ParsedPage,
        navigations: &[String],
        mut take: impl FnMut(CanonicalRef<'_>),
    ) {
        let mut resolver = self.canonicaliser.document_resolver(url, page.base.as_deref(), page.charset);
        let anchors = page.groups.iter().flat_map(|group| &group.links).map(|link| page.href(link));
        for href in anchors.chain(navigations.iter().map(String::as_str)) {
            if let Ok(link) = resolver.resolve(href)
                && self.scope.check(link.as_str()).is_ok()
            {
                take(link);
            }
        }
    }
}
