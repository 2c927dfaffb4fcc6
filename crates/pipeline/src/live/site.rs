//! The site map of what a policy knows. Pure.

use std::collections::BTreeMap;

use harvestman_core::model::ClusterId;
use harvestman_policy::learned::{ClusterFacts, Facts, LinkFacts};
use harvestman_policy::steering::{Steering, Target};
use harvestman_report::live::{LedTo, NODES, NodeKind, SiteEdge, SiteLinks, SiteMap, SiteNode};

/// The number of link classes that are shown per node.
const LINKS: usize = 10;

/// Returns the site map of `facts`. `spell` returns the pattern of a URL.
pub(super) fn site_map(facts: &Facts, steering: &Steering, spell: impl Fn(&str) -> Option<String>) -> SiteMap {
    let mut nodes: Vec<SiteNode> = facts.clusters.iter().map(of_cluster).collect();
    nodes.sort_by(|a, b| b.pages.cmp(&a.pages).then(a.id.cmp(&b.id)));
    let left_out = nodes.len().saturating_sub(NODES);
    nodes.truncate(NODES);
    for node in &mut nodes {
        let meant = |targets: &[Target]| targets.contains(&Target::Cluster(ClusterId(node.id)));
        (node.pinned, node.banned) = (meant(&steering.pinned), meant(&steering.banned));
        if node.pattern.is_none() {
            node.pattern = node.examples.first().and_then(|url| spell(url));
        }
    }
    let shown = |id: u32| nodes.iter().any(|node| node.id == id);
    let edges = facts.clusters.iter().flat_map(edges_of_cluster);
    let edges = edges.filter(|edge| shown(edge.from) && shown(edge.to)).collect();
    SiteMap { kind: NodeKind::Clusters, note: None, edges, left_out, nodes }
}

fn of_cluster(cluster: &ClusterFacts) -> SiteNode {
    SiteNode {
        id: cluster.cluster.0,
        pages: cluster.pages,
        worth: Some(cluster.worth).filter(|worth| worth.is_finite()),
        title: cluster.title.clone(),
        examples: cluster.examples.clone(),
        links: cluster.classes.iter().take(LINKS).map(of_links).collect(),
        ..SiteNode::default()
    }
}

fn of_links(class: &LinkFacts) -> SiteLinks {
    SiteLinks {
        place: class.apath_text.clone().unwrap_or_else(|| format!("#{:016x}", class.apath.0)),
        pattern: class.pattern.clone(),
        refused: class.refused,
        share: class.share,
        leads_to: class
            .leads_to
            .iter()
            .map(|followed| LedTo { cluster: followed.cluster.map(|cluster| cluster.0), fetches: followed.fetches })
            .collect(),
    }
}

/// Returns the links of a cluster that were followed, by where they led.
fn edges_of_cluster(cluster: &ClusterFacts) -> Vec<SiteEdge> {
    let mut followed: BTreeMap<ClusterId, u64> = BTreeMap::new();
    let mut all = 0;
    for destination in cluster.classes.iter().flat_map(|class| &class.leads_to) {
        all += destination.fetches;
        if let Some(to) = destination.cluster {
            *followed.entry(to).or_default() += destination.fetches;
        }
    }
    let from = cluster.cluster.0;
    let edge =
        |(to, fetches): (ClusterId, u64)| SiteEdge { from, to: to.0, fetches, share: fetches as f64 / all as f64 };
    followed.into_iter().map(edge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::Apath;
    use harvestman_policy::learned::Destination;

    fn cluster(id: u32, pages: u64, leads_to: &[(Option<u32>, u64)]) -> ClusterFacts {
        let followed = |(cluster, fetches): &(Option<u32>, u64)| Destination {
            cluster: cluster.map(ClusterId),
            fetches: *fetches,
        };
        let class = LinkFacts {
            apath: Apath(7),
            apath_text: None,
            pattern: "/t/N".to_owned(),
            share: 1.0,
            leads_to: leads_to.iter().map(followed).collect(),
            refused: id == 2,
        };
        ClusterFacts {
            cluster: ClusterId(id),
            pages,
            worth: 0.5,
            examples: vec![format!("http://h.test/{id}")],
            title: None,
            links: 9,
            classes: vec![class.clone(), class],
        }
    }

    #[test]
    fn nodes_are_sorted_by_pages_and_edges_have_their_share_of_followed_links() {
        let facts =
            Facts { clusters: vec![cluster(2, 5, &[(Some(3), 3), (None, 1)]), cluster(3, 9, &[])], ..Facts::default() };
        let steering = Steering { banned: vec![Target::Cluster(ClusterId(2))], pinned: Vec::new() };
        let map = site_map(&facts, &steering, |url| Some(url.replace("http://h.test", "")));
        let nodes: Vec<_> = map.nodes.iter().map(|node| (node.id, node.banned, node.pattern.as_deref())).collect();
        assert_eq!(nodes, [(3, false, Some("/3")), (2, true, Some("/2"))]);
        assert_eq!(map.edges, [SiteEdge { from: 2, to: 3, fetches: 6, share: 0.75 }]);
        assert_eq!((map.kind, map.left_out), (NodeKind::Clusters, 0));
        let links = &map.nodes[1].links[0];
        assert_eq!((links.place.as_str(), links.refused), ("#0000000000000007", true));
    }

    #[test]
    fn the_largest_nodes_and_the_edges_between_them_are_shown() {
        let clusters = (0..100).map(|id| cluster(id, u64::from(id), &[(Some(99 - id), 1)])).collect();
        let map = site_map(&Facts { clusters, ..Facts::default() }, &Steering::default(), |_| None);
        assert_eq!((map.nodes.len(), map.left_out, map.nodes[0].id), (NODES, 100 - NODES, 99));
        assert_eq!(map.edges.len(), 20, "40 to 59, both ends of which are shown");
    }
}
