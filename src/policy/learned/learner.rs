//! The learner: takes observations, keeps the site's model, publishes snapshots.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::canonicality::canonicality;
use super::content::{ContentId, ContentIndex, Kin};
use super::drift::{Drift, Next, Seen};
use super::evidence::Evidence;
use super::extension::Extensions;
use super::goal::{Goal, Likeness};
use super::log::{Entry, Log, LoggedPage};
use super::model::{Facts, Learnt, SiteModel};
use super::note::{self, ExampleState};
use super::snapshot::LearnedSnapshot;
use super::templates::{FIRST_NAME, OUTLIER, ReadPage, SamplePage, Templates};
use super::tuning::Tuning;
use super::yields::{Yield, Yields};
use crate::page::{Apath, ClusterId, LinkClass, ParsedPage, PatternId};
use crate::policy::{Needs, NewLink, Observation, Outcome, PageFacts, Policy, PolicyFacts, PolicySnapshot, Proposal};
use crate::site::{UrlPatternLearner, UrlPatterns};
use crate::url::{CanonicalUrl, Fingerprint};

/// Pages at which templates are learnt for the first time, and the factor from one time to the next.
const FIRST_LESSON: usize = 12;
const LESSON_GROWTH: f64 = 1.35;
/// Bytes of the pages that templates are learnt from, together.
const SAMPLE_BYTES_MAX: usize = 64 << 20;
/// Pages of one URL pattern among them: a crawl that harvests sees little else, and templates are told apart by contrast.
const SAMPLE_PER_PATTERN: usize = 60;
/// Pages up to which URL patterns are learnt anew.
const LESSONS_END: usize = 4_000;
/// Pages and fetches that are remembered.
const PAGES_MAX: usize = 20_000;
/// Addresses that are derived at once, at most.
const PROPOSALS_MAX: usize = 5_000;
/// Latest fetches whose yield is counted anew.
const YIELDS_RECOUNTED: usize = 400;

/// A policy that learns.
pub struct Learned {
    goal: Goal,
    tuning: Tuning,
    seed: u64,
    read: Box<ReadPage>,
    sample: Vec<SamplePage>,
    sample_bytes: usize,
    /// Pages of the sample by their URLs' pattern.
    sampled: HashMap<PatternId, usize, FixedState>,
    templates: Option<Arc<Templates>>,
    drift: Drift,
    example: ExampleState,
    url_learner: UrlPatternLearner,
    patterns: Arc<UrlPatterns>,
    clusters: Arc<HashMap<Fingerprint, ClusterId, FixedState>>,
    evidence: Evidence,
    yields: Yields,
    content: ContentIndex,
    log: Log,
    likeness: Likeness,
    extensions: Extensions,
    proposals: Vec<Proposal>,
    best: f64,
    pages: usize,
    duplicates: u64,
    next_lesson: usize,
    /// The first name that no cluster ever had.
    next_name: u32,
    version: u64,
    generation: u64,
}

impl Learned {
    /// A policy that knows nothing yet. `seed` varies what it is curious about first; `read` reads a page again.
    pub fn new(goal: Goal, tuning: Tuning, seed: u64, read: Box<ReadPage>) -> Self {
        let path = match &goal {
            Goal::Content => PatternId::NONE,
            Goal::Like(example) => UrlPatterns::default().of_path(&example.url),
        };
        let example = match &goal {
            Goal::Content => ExampleState::Fine,
            Goal::Like(_) => ExampleState::NotFetched,
        };
        Self {
            goal,
            tuning,
            seed,
            read,
            sample: Vec::new(),
            sample_bytes: 0,
            sampled: HashMap::default(),
            templates: None,
            drift: Drift::default(),
            example,
            url_learner: UrlPatternLearner::default(),
            patterns: Arc::default(),
            clusters: Arc::default(),
            evidence: Evidence::default(),
            yields: Yields::default(),
            content: ContentIndex::new(PAGES_MAX),
            log: Log::new(PAGES_MAX),
            likeness: Likeness { cluster: None, path, address: 0.5, nearest: false },
            extensions: Extensions::default(),
            proposals: Vec::new(),
            best: 0.5,
            pages: 0,
            duplicates: 0,
            next_lesson: FIRST_LESSON,
            next_name: FIRST_NAME,
            version: 0,
            generation: 0,
        }
    }

