//! A lesson: from what was fetched to the graph (sections 4.2 and 4.3).

use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::fast::FixedState;

use super::forms::Forms;
use super::kinds::{Kinds, Maker, NO_KIND};
use super::led::{Rules, Tally};
use super::memory::{Came, Fetch, Memory, UrlNumber};
use super::texts::Texts;
use crate::config::ClusterBy;
use crate::page::{Apath, PatternId};
use crate::site::{Cluster, GraphLink, GraphPage};

/// Pages of a pattern from which on its templates are compared, and the share of them that one template must have made if
/// the pattern is not to be mixed.
const MIXED_FROM: u32 = 8;
const PURE: f64 = 0.9;

/// What is looked up again and again while a graph is learnt.
pub struct Lesson<'a> {
    memory: &'a Memory,
    kinds: &'a mut Kinds,
    patterns: Vec<PatternId>,
    /// The cluster of each URL that was fetched.
    fetched: HashMap<UrlNumber, Option<Cluster>, FixedState>,
}

/// The maker of what a fetch brought.
pub const fn maker(came: &Came) -> Maker {
    match came {
        Came::Page { template, .. } => Maker::Template(*template),
        Came::Document => Maker::Document,
        Came::Redirect(_) => Maker::Redirect,
        Came::Failure => Maker::Failure,
    }
}

impl<'a> Lesson<'a> {
    /// Numbers all kinds, the most frequent first; finds which patterns are mixed and where links led.
    pub fn new(memory: &'a Memory, kinds: &'a mut Kinds) -> Self {
        let patterns: Vec<PatternId> = memory.urls().iter().map(|url| kinds.urls.of(url).fine).collect();
        kinds.led = Rules::default();
        kinds.mixed = match kinds.by {
            ClusterBy::Both => mixed(memory, &patterns),
            ClusterBy::Url | ClusterBy::Structure => HashSet::default(),
        };
        let mut lesson = Self { memory, kinds, patterns, fetched: HashMap::default() };
        lesson.number();
        if lesson.kinds.by != ClusterBy::Url {
            lesson.learn_led();
        }
        lesson
    }

    fn pattern(&self, url: UrlNumber) -> PatternId {
        self.patterns[url as usize]
    }

    fn number(&mut self) {
        let mut sizes: BTreeMap<_, u64> = BTreeMap::new();
        if self.kinds.by == ClusterBy::Url || self.kinds.by == ClusterBy::Both {
            let urls = self.patterns.iter().filter(|id| **id != NO_KIND.fine && !self.kinds.mixed.contains(id));
            urls.for_each(|id| *sizes.entry(super::kinds::Kind::Url(*id)).or_default() += 1);
        }
        for fetch in self.memory.fetches() {
            if let Some(kind) = self.kinds.kind(self.pattern(fetch.url), maker(&fetch.came)) {
                *sizes.entry(kind).or_default() += 1;
            }
        }
        let mut kinds: Vec<_> = sizes.into_iter().collect();
        kinds.sort_by_key(|(kind, size)| (std::cmp::Reverse(*size), *kind));
        for (kind, _) in kinds {
            self.kinds.numbers.number(kind);
        }
        for fetch in self.memory.fetches() {
            let cluster = self.kinds.of_page(self.pattern(fetch.url), maker(&fetch.came));
            self.fetched.insert(fetch.url, cluster);
        }
    }

    fn learn_led(&mut self) {
        let mut tally = Tally::default();
        for fetch in self.memory.fetches() {
            for link in &fetch.links {
                if let Some(Some(target)) = self.fetched.get(&link.url) {
                    tally.see(self.fetched[&fetch.url], link.apath, self.pattern(link.url), *target);
                }
            }
        }
        self.kinds.led = tally.rules();
    }

    /// Of each cluster a URL that was fetched, by number; none where none was.
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

    /// The cluster that a link leads to: that of what was fetched there, or what it is taken for.
    pub fn target(&self, source: Option<Cluster>, apath: Apath, url: UrlNumber) -> Option<Cluster> {
        match self.fetched.get(&url) {
            Some(cluster) => *cluster,
            None => self.kinds.of_link(source, apath, self.pattern(url)),
        }
    }

    /// The sample as the graph is learnt from it, and the URLs where the crawl started.
    pub fn sample(&self, texts: &Texts) -> (Vec<GraphPage>, Vec<u64>) {
        let forms = Forms::new(self.memory, texts, &self.fetched);
        let pages = self.memory.fetches().iter().map(|fetch| self.page(fetch, &forms)).collect();
        let seeds = self.memory.fetches().iter().filter(|fetch| fetch.is_seed).map(|fetch| u64::from(fetch.url));
        (pages, seeds.collect())
    }

    fn page(&self, fetch: &Fetch, forms: &Forms<'_>) -> GraphPage {
        /// Of what is no page it is only known that it is there: each is something of its own.
        const DOCUMENT: u64 = 1 << 63;
        let source = self.cluster(fetch);
        let mut links = Vec::new();
        let mut known = HashSet::new();
        for link in fetch.links.iter().filter(|link| known.insert(link.url)) {
            links.push(GraphLink { url: u64::from(link.url), cluster: self.target(source, link.apath, link.url) });
        }
        let redirect =
            |to: UrlNumber| GraphLink { url: u64::from(to), cluster: self.target(None, Apath::REDIRECT, to) };
        let (content, redirects_to) = match fetch.came {
            Came::Page { content, .. } => (Some(content.0), None),
            Came::Document => (Some(DOCUMENT | u64::from(fetch.url)), None),
            Came::Redirect(to) => (None, to.map(redirect)),
            Came::Failure => (None, None),
        };
        let (path, query) = self.memory.url(fetch.url).split_once('?').unwrap_or((self.memory.url(fetch.url), ""));
        let parameters = query.split('&').filter(|pair| !pair.is_empty()).count();
        let segments = path.split('/').filter(|segment| !segment.is_empty()).count();
        GraphPage {
            url: u64::from(fetch.url),
            cluster: source,
            content,
            bare: forms.is_bare(fetch),
            redirects_to,
            detours: parameters as u32,
            segments: segments as u32,
            links,
        }
    }
}

/// Patterns whose pages were made by several makers.
fn mixed(memory: &Memory, patterns: &[PatternId]) -> HashSet<PatternId, FixedState> {
    let mut makers: HashMap<PatternId, HashMap<Maker, u32, FixedState>, FixedState> = HashMap::default();
    for fetch in memory.fetches() {
        let pattern = makers.entry(patterns[fetch.url as usize]).or_default();
        *pattern.entry(maker(&fetch.came)).or_default() += 1;
    }
    let is_mixed = |counts: &HashMap<Maker, u32, FixedState>| {
        let (all, most) = (counts.values().sum::<u32>(), counts.values().copied().max().unwrap_or(0));
        all >= MIXED_FROM && f64::from(most) < PURE * f64::from(all)
    };
    makers.into_iter().filter(|(_, counts)| is_mixed(counts)).map(|(pattern, _)| pattern).collect()
}
