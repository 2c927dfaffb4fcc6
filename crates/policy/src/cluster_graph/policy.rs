//! The policy: takes the sample, learns the graph, and crawls by it.

mod watching;

use std::sync::Arc;

use super::assignment::{ClusterAssignment, ClusterNumbers, UrlAssignment};
use super::followed_links::DestinationRules;
use super::learned::{LearnedGraph, NoGraph};
use super::looks::Looks;
use super::memory::{Clusters, FetchResult, Memory, UrlNumber};
use super::options::{ClusterGraphOptions, Later, UrlRule};
use super::places::{ClosedPlaces, PlaceOutcomes};
use super::sampling::GraphSampling;
use super::snapshot::{ClusterGraphSnapshot, GraphStage};
use super::stored::StoredGraph;
use super::texts::Texts;
use crate::learned::{Facts, Kin, ReadPage, SamplePage, SiteModel, TemplateOptions, Templates};
use crate::{Needs, Observation, Outcome, PageFacts, Policy, PolicyFacts, PolicySnapshot};
use harvestman_core::config::ClusterBy;
use harvestman_core::model::{Apath, ClusterId, ParsedPage};
use harvestman_core::seed::{Rng, Seed};
use harvestman_structure::site::{Label, UrlClusters, UrlPatternLearner, UrlPatterns};

/// Minimum number of fetches that a graph is learned from.
const FETCHES_MIN: usize = 4;
/// Growth factors of the number of fetches between two updates of the URL patterns, and the number of fetches before
/// the first one.
const PATTERNS_GROWTH: f64 = 1.35;
const PATTERNS_FIRST: usize = 12;
/// New fetches after which the graph is learned again: this number, or this share of all fetches.
const UPDATE_FETCHES: usize = 32;
const LESSON_SHARE: usize = 16;
/// Number of fetches of the sample after which its page types are judged again.
const SAMPLE_JUDGED_EVERY: usize = 16;
/// Maximum number of pages that templates are learned from, and of their bytes together.
const BODIES_MAX: usize = 1_000;
const BODY_BYTES_MAX: usize = 64 << 20;

/// The crawler of Jiang and Lv (2009).
pub struct ClusterGraphPolicy {
    options: ClusterGraphOptions,
    seed: Seed,
    rng: Rng,
    read: Box<ReadPage>,
    memory: Memory,
    texts: Texts,
    url_learner: UrlPatternLearner,
    patterns: Arc<UrlPatterns>,
    next_patterns: usize,
    templates: Option<Arc<Templates>>,
    bodies: Vec<(UrlNumber, SamplePage)>,
    body_bytes: usize,
    numbers: ClusterNumbers,
    places: PlaceOutcomes,
    /// Places that have long led to nothing new, and the number of pages that were watched for them.
    closed: Arc<ClosedPlaces>,
    watched: u64,
    clusters: Arc<Clusters>,
    next_update: usize,
    phase: Phase,
    looks: Looks,
    model_updates: u64,
    version: u64,
    generation: u64,
    patterns_version: u64,
    /// The facts of the site model that it started from; `None` where it learns by itself.
    given: Option<Facts>,
}

enum Phase {
    Sampling(Box<GraphSampling>),
    BreadthFirst(NoGraph),
    Filtering(Arc<LearnedGraph>),
}

impl ClusterGraphPolicy {
    /// A policy that knows nothing yet. It takes a sample first; these fetches are part of the crawl. `read` parses a
    /// page again.
    pub fn new(options: ClusterGraphOptions, seed: Seed, read: Box<ReadPage>) -> Self {
        let sampling = GraphSampling::new(options.sample.clone(), seed.child("cluster-graph-sample").rng());
        Self {
            options,
            seed,
            rng: seed.child("cluster-graph").rng(),
            read,
            memory: Memory::default(),
            texts: Texts::default(),
            url_learner: UrlPatternLearner::default(),
            patterns: Arc::default(),
            next_patterns: PATTERNS_FIRST,
            templates: None,
            bodies: Vec::new(),
            body_bytes: 0,
            numbers: ClusterNumbers::default(),
            places: PlaceOutcomes::default(),
            closed: Arc::default(),
            watched: 0,
            clusters: Arc::default(),
            next_update: usize::MAX,
            phase: Phase::Sampling(Box::new(sampling)),
            looks: Looks::default(),
            model_updates: 0,
            version: 0,
            generation: 0,
            patterns_version: 0,
            given: None,
        }
    }