    /// A policy that knows a site from an earlier crawl. It counts on what `model` has counted; templates and patterns stay
    /// what they are, since the pages that they were learnt from are gone.
    pub fn from_model(goal: Goal, tuning: Tuning, seed: u64, read: Box<ReadPage>, model: SiteModel) -> Self {
        let Learnt { templates, patterns, evidence, yields, best } = model.learnt;
        let mut policy = Self::new(goal, tuning, seed, read);
        if let Goal::Like(example) = &policy.goal {
            policy.likeness.path = patterns.of_path(&example.url);
        }
        policy.use_templates(templates.map(Templates::from));
        policy.patterns = Arc::new(patterns);
        (policy.evidence, policy.yields, policy.best) = (evidence, yields, best);
        policy.next_lesson = usize::MAX;
        policy
    }

    fn use_templates(&mut self, templates: Option<Templates>) {
        if let Some(templates) = &templates {
            self.drift.learnt(templates.strange_share());
            self.next_name = self.next_name.max(templates.first_free_name());
        }
        self.templates = templates.map(Arc::new);
    }

    /// What was learnt of the site, to be used by another crawl of it and to be read by people.
    pub fn model(&mut self) -> SiteModel {
        let sample = read_sample(&self.sample, &mut *self.read);
        self.model_of(&sample)
    }

    fn model_of(&self, sample: &[ParsedPage]) -> SiteModel {
        SiteModel {
            facts: Facts::of(&self.log, self.pages, &self.patterns, sample),
            learnt: Learnt {
                templates: self.templates.as_ref().map(|templates| templates.stored()),
                patterns: (*self.patterns).clone(),
                evidence: self.evidence.clone(),
                yields: self.yields.clone(),
                best: self.best,
            },
        }
    }

    /// Whether there will be lessons.
    const fn will_learn(&self) -> bool {
        self.next_lesson <= LESSONS_END
    }

    /// The templates learnt last.
    pub const fn templates(&self) -> Option<&Arc<Templates>> {
        self.templates.as_ref()
    }

    fn memory(&self) -> f64 {
        self.tuning.smoothing.memory
    }

    fn page(
        &mut self,
        url: CanonicalUrl,
        class: LinkClass,
        via: Option<Fingerprint>,
        facts: &mut PageFacts,
        new: Vec<NewLink>,
    ) {
        self.pages += 1;
        let cluster = self.templates.as_ref().map_or(ClusterId::UNKNOWN, |templates| templates.classify(&facts.bag));
        self.recognise_example(&url, cluster);
        let sample = self.sample_page(&url, facts);
        let kin = Kin { cluster, pattern: self.patterns.of(url.as_str()).coarse };
        let found = self.content.take_in(&facts.units, kin);
        self.duplicates += u64::from(found.duplicate_of.is_some());
        let duplicate = found.duplicate_of.is_some_and(|other| self.blame(&url, other));
        let page = LoggedPage { content: found.id, cluster, duplicate, sample };
        let touched = if duplicate { Vec::new() } else { self.content.own(found.id) };
        let value = self.worth(&url, &page);
        // Before anything is learnt, addresses look alike that are not.
        if value > 0.0 && self.templates.is_some() && matches!(self.example, ExampleState::Missing { .. }) {
            self.example = ExampleState::Missing { found: true };
        }
        self.evidence.add(class, value, self.memory());
        let seen = match &self.templates {
            Some(templates) if sample.is_none() && templates.has_made(&facts.bag, cluster) => Seen::Known,
            Some(_) if sample.is_none() => Seen::Strange,
            _ => Seen::Uncounted,
        };
        self.log.push(Entry { url, class, via, value, page: Some(page), new });
        self.revalue(&touched);
        self.watch(seen);
    }

