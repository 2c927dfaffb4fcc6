//! Page templates, learned from a sample of pages.
//!
//! Leaf paths include those class names that enough pages of the sample have (a name that only one page has would make
//! all its paths unique). The pages' vectors are clustered by DBSCAN; later pages get the cluster of their nearest
//! neighbours.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::sample_page::{ReadPage, SamplePage};
use harvestman_core::model::{ClassTokens, ClusterId, LeafPath};
use harvestman_structure::classify::{Classifier, KnnOptions, Sample, Scratch};
use harvestman_structure::site::{
    Distances, EpsOptions, EpsRule, Label, MIN_PTS, SparseVector, Vocabulary, dbscan, eps, nearest_cluster,
};

/// How templates are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TemplateOptions {
    /// Whether paths include class names.
    pub rich: bool,
    /// How DBSCAN's radius is chosen.
    pub eps: EpsRule,
}

impl Default for TemplateOptions {
    fn default() -> Self {
        Self { rich: true, eps: EpsRule::Quantile(0.95) }
    }
}

/// A class name is kept if at least this share of the sample has it, and at least this number of pages.
const TOKEN_SHARE: f64 = 0.02;
const TOKEN_PAGES: usize = 2;
/// In a smaller sample paths need not be on minPts pages.
const SMALL_SAMPLE: usize = 40;
/// A page fits a template if at least this share of its paths is known.
const FAMILIAR: f64 = 0.5;
/// Number of classifications that a thread caches by the page's signature.
const ANSWERS_MAX: usize = 8_192;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::new(ANSWERS_MAX));
}

/// The templates of a site.
#[derive(Debug, Clone)]
pub struct Templates {
    tokens: Arc<ClassTokens>,
    classifier: Classifier,
    labels: Vec<Label>,
    vectors: Vec<SparseVector>,
    radius: f32,
    clusters: u32,
    /// The share of the sample's pages that fit none of them.
    strange: f64,
    /// The public number of each cluster.
    names: Vec<ClusterId>,
}

impl Templates {
    /// Learns from `sample`.
    pub fn learn(sample: &mut [SamplePage], options: &TemplateOptions, read: &mut ReadPage) -> Self {
        let tokens = Arc::new(if options.rich { common_class_names(sample, read) } else { ClassTokens::default() });
        let pages = sample.len();
        let bags: Vec<&[LeafPath]> = sample.iter_mut().map(|page| page.bag(&tokens, read)).collect();
        let theta = if pages < SMALL_SAMPLE { TOKEN_PAGES as u32 } else { MIN_PTS };
        let vocabulary = Vocabulary::learn(bags.iter().copied(), theta);
        let vectors: Vec<SparseVector> = bags.iter().map(|bag| vocabulary.weigh(bag)).collect();
        let distances = Distances::between(&vectors);
        let radius = eps(&distances, vocabulary.len(), &EpsOptions { rule: options.eps, ..EpsOptions::default() });
        let labels = dbscan(&distances, radius, MIN_PTS);
        let mut templates = Self::trained(tokens, vocabulary, vectors, labels, radius);
        let strange = bags.iter().zip(&templates.labels).filter(|(bag, label)| templates.is_strange(bag, **label));
        templates.strange = strange.count() as f64 / bags.len().max(1) as f64;
        templates
    }

    fn trained(
        tokens: Arc<ClassTokens>,
        vocabulary: Vocabulary,
        vectors: Vec<SparseVector>,
        labels: Vec<Label>,
        radius: f32,
    ) -> Self {
        /// Templates of several sites may be used on one thread; the cache must not mix them up.
        static NAMES: AtomicU64 = AtomicU64::new(0);
        let name = NAMES.fetch_add(1, Ordering::Relaxed);
        let clusters = labels.iter().flatten().max().map_or(0, |last| last + 1);
        let classifier = Classifier::new(vocabulary, &Sample::new(&vectors, &labels), KnnOptions::default(), name);
        let names = (0..clusters).map(|cluster| ClusterId(FIRST_NAME + cluster)).collect();
        let strange = labels.iter().filter(|label| label.is_none()).count() as f64 / labels.len().max(1) as f64;
        Self { tokens, classifier, labels, vectors, radius, clusters, strange, names }
    }

    /// The data that they can be restored from.
    pub fn stored(&self) -> StoredTemplates {
        StoredTemplates {
            tokens: self.tokens.hashes().to_vec(),
            vocabulary: self.vocabulary().clone(),
            vectors: self.vectors.clone(),
            labels: self.labels.clone(),
            names: self.names.clone(),
            radius: self.radius,
        }
    }

    /// The class names that paths include.
    pub const fn tokens(&self) -> &Arc<ClassTokens> {
        &self.tokens
    }

    /// The labels of the sample.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// The vectors of the sample.
    pub fn vectors(&self) -> &[SparseVector] {
        &self.vectors
    }

    /// DBSCAN's radius.
    pub const fn radius(&self) -> f32 {
        self.radius
    }

    /// The number of clusters.
    pub const fn clusters(&self) -> u32 {
        self.clusters
    }

    /// The share of the sample's pages that fit no template, from 0 to 1.
    pub const fn strange_share(&self) -> f64 {
        self.strange
    }

    /// Whether the page with this bag fits one of the templates. Other pages are outliers, or are assigned to the
    /// nearest cluster although most of their paths occur in no template.
    pub fn has_made(&self, bag: &[LeafPath], cluster: ClusterId) -> bool {
        cluster > OUTLIER && self.vocabulary().familiarity(bag) >= FAMILIAR
    }