    /// A policy that knows a site from an earlier crawl: it rejects links by that graph from the first page on, takes
    /// no sample, and learns nothing. What is fetched therefore depends on the site alone, not on the order of fetches.
    pub fn from_model(facts: Facts, graph: StoredGraph) -> Self {
        let options = ClusterGraphOptions::default_form(graph.by(), 0);
        let learned = LearnedGraph::from(graph);
        let blank = Self::new(options, Seed(0), Box::new(|_, _, _| ParsedPage::default()));
        let mut known = Self { given: Some(facts), phase: Phase::Filtering(Arc::new(learned)), ..blank };
        known.close();
        known
    }

    /// The learned graph; `None` while the sample is taken, and where the sample gave none.
    pub fn learned(&self) -> Option<&Arc<LearnedGraph>> {
        match &self.phase {
            Phase::Filtering(learned) => Some(learned),
            Phase::Sampling(_) | Phase::BreadthFirst(_) => None,
        }
    }

    fn learns_on(&self) -> bool {
        self.given.is_none() && self.options.later == Later::LearnsOn
    }

    /// Remembers a fetch.
    fn remember(&mut self, seen: &mut Observation) {
        let Some((url, is_new)) = self.memory.learn_url(&seen.url) else { return };
        if is_new {
            self.url_learner.see(seen.url.as_str());
        }
        let mut first_new = None;
        for link in &seen.new {
            let Some((number, is_new)) = self.memory.learn_url(&link.url) else { continue };
            first_new = first_new.or(Some(number));
            if is_new {
                self.url_learner.see(link.url.as_str());
            }
        }
        if self.memory.has_fetched(url) || !self.memory.has_room() {
            return;
        }
        let (result, links) = match &mut seen.outcome {
            Outcome::Page(facts) => {
                let links = self.memory.links_of(url, &facts.links, &seen.new);
                (self.result(seen.url.as_str(), url, facts), links)
            }
            Outcome::Redirected => (FetchResult::Redirect(first_new), Box::default()),
            Outcome::Document | Outcome::Search(_) => {
                (FetchResult::Document, self.memory.links_of(url, &[], &seen.new))
            }
            Outcome::Failed => (FetchResult::Failure, Box::default()),
        };
        self.memory.add(url, seen.class.apath == Apath::SEED, result, links);
    }

    fn result(&mut self, address: &str, url: UrlNumber, facts: &mut PageFacts) -> FetchResult {
        let template = self.templates.as_ref().map_or(ClusterId::UNKNOWN, |templates| templates.classify(&facts.bag));
        let kin = Kin { cluster: template, pattern: self.patterns.of(address).coarse };
        let (text, content) = self.texts.take_in(&facts.units, kin);
        if let Some((body, content_type)) = facts.body.take().filter(|_| self.wants_bodies()) {
            self.body_bytes += body.len();
            self.bodies.push((url, SamplePage::new(body, content_type)));
        }
        FetchResult::Page { content, text, template, forms: facts.forms }
    }

    fn wants_bodies(&self) -> bool {
        let room = self.bodies.len() < BODIES_MAX && self.body_bytes < BODY_BYTES_MAX;
        room && self.options.by != ClusterBy::Url && matches!(self.phase, Phase::Sampling(_))
    }

    /// Learns the URL patterns again where that is due.
    fn learn_patterns(&mut self, at_once: bool) {
        let fetches = self.memory.fetches().len();
        if !at_once && fetches < self.next_patterns {
            return;
        }
        self.next_patterns = ((fetches as f64 * PATTERNS_GROWTH) as usize).max(fetches + 1);
        let patterns = self.url_learner.patterns();
        if patterns == *self.patterns {
            return;
        }
        self.patterns = Arc::new(patterns);
        self.patterns_version += 1;
        self.regroup();
        if let Phase::Sampling(sampling) = &mut self.phase {
            sampling.recount(&self.memory, &self.patterns);
        }
    }

