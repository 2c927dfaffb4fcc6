//! Pages of a corpus in the order in which a crawl finds them, with the links that it would accept.

use std::collections::{BTreeSet, HashSet, VecDeque};

use crate::corpus::{Corpus, canonicaliser};
use harvestman_core::config::ParseOptions;
use harvestman_core::model::{LinkClass, ScheduledUrl};
use harvestman_core::url::{CanonicalUrl, Fingerprint};
use harvestman_structure::parse::Parser;

/// Pages with their links.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// Each page, and the distinct URLs of the corpus's hosts that it links to, as queued links.
    pub pages: Vec<(CanonicalUrl, Vec<ScheduledUrl>)>,
    /// Number of hosts.
    pub hosts: u64,
}

impl Sample {
    /// Takes at most `most` pages, breadth-first from the seed of the corpus.
    pub fn of(corpus: &Corpus, most: usize) -> Self {
        let mut parser = Parser::new(&ParseOptions::default());
        let canonicaliser = canonicaliser();
        let hosts: HashSet<&str> = corpus.ids().map(|id| corpus.url(id).origin()).collect();
        let mut queued: HashSet<Fingerprint> = HashSet::from([corpus.url(corpus.seed()).fingerprint()]);
        let mut queue = VecDeque::from([corpus.seed()]);
        let mut pages = Vec::new();
        while let Some(id) = queue.pop_front().filter(|_| pages.len() < most) {
            let (url, stored) = (corpus.url(id), corpus.page(id));
            let (mut links, mut seen) = (Vec::new(), BTreeSet::new());
            let mut found = |to: CanonicalUrl, class: LinkClass| {
                if !hosts.contains(to.origin()) || !seen.insert(to.fingerprint()) {
                    return;
                }
                if queued.insert(to.fingerprint())
                    && let Some(next) = corpus.find_fingerprint(to.fingerprint())
                {
                    queue.push_back(next);
                }
                let via = Some(url.as_str().into());
                links.push(ScheduledUrl { depth: 1, via, ..ScheduledUrl::found(to, class) });
            };
            if let Some(to) = &stored.location {
                found(to.clone(), LinkClass::unclassified(harvestman_core::model::Apath::REDIRECT));
            }
            if stored.is_page() {
                let page = parser.parse(&stored.body, stored.content_type());
                let mut resolver = canonicaliser.document_resolver(url, page.base.as_deref(), page.charset);
                for group in &page.groups {
                    let class = LinkClass::unclassified(group.apath);
                    for link in &group.links {
                        if let Ok(to) = resolver.resolve(page.href(link)) {
                            found(to.to_url(), class);
                        }
                    }
                }
            }
            pages.push((url.clone(), links));
        }
        Self { pages, hosts: hosts.len() as u64 }
    }
}
