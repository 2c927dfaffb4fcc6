//! The links between the pages of a corpus.

use std::collections::BTreeSet;

use crate::corpus::{Corpus, PageId, canonicaliser};
use crate::measures::Quality;
use crate::replay::Replay;
use harvestman_core::config::ParseOptions;
use harvestman_structure::parse::Parser;

/// For each page, the URLs of the corpus that it links or redirects to, each once.
pub struct LinkTable(Vec<Vec<PageId>>);

impl LinkTable {
    /// Reads all pages once.
    pub fn of(corpus: &Corpus) -> Self {
        let mut parser = Parser::new(&ParseOptions::default());
        let canonicaliser = canonicaliser();
        let leads_to = |id: PageId| {
            let stored = corpus.page(id);
            let mut found: BTreeSet<PageId> = BTreeSet::new();
            found.extend(stored.location.as_ref().and_then(|to| corpus.find_loosely(to.as_str())));
            if stored.is_page() {
                let page = parser.parse(&stored.body, stored.content_type());
                let mut resolver = canonicaliser.document_resolver(corpus.url(id), page.base.as_deref(), page.charset);
                for link in page.groups.iter().flat_map(|group| &group.links) {
                    let url = resolver.resolve(page.href(link)).ok();
                    found.extend(url.and_then(|url| corpus.find_fingerprint(url.fingerprint())));
                }
            }
            found.into_iter().collect()
        };
        Self(corpus.ids().map(leads_to).collect())
    }

    /// Returns the quality of a crawl.
    pub fn quality(&self, corpus: &Corpus, done: &Replay) -> Quality {
        let fetched: Vec<Option<PageId>> = done.order.iter().map(|request| request.page).collect();
        let met = fetched.iter().flatten().flat_map(|id| self.0[id.index()].iter().copied()).collect();
        Quality::of(corpus, &fetched, &met)
    }
}