    /// Separates templates from texts again, by the current patterns and templates.
    fn regroup(&mut self) {
        let kin = |fetch: &super::memory::Fetch| match fetch.result {
            FetchResult::Page { text, template, .. } => {
                let pattern = self.patterns.of(self.memory.url(fetch.url)).coarse;
                Some((text, Kin { cluster: template, pattern }))
            }
            _ => None,
        };
        let kins: std::collections::HashMap<_, _> = self.memory.fetches().iter().filter_map(kin).collect();
        self.texts.regroup(|text| kins.get(&text).copied());
    }

    fn learn_templates(&mut self) {
        let bodies = std::mem::take(&mut self.bodies);
        if bodies.len() < PATTERNS_FIRST {
            return;
        }
        let (urls, mut sample): (Vec<_>, Vec<_>) = bodies.into_iter().unzip();
        let templates = Templates::learn(&mut sample, &TemplateOptions::default(), &mut *self.read);
        let label = |at: usize| -> Label { templates.labels().get(at).copied().flatten() };
        for (at, url) in urls.into_iter().enumerate() {
            if let Some(FetchResult::Page { template, .. }) =
                self.memory.fetch_of_mut(url).map(|fetch| &mut fetch.result)
            {
                *template = templates.name(label(at));
            }
        }
        self.templates = Some(Arc::new(templates));
        self.regroup();
    }

    /// Learns from the sample as it is, and moves waiting URLs to the classes of the graph.
    fn end_sampling(&mut self) {
        if matches!(self.phase, Phase::Sampling(_)) {
            self.learn_patterns(true);
            self.learn_templates();
            self.update_graph();
            if let Phase::Filtering(learned) = &self.phase
                && self.options.by_place
            {
                self.places = learned.places(&self.memory);
                self.close();
            }
        }
    }

    /// Learns the graph from all remembered fetches.
    fn update_graph(&mut self) {
        self.generation += 1;
        self.model_updates += 1;
        let fetches = self.memory.fetches().len();
        self.next_update = fetches + UPDATE_FETCHES.max(fetches / LESSON_SHARE);
        self.phase = match self.learn() {
            Ok(learned) => {
                self.numbers = learned.kinds().numbers.clone();
                self.clusters = Arc::new(learned.clusters(&self.memory));
                Phase::Filtering(Arc::new(learned))
            }
            Err(why) => Phase::BreadthFirst(why),
        };
        self.close();
    }

    /// Finds out which page types would be rejected by the sample so far: few more pages of them are drawn.
    fn judge_sample(&mut self) {
        if !self.learns_on() || !self.memory.fetches().len().is_multiple_of(SAMPLE_JUDGED_EVERY) {
            return;
        }
        let Ok(learned) = self.learn() else { return };
        let Phase::Sampling(sampling) = &mut self.phase else { return };
        sampling.set_rejected(learned.rejected_patterns().collect());
    }

    fn learn(&mut self) -> Result<LearnedGraph, NoGraph> {
        let fetches = self.memory.fetches().len();
        if fetches < FETCHES_MIN {
            return Err(NoGraph::TooFewPages(fetches));
        }
        let urls = self.url_kinds()?;
        let (by, templates, numbers) = (self.options.by, self.templates.clone(), self.numbers.clone());
        let kinds = ClusterAssignment {
            by,
            urls,
            templates,
            numbers,
            mixed: Default::default(),
            alike: Default::default(),
            led: DestinationRules::default(),
        };
        let rejected = self.learned().map(|learned| learned.rejected()).unwrap_or_default();
        LearnedGraph::learn(&self.memory, &self.texts, kinds, &self.options, &rejected)
    }

    fn url_kinds(&mut self) -> Result<UrlAssignment, NoGraph> {
        let UrlRule::Itemsets(options) = &self.options.urls else {
            return Ok(UrlAssignment::Patterns(Arc::clone(&self.patterns)));
        };
        let sampled: Vec<&str> = self.memory.fetches().iter().map(|fetch| self.memory.url(fetch.url)).collect();
        let clusters = UrlClusters::learn(&sampled, options, &mut self.rng)?;
        Ok(UrlAssignment::Itemsets(Arc::new(clusters.matcher)))
    }
}

