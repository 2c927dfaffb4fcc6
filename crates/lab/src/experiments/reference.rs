//! The harvest of a crawl with full knowledge of a corpus: the reference for policies.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::links::LinkTable;
use crate::corpus::{Corpus, PageId};
use crate::measures::Task;
use crate::oracle::SiteGraph;

/// The graph of a corpus.
pub(super) struct Reference<'c> {
    corpus: &'c Corpus,
    links: Arc<[Vec<u32>]>,
    /// The same with the addresses that a crawl may derive from the linked ones.
    derivable: Arc<[Vec<u32>]>,
    /// For each URL, the recorded URLs that a known suffix makes of it.
    extended: Vec<Vec<u32>>,
}

impl<'c> Reference<'c> {
    /// Reads all pages once.
    pub fn of(corpus: &'c Corpus) -> Self {
        let links = LinkTable::followed(corpus).into_lists();
        let extended = extended(corpus, &links);
        let derivable = links.iter().map(|to| with_extended(to, &extended)).collect();
        Self { corpus, links: links.into(), derivable, extended }
    }

    /// Returns the name under which progress is shown.
    pub fn name(&self) -> String {
        format!("{}, the oracle", self.corpus.name)
    }

    /// Returns the greedy choice of at most `budget` requests, and the number of wanted pages among them. Of a crawl
    /// that may derive addresses, it is the better one of those with and without.
    pub fn choice(&self, task: &Task, examples: &[PageId], derives: bool, budget: usize) -> (Vec<u32>, u64) {
        let choice = |deriving| {
            let site = self.site(task, examples, deriving);
            let order = site.greedy(budget);
            let harvest = site.harvest(&order);
            (order, harvest)
        };
        let linked = choice(false);
        let derived = derives.then(|| choice(true));
        derived.filter(|derived| derived.1 > linked.1).unwrap_or(linked)
    }

    /// Returns the site as a crawl for `task` meets it that starts at the seed of the corpus and at the `examples`.
    /// With `derives`, an address is known as soon as another one is known that it extends by a suffix which many pages
    /// of the site link.
    pub fn site(&self, task: &Task, examples: &[PageId], derives: bool) -> SiteGraph {
        let starts: Vec<u32> =
            std::iter::once(self.corpus.seed()).chain(examples.iter().copied()).map(|id| id.0).collect();
        SiteGraph {
            links: Arc::clone(if derives { &self.derivable } else { &self.links }),
            wanted: self.corpus.ids().map(|id| is_wanted(self.corpus, task, id)).collect(),
            starts: if derives { with_extended(&starts, &self.extended) } else { starts },
        }
    }
}

/// Whether a task wants a page: unique pages of users, or all of a type.
fn is_wanted(corpus: &Corpus, task: &Task, id: PageId) -> bool {
    let label = corpus.truth().and_then(|truth| truth.page(id));
    label.is_some_and(|label| task.wants(label) && (matches!(task, Task::Target(_)) || !label.is_duplicate_view))
}

/// Number of pages that must link to an address that extends theirs before the suffix counts, and its maximum length.
const SUFFIX_PAGES_MIN: u32 = 6;
const SUFFIX_MAX: usize = 32;

/// The suffix that `link` adds to `url`: at the end of the path, or a query to an address without one.
fn suffix<'l>(url: &str, link: &'l str) -> Option<&'l str> {
    let added = link.strip_prefix(url).filter(|added| !added.is_empty() && added.len() <= SUFFIX_MAX)?;
    let whole = url.ends_with('/') || added.starts_with(['/', '?']);
    (whole && !url.contains('?')).then_some(added)
}

/// For each URL, the URLs of the corpus that extend it by a suffix that at least as many pages link as a policy must
/// have seen.
fn extended(corpus: &Corpus, links: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let text = |id: PageId| corpus.url(id).as_str();
    let mut suffixes: BTreeMap<&str, u32> = BTreeMap::new();
    for (from, to) in corpus.ids().zip(links) {
        let added: BTreeSet<&str> = to.iter().filter_map(|to| suffix(text(from), text(PageId(*to)))).collect();
        added.into_iter().for_each(|added| *suffixes.entry(added).or_default() += 1);
    }
    suffixes.retain(|_, pages| *pages >= SUFFIX_PAGES_MIN);
    let extensions = |id: PageId| {
        let longer = suffixes.keys().filter_map(|added| corpus.find(&[text(id), added].concat()));
        longer.filter(|longer| suffix(text(id), text(*longer)).is_some()).map(|longer| longer.0).collect()
    };
    corpus.ids().map(extensions).collect()
}

fn with_extended(urls: &[u32], extended: &[Vec<u32>]) -> Vec<u32> {
    let longer = urls.iter().flat_map(|url| extended[*url as usize].iter());
    let all: BTreeSet<u32> = urls.iter().chain(longer).copied().collect();
    all.into_iter().collect()
}

#[cfg(test)]
#[path = "reference_tests.rs"]
mod tests;
