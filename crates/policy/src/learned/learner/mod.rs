//! The learner: adds observations, keeps the site's model, publishes snapshots.

mod contexts;
mod derive;
mod example;
mod judged;
mod model_update;
mod pages;
mod sampling;
mod trace;

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::derivation::Derivations;
use super::drift::Drift;
use super::duplicate_share::DuplicateShare;
use super::evidence::Evidence;
use super::examples::{Example, Examples};
use super::goal::Goal;
use super::item_views::ItemViews;
use super::link_evidence::LinkEvidence;
use super::log::{Entry, Log};
use super::model::{Facts, LearnedClasses, SiteModel};
use super::note::{self, ExampleStatus};
use super::reading::Reading;
use super::sample_page::{ReadPage, SamplePage};
use super::snapshot::{LearnedSnapshot, is_refused};
use super::templates::{FIRST_NAME, Templates};
use super::text::TextIndex;
use super::topic_relevance::TopicRelevance;
use super::tuning::Tuning;
use super::worth::{RecentYield, Worth};
use super::yields::Yields;
use crate::{Needs, Observation, Outcome, Policy, PolicyFacts, PolicySnapshot, Proposal};
use harvestman_core::model::{Apath, ClusterId, ParsedPage, PatternId};
use harvestman_core::url::Fingerprint;
use harvestman_structure::site::{UrlPatternLearner, UrlPatterns};

pub(crate) use sampling::SAMPLE_BYTES_MAX;
pub use trace::TextTracer;

/// Number of pages at which templates are learned for the first time.
const FIRST_UPDATE: usize = 12;
/// Number of pages up to which URL patterns are learned again.
const UPDATES_END: usize = 4_000;
/// Maximum number of pages and fetches that are remembered.
const PAGES_MAX: usize = 20_000;

/// A policy that learns.
pub struct LearnedPolicy {
    goal: Goal,
    tuning: Tuning,
    seed: u64,
    read: Box<ReadPage>,
    sample: Vec<SamplePage>,
    sample_bytes: usize,
    sample_bytes_max: usize,
    /// The number of pages in the sample by their URLs' pattern.
    sampled: HashMap<PatternId, usize, FixedState>,
    templates: Option<Arc<Templates>>,
    drift: Drift,
    examples: Examples,
    url_learner: UrlPatternLearner,
    patterns: Arc<UrlPatterns>,
    clusters: Arc<HashMap<Fingerprint, ClusterId, FixedState>>,
    evidence: Evidence,
    yields: Yields,
    recent_yield: RecentYield,
    content: TextIndex,
    reading: Reading,
    duplicate_share: DuplicateShare,
    log: Log,
    /// The addresses of wanted pages that are made from others.
    derivations: Derivations,
    /// What stands around links, where the goal is not told by classes of links alone.
    links: Option<LinkEvidence>,
    /// Which pages are about the topic, if one is wanted.
    topic: Option<TopicRelevance>,
    /// The addresses of the items of the topic.
    views: ItemViews,
    proposals: Vec<Proposal>,
    best: f64,
    pages: usize,
    duplicates: u64,
    /// Number of pages that were wanted and new when they came.
    wanted: u64,
    next_update: usize,
    /// The number of observations at which waiting links are decided about again, where links are rejected.
    next_readmission: u64,
    /// The first number that no cluster ever had.
    next_name: u32,
    version: u64,
    generation: u64,
    model_updates: u64,
}

impl LearnedPolicy {
    /// A policy that knows nothing yet. `seed` varies which classes it explores first; `read` parses a page again.
    pub fn new(goal: Goal, tuning: Tuning, seed: u64, read: Box<ReadPage>) -> Self {
        let examples = match &goal {
            Goal::Content | Goal::Topic { .. } => Examples::default(),
            Goal::Accepted { examples, .. } => Examples::new(examples, ExampleStatus::Fine, &UrlPatterns::default()),
            Goal::Like { examples, .. } => Examples::new(examples, ExampleStatus::NotFetched, &UrlPatterns::default()),
        };
        let topic = match &goal {
            Goal::Topic { terms, .. } => Some(TopicRelevance::new(terms.clone())),
            _ => None,
        };
        let links = goal.is_accepted().then(|| LinkEvidence::new(topic.as_ref().map(|topic| topic.terms().clone())));
        Self {
            goal,
            tuning,
            seed,
            read,
            sample: Vec::new(),
            sample_bytes: 0,
            sample_bytes_max: SAMPLE_BYTES_MAX,
            sampled: HashMap::default(),
            templates: None,
            drift: Drift::default(),
            examples,
            url_learner: UrlPatternLearner::default(),
            patterns: Arc::default(),
            clusters: Arc::default(),
            evidence: Evidence::default(),
            yields: Yields::default(),
            recent_yield: RecentYield::default(),
            content: TextIndex::new(PAGES_MAX),
            reading: Reading::default(),
            duplicate_share: DuplicateShare::default(),
            log: Log::new(PAGES_MAX),
            derivations: Derivations::default(),
            links,
            topic,
            views: ItemViews::default(),
            proposals: Vec::new(),
            best: 0.5,
            pages: 0,
            duplicates: 0,
            wanted: 0,
            next_update: FIRST_UPDATE,
            next_readmission: FIRST_UPDATE as u64,
            next_name: FIRST_NAME,
            version: 0,
            generation: 0,
            model_updates: 0,
        }
    }

