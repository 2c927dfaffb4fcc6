//! The learner: takes observations, keeps the site's model, publishes snapshots.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::canonicality::canonicality;
use super::content::{ContentId, ContentIndex};
use super::evidence::Evidence;
use super::goal::{Goal, Likeness};
use super::log::{Entry, Log, LoggedPage};
use super::snapshot::LearnedSnapshot;
use super::templates::{ReadPage, SamplePage, Templates};
use super::tuning::Tuning;
use super::yields::{Yield, Yields};
use crate::page::{ClusterId, LinkClass, PatternId};
use crate::policy::{Needs, NewLink, Observation, Outcome, PageFacts, Policy, PolicyFacts, PolicySnapshot};
use crate::site::{UrlPatternLearner, UrlPatterns};
use crate::url::{CanonicalUrl, Fingerprint};

/// Pages at which templates are learnt for the first time, and the factor from one time to the next.
const FIRST_LESSON: usize = 12;
const LESSON_GROWTH: f64 = 1.35;
/// Pages that templates are learnt from at most, and their bytes together.
const SAMPLE_MAX: usize = 1_000;
const SAMPLE_BYTES_MAX: usize = 64 << 20;
/// Pages up to which URL patterns are learnt anew.
const LESSONS_END: usize = 4_000;
/// Pages and fetches that are remembered.
const PAGES_MAX: usize = 20_000;
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
    templates: Option<Arc<Templates>>,
    url_learner: UrlPatternLearner,
    patterns: Arc<UrlPatterns>,
    clusters: Arc<HashMap<Fingerprint, ClusterId, FixedState>>,
    evidence: Evidence,
    yields: Yields,
    content: ContentIndex,
    log: Log,
    likeness: Likeness,
    best: f64,
    pages: usize,
    duplicates: u64,
    next_lesson: usize,
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
        Self {
            goal,
            tuning,
            seed,
            read,
            sample: Vec::new(),
            sample_bytes: 0,
            templates: None,
            url_learner: UrlPatternLearner::default(),
            patterns: Arc::default(),
            clusters: Arc::default(),
            evidence: Evidence::default(),
            yields: Yields::default(),
            content: ContentIndex::new(PAGES_MAX),
            log: Log::new(PAGES_MAX),
            likeness: Likeness { cluster: None, path },
            best: 0.5,
            pages: 0,
            duplicates: 0,
            next_lesson: FIRST_LESSON,
            version: 0,
            generation: 0,
        }
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
        let sample = self.sample_page(facts);
        let found = self.content.take_in(&facts.units, cluster);
        self.duplicates += u64::from(found.duplicate_of.is_some());
        let duplicate = found.duplicate_of.is_some_and(|other| self.blame(&url, other));
        let page = LoggedPage { content: found.id, cluster, duplicate, sample };
        let touched = if duplicate { Vec::new() } else { self.content.own(found.id) };
        let value = self.worth(&url, &page);
        self.evidence.add(class, value, self.memory());
        self.log.push(Entry { url, class, via, value, page: Some(page), new });
        self.revalue(&touched);
    }

    /// Says whether the page just fetched at `url` is to blame for repeating `other`; if not, `other` is blamed.
    fn blame(&mut self, url: &CanonicalUrl, other: ContentId) -> bool {
        let Some(entry) = self.log.of_content(other) else { return true };
        if canonicality(url.as_str()) >= canonicality(entry.url.as_str()) {
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

    fn sample_page(&mut self, facts: &mut PageFacts) -> Option<u32> {
        let (body, content_type) = facts.body.take()?;
        if !self.needs().body || self.sample_bytes + body.len() > SAMPLE_BYTES_MAX {
            return None;
        }
        self.sample_bytes += body.len();
        self.sample.push(SamplePage { body, content_type });
        Some(self.sample.len() as u32 - 1)
    }

    /// What the new links of a fetch are worth.
    fn brought(&mut self, new: &[NewLink]) -> Yield {
        let smoothing = self.tuning.smoothing;
        let worth: Vec<f64> = new.iter().map(|link| self.evidence.estimate(link.class, &smoothing).mean).collect();
        self.best = worth.iter().copied().fold(self.best * 0.99, f64::max);
        let good = worth.into_iter().filter(|worth| *worth >= self.tuning.good_share * self.best);
        good.fold(Yield::default(), |sum, worth| Yield { links: sum.links + 1.0, worth: sum.worth + worth })
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
            let templates = Templates::learn(&self.sample, &self.tuning.templates, self.generation, &mut *self.read);
            self.templates = Some(Arc::new(templates));
        }
        self.recluster();
        self.recount();
    }

    /// Gives the pages that are remembered their clusters by the new templates.
    fn recluster(&mut self) {
        let Some(templates) = &self.templates else { return };
        let labels = templates.labels();
        let mut clusters: HashMap<Fingerprint, ClusterId, FixedState> = HashMap::default();
        let mut by_content: HashMap<ContentId, ClusterId, FixedState> = HashMap::default();
        for entry in self.log.iter_mut() {
            let Some(page) = &mut entry.page else { continue };
            if let Some(label) = page.sample.and_then(|at| labels.get(at as usize)) {
                page.cluster = super::templates::cluster_id(*label);
            }
            clusters.insert(entry.url.fingerprint(), page.cluster);
            by_content.insert(page.content, page.cluster);
        }
        self.content.recluster(|id| by_content.get(&id).copied());
        if let Goal::Like(example) = &self.goal {
            let cluster = clusters.get(&Fingerprint::of(&example.url)).copied();
            self.likeness.cluster = cluster.filter(|cluster| cluster.0 > 1);
        }
        self.clusters = Arc::new(clusters);
    }

    /// Counts the log anew, under the classes and worths of now.
    fn recount(&mut self) {
        if let Goal::Like(example) = &self.goal {
            self.likeness.path = self.patterns.of_path(&example.url);
        }
        self.evidence.clear();
        self.yields.clear();
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
    }
}

impl Policy for Learned {
    fn observe(&mut self, seen: Observation) {
        self.version += 1;
        let Observation { url, class, via, outcome, new } = seen;
        for link in &new {
            self.url_learner.see(link.url.as_str());
        }
        let via = via.as_deref().map(Fingerprint::of);
        let brought = self.brought(&new);
        self.yields.add(class, brought);
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
        })
    }

    fn facts(&self) -> PolicyFacts {
        let clusters = self.templates.as_ref().map_or(0, |templates| u64::from(templates.clusters()));
        PolicyFacts { lessons: self.generation, clusters, duplicates: self.duplicates }
    }

    fn needs(&self) -> Needs {
        Needs { units: true, links: false, body: self.sample.len() < SAMPLE_MAX }
    }
}
