//! The sitemap of a sample: its clusters, and the navigation table between them (SOUrCe 2018, sections 4.2 and 4.3).

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::FixedState;

use super::options::SourceOptions;
use crate::site::{LinkPlace, NavigationTable};
use harvestman_core::model::{ClusterId, LeafPath};
use harvestman_core::url::Fingerprint;
use harvestman_policy::PlacedLink;
use harvestman_structure::site::{Distances, EpsOptions, Label, MIN_PTS, SparseVector, THETA, Vocabulary, dbscan, eps};

/// Maximum number of places of links in the navigation table.
const PLACES_MAX: usize = 100_000;
/// Maximum number of redirects that are followed from a link to a page of the sample.
const HOPS_MAX: usize = 5;

/// A page of the sample.
#[derive(Debug, Clone)]
pub struct SampledPage {
    /// Its URL.
    pub url: Fingerprint,
    /// Its bag of plain leaf paths.
    pub bag: Vec<LeafPath>,
    /// All its links, U(p, x) for all x.
    pub links: Vec<PlacedLink>,
}

/// D, the training sample: its pages, and the redirects that led to some of them.
#[derive(Debug, Clone, Default)]
pub struct TrainingSample {
    /// The pages, in the order of their fetches.
    pub pages: Vec<SampledPage>,
    /// The targets of redirects that were seen.
    pub redirects: HashMap<Fingerprint, Fingerprint, FixedState>,
}

impl TrainingSample {
    /// The positions of pages by URL.
    fn index(&self) -> HashMap<Fingerprint, usize, FixedState> {
        self.pages.iter().enumerate().map(|(at, page)| (page.url, at)).collect()
    }
}

/// The sample's pages as vectors, and their clusters.
#[derive(Debug, Clone)]
pub struct Clustering {
    /// The features.
    pub vocabulary: Vocabulary,
    /// The vector of each page.
    pub vectors: Vec<SparseVector>,
    /// The cluster of each page.
    pub labels: Vec<Label>,
    /// DBSCAN's radius.
    pub radius: f32,
    /// The number of clusters.
    pub clusters: usize,
}

impl Clustering {
    /// Clusters the pages: eq. 1 and 2, eps, DBSCAN.
    pub fn of(pages: &[SampledPage], options: &EpsOptions) -> Self {
        let vocabulary = Vocabulary::learn(pages.iter().map(|page| page.bag.as_slice()), THETA);
        let vectors: Vec<SparseVector> = pages.iter().map(|page| vocabulary.weigh(&page.bag)).collect();
        let distances = Distances::between(&vectors);
        let radius = eps(&distances, vocabulary.len(), options);
        let labels = dbscan(&distances, radius, MIN_PTS);
        let clusters = labels.iter().flatten().max().map_or(0, |last| *last as usize + 1);
        Self { vocabulary, vectors, labels, radius, clusters }
    }
}

/// The navigation table of a clustered sample (eq. 4 and 5).
pub fn navigation(sample: &TrainingSample, labels: &[Label], options: &SourceOptions) -> NavigationTable {
    let mut table = NavigationTable::new(options.navigation, PLACES_MAX);
    let index = sample.index();
    for (page, source) in sample.pages.iter().zip(labels) {
        for link in &page.links {
            let place = LinkPlace { source: *source, apath: link.apath };
            table.add_links(place, 1);
            if let Some(at) = landing(link.url, sample, &index) {
                table.add_destinations(place, labels[at], 1);
            }
        }
    }
    table
}

/// The page of the sample that a URL leads to.
fn landing(
    url: Fingerprint,
    sample: &TrainingSample,
    index: &HashMap<Fingerprint, usize, FixedState>,
) -> Option<usize> {
    let mut at = url;
    for _ in 0..HOPS_MAX {
        match index.get(&at) {
            Some(page) => return Some(*page),
            None => at = *sample.redirects.get(&at)?,
        }
    }
    None
}

/// The number of latest pages, outliers left out, without a new place.
pub fn pages_without_a_new_place(pages: &[SampledPage], labels: &[Label]) -> usize {
    let mut known = BTreeSet::new();
    let mut without = 0;
    for (page, label) in pages.iter().zip(labels).filter(|(_, label)| label.is_some()) {
        let before = known.len();
        known.extend(page.links.iter().map(|link| LinkPlace { source: *label, apath: link.apath }));
        without = if known.len() > before { 0 } else { without + 1 };
    }
    without
}

/// The public number of a label: 0 is a page that was not classified, 1 an outlier, clusters follow.
pub(super) fn cluster_id(label: Label) -> ClusterId {
    ClusterId(label.map_or(1, |cluster| cluster + 2))
}

/// The label with this public number.
pub(super) fn label(cluster: ClusterId) -> Label {
    cluster.0.checked_sub(2)
}
