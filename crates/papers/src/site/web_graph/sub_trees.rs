//! The parts of a hub that contain its links to authorities (xCrawl 2009, section 4, `DownloadAllAuthorities`).
//!
//! The paper takes the DOM parents of the links that lead to known authorities, and every link in these sub-trees. It
//! does not say which ancestor is the parent of a list whose links each have an element of their own.

use std::collections::BTreeSet;

use super::{PlacedEdge, WebGraph};

/// Which links are in the same part of a hub as a link to an authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SubTreeRule {
    /// Those with the same Apath: all lists of the same form.
    #[default]
    SamePath,
    /// Those in the element that contains the link to the authority (`<p><a><a>`).
    Parent,
    /// Those in the parent of that element (`<ul><li><a><li><a>`).
    Grandparent,
}

/// Returns the nodes that the links in the sub-trees of `hub` lead to, in page order, each once: known authorities,
/// visited pages and unvisited URLs. Of elements two levels are known: a link is in an element that is its parent or
/// its grandparent. O(links of the hub).
pub fn sub_trees(graph: &WebGraph, hub: u32, rule: SubTreeRule) -> Vec<u32> {
    let roots: BTreeSet<u64> =
        graph.links(hub).filter(|edge| graph.is_authority(edge.to)).filter_map(|edge| root(&edge, rule)).collect();
    let mut listed = BTreeSet::new();
    let within = graph.links(hub).filter(|edge| is_within(edge, &roots, rule));
    within.filter(|edge| listed.insert(edge.to)).map(|edge| edge.to).collect()
}

/// The sub-tree that a link to an authority marks; `None` if its elements are unknown.
fn root(edge: &PlacedEdge, rule: SubTreeRule) -> Option<u64> {
    match rule {
        SubTreeRule::SamePath => Some(edge.apath.0),
        _ if !has_elements(edge) => None,
        SubTreeRule::Parent => Some(edge.parent.into()),
        SubTreeRule::Grandparent => Some(edge.grandparent.into()),
    }
}

fn is_within(edge: &PlacedEdge, roots: &BTreeSet<u64>, rule: SubTreeRule) -> bool {
    match rule {
        SubTreeRule::SamePath => roots.contains(&edge.apath.0),
        SubTreeRule::Parent | SubTreeRule::Grandparent => {
            has_elements(edge) && [edge.parent, edge.grandparent].iter().any(|node| roots.contains(&u64::from(*node)))
        }
    }
}

const fn has_elements(edge: &PlacedEdge) -> bool {
    edge.parent != 0 || edge.grandparent != 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::site::web_graph::WebLink;
    use crate::site::web_graph::made::{link, nodes, url};
    use harvestman_core::model::Apath;

    fn at(to: u32, apath: u64, grandparent: u32, parent: u32) -> WebLink {
        WebLink { apath: Apath(apath), parent, grandparent, ..link(to) }
    }

    /// Two lists of the same form, `ul#3 > li > a` and `ul#9 > li > a`, the first with a second link in an item, and a
    /// menu. 1 is an authority.
    fn hub() -> (WebGraph, u32) {
        let mut graph = WebGraph::default();
        let links =
            [at(1, 50, 3, 4), at(2, 51, 3, 4), at(3, 50, 3, 5), at(4, 50, 9, 10), at(5, 60, 1, 2), at(3, 60, 1, 2)];
        let hub = graph.visit(url(0), links).unwrap();
        let authority = graph.node(url(1)).unwrap();
        graph.accept(authority);
        (graph, hub)
    }

    #[test]
    fn each_rule_takes_another_part_of_the_page() {
        let (graph, hub) = hub();
        let of = |rule| sub_trees(&graph, hub, rule);
        assert_eq!(of(SubTreeRule::SamePath), nodes(&graph, &[1, 3, 4]), "both lists, first links of items");
        assert_eq!(of(SubTreeRule::Parent), nodes(&graph, &[1, 2]), "the item");
        assert_eq!(of(SubTreeRule::Grandparent), nodes(&graph, &[1, 2, 3]), "the list");
    }

    #[test]
    fn links_whose_elements_are_unknown_are_in_no_element() {
        let mut graph = WebGraph::default();
        let hub = graph.visit(url(0), [at(1, 50, 0, 0), at(2, 50, 0, 0), at(3, 51, 0, 1)]).unwrap();
        assert!(sub_trees(&graph, hub, SubTreeRule::SamePath).is_empty(), "no authority");
        let authority = graph.node(url(1)).unwrap();
        graph.accept(authority);
        assert_eq!(sub_trees(&graph, hub, SubTreeRule::SamePath), nodes(&graph, &[1, 2]));
        assert!(sub_trees(&graph, hub, SubTreeRule::Parent).is_empty());
        assert!(sub_trees(&graph, 77, SubTreeRule::Parent).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_node_is_listed_if_one_of_its_links_is_beside_one_to_an_authority(
            links in prop::collection::vec((1..9_u32, 50..53_u64, 0..4_u32, 0..4_u32), 0..12),
            accepted in prop::collection::btree_set(1..9_u32, 0..4),
        ) {
            let mut graph = WebGraph::default();
            let hub = graph.visit(url(0), links.iter().map(|l| at(l.0, l.1, l.2, l.3))).unwrap();
            for page in &accepted {
                let node = graph.enter(url(*page)).unwrap();
                graph.accept(node);
            }
            for rule in [SubTreeRule::SamePath, SubTreeRule::Parent, SubTreeRule::Grandparent] {
                // The reference implementation compares each link with each other.
                let beside = |one: &(u32, u64, u32, u32), other: &(u32, u64, u32, u32)| match rule {
                    SubTreeRule::SamePath => one.1 == other.1,
                    _ if (one.2, one.3) == (0, 0) || (other.2, other.3) == (0, 0) => false,
                    SubTreeRule::Parent => other.3 == one.3 || other.3 == one.2,
                    SubTreeRule::Grandparent => other.2 == one.3 || other.2 == one.2,
                };
                let to_authority = || links.iter().filter(|link| accepted.contains(&link.0));
                let mut wanted: Vec<u32> = Vec::new();
                for link in &links {
                    if !wanted.contains(&link.0) && to_authority().any(|other| beside(link, other)) {
                        wanted.push(link.0);
                    }
                }
                prop_assert_eq!(sub_trees(&graph, hub, rule), nodes(&graph, &wanted));
            }
        }
    }
}