impl Policy for ClusterGraphPolicy {
    fn observe(&mut self, mut seen: Observation) {
        self.version += 1;
        match self.phase {
            Phase::Sampling(_) => {
                self.remember(&mut seen);
                self.learn_patterns(false);
                self.judge_sample();
                let Phase::Sampling(sampling) = &mut self.phase else { return };
                let changed = sampling.observe(&seen, &self.memory, &self.patterns);
                if sampling.is_complete() {
                    self.end_sampling();
                } else if changed {
                    self.generation += 1;
                }
            }
            Phase::Filtering(_) if self.learns_on() => {
                self.watch(&seen);
                self.remember(&mut seen);
                self.look(&seen);
                if self.memory.fetches().len() >= self.next_update {
                    self.learn_patterns(false);
                    self.update_graph();
                }
            }
            Phase::Filtering(_) | Phase::BreadthFirst(_) => {}
        }
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        let (stage, chosen) = match &self.phase {
            Phase::Sampling(sampling) => (GraphStage::Sampling, sampling.classes()),
            Phase::BreadthFirst(_) => (GraphStage::BreadthFirst, Arc::default()),
            Phase::Filtering(learned) => {
                let (closed, clusters) = (Arc::clone(&self.closed), Arc::clone(&self.clusters));
                (GraphStage::Filtering { learned: Arc::clone(learned), closed, clusters }, Arc::default())
            }
        };
        let (version, generation, probes) = (self.version, self.generation, self.learns_on());
        // In another phase, or with itemsets that were learned again, URLs have other patterns too.
        let stays = matches!(self.phase, Phase::Filtering(_)) && self.learns_on();
        let patterns_version = if stays { self.patterns_version } else { u64::MAX - generation };
        let (due, retains) = (self.looks.due(), self.learns_on() && !self.looks.is_drained());
        Arc::new(ClusterGraphSnapshot { version, generation, patterns_version, chosen, stage, probes, due, retains })
    }

    fn needs(&self) -> Needs {
        let learns = match self.phase {
            Phase::Sampling(_) => true,
            Phase::BreadthFirst(_) => false,
            Phase::Filtering(_) => self.learns_on(),
        };
        let units = learns && self.memory.has_room();
        Needs { units, links: learns, body: self.wants_bodies(), ..Needs::default() }
    }

    fn has_news(&self) -> bool {
        self.given.is_none()
    }

    /// An incomplete sample is learned from as it is: the crawl is over.
    fn site_model(&mut self, _: &mut ReadPage) -> Option<SiteModel> {
        self.end_sampling();
        let learned = self.learned()?;
        let facts = self.given.clone().unwrap_or_else(|| learned.facts(&self.memory));
        Some(SiteModel::of_graph(facts, StoredGraph::of(learned)))
    }

    fn site_facts(&self, _: Option<&mut ReadPage>) -> Option<Facts> {
        let learned = self.learned()?;
        Some(self.given.clone().unwrap_or_else(|| learned.facts(&self.memory)))
    }

    fn is_sampling(&self) -> bool {
        matches!(self.phase, Phase::Sampling(_))
    }

    /// Moves what was learned to the new policy; this one knows nothing afterwards.
    fn restarted(&mut self) -> Option<Box<dyn Policy>> {
        self.end_sampling();
        let blank = Self::new(self.options.clone(), self.seed, Box::new(|_, _, _| ParsedPage::default()));
        let learned = std::mem::replace(self, blank);
        let places = match learned.learned().filter(|_| learned.options.by_place) {
            Some(known) => known.places(&learned.memory),
            None => PlaceOutcomes::default(),
        };
        let mut restarted = Self { places, version: 0, generation: 0, ..learned };
        restarted.close();
        Some(Box::new(restarted))
    }

    fn facts(&self) -> PolicyFacts {
        let clusters = self.learned().map_or(0, |learned| learned.kinds().numbers.len() as u64);
        PolicyFacts { model_updates: self.model_updates, clusters, ..PolicyFacts::default() }
    }

    fn note(&self) -> Option<String> {
        match &self.phase {
            Phase::Sampling(_) => None,
            Phase::BreadthFirst(why) => Some(why.to_string()),
            Phase::Filtering(learned) => Some(learned.to_string()),
        }
    }
}
