//! A model update: from the remembered fetches to the graph (sections 4.2 and 4.3).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use foldhash::fast::FixedState;

use super::assignment::{ClusterAssignment, ClusterDefinition, NO_CLUSTER, PageType};
use super::bare_forms::BareForms;
use super::followed_links::FollowedLinks;
use super::memory::{Fetch, FetchResult, Memory, UrlNumber};
use super::texts::Texts;
use harvestman_core::config::ClusterBy;
use harvestman_core::model::{Apath, ClusterId, PatternId};
use harvestman_structure::site::{
    Appraisal, Cluster, GraphLink, GraphPage, GraphReason, NodeRule, PruneOptions, Threshold,
};

/// Look-up tables for the time of a model update.
pub struct ModelUpdate<'a> {
    memory: &'a Memory,
    kinds: &'a mut ClusterAssignment,
    patterns: Vec<PatternId>,
    /// The page types, each with a number.
    page_types: BTreeMap<PageType, u32>,
    /// The cluster of each fetched URL.
    fetched: HashMap<UrlNumber, Option<Cluster>, FixedState>,
}

/// The page type of a fetch.
pub const fn page_type(result: &FetchResult) -> PageType {
    match result {
        FetchResult::Page { template, .. } => PageType::Template(*template),
        FetchResult::Document => PageType::Document,
        FetchResult::Redirect(_) => PageType::Redirect,
        FetchResult::Failure => PageType::Failure,
    }
}

impl<'a> ModelUpdate<'a> {
    /// Numbers all clusters, the most frequent first, and counts where links led if clusters depend on it. No pages are
    /// set apart yet.
    pub fn new(memory: &'a Memory, kinds: &'a mut ClusterAssignment) -> Self {
        let patterns: Vec<PatternId> = memory.urls().iter().map(|url| kinds.urls.of(url).fine).collect();
        (kinds.led, kinds.mixed) = Default::default();
        let page_types = match kinds.by {
            ClusterBy::Both => numbered(memory),
            ClusterBy::Url | ClusterBy::Structure => BTreeMap::new(),
        };
        let mut update = Self { memory, kinds, patterns, page_types, fetched: HashMap::default() };
        update.number();
        if update.kinds.by == ClusterBy::Structure {
            update.count_followed_links();
        }
        update
    }

    /// Appraises the clusters by their pages, where `rejected` were rejected before, and makes clusters of their own of
    /// those pages of a pattern that differ in worth from the others. Returns for each cluster the reason why it is
    /// pruned, if it is; `None` where clusters are not judged by their pages.
    pub fn appraise(
        &mut self,
        pages: &[GraphPage],
        options: &PruneOptions,
        rejected: &HashSet<Cluster>,
    ) -> Option<Vec<Option<GraphReason>>> {
        let NodeRule::Content(share) = options.nodes else { return None };
        let threshold = Threshold { share, sure: options.sure };
        let Appraisal { mut pruned, apart } = Appraisal::after(pages, self.clusters(), threshold, rejected);
        if self.kinds.by != ClusterBy::Both {
            return Some(pruned);
        }
        let page_types: Vec<PageType> = self.page_types.keys().copied().collect();
        let kinds = self.kinds.numbers.in_order();
        for (cluster, apart) in apart {
            let ClusterDefinition::Url(pattern) = kinds[cluster.index()] else { continue };
            let Some(cluster) = self.kinds.numbers.number(ClusterDefinition::Apart(pattern)) else { continue };
            pruned.resize(self.clusters(), None);
            pruned[cluster.index()] = apart.pruned;
            let page_types = apart.makers.into_iter().map(|page_type| page_types[page_type as usize]);
            self.kinds.mixed.insert(pattern, page_types.collect());
        }
        if self.has_mixed() {
            self.number();
            self.count_followed_links();
        }
        Some(pruned)
    }

    /// Whether pages of a pattern are in clusters of their own.
    pub fn has_mixed(&self) -> bool {
        !self.kinds.mixed.is_empty()
    }

    /// The number of clusters.
    pub fn clusters(&self) -> usize {
        self.kinds.numbers.len()
    }

    fn pattern(&self, url: UrlNumber) -> PatternId {
        self.patterns[url as usize]
    }

    fn number(&mut self) {
        let mut sizes: BTreeMap<_, u64> = BTreeMap::new();
        if self.kinds.by == ClusterBy::Url || self.kinds.by == ClusterBy::Both {
            let urls = self.patterns.iter().filter(|id| **id != NO_CLUSTER.fine);
            urls.for_each(|id| *sizes.entry(ClusterDefinition::Url(*id)).or_default() += 1);
        }
        for fetch in self.memory.fetches() {
            if let Some(kind) = self.kinds.kind(self.pattern(fetch.url), page_type(&fetch.result)) {
                *sizes.entry(kind).or_default() += 1;
            }
        }
        let mut kinds: Vec<_> = sizes.into_iter().collect();
        kinds.sort_by_key(|(kind, size)| (std::cmp::Reverse(*size), *kind));
        for (kind, _) in kinds {
            self.kinds.numbers.number(kind);
        }
        for fetch in self.memory.fetches() {
            let cluster = self.kinds.of_page(self.pattern(fetch.url), page_type(&fetch.result));
            self.fetched.insert(fetch.url, cluster);
        }
    }