    /// Looks whether the site's pages are still made by the templates that are known.
    fn watch(&mut self, seen: Seen) {
        match self.drift.see(seen, self.sample.len()) {
            Next::Nothing => {}
            // Pages of every kind are taken again: those of before are no longer what such addresses have.
            Next::Sample => self.sampled.clear(),
            Next::Learn { dropped, kept } => {
                self.forget_sample(dropped);
                // What came since has the name of whatever template was nearest.
                self.learn_templates(kept);
                self.lesson();
            }
        }
    }

    /// Drops the oldest pages of the sample.
    fn forget_sample(&mut self, dropped: usize) {
        let gone = self.sample.drain(..dropped.min(self.sample.len()));
        self.sample_bytes -= gone.map(|page| page.body.len()).sum::<usize>();
        for page in self.log.iter_mut().filter_map(|entry| entry.page.as_mut()) {
            page.sample = page.sample.and_then(|at| at.checked_sub(dropped as u32));
        }
    }

    /// Says whether the page just fetched at `url` is to blame for repeating `other`; if not, `other` is blamed.
    fn blame(&mut self, url: &CanonicalUrl, other: ContentId) -> bool {
        let Some(entry) = self.log.of_content(other) else { return true };
        let same_kind = self.patterns.of(url.as_str()).coarse == self.patterns.of(entry.url.as_str()).coarse;
        if same_kind || canonicality(url.as_str()) >= canonicality(entry.url.as_str()) {
            return true;
        }
        if let Some(page) = &mut entry.page {
            page.duplicate = true;
        }
        let touched = self.content.disown(other);
        self.revalue(&[other]);
        self.revalue(&touched);
        false
    }

    /// Brings the evidence of earlier pages in line with what is known now.
    fn revalue(&mut self, pages: &[ContentId]) {
        for id in pages {
            let Some(entry) = self.log.of_content(*id) else { continue };
            let Some(page) = entry.page else { continue };
            let (url, class, old) = (entry.url.clone(), entry.class, entry.value);
            let new = self.worth(&url, &page);
            self.evidence.correct(class, old, new);
            if let Some(entry) = self.log.of_content(*id) {
                entry.value = new;
            }
        }
    }

    fn worth(&self, url: &CanonicalUrl, page: &LoggedPage) -> f64 {
        match &self.goal {
            Goal::Content if page.duplicate => 0.0,
            Goal::Content => self.content.worth(page.content),
            Goal::Like(example) => {
                let share = if page.duplicate { example.duplicate_worth } else { 1.0 };
                share * self.likeness.of(page.cluster, self.patterns.of_path(url.as_str()))
            }
        }
    }

    fn sample_page(&mut self, url: &CanonicalUrl, facts: &mut PageFacts) -> Option<u32> {
        let (body, content_type) = facts.body.take()?;
        let alike = self.sampled.entry(self.patterns.of(url.as_str()).coarse).or_default();
        if *alike >= SAMPLE_PER_PATTERN {
            return None;
        }
        *alike += 1;
        if !self.needs().body || self.sample_bytes + body.len() > self.sample_bytes_max() {
            return None;
        }
        self.sample_bytes += body.len();
        self.sample.push(SamplePage { body, content_type });
        Some(self.sample.len() as u32 - 1)
    }

    /// After an alarm there is room for what takes the place of the older half.
    const fn sample_bytes_max(&self) -> usize {
        if self.drift.is_sampling() { SAMPLE_BYTES_MAX + SAMPLE_BYTES_MAX / 2 } else { SAMPLE_BYTES_MAX }
    }

