//! The sitemap that iRobot makes of its sample, and the paths through it that it chooses.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use foldhash::fast::FixedState;

use super::regions::{RegionOptions, Regions, single_link};
use super::url_form::url_form;
use harvestman_core::model::{Apath, ClusterId, LeafPath, LinkClass};
use harvestman_core::url::{CanonicalUrl, Fingerprint};
use harvestman_policy::PlacedLink;
use harvestman_structure::site::SparseVector;

/// A page of the sample.
#[derive(Debug)]
pub(super) struct SitemapPage {
    pub url: CanonicalUrl,
    pub bag: Vec<LeafPath>,
    pub links: Vec<PlacedLink>,
    /// A hash of all its texts.
    pub texts: u64,
    pub wanted: bool,
}

/// The sitemap of a site: its vertices (clusters of pages), and the links to follow.
#[derive(Debug)]
pub(super) struct Sitemap {
    regions: Regions,
    /// The distinct vectors of the sample with their clusters.
    known: Vec<(SparseVector, ClusterId)>,
    epsilon: f32,
    clusters: HashMap<Fingerprint, ClusterId, FixedState>,
    /// The links to follow, with the worth of the cluster that they lead to: 1 informative, 0.5 on the way to such a
    /// cluster.
    follow: BTreeMap<LinkClass, f64>,
    /// The places of these links.
    places: BTreeSet<LinkClass>,
}

impl Sitemap {
    /// Makes a sitemap of a sample whose first page is the entry. `None` if no cluster of it is informative.
    pub fn learn(sample: &[SitemapPage], by_content: bool, options: &RegionOptions) -> Option<Self> {
        let bags: Vec<&[LeafPath]> = sample.iter().map(|page| page.bag.as_slice()).collect();
        let regions = Regions::learn(&bags, options);
        let vectors: Vec<SparseVector> = bags.iter().map(|bag| regions.vector(bag)).collect();
        let labels = single_link(&vectors, options.min_epsilon);
        // 0 is the cluster of outliers.
        let of: Vec<ClusterId> = labels.iter().map(|label| ClusterId(label.map_or(0, |label| label + 1))).collect();
        let informative = if by_content { by_weight(sample, &of) } else { by_majority(sample, &of) };
        let entry = *of.first()?;
        let graph = Graph::of(sample, &of);
        let follow = graph.paths(entry, &informative);
        let places = follow.keys().map(|class| LinkClass::at(class.cluster, class.apath)).collect();
        let clusters = sample.iter().map(|page| page.url.fingerprint()).zip(of.iter().copied()).collect();
        let distinct: BTreeMap<Vec<(u32, u32)>, (SparseVector, ClusterId)> =
            vectors.into_iter().zip(of).map(|(vector, cluster)| (bits(&vector), (vector, cluster))).collect();
        let known = distinct.into_values().collect();
        let epsilon = options.min_epsilon;
        (!informative.is_empty()).then_some(Self { regions, known, epsilon, clusters, follow, places })
    }

    /// The cluster of the sample's nearest page, if that is near enough to be of one cluster with it.
    pub fn cluster(&self, bag: &[LeafPath]) -> ClusterId {
        let vector = self.regions.vector(bag);
        let near = self.known.iter().map(|(known, cluster)| (known.distance(&vector), *cluster));
        let nearest = near.min_by(|one, other| one.0.total_cmp(&other.0));
        nearest.filter(|(distance, _)| *distance <= self.epsilon).map_or(ClusterId::UNKNOWN, |(_, cluster)| cluster)
    }

    /// The cluster of a page of the sample.
    pub fn cluster_of_url(&self, url: &str) -> ClusterId {
        self.clusters.get(&Fingerprint::of(url)).copied().unwrap_or_default()
    }

    /// The worth of links of this class; `None`: they are not followed.
    pub fn worth(&self, class: LinkClass) -> Option<f64> {
        self.follow.get(&class).copied()
    }

    /// Whether any links at this place are followed.
    pub fn has_place(&self, class: LinkClass) -> bool {
        self.places.contains(&LinkClass::at(class.cluster, class.apath))
    }
}

fn bits(vector: &SparseVector) -> Vec<(u32, u32)> {
    vector.iter().map(|(feature, weight)| (feature, weight.to_bits())).collect()
}

/// The clusters most of whose pages are wanted.
fn by_majority(sample: &[SitemapPage], of: &[ClusterId]) -> BTreeSet<ClusterId> {
    let mut votes: BTreeMap<ClusterId, i64> = BTreeMap::new();
    for (page, cluster) in sample.iter().zip(of) {
        *votes.entry(*cluster).or_default() += if page.wanted { 1 } else { -1 };
    }
    votes.into_iter().filter(|(_, votes)| *votes > 0).map(|(cluster, _)| cluster).collect()
}

