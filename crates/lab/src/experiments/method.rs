//! Clustering methods, by name.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::clusterings::{MdlOptions, mdl, repetitive_regions};
use crate::corpus::{Corpus, PageId};
use harvestman_core::config::ParseOptions;
use harvestman_core::model::{ClassTokens, LeafPath, PatternId};
use harvestman_papers::baselines::RegionOptions;
use harvestman_pipeline::reader;
use harvestman_policy::learned::{SamplePage, TemplateOptions, Templates};
use harvestman_structure::classify::{Classifier, KnnOptions, Sample, Scratch};
use harvestman_structure::parse::{Parser, Spelling};
use harvestman_structure::site::{
    EpsRule, Label, MIN_PTS, SparseVector, THETA, UrlPatternLearner, UrlPatterns, Vocabulary,
};

/// Number of classifier results that are cached.
const ANSWERS: usize = 4_096;

/// A clustering method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// SOUrCe: plain paths; eps by the paper's rule over distinct vectors.
    Paper,
    /// The same, with eps by the rule as printed.
    LiteralEps,
    /// Paths with class names; eps is the 0.95 quantile of K-dist.
    RichQuantile,
    /// Paths with class names; eps with the best silhouette times coverage.
    RichSilhouette,
    /// The method of crawls: paths with class names, and clusters split by the patterns of their URL paths.
    Default,
    /// By schema and description length.
    Mdl,
    /// By repetitive regions.
    IRobot,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 7] = [
        Self::Paper,
        Self::LiteralEps,
        Self::RichQuantile,
        Self::RichSilhouette,
        Self::Default,
        Self::Mdl,
        Self::IRobot,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::LiteralEps => "literal-eps",
            Self::RichQuantile => "rich-q95",
            Self::RichSilhouette => "rich-silhouette",
            Self::Default => "default",
            Self::Mdl => "mdl",
            Self::IRobot => "irobot",
        }
    }

    fn templates(self) -> Option<TemplateOptions> {
        let (rich, eps) = match self {
            Self::Paper => (false, EpsRule::PaperDistinct),
            Self::LiteralEps => (false, EpsRule::PaperLiteral),
            Self::RichQuantile => (true, EpsRule::Quantile(0.95)),
            Self::RichSilhouette => (true, EpsRule::Silhouette),
            Self::Default => return Some(TemplateOptions::default()),
            Self::Mdl | Self::IRobot => return None,
        };
        Some(TemplateOptions { rich, eps })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = || Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|method| method.name() == name);
        found.ok_or_else(|| format!("unknown clustering {name}; expected one of {}", known()))
    }
}

/// The cluster of a page. Each outlier of the sample is a cluster of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A cluster.
    Cluster(u32),
    /// The outlier at this index of the sample.
    Outlier(u32),
}

/// Clustered pages, and a classifier for other pages: kNN over all paths, whatever the clustering features.
pub struct Clustered {
    labels: Vec<Label>,
    tokens: Arc<ClassTokens>,
    classifier: Classifier,
    /// Numbers of the classifier from this one on are outliers, by index in the sample.
    first_outlier: u32,
    split: Option<Split>,
    radius: Option<f32>,
}

impl Clustered {
    /// Clusters these pages of `corpus`.
    pub fn of(method: Method, corpus: &Corpus, sample: &[PageId]) -> Self {
        let Structure { labels, tokens, vocabulary, vectors, radius } = match method.templates() {
            Some(options) => Structure::by_templates(&options, corpus, sample),
            None => Structure::by_others(method, corpus, sample),
        };
        let first_outlier = labels.iter().flatten().max().map_or(0, |last| last + 1);
        let numbered = |(at, label): (u32, &Label)| Some(label.unwrap_or(first_outlier + at));
        let singles: Vec<Label> = (0..).zip(&labels).map(numbered).collect();
        let classifier = Classifier::new(vocabulary, &Sample::new(&vectors, &singles), KnnOptions::default(), 0);
        let split = (method == Method::Default).then(|| Split::learn(corpus, sample, &labels));
        let part = |(label, id): (Label, &PageId)| match &split {
            Some(split) => split.of(label?, corpus.url(*id).as_str()),
            None => label,
        };
        let labels = labels.into_iter().zip(sample).map(part).collect();
        Self { labels, tokens, classifier, first_outlier, split, radius }
    }