    fn is_strange(&self, bag: &[LeafPath], label: Label) -> bool {
        !self.has_made(bag, self.name(label))
    }

    /// The smallest public number such that neither it nor any larger one is in use.
    pub fn first_free_name(&self) -> u32 {
        self.names.iter().map(|name| name.0.saturating_add(1)).max().unwrap_or(FIRST_NAME)
    }

    /// The features of pages.
    pub const fn vocabulary(&self) -> &Vocabulary {
        self.classifier.vocabulary()
    }

    /// The template of a page, by its bag of leaf paths parsed with [`Templates::tokens`].
    pub fn classify(&self, bag: &[LeafPath]) -> ClusterId {
        self.name(SCRATCH.with_borrow_mut(|scratch| self.classifier.classify(bag, scratch).cluster))
    }

    /// The cluster nearest to an outlier of the sample; `None` where the sample is too small to tell, or there are no
    /// clusters.
    pub fn nearest_to(&self, page: usize) -> Option<ClusterId> {
        let vector = self.vectors.get(page).filter(|_| self.vectors.len() >= SMALL_SAMPLE)?;
        nearest_cluster(&self.vectors, &self.labels, vector).map(|cluster| self.name(Some(cluster)))
    }

    /// The public number of a label.
    pub fn name(&self, label: Label) -> ClusterId {
        label.and_then(|cluster| self.names.get(cluster as usize).copied()).unwrap_or(OUTLIER)
    }

    /// Numbers each cluster as most of its pages were numbered before, so that numbers keep their meaning over model
    /// updates. `before` contains the sample's previous numbers, as far as there are any; `next` is the first number
    /// that was never used.
    pub fn keep_names(&mut self, before: &[ClusterId], next: &mut u32) {
        let mut shared: HashMap<(u32, ClusterId), usize> = HashMap::new();
        for (label, name) in self.labels.iter().zip(before) {
            if let Some(cluster) = label.filter(|_| *name > OUTLIER) {
                *shared.entry((cluster, *name)).or_default() += 1;
            }
        }
        let mut shared: Vec<_> = shared.into_iter().collect();
        shared.sort_unstable_by_key(|&((cluster, name), pages)| (std::cmp::Reverse(pages), cluster, name));
        let mut names: Vec<Option<ClusterId>> = vec![None; self.clusters as usize];
        for ((cluster, name), _) in shared {
            if names[cluster as usize].is_none() && !names.contains(&Some(name)) {
                names[cluster as usize] = Some(name);
            }
        }
        let fresh = |name: Option<ClusterId>| {
            name.unwrap_or_else(|| {
                *next += 1;
                ClusterId(*next - 1)
            })
        };
        self.names = names.into_iter().map(fresh).collect();
    }

    /// The clusters with the number of sample pages in each (cluster 1 holds the outliers), and the settings that they
    /// were found with.
    pub fn describe(&self) -> Value {
        let mut clusters: BTreeMap<u32, u64> = BTreeMap::new();
        for label in self.labels() {
            *clusters.entry(self.name(*label).0).or_default() += 1;
        }
        json!({
            "sample": self.labels().len(),
            "features": self.vocabulary().len(),
            "radius": self.radius(),
            "clusters": clusters,
        })
    }
}

/// The number of outliers.
pub const OUTLIER: ClusterId = ClusterId(1);
/// The first number of a cluster.
pub const FIRST_NAME: u32 = 2;

/// Templates in stored form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredTemplates {
    tokens: Vec<u64>,
    vocabulary: Vocabulary,
    vectors: Vec<SparseVector>,
    labels: Vec<Label>,
    names: Vec<ClusterId>,
    radius: f32,
}

impl StoredTemplates {
    /// Whether there is a label for each page, no more clusters than pages, and no feature outside the vocabulary.
    pub fn is_sound(&self) -> bool {
        let in_range = |label: &u32| (*label as usize) < self.labels.len();
        let clusters = self.labels.iter().flatten().max().map_or(0, |last| *last as usize + 1);
        let known = |vector: &SparseVector| vector.ids().iter().all(|id| (*id as usize) < self.vocabulary.len());
        self.labels.len() == self.vectors.len()
            && self.vectors.iter().all(known)
            && self.labels.iter().flatten().all(in_range)
            && self.names.len() == clusters
    }
}

impl From<StoredTemplates> for Templates {
    fn from(stored: StoredTemplates) -> Self {
        let StoredTemplates { tokens, vocabulary, vectors, labels, names, radius } = stored;
        let trained = Self::trained(Arc::new(tokens.into_iter().collect()), vocabulary, vectors, labels, radius);
        Self { names, ..trained }
    }
}

/// Returns the class names that enough pages of a sample have to be parts of paths.
pub fn common_class_names(sample: &mut [SamplePage], read: &mut ReadPage) -> ClassTokens {
    let (mut pages, size): (HashMap<u64, usize>, _) = (HashMap::new(), sample.len());
    for page in sample {
        page.class_names(read).iter().for_each(|token| *pages.entry(*token).or_default() += 1);
    }
    let least = TOKEN_PAGES.max((TOKEN_SHARE * size as f64).ceil() as usize);
    pages.into_iter().filter(|(_, count)| *count >= least).map(|(token, _)| token).collect()
}

#[cfg(test)]
#[path = "templates_tests.rs"]
mod tests;