    fn count_followed_links(&mut self) {
        let mut tally = FollowedLinks::default();
        // Where the template determines only the worth of a page, a hundred links to one page are no more evidence than
        // one.
        let once = self.kinds.by == ClusterBy::Both;
        let mut known = HashSet::new();
        for fetch in self.memory.fetches() {
            let source = self.fetched[&fetch.url];
            for link in fetch.links.iter().filter(|link| !once || known.insert((source, link.apath, link.url))) {
                if let Some(Some(target)) = self.fetched.get(&link.url) {
                    tally.see(source, link.apath, self.pattern(link.url), *target);
                }
            }
        }
        self.kinds.led = tally.rules();
    }

    /// A fetched URL of each cluster, by number; `None` where there is none.
    pub fn examples(&self) -> Vec<Option<Box<str>>> {
        let mut examples = vec![None; self.kinds.numbers.len()];
        for fetch in self.memory.fetches() {
            if let Some(example) = self.cluster(fetch).and_then(|cluster| examples.get_mut(cluster.index())) {
                example.get_or_insert_with(|| Box::from(self.memory.url(fetch.url)));
            }
        }
        examples
    }

    /// The cluster of a fetch.
    pub fn cluster(&self, fetch: &Fetch) -> Option<Cluster> {
        self.fetched[&fetch.url]
    }

    /// The cluster that a link leads to: that of the fetched page, or the predicted one.
    pub fn target(&self, source: Option<Cluster>, apath: Apath, url: UrlNumber) -> Option<Cluster> {
        match self.fetched.get(&url) {
            Some(cluster) => *cluster,
            None => self.kinds.of_link(source, apath, self.pattern(url)),
        }
    }

    /// The sample in the form in which the graph is learned from it, and the URLs where the crawl started.
    pub fn sample(&self, texts: &Texts) -> (Vec<GraphPage>, Vec<u64>) {
        let forms = BareForms::new(self.memory, texts, &self.fetched);
        let pages = self.memory.fetches().iter().map(|fetch| self.page(fetch, &forms)).collect();
        let seeds = self.memory.fetches().iter().filter(|fetch| fetch.is_seed).map(|fetch| u64::from(fetch.url));
        (pages, seeds.collect())
    }

    fn page(&self, fetch: &Fetch, forms: &BareForms<'_>) -> GraphPage {
        /// A document that is no page is only known to exist: each is distinct.
        const DOCUMENT: u64 = 1 << 63;
        let source = self.cluster(fetch);
        let mut links = Vec::new();
        let mut known = HashSet::new();
        for link in fetch.links.iter().filter(|link| known.insert(link.url)) {
            links.push(GraphLink { url: u64::from(link.url), cluster: self.target(source, link.apath, link.url) });
        }
        let redirect =
            |to: UrlNumber| GraphLink { url: u64::from(to), cluster: self.target(None, Apath::REDIRECT, to) };
        let (content, redirects_to) = match fetch.result {
            FetchResult::Page { content, .. } => (Some(content.0), None),
            FetchResult::Document => (Some(DOCUMENT | u64::from(fetch.url)), None),
            FetchResult::Redirect(to) => (None, to.map(redirect)),
            FetchResult::Failure => (None, None),
        };
        let (path, query) = self.memory.url(fetch.url).split_once('?').unwrap_or((self.memory.url(fetch.url), ""));
        let parameters = query.split('&').filter(|pair| !pair.is_empty()).count();
        let segments = path.split('/').filter(|segment| !segment.is_empty()).count();
        GraphPage {
            url: u64::from(fetch.url),
            cluster: source,
            maker: self.page_types.get(&page_type(&fetch.result)).copied(),
            content,
            bare: fetch.result == FetchResult::Document || forms.is_bare(fetch),
            redirects_to,
            detours: parameters as u32,
            segments: segments as u32,
            links,
        }
    }
}

/// A number for each known template and for each other page type. Pages without a template are unlike all others:
/// structure is no evidence about them.
fn numbered(memory: &Memory) -> BTreeMap<PageType, u32> {
    let page_types: BTreeSet<PageType> = memory.fetches().iter().map(|fetch| page_type(&fetch.result)).collect();
    let known = page_types.into_iter().filter(|page_type| *page_type != PageType::Template(ClusterId::UNKNOWN));
    known.zip(0..).collect()
}