    /// A policy that knows a site from an earlier crawl. It continues the counts of `model`; templates and patterns do
    /// not change, since the pages that they were learned from are gone. A model without classes contains nothing for
    /// it.
    pub fn from_model(goal: Goal, tuning: Tuning, seed: u64, read: Box<ReadPage>, model: SiteModel) -> Self {
        let mut policy = Self::new(goal, tuning, seed, read);
        let Some(learned) = model.learned else { return policy };
        let LearnedClasses { templates, patterns, evidence, yields, best, places: _ } = learned;
        policy.examples.classify(&patterns);
        policy.use_templates(templates.map(Templates::from));
        policy.patterns = Arc::new(patterns);
        (policy.evidence, policy.yields, policy.best) = (evidence.of_one_model(), yields.of_one_model(), best);
        policy.next_update = usize::MAX;
        policy
    }

    fn use_templates(&mut self, templates: Option<Templates>) {
        if let Some(templates) = &templates {
            self.drift.learned(templates.strange_share());
            self.next_name = self.next_name.max(templates.first_free_name());
        }
        self.templates = templates.map(Arc::new);
    }

    /// What was learned of the site, for another crawl of it and for display.
    pub fn model(&mut self) -> SiteModel {
        let sample = read_sample(&self.sample, &mut *self.read);
        self.model_of(&sample)
    }

    fn model_of(&self, sample: &[ParsedPage]) -> SiteModel {
        let learned = LearnedClasses {
            templates: self.templates.as_ref().map(|templates| templates.stored()),
            patterns: (*self.patterns).clone(),
            evidence: self.evidence.clone(),
            yields: self.yields.clone(),
            best: self.best,
            places: Vec::new(),
        };
        SiteModel::new(self.facts_of(sample), learned)
    }

    fn facts_of(&self, sample: &[ParsedPage]) -> Facts {
        let refuses = |class| is_refused(class, &self.tuning, &self.evidence, &self.yields);
        Facts::of(&self.log, self.pages, &self.patterns, sample, refuses)
    }

    /// The share of recent fetches that were wanted.
    pub(crate) const fn recent_yield(&self) -> RecentYield {
        self.recent_yield
    }

    /// The first number that no cluster ever had.
    pub(crate) const fn next_name(&self) -> u32 {
        self.next_name
    }

    /// Numbers new clusters from this number on.
    pub(crate) const fn set_next_name(&mut self, next: u32) {
        self.next_name = next;
    }

    /// The number of fetches that it remembers.
    pub(crate) fn remembered(&self) -> usize {
        self.log.len()
    }

    /// The size of the pages that templates are learned from, in bytes.
    pub(crate) const fn sample_bytes(&self) -> usize {
        self.sample_bytes
    }

    /// Bounds that size; what exceeds it already stays.
    pub(crate) const fn set_sample_bytes_max(&mut self, bytes: usize) {
        self.sample_bytes_max = bytes;
    }

    /// Forgets all pages, and goes on with what they taught, as with the model of an earlier crawl: templates and
    /// patterns change no more, and of two equal pages the first may be one that it does not know.
    pub(crate) fn forget_pages(&mut self) {
        self.sample = Vec::new();
        self.sample_bytes = 0;
        self.sampled = HashMap::default();
        self.clusters = Arc::default();
        self.content = TextIndex::new(PAGES_MAX);
        self.log = Log::new(PAGES_MAX);
        self.next_update = usize::MAX;
        self.version += 1;
    }

    /// Counts the URL of a link on a page of another site.
    pub(crate) fn see_link(&mut self, url: &str) {
        self.url_learner.see(url);
    }

    /// Whether there will be model updates.
    const fn will_learn(&self) -> bool {
        self.next_update <= UPDATES_END
    }

    /// The latest templates.
    pub const fn templates(&self) -> Option<&Arc<Templates>> {
        self.templates.as_ref()
    }

    fn memory(&self) -> f64 {
        self.tuning.smoothing.memory
    }
}

