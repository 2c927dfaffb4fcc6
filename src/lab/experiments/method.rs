//! Ways to cluster pages, by name.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::config::ParseOptions;
use crate::lab::clusterings::{MdlOptions, mdl, repetitive_regions};
use crate::lab::corpus::{Corpus, PageId};
use crate::lab::replay::reader;
use crate::page::{ClusterId, LeafPath, PatternId};
use crate::parse::{Parser, Spelling};
use crate::policy::baselines::RegionOptions;
use crate::policy::learned::{SamplePage, TemplateOptions, Templates};
use crate::site::{EpsRule, Label, MIN_PTS, UrlPatternLearner, UrlPatterns};

/// A way to cluster pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// SOUrCe: plain paths; eps by the paper's rule over distinct vectors.
    Paper,
    /// The same with eps by the rule as printed.
    LiteralEps,
    /// Paths with class names; eps is the 0.95-quantile of K-dist.
    RichQuantile,
    /// Paths with class names; eps of the best silhouette times coverage.
    RichSilhouette,
    /// What crawls learn: paths with class names, and clusters split by the patterns of their URLs' paths.
    Default,
    /// By schema and description length.
    Mdl,
    /// By repetitive regions.
    IRobot,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Paper,
        Self::LiteralEps,
        Self::RichQuantile,
        Self::RichSilhouette,
        Self::Default,
        Self::Mdl,
        Self::IRobot,
    ];
    /// Those that say of a page that was not clustered where it belongs.
    pub const CLASSIFYING: [Self; 5] =
        [Self::Paper, Self::LiteralEps, Self::RichQuantile, Self::RichSilhouette, Self::Default];

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
        found.ok_or_else(|| format!("there is no clustering {name}; there are {}", known()))
    }
}

/// Pages that were clustered.
pub struct Clustered {
    labels: Vec<Label>,
    templates: Option<Templates>,
    split: Option<Split>,
}

impl Clustered {
    /// Clusters these pages of `corpus`.
    pub fn of(method: Method, corpus: &Corpus, sample: &[PageId]) -> Self {
        let Some(options) = method.templates() else {
            return Self { labels: others(method, corpus, sample), templates: None, split: None };
        };
        let page = |id: &PageId| {
            let stored = corpus.page(*id);
            SamplePage { body: stored.body.clone(), content_type: stored.content_type().map(Into::into) }
        };
        let pages: Vec<_> = sample.iter().map(page).collect();
        let templates = Templates::learn(&pages, &options, &mut *reader());
        let mut labels = templates.labels().to_vec();
        let split = (method == Method::Default).then(|| Split::learn(corpus, sample, &labels));
        if let Some(split) = &split {
            for (label, id) in labels.iter_mut().zip(sample) {
                *label = split.of(*label, corpus.url(*id).as_str());
            }
        }
        Self { labels, templates: Some(templates), split }
    }

    /// The clusters of the pages, in their order.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// DBSCAN's radius, and the features that pages are seen by, where there are such.
    pub fn radius_and_features(&self) -> Option<(f32, usize)> {
        self.templates.as_ref().map(|templates| (templates.radius(), templates.vocabulary().len()))
    }

    /// Whether it says of other pages where they belong.
    pub const fn classifies(&self) -> bool {
        self.templates.is_some()
    }

    /// The clusters of other pages; outliers where it does not classify.
    pub fn classify(&self, corpus: &Corpus, pages: &[PageId]) -> Vec<Label> {
        let Some(templates) = &self.templates else { return vec![None; pages.len()] };
        let mut parser = Parser::new(&ParseOptions::default());
        parser.set_class_tokens(Some(templates.tokens().clone()));
        let mut label = |id: &PageId| {
            let stored = corpus.page(*id);
            let bag = parser.parse(&stored.body, stored.content_type()).leaf_paths;
            // Clusters are numbered from 2 on outside, see `cluster_id`.
            let ClusterId(number) = templates.classify(&bag);
            let label = number.checked_sub(2);
            self.split.as_ref().map_or(label, |split| split.of(label, corpus.url(*id).as_str()))
        };
        pages.iter().map(&mut label).collect()
    }
}

/// Clusters told apart by the patterns of their URLs' paths: one template may serve two types of pages.
#[derive(Debug, Clone)]
struct Split {
    patterns: UrlPatterns,
    parts: BTreeMap<(u32, Option<PatternId>), u32>,
}

impl Split {
    /// A pattern is a part of its own where it has minPts pages; the rest of a cluster stays together.
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

    /// The part that a page of a cluster is in. A pattern that was not seen in the sample belongs to the rest of the
    /// cluster or, where that has no pages, to none.
    fn of(&self, label: Label, url: &str) -> Label {
        let (cluster, pattern) = (label?, self.patterns.of_path(url));
        self.parts.get(&(cluster, Some(pattern))).or_else(|| self.parts.get(&(cluster, None))).copied()
    }
}

fn others(method: Method, corpus: &Corpus, sample: &[PageId]) -> Vec<Label> {
    let mut parser = Parser::with_spelling(&ParseOptions::default(), Spelling::On);
    let mut bag = |id: &PageId| {
        let stored = corpus.page(*id);
        parser.parse(&stored.body, stored.content_type()).leaf_paths
    };
    let bags: Vec<Vec<LeafPath>> = sample.iter().map(&mut bag).collect();
    let bags: Vec<&[LeafPath]> = bags.iter().map(Vec::as_slice).collect();
    if method == Method::Mdl {
        mdl(&bags, &MdlOptions::default())
    } else {
        repetitive_regions(&bags, &RegionOptions::default())
    }
}