    /// What the new links of a fetch are worth.
    fn brought<'a>(&mut self, new: impl IntoIterator<Item = &'a NewLink>) -> Yield {
        let smoothing = self.tuning.smoothing;
        let worth: Vec<f64> = new.into_iter().map(|link| self.evidence.estimate(link.class, &smoothing).mean).collect();
        self.best = worth.iter().copied().fold(self.best * 0.99, f64::max);
        let good = worth.into_iter().filter(|worth| *worth >= self.tuning.good_share * self.best);
        good.fold(Yield::default(), |sum, worth| Yield { links: sum.links + 1.0, worth: sum.worth + worth })
    }

    /// Derives addresses from those that are new, and from all that are known where a rule was found just now.
    fn derive(&mut self, url: &CanonicalUrl, outcome: &Outcome, new: &[NewLink]) -> Vec<NewLink> {
        if matches!(self.goal, Goal::Content) {
            return Vec::new();
        }
        let mut derived = Vec::new();
        if matches!(outcome, Outcome::Page(_)) {
            let pattern = self.patterns.of(url.as_str()).coarse;
            if !self.extensions.see(pattern, url.as_str(), new).is_empty() {
                let known = self.log.iter().flat_map(|entry| &entry.new);
                for link in known.filter(|link| link.class.pattern.coarse == pattern).take(PROPOSALS_MAX) {
                    self.extend(link, &mut derived);
                }
            }
        }
        for link in new {
            self.extend(link, &mut derived);
        }
        let page = url.as_str();
        let room = PROPOSALS_MAX.saturating_sub(self.proposals.len());
        for link in derived.iter().take(room) {
            let url = link.url.as_str().to_owned();
            self.proposals.push(Proposal { url, via: page.to_owned() });
        }
        derived
    }

    /// The addresses that extend that of `link` and are worth a try.
    fn extend(&self, link: &NewLink, derived: &mut Vec<NewLink>) {
        for suffix in self.extensions.rules(link.class.pattern.coarse) {
            let url = format!("{}{suffix}", link.url.as_str());
            let class = LinkClass::unclassified(Apath::DERIVED).with_pattern(self.patterns.of(&url));
            let estimate = self.evidence.estimate(class, &self.tuning.smoothing);
            if estimate.mean >= self.tuning.good_share * self.best {
                derived.push(NewLink { class, url: CanonicalUrl::from_canonical(url) });
            }
        }
    }

    /// Whether the example came or, with `page` false, something that is no page came in its place.
    fn meet_example(&mut self, url: &CanonicalUrl, page: bool) {
        match &self.goal {
            Goal::Like(example) if example.url == url.as_str() => {
                self.example = if page { ExampleState::Fine } else { ExampleState::Missing { found: false } };
            }
            _ => {}
        }
    }

    /// The pattern of the example's address, where that is all there is to go by.
    fn lost(&self) -> Option<PatternId> {
        match &self.goal {
            Goal::Like(example) if self.example == (ExampleState::Missing { found: false }) => {
                let known = self.templates.is_some();
                Some(if known { self.patterns.of(&example.url).coarse } else { PatternId::NONE })
            }
            _ => None,
        }
    }

    /// Finds the cluster of the example among those of the pages that are remembered. Where it is an outlier, the nearest
    /// cluster stands in, unless the pages at such addresses are mostly of others.
    fn find_example(&mut self, clusters: &HashMap<Fingerprint, ClusterId, FixedState>) {
        /// Of the pages at such addresses the share that must be of the cluster that stands in.
        const STANDS_IN: f64 = 0.25;
        let Goal::Like(example) = &self.goal else { return };
        let fingerprint = Fingerprint::of(&example.url);
        let cluster = clusters.get(&fingerprint).copied();
        (self.likeness.cluster, self.likeness.nearest) = (cluster.filter(|cluster| *cluster > OUTLIER), false);
        if cluster == Some(OUTLIER)
            && let Some(nearest) = self.nearest_to(fingerprint)
        {
            self.likeness.cluster = Some(nearest);
            self.likeness.nearest = true;
            self.weigh_address();
            if self.likeness.address < STANDS_IN {
                (self.likeness.cluster, self.likeness.nearest) = (None, false);
            }
        }
        if cluster.is_some() {
            let outlier = ExampleState::Outlier { nearest: self.likeness.nearest };
            self.example = if cluster == Some(OUTLIER) { outlier } else { ExampleState::Fine };
        }
    }

    fn nearest_to(&self, url: Fingerprint) -> Option<ClusterId> {
        let entry = self.log.iter().find(|entry| entry.url.fingerprint() == url)?;
        self.templates.as_ref()?.nearest_to(entry.page?.sample? as usize)
    }

    /// Where templates do not change any more, no lesson will tell the example's cluster.
    fn recognise_example(&mut self, url: &CanonicalUrl, cluster: ClusterId) {
        if let Goal::Like(example) = &self.goal
            && !self.will_learn()
            && example.url == url.as_str()
        {
            self.likeness.cluster = Some(cluster).filter(|cluster| cluster.0 > 1);
        }
    }

    fn lesson_is_due(&self) -> bool {
        self.pages >= self.next_lesson && self.pages <= LESSONS_END
    }

    /// Learns templates and patterns anew, and counts all that is remembered by them.
    fn lesson(&mut self) {
        self.next_lesson = ((self.pages as f64 * LESSON_GROWTH) as usize).max(self.pages + 1);
        self.generation += 1;
        self.patterns = Arc::new(self.url_learner.patterns());
        let sampled = self.templates.as_ref().map_or(0, |templates| templates.labels().len());
        if self.sample.len() > sampled {
            self.learn_templates(self.sample.len());
        }
        if let Goal::Like(example) = &self.goal {
            self.likeness.path = self.patterns.of_path(&example.url);
        }
        self.recluster();
        self.recount();
    }

    /// Learns templates anew. The clusters keep the names that the first `named` pages of the sample had.
    fn learn_templates(&mut self, named: usize) {
        let mut templates = Templates::learn(&self.sample, &self.tuning.templates, &mut *self.read);
        let mut names = self.sample_names();
        names.truncate(named);
        templates.keep_names(&names, &mut self.next_name);
        self.use_templates(Some(templates));
    }

    /// What the clusters of the sample's pages were called until now.
    fn sample_names(&self) -> Vec<ClusterId> {
        let mut names = vec![ClusterId::UNKNOWN; self.sample.len()];
        for page in self.log.iter().filter_map(|entry| entry.page) {
            if let Some(name) = page.sample.and_then(|at| names.get_mut(at as usize)) {
                *name = page.cluster;
            }
        }
        names
    }

    /// Gives the pages that are remembered their clusters by the new templates.
    fn recluster(&mut self) {
        let Some(templates) = &self.templates else { return };
        let labels = templates.labels();
        let mut clusters: HashMap<Fingerprint, ClusterId, FixedState> = HashMap::default();
        let mut by_content: HashMap<ContentId, Kin, FixedState> = HashMap::default();
        for entry in self.log.iter_mut() {
            let Some(page) = &mut entry.page else { continue };
            if let Some(label) = page.sample.and_then(|at| labels.get(at as usize)) {
                page.cluster = templates.name(*label);
            }
            clusters.insert(entry.url.fingerprint(), page.cluster);
            let pattern = self.patterns.of(entry.url.as_str()).coarse;
            by_content.insert(page.content, Kin { cluster: page.cluster, pattern });
        }
        self.content.regroup(|id| by_content.get(&id).copied());
        self.find_example(&clusters);
        self.clusters = Arc::new(clusters);
        self.weigh_address();
    }

    /// Learns how well the address alone tells pages like the example: the share of them among those at such addresses.
    fn weigh_address(&mut self) {
        let Some(wanted) = self.likeness.cluster else { return };
        let (mut there, mut alike) = (0_u32, 0_u32);
        for entry in self.log.iter() {
            let Some(page) = entry.page.filter(|page| page.cluster > OUTLIER) else { continue };
            if self.patterns.of_path(entry.url.as_str()) == self.likeness.path {
                there += 1;
                alike += u32::from(page.cluster == wanted);
            }
        }
        self.likeness.address = f64::from(alike + 1) / f64::from(there + 2);
    }

    /// Counts the log anew, under the classes and worths of now.
    fn recount(&mut self) {
        self.evidence.clear();
        self.yields.clear();
        self.extensions.clear();
        let log = std::mem::replace(&mut self.log, Log::new(PAGES_MAX));
        let class_of = |class: LinkClass, url: &str, via: Option<Fingerprint>| LinkClass {
            cluster: via.and_then(|via| self.clusters.get(&via).copied()).unwrap_or(class.cluster),
            apath: class.apath,
            pattern: self.patterns.of(url),
        };
        let mut log = log;
        for entry in log.iter_mut() {
            entry.class = class_of(entry.class, entry.url.as_str(), entry.via);
            let on = Some(entry.url.fingerprint());
            entry.new.iter_mut().for_each(|link| link.class = class_of(link.class, link.url.as_str(), on));
        }
        for entry in log.iter().filter(|entry| entry.page.is_some()) {
            self.extensions.see(self.patterns.of(entry.url.as_str()).coarse, entry.url.as_str(), &entry.new);
        }
        for entry in log.iter_mut() {
            entry.value = entry.page.map_or(0.0, |page| self.worth(&entry.url, &page));
            self.evidence.add(entry.class, entry.value, self.tuning.smoothing.memory);
        }
        let recent = log.iter().rev().take(YIELDS_RECOUNTED).count();
        let skipped = log.iter().count() - recent;
        for entry in log.iter().skip(skipped) {
            let brought = self.brought(&entry.new);
            self.yields.add(entry.class, brought);
        }
        self.log = log;
        if matches!(self.example, ExampleState::Missing { .. }) {
            self.example = ExampleState::Missing { found: self.log.iter().any(|entry| entry.value > 0.0) };
        }
    }
}