    /// Returns the clusters of the pages, in order.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// Returns the same with each outlier as a cluster of its own.
    pub fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        let part = |(at, label): (u32, &Label)| label.map_or(Part::Outlier(at), Part::Cluster);
        (0..).zip(&self.labels).map(part)
    }

    /// Returns the radius of DBSCAN and the number of features, if applicable.
    pub fn radius_and_features(&self) -> Option<(f32, usize)> {
        self.radius.map(|radius| (radius, self.classifier.vocabulary().len()))
    }

    /// Classifies other pages; `None` if their cluster has no pages at URLs like theirs.
    pub fn classify(&self, corpus: &Corpus, pages: &[PageId]) -> Vec<Option<Part>> {
        let mut parser = Parser::new(&ParseOptions::default());
        parser.set_class_tokens(Some(Arc::clone(&self.tokens)));
        let mut scratch = Scratch::new(ANSWERS);
        let mut part = |id: &PageId| {
            let stored = corpus.page(*id);
            let bag = parser.parse(&stored.body, stored.content_type()).leaf_paths;
            let number = self.classifier.classify(&bag, &mut scratch).cluster?;
            match (number.checked_sub(self.first_outlier), &self.split) {
                (Some(at), _) => Some(Part::Outlier(at)),
                (None, Some(split)) => split.of(number, corpus.url(*id).as_str()).map(Part::Cluster),
                (None, None) => Some(Part::Cluster(number)),
            }
        };
        pages.iter().map(&mut part).collect()
    }
}

/// The clusters of a sample by page structure.
struct Structure {
    labels: Vec<Label>,
    tokens: Arc<ClassTokens>,
    vocabulary: Vocabulary,
    vectors: Vec<SparseVector>,
    radius: Option<f32>,
}

impl Structure {
    fn by_templates(options: &TemplateOptions, corpus: &Corpus, sample: &[PageId]) -> Self {
        let page = |id: &PageId| {
            let stored = corpus.page(*id);
            SamplePage::new(stored.body.clone(), stored.content_type().map(Into::into))
        };
        let mut pages: Vec<_> = sample.iter().map(page).collect();
        let templates = Templates::learn(&mut pages, options, &mut *reader(&ParseOptions::default()));
        Self {
            labels: templates.labels().to_vec(),
            tokens: Arc::clone(templates.tokens()),
            vocabulary: templates.vocabulary().clone(),
            vectors: templates.vectors().to_vec(),
            radius: Some(templates.radius()),
        }
    }

    fn by_others(method: Method, corpus: &Corpus, sample: &[PageId]) -> Self {
        let mut parser = Parser::with_spelling(&ParseOptions::default(), Spelling::On);
        let mut bag = |id: &PageId| {
            let stored = corpus.page(*id);
            parser.parse(&stored.body, stored.content_type()).leaf_paths
        };
        let bags: Vec<Vec<LeafPath>> = sample.iter().map(&mut bag).collect();
        let bags: Vec<&[LeafPath]> = bags.iter().map(Vec::as_slice).collect();
        let labels = if method == Method::Mdl {
            mdl(&bags, &MdlOptions::default())
        } else {
            repetitive_regions(&bags, &RegionOptions::default())
        };
        let vocabulary = Vocabulary::learn(bags.iter().copied(), THETA);
        let vectors = bags.iter().map(|bag| vocabulary.weigh(bag)).collect();
        Self { labels, tokens: Arc::default(), vocabulary, vectors, radius: None }
    }
}

/// Clusters split by the patterns of their URL paths: one template may serve two page types.
#[derive(Debug, Clone)]
struct Split {
    patterns: UrlPatterns,
    parts: BTreeMap<(u32, Option<PatternId>), u32>,
}

impl Split {
    /// Learns the parts: a pattern with at least minPts pages is a part of its own; the remainder of a cluster stays
    /// together.
    fn learn(corpus: &Corpus, sample: &[PageId], labels: &[Label]) -> Self {
        let mut learner = UrlPatternLearner::default();
        sample.iter().for_each(|id| learner.see(corpus.url(*id).as_str()));
        let patterns = learner.patterns();
        let pages = sample.iter().zip(labels).filter_map(|(id, label)| Some((*id, (*label)?)));
        let keys: Vec<_> = pages.map(|(id, label)| (label, patterns.of_path(corpus.url(id).as_str()))).collect();
        let mut counts: BTreeMap<(u32, PatternId), u32> = BTreeMap::new();
        keys.iter().for_each(|key| *counts.entry(*key).or_default() += 1);
        let part = |(label, pattern)| (label, Some(pattern).filter(|_| counts[&(label, pattern)] >= MIN_PTS));
        let mut parts = BTreeMap::new();
        for key in keys {
            let next = parts.len() as u32;
            parts.entry(part(key)).or_insert(next);
        }
        Self { patterns, parts }
    }

    /// Returns the part of a page of a cluster. A pattern that is not in the sample belongs to the remainder of the
    /// cluster or, if that has no pages, to none.
    fn of(&self, cluster: u32, url: &str) -> Label {
        let pattern = self.patterns.of_path(url);
        self.parts.get(&(cluster, Some(pattern))).or_else(|| self.parts.get(&(cluster, None))).copied()
    }
}
