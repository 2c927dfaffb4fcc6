//! Construction of the graph from pages, with the URLs behind each edge.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::graph::{Cluster, ClusterGraph, GraphEdge, GraphNode, GraphPage};

/// The graph before pruning, and the further data that pruning needs.
pub(super) struct WholeGraph {
    pub(super) graph: ClusterGraph,
    /// For each edge, the URLs of its target cluster that it leads to, numbered within the cluster.
    pub(super) reached: Vec<Box<[u32]>>,
}

/// The URLs of the clusters.
struct Members {
    /// The cluster of each URL, and its number there.
    places: HashMap<u64, (Cluster, u32)>,
    sizes: Vec<u32>,
}

impl Members {
    fn of(pages: &[&GraphPage], clusters: usize) -> Self {
        let mut members = Self { places: HashMap::new(), sizes: vec![0; clusters] };
        for page in pages {
            let Some(cluster) = page.cluster else { continue };
            let Some(size) = members.sizes.get_mut(cluster.index()) else { continue };
            members.places.insert(page.url, (cluster, *size));
            *size += 1;
        }
        members
    }
}

impl WholeGraph {
    /// Builds the graph (section 4.3): an edge is visible only if both ends were fetched. If a URL occurs more than
    /// once, only its first page counts. O(links).
    pub(super) fn new(sample: &[GraphPage], clusters: usize) -> Self {
        let mut known = HashSet::with_capacity(sample.len());
        let pages: Vec<_> = sample.iter().filter(|page| known.insert(page.url)).collect();
        let members = Members::of(&pages, clusters);
        let new = |size: &u32| GraphNode { size: *size, links_in: 0, pruned: None };
        let mut nodes: Vec<_> = members.sizes.iter().map(new).collect();
        let mut targets: BTreeMap<(Cluster, Cluster), HashSet<u32>> = BTreeMap::new();
        for page in &pages {
            let Some((from, _)) = members.places.get(&page.url) else { continue };
            let mut urls = HashSet::from([page.url]);
            for url in page.leads_to.iter().filter(|url| urls.insert(**url)) {
                let Some((to, number)) = members.places.get(url) else { continue };
                nodes[to.index()].links_in += 1;
                targets.entry((*from, *to)).or_default().insert(*number);
            }
        }
        let edges = targets.keys().map(|(from, to)| GraphEdge { from: *from, to: *to, kept: true }).collect();
        let reached = targets.into_values().map(|urls| urls.into_iter().collect()).collect();
        let pages = u32::try_from(pages.len()).unwrap_or(u32::MAX);
        Self { graph: ClusterGraph { pages, nodes, edges }, reached }
    }
}