/// The clusters that weigh no less than one geometric standard deviation below the geometric mean. The weight of a
/// cluster is its share of the pages, times the mean size of its pages (in leaves), times the share of its pages that
/// differ in their texts.
#[expect(clippy::cast_precision_loss, reason = "numbers of pages and leaves of a sample")]
fn by_weight(sample: &[SitemapPage], of: &[ClusterId]) -> BTreeSet<ClusterId> {
    let mut clusters: BTreeMap<ClusterId, (u64, u64, BTreeSet<u64>)> = BTreeMap::new();
    for (page, cluster) in sample.iter().zip(of) {
        let (pages, leaves, texts) = clusters.entry(*cluster).or_default();
        *pages += 1;
        *leaves += page.bag.iter().map(|leaf| u64::from(leaf.count)).sum::<u64>();
        texts.insert(page.texts);
    }
    let weigh = |(pages, leaves, texts): &(u64, u64, BTreeSet<u64>)| {
        // Shares and means are products of these three; factors common to all clusters are left out.
        (*leaves.max(&1) as f64 * texts.len() as f64 / *pages as f64).ln()
    };
    let weights: Vec<f64> = clusters.values().map(weigh).collect();
    let count = weights.len().max(1) as f64;
    let mean = weights.iter().sum::<f64>() / count;
    let deviation = (weights.iter().map(|weight| (weight - mean).powi(2)).sum::<f64>() / count).sqrt();
    // A small tolerance, since otherwise rounding would decide where all weigh the same.
    let enough = weights.iter().map(|weight| *weight >= mean - deviation - 1e-9);
    clusters.into_keys().zip(enough).filter(|(_, enough)| *enough).map(|(cluster, _)| cluster).collect()
}

/// The arcs of the sitemap.
#[derive(Debug, Default)]
struct Graph {
    /// The clusters that links of each class led to, with their numbers.
    arcs: BTreeMap<LinkClass, BTreeMap<ClusterId, u32>>,
}

impl Graph {
    /// The arcs between the pages of a sample.
    fn of(sample: &[SitemapPage], of: &[ClusterId]) -> Self {
        let index: HashMap<Fingerprint, usize, FixedState> =
            sample.iter().enumerate().map(|(at, page)| (page.url.fingerprint(), at)).collect();
        let mut graph = Self::default();
        for (page, cluster) in sample.iter().zip(of) {
            for link in &page.links {
                let Some(&target) = index.get(&link.url) else { continue };
                let form = url_form(sample[target].url.as_str());
                let class = LinkClass::at(*cluster, link.apath).with_pattern(form);
                *graph.arcs.entry(class).or_default().entry(of[target]).or_default() += 1;
            }
        }
        graph
    }

    /// The cluster that links of each class lead to most often.
    fn targets(&self) -> impl Iterator<Item = (LinkClass, ClusterId, u32)> + '_ {
        let most = |targets: &BTreeMap<ClusterId, u32>| {
            targets.iter().max_by_key(|(cluster, count)| (**count, std::cmp::Reverse(**cluster))).map(|(c, n)| (*c, *n))
        };
        self.arcs.iter().filter_map(move |(class, targets)| most(targets).map(|(to, count)| (*class, to, count)))
    }

    /// The links on the traversal paths: a breadth-first spanning tree from the entry, reduced to the paths to
    /// informative clusters, and links between pages of one informative cluster, which include those that turn pages.
    fn paths(&self, entry: ClusterId, informative: &BTreeSet<ClusterId>) -> BTreeMap<LinkClass, f64> {
        let parents = self.spanning_tree(entry);
        let mut on_path = BTreeSet::new();
        for cluster in informative {
            let mut at = *cluster;
            while on_path.insert(at) {
                let Some(parent) = parents.get(&at) else { break };
                at = *parent;
            }
        }
        let worth = |to| if informative.contains(&to) { 1.0 } else { 0.5 };
        let follows = |from: ClusterId, to: ClusterId| {
            let turns = from == to && informative.contains(&to);
            on_path.contains(&to) && (turns || parents.get(&to) == Some(&from))
        };
        let targets = self.targets().filter(|(class, to, _)| follows(class.cluster, *to));
        targets.map(|(class, to, _)| (class, worth(to))).collect()
    }

    /// The parent of each cluster that can be reached from the entry; the entry has none.
    fn spanning_tree(&self, entry: ClusterId) -> BTreeMap<ClusterId, ClusterId> {
        let mut edges: BTreeMap<ClusterId, BTreeSet<ClusterId>> = BTreeMap::new();
        for (class, to, _) in self.targets() {
            edges.entry(class.cluster).or_default().insert(to);
        }
        let (mut parents, mut queue) = (BTreeMap::new(), VecDeque::from([entry]));
        while let Some(from) = queue.pop_front() {
            for to in edges.get(&from).into_iter().flatten() {
                if *to != entry && !parents.contains_key(to) {
                    parents.insert(*to, from);
                    queue.push_back(*to);
                }
            }
        }
        parents
    }
}

/// Whether links with this Apath are on no page: the sitemap does not judge them.
pub(super) fn stands_on_no_page(apath: Apath) -> bool {
    [Apath::SEED, Apath::SITEMAP, Apath::REDIRECT, Apath::REFRESH, Apath::FEED].contains(&apath)
}
