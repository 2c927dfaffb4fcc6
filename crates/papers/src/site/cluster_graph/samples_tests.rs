//! Samples for tests.

use proptest::prelude::*;

use super::*;
use harvestman_core::model::PolicyRefusal;

/// Returns a page with this URL and these links: URLs are numbered, and each hundred is a cluster.
pub(super) fn page(url: u64, links: &[u64]) -> GraphPage {
    GraphPage { url, cluster: cluster_of(url), leads_to: links.to_vec() }
}

/// Returns the cluster of a URL; URLs from 9,000 on belong to none.
pub(super) fn cluster_of(url: u64) -> Option<Cluster> {
    (url < 9_000).then(|| Cluster(u32::try_from(url / 100).unwrap()))
}

pub(super) fn pruned(graph: &ClusterGraph) -> Vec<Option<PolicyRefusal>> {
    graph.nodes().iter().map(|node| node.pruned).collect()
}

/// Returns the kept edges as pairs.
pub(super) fn kept(graph: &ClusterGraph) -> Vec<(u32, u32)> {
    graph.edges().iter().filter(|edge| edge.kept).map(|edge| (edge.from.0, edge.to.0)).collect()
}

/// Returns pages of up to six clusters with up to five URLs each, and of none.
pub(super) fn samples() -> impl Strategy<Value = Vec<GraphPage>> {
    let url =
        || (0..7_u64, 0..5_u64).prop_map(|(cluster, url)| if cluster == 6 { 9_000 + url } else { cluster * 100 + url });
    let page = (url(), proptest::collection::vec(url(), 0..7)).prop_map(|(url, links)| page(url, &links));
    let distinct = |pages: Vec<GraphPage>| {
        let mut known = std::collections::HashSet::new();
        pages.into_iter().filter(|page| known.insert(page.url)).collect()
    };
    proptest::collection::vec(page, 0..25).prop_map(distinct)
}