fn read_sample(sample: &[SamplePage], read: &mut ReadPage) -> Vec<ParsedPage> {
    sample.iter().map(|page| read(&page.body, page.content_type.as_deref(), None)).collect()
}

impl Policy for Learned {
    fn observe(&mut self, seen: Observation) {
        self.version += 1;
        let Observation { url, class, via, outcome, new } = seen;
        for link in &new {
            self.url_learner.see(link.url.as_str());
        }
        let via = via.as_deref().map(Fingerprint::of);
        let derived = self.derive(&url, &outcome, &new);
        let brought = self.brought(new.iter().chain(&derived));
        self.yields.add(class, brought);
        self.meet_example(&url, matches!(outcome, Outcome::Page(_)));
        match outcome {
            Outcome::Page(mut facts) => self.page(url, class, via, &mut facts, new),
            Outcome::Redirected | Outcome::Document | Outcome::Failed => {
                self.evidence.add(class, 0.0, self.memory());
                self.log.push(Entry { url, class, via, value: 0.0, page: None, new });
            }
        }
        if self.lesson_is_due() {
            self.lesson();
        }
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        Arc::new(LearnedSnapshot {
            version: self.version,
            generation: self.generation,
            seed: self.seed,
            templates: self.templates.clone(),
            patterns: Arc::clone(&self.patterns),
            clusters: Arc::clone(&self.clusters),
            evidence: self.evidence.clone(),
            yields: self.yields.clone(),
            tuning: self.tuning,
            by_example: matches!(self.goal, Goal::Like(_)),
            lost: self.lost(),
        })
    }

    fn proposals(&mut self) -> Vec<Proposal> {
        std::mem::take(&mut self.proposals)
    }

    fn site_model(&mut self, read: &mut ReadPage) -> Option<SiteModel> {
        Some(self.model_of(&read_sample(&self.sample, read)))
    }

    fn facts(&self) -> PolicyFacts {
        let clusters = self.templates.as_ref().map_or(0, |templates| u64::from(templates.clusters()));
        PolicyFacts { lessons: self.generation, clusters, duplicates: self.duplicates, drifts: self.drift.relearnt() }
    }

    fn note(&self) -> Option<String> {
        let url = match &self.goal {
            Goal::Content => "",
            Goal::Like(example) => &example.url,
        };
        note::note(&note::State {
            pages: self.pages,
            clusters: self.templates.as_ref().map(|templates| templates.clusters()),
            drifts: self.drift.relearnt(),
            example: self.example,
            url,
        })
    }

    fn needs(&self) -> Needs {
        let room = self.sample.len() < self.drift.room(self.tuning.sample_max);
        Needs { units: true, links: false, body: room && (self.will_learn() || self.drift.is_sampling()) }
    }
}

#[cfg(test)]
#[path = "learner_tests.rs"]
mod tests;
