//! The links between the pages of a corpus.

use std::collections::BTreeSet;

use crate::corpus::{Corpus, PageId, canonicaliser};
use crate::measures::Quality;
use crate::replay::Replay;
use harvestman_core::config::{Config, ParseOptions};
use harvestman_core::model::MediaType;
use harvestman_core::url::Canonicaliser;
use harvestman_stages::host::sitemap::{self, SitemapLimits};
use harvestman_structure::parse::Parser;

/// For each page, the URLs of the corpus that it links or redirects to, each once.
pub(super) struct LinkTable(Vec<Vec<PageId>>);

impl LinkTable {
    /// Reads all pages once.
    pub fn of(corpus: &Corpus) -> Self {
        Self::read(corpus, false)
    }

    /// The same without the links that a page asks robots not to follow, which no crawl follows.
    pub fn followed(corpus: &Corpus) -> Self {
        Self::read(corpus, true)
    }

    fn read(corpus: &Corpus, obeying: bool) -> Self {
        let mut reader =
            Reader { parser: Parser::new(&ParseOptions::default()), canonicaliser: canonicaliser(), obeying };
        Self(corpus.ids().map(|id| reader.leads_to(corpus, id)).collect())
    }

    /// Returns the links of each page.
    pub fn into_lists(self) -> Vec<Vec<u32>> {
        self.0.into_iter().map(|to| to.into_iter().map(|id| id.0).collect()).collect()
    }

    /// Returns the quality of a crawl.
    pub fn quality(&self, corpus: &Corpus, done: &Replay) -> Quality {
        let fetched: Vec<Option<PageId>> = done.order.iter().map(|request| request.page).collect();
        let met = fetched.iter().flatten().flat_map(|id| self.0[id.index()].iter().copied()).collect();
        Quality::of(corpus, &fetched, &met)
    }
}

/// Reads the links of one response after the other.
struct Reader {
    parser: Parser,
    canonicaliser: Canonicaliser,
    /// Whether links are left out that robots must not follow.
    obeying: bool,
}

impl Reader {
    fn leads_to(&mut self, corpus: &Corpus, id: PageId) -> Vec<PageId> {
        let stored = corpus.page(id);
        let mut found: BTreeSet<PageId> = BTreeSet::new();
        found.extend(stored.location.as_ref().and_then(|to| corpus.find_loosely(to.as_str())));
        if stored.status == 200 {
            // As a crawl does: XML is a feed or, failing that, a page.
            found.extend(match MediaType::of(stored.content_type()) {
                MediaType::Xml => entries(corpus, id).unwrap_or_else(|| self.links(corpus, id)),
                MediaType::Html => self.links(corpus, id),
                _ => Vec::new(),
            });
        }
        found.into_iter().collect()
    }

    fn links(&mut self, corpus: &Corpus, id: PageId) -> Vec<PageId> {
        let stored = corpus.page(id);
        let page = self.parser.parse(&stored.body, stored.content_type());
        let mut resolver = self.canonicaliser.document_resolver(corpus.url(id), page.base.as_deref(), page.charset);
        let groups = page.groups.iter().filter(|_| !(self.obeying && page.robots.nofollow));
        let urls = groups
            .flat_map(|group| &group.links)
            .filter_map(|link| resolver.resolve(page.href(link)).ok().map(|url| url.fingerprint()));
        urls.filter_map(|url| corpus.find_fingerprint(url)).collect()
    }
}

/// Returns the URLs of the corpus that a feed or a sitemap lists; `None` for other documents.
fn entries(corpus: &Corpus, id: PageId) -> Option<Vec<PageId>> {
    let stored = corpus.page(id);
    let limits = SitemapLimits::from(&Config::default().robots);
    let contents = sitemap::parse(&stored.body, corpus.url(id).as_str(), stored.content_type(), limits).ok()?;
    let urls = contents.urls.iter().chain(&contents.sitemaps);
    Some(urls.filter_map(|url| corpus.find_loosely(url)).collect())
}
