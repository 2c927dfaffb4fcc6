//! Samples for tests.

use proptest::prelude::*;

use super::*;

/// Returns a page with this URL and these links: URLs are numbered, and each hundred is a cluster.
pub(super) fn page(url: u64, links: &[u64]) -> GraphPage {
    let links = links.iter().map(|url| link(*url)).collect();
    GraphPage { url, cluster: cluster_of(url), content: Some(url), links, ..GraphPage::default() }
}

pub(super) fn link(url: u64) -> GraphLink {
    GraphLink { url, cluster: cluster_of(url) }
}

/// Returns the cluster of a URL; URLs from 9,000 on belong to none.
fn cluster_of(url: u64) -> Option<Cluster> {
    (url < 9_000).then(|| Cluster(u32::try_from(url / 100).unwrap()))
}

pub(super) fn showing(url: u64, content: u64) -> GraphPage {
    GraphPage { content: Some(content), ..page(url, &[]) }
}

pub(super) fn redirect(url: u64, to: u64) -> GraphPage {
    GraphPage { content: None, redirects_to: Some(link(to)), ..page(url, &[]) }
}

pub(super) fn standings(graph: &ClusterGraph) -> Vec<Standing> {
    graph.nodes().iter().map(|node| node.standing).collect()
}

/// Returns the kept edges as pairs.
pub(super) fn kept(graph: &ClusterGraph) -> Vec<(u32, u32)> {
    graph.edges().iter().filter(|edge| edge.kept).map(|edge| (edge.from.0, edge.to.0)).collect()
}

/// Returns pages of up to six clusters with up to five URLs each, and of none.
pub(super) fn samples() -> impl Strategy<Value = Vec<GraphPage>> {
    let url =
        || (0..7_u64, 0..5_u64).prop_map(|(cluster, url)| if cluster == 6 { 9_000 + url } else { cluster * 100 + url });
    let content = proptest::option::weighted(0.9, 0..20_u64);
    let redirect = proptest::option::weighted(0.2, url());
    let page = (url(), content, redirect, proptest::collection::vec(url(), 0..6), 0..2_u32);
    let page = page.prop_map(|(url, content, redirect, links, detours)| GraphPage {
        content,
        redirects_to: redirect.map(link),
        detours,
        ..self::page(url, &links)
    });
    let distinct = |pages: Vec<GraphPage>| {
        let mut known = std::collections::HashSet::new();
        pages.into_iter().filter(|page| known.insert(page.url)).collect()
    };
    proptest::collection::vec(page, 0..25).prop_map(distinct)
}

pub(super) fn variants() -> [PruneOptions; 4] {
    let content = PruneOptions::default();
    let links = PruneOptions::paper();
    [
        content,
        links,
        PruneOptions { coverage: Some(0.6), reach: Reach::Always, ..content },
        PruneOptions { reach: Reach::Always, ..links },
    ]
}