fn read_sample(sample: &[SamplePage], read: &mut ReadPage) -> Vec<ParsedPage> {
    sample.iter().map(|page| read(&page.body, page.content_type.as_deref(), None)).collect()
}

impl Policy for LearnedPolicy {
    fn observe(&mut self, seen: Observation) {
        self.version += 1;
        let Observation { url, class, via, outcome, mut new } = seen;
        let class = class.under(0);
        new.iter_mut().for_each(|link| link.class = link.class.under(0));
        let context = self.take_contexts(&url, &outcome, &mut new);
        for link in &new {
            self.url_learner.see(link.url.as_str());
        }
        if class.apath == Apath::DERIVED && matches!(outcome, Outcome::Page(_)) {
            self.url_learner.see(url.as_str());
        }
        let via = via.as_deref().map(Fingerprint::of);
        let derived = self.derive(&new);
        let brought = self.brought(new.iter().chain(&derived));
        self.yields.add(class, brought);
        self.meet_example(url.as_str(), matches!(outcome, Outcome::Page(_)));
        let fetched = url.clone();
        let worth = match outcome {
            Outcome::Page(mut facts) => {
                let worth = self.page(url, class, via, &mut facts, new);
                self.learn_context(context, worth.wanted);
                worth
            }
            Outcome::Redirected | Outcome::Document | Outcome::Failed | Outcome::Search(_) => {
                let worth = Worth::NOTHING;
                self.recent_yield.see(worth);
                self.evidence.add(class, worth, self.memory());
                if !matches!(outcome, Outcome::Redirected) {
                    self.learn_context(context, false);
                }
                self.log.push(Entry { url, class, via, worth, page: None, new });
                worth
            }
        };
        self.learn_derived(&fetched, class, worth);
        if self.update_is_due() {
            self.update_model();
        } else {
            self.predict_again();
        }
        self.readmit_when_due();
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        Arc::new(LearnedSnapshot {
            version: self.version,
            generation: self.generation,
            patterns_version: self.model_updates,
            seed: self.seed,
            templates: self.templates.clone(),
            patterns: Arc::clone(&self.patterns),
            clusters: Arc::clone(&self.clusters),
            evidence: self.evidence.clone(),
            yields: self.yields.clone(),
            recent_yield: self.recent_yield,
            // While classes still change their meaning, all text is needed to tell them apart.
            // So it is while it may tell which pages are about the topic.
            reads_all: self.will_learn()
                || self.reading.reads_all()
                || self.topic.as_ref().is_some_and(|topic| !topic.has_tag_pages()),
            repeated: Arc::clone(self.content.repeated()),
            tuning: self.tuning,
            links: self.links.as_ref().map(|links| Arc::clone(links.predictor())),
            by_example: self.goal.is_of_a_type(),
            lost: self.lost(),
        })
    }

    fn proposals(&mut self) -> Vec<Proposal> {
        std::mem::take(&mut self.proposals)
    }

    fn site_model(&mut self, read: &mut ReadPage) -> Option<SiteModel> {
        Some(self.model_of(&read_sample(&self.sample, read)))
    }

    fn site_facts(&self, read: Option<&mut ReadPage>) -> Option<Facts> {
        let sample = read.map(|read| read_sample(&self.sample, read)).unwrap_or_default();
        Some(self.facts_of(&sample))
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn facts(&self) -> PolicyFacts {
        let clusters = self.templates.as_ref().map_or(0, |templates| u64::from(templates.clusters()));
        PolicyFacts {
            model_updates: self.model_updates,
            clusters,
            duplicates: self.duplicates,
            wanted: Some(self.wanted),
            drifts: self.drift.relearned(),
            ..PolicyFacts::default()
        }
    }

    fn note(&self) -> Option<String> {
        let status = |example: &'_ Example| (example.url.clone(), example.status);
        let examples: Vec<_> = self.examples.all().iter().map(status).collect();
        note::note(&note::LearnerState {
            topic: self.topic.as_ref().map(TopicRelevance::status),
            pages: self.pages,
            clusters: self.templates.as_ref().map(|templates| templates.clusters()),
            drifts: self.drift.relearned(),
            examples: &examples,
        })
    }

    fn needs(&self) -> Needs {
        let room = self.sample.len() < self.drift.room(self.tuning.sample_max);
        let body = room && (self.will_learn() || self.drift.is_sampling());
        // Templates and patterns no longer change; what is left to learn are means over many pages.
        let contexts = self.links.is_some();
        Needs {
            words: true,
            links: self.topic.is_some(),
            body,
            contexts,
            gaps: !self.will_learn() && !contexts,
            ..Needs::default()
        }
    }
}

#[cfg(test)]
mod tests;
