//! Construction of the graph from pages, with the URLs behind each edge.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::graph::{ClusterGraph, GraphEdge, GraphNode, Standing};
use super::options::Universe;
use super::sample::{Cluster, GraphLink, GraphPage};

/// The graph before pruning, and the further data that pruning needs.
pub(super) struct Evidence<'a> {
    pub(super) graph: ClusterGraph,
    /// For each edge, the URLs of its target cluster that it leads to, numbered within the cluster.
    pub(super) reached: Vec<Box<[u32]>>,
    /// The sampled pages, each URL once.
    pub(super) pages: Vec<&'a GraphPage>,
}

/// The URLs of the clusters.
struct Members {
    /// The cluster of each URL, and its number there.
    places: HashMap<u64, (Cluster, u32)>,
    sizes: Vec<u32>,
}

impl Members {
    fn add(&mut self, url: u64, cluster: Option<Cluster>) {
        let Some((cluster, size)) = cluster.and_then(|cluster| Some((cluster, self.sizes.get_mut(cluster.index())?)))
        else {
            return;
        };
        self.places.entry(url).or_insert_with(|| {
            *size += 1;
            (cluster, *size - 1)
        });
    }

    fn of(pages: &[&GraphPage], clusters: usize, universe: Universe) -> Self {
        let mut members = Self { places: HashMap::new(), sizes: vec![0; clusters] };
        pages.iter().for_each(|page| members.add(page.url, page.cluster));
        if universe == Universe::Seen {
            let links = pages.iter().flat_map(|page| page.leads_to());
            links.for_each(|link: GraphLink| members.add(link.url, link.cluster));
        }
        members
    }
}

/// The data collected for an edge.
#[derive(Default)]
struct Links {
    sources: u32,
    targets: HashSet<u32>,
}

impl<'a> Evidence<'a> {
    /// Builds the graph (section 4.3). If a URL occurs more than once, only its first page counts. O(links).
    pub(super) fn new(sample: &'a [GraphPage], clusters: usize, universe: Universe) -> Self {
        let mut known = HashSet::with_capacity(sample.len());
        let pages: Vec<_> = sample.iter().filter(|page| known.insert(page.url)).collect();
        let members = Members::of(&pages, clusters, universe);
        let new = |size: &u32| GraphNode { size: *size, links_in: 0, standing: Standing::Kept };
        let mut nodes: Vec<_> = members.sizes.iter().map(new).collect();
        let mut edges: BTreeMap<(Cluster, Cluster), Links> = BTreeMap::new();
        for page in &pages {
            let Some((from, _)) = members.places.get(&page.url) else { continue };
            let mut urls = HashSet::new();
            let mut led_to = HashSet::new();
            for link in page.leads_to().filter(|link| urls.insert(link.url)) {
                let Some((to, url)) = members.places.get(&link.url) else { continue };
                nodes[to.index()].links_in += 1;
                let edge = edges.entry((*from, *to)).or_default();
                edge.sources += u32::from(led_to.insert(*to));
                edge.targets.insert(*url);
            }
        }
        let pages_count = u32::try_from(pages.len()).unwrap_or(u32::MAX);
        let (edges, reached) = edges.into_iter().map(finished).unzip();
        Self { graph: ClusterGraph { pages: pages_count, nodes, edges }, reached, pages }
    }
}

fn finished(((from, to), links): ((Cluster, Cluster), Links)) -> (GraphEdge, Box<[u32]>) {
    let mut reached: Box<[u32]> = links.targets.into_iter().collect();
    reached.sort_unstable();
    let targets = u32::try_from(reached.len()).expect("URLs of a cluster are numbered by u32");
    (GraphEdge { from, to, sources: links.sources, targets, kept: true }, reached)
}
