//! A lesson: from what was fetched to the graph (sections 4.2 and 4.3).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use foldhash::fast::FixedState;

use super::forms::Forms;
use super::kinds::{Kind, Kinds, Maker, NO_KIND};
use super::led::Tally;
use super::memory::{Came, Fetch, Memory, UrlNumber};
use super::texts::Texts;
use harvestman_core::config::ClusterBy;
use harvestman_core::model::{Apath, ClusterId, PatternId};
use harvestman_structure::site::{Appraisal, Cluster, GraphLink, GraphPage, GraphReason, NodeRule, PruneOptions};

/// What is looked up again and again while a graph is learnt.
pub struct Lesson<'a> {
    memory: &'a Memory,
    kinds: &'a mut Kinds,
    patterns: Vec<PatternId>,
    /// What made pages, by number.
    makers: BTreeMap<Maker, u32>,
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
    /// Numbers all kinds, the most frequent first, and finds where links led where that tells kinds. No pages are set apart yet.
    pub fn new(memory: &'a Memory, kinds: &'a mut Kinds) -> Self {
        let patterns: Vec<PatternId> = memory.urls().iter().map(|url| kinds.urls.of(url).fine).collect();
        (kinds.led, kinds.mixed) = Default::default();
        let makers = match kinds.by {
            ClusterBy::Both => numbered(memory),
            ClusterBy::Url | ClusterBy::Structure => BTreeMap::new(),
        };
        let mut lesson = Self { memory, kinds, patterns, makers, fetched: HashMap::default() };
        lesson.number();
        if lesson.kinds.by == ClusterBy::Structure {
            lesson.learn_led();
        }
        lesson
    }

    /// Makes kinds of their own of those pages of a pattern that are worth something else than the rest of it. Gives for each cluster
    /// why it is pruned, if it is; nothing where no pages are set apart.
    pub fn set_apart(&mut self, pages: &[GraphPage], options: &PruneOptions) -> Option<Vec<Option<GraphReason>>> {
        let NodeRule::Content(distinct_min) = options.nodes else { return None };
        if self.kinds.by != ClusterBy::Both {
            return None;
        }
        let Appraisal { mut pruned, apart } = Appraisal::of(pages, self.clusters(), distinct_min, options.sure);
        let makers: Vec<Maker> = self.makers.keys().copied().collect();
        let kinds = self.kinds.numbers.in_order();
        for (cluster, apart) in apart {
            let Kind::Url(pattern) = kinds[cluster.index()] else { continue };
            let Some(cluster) = self.kinds.numbers.number(Kind::Apart(pattern)) else { continue };
            pruned.resize(self.clusters(), None);
            pruned[cluster.index()] = apart.pruned;
            let makers = apart.makers.into_iter().map(|maker| makers[maker as usize]);
            self.kinds.mixed.insert(pattern, makers.collect());
        }
        if self.kinds.mixed.is_empty() {
            return None;
        }
        self.number();
        self.learn_led();
        Some(pruned)
    }

    /// How many clusters there are.
    pub fn clusters(&self) -> usize {
        self.kinds.numbers.len()
    }

    fn pattern(&self, url: UrlNumber) -> PatternId {
        self.patterns[url as usize]
    }

    fn number(&mut self) {
        let mut sizes: BTreeMap<_, u64> = BTreeMap::new();
        if self.kinds.by == ClusterBy::Url || self.kinds.by == ClusterBy::Both {
            let urls = self.patterns.iter().filter(|id| **id != NO_KIND.fine);
            urls.for_each(|id| *sizes.entry(Kind::Url(*id)).or_default() += 1);
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
        // Where only what a page is worth hangs on its template, a hundred links to one page tell no more of others than one does.
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
            maker: self.makers.get(&maker(&fetch.came)).copied(),
            content,
            bare: forms.is_bare(fetch),
            redirects_to,
            detours: parameters as u32,
            segments: segments as u32,
            links,
        }
    }
}

/// A number for each template that is known, and for what else URLs lead to. Pages of no template are like no others: of them structure
/// tells nothing.
fn numbered(memory: &Memory) -> BTreeMap<Maker, u32> {
    let makers: BTreeSet<Maker> = memory.fetches().iter().map(|fetch| maker(&fetch.came)).collect();
    let known = makers.into_iter().filter(|maker| *maker != Maker::Template(ClusterId::UNKNOWN));
    known.zip(0..).collect()
}
