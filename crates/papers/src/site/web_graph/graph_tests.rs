use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::made::{Made, link, made, nodes, url};
use super::*;
use harvestman_core::model::Apath;

#[test]
fn a_page_that_links_twice_to_a_url_has_one_successor_and_two_places() {
    let mut graph = WebGraph::default();
    let at = |to, apath| WebLink { apath: Apath(apath), parent: 4, grandparent: 3, ..link(to) };
    let page = graph.visit(url(0), [at(1, 50), at(0, 50), at(1, 51), at(2, 50)]).unwrap();
    let [one, two] = nodes(&graph, &[1, 2])[..] else { unreachable!() };
    assert_eq!(graph.successors(page).collect::<Vec<_>>(), [one, two]);
    assert_eq!((graph.outdegree(page), graph.edges(), graph.nodes()), (2, 3, 3));
    let places: Vec<(u32, Apath)> = graph.links(page).map(|edge| (edge.to, edge.apath)).collect();
    assert_eq!(places, [(one, Apath(50)), (one, Apath(51)), (two, Apath(50))]);
    assert!(graph.links(page).all(|edge| (edge.parent, edge.grandparent) == (4, 3)));
    assert_eq!(graph.predecessors(one).collect::<Vec<_>>(), [page]);
}

#[test]
fn the_first_visit_of_a_page_counts() {
    let mut graph = WebGraph::default();
    let page = graph.visit(url(0), [link(1)]).unwrap();
    assert_eq!(graph.visit(url(0), [link(2), link(3)]), Some(page));
    assert_eq!((graph.nodes(), graph.edges()), (2, 1));
}

#[test]
fn a_hub_is_a_visited_page_that_links_to_two_known_authorities_and_is_none() {
    let mut graph = Made::new(&[(0, &[1, 2]), (1, &[0, 2, 3]), (4, &[1, 1])], &[]).whole();
    let [list, one, two, three, four] = nodes(&graph, &[0, 1, 2, 3, 4])[..] else { unreachable!() };
    graph.accept(two);
    graph.accept(two);
    assert_eq!((graph.authorities(), graph.hubs_found()), (&[two][..], 0));
    graph.accept(one);
    assert!(graph.is_hub(list) && !graph.is_hub(four), "the same authority twice");
    graph.accept(three);
    assert!(!graph.is_hub(one), "an authority is no hub");
    graph.accept(list);
    assert_eq!((graph.hubs().count(), graph.hubs_found()), (0, 1));
    graph.accept(99);
    assert_eq!(graph.authorities().len(), 4, "there is no such node");
}

#[test]
fn what_does_not_fit_is_counted() {
    let mut graph = WebGraph::new(GraphLimits { nodes_max: 3, edges_max: 3 });
    graph.visit(url(0), [link(1), link(2), link(3), link(1), link(2)]);
    assert_eq!((graph.nodes(), graph.edges()), (3, 3));
    assert_eq!(graph.left_out(), LeftOut { nodes: 1, edges: 1 });
    assert_eq!(graph.visit(url(9), [link(0)]), None);
    assert_eq!(graph.visit(url(1), [link(0)]), graph.node(url(1)));
    assert_eq!(graph.left_out(), LeftOut { nodes: 2, edges: 2 });
    assert_eq!(WebGraph::new(GraphLimits { nodes_max: 0, edges_max: 0 }).enter(url(1)), None);
}

#[test]
fn unknown_nodes_have_nothing() {
    let graph = WebGraph::default();
    assert_eq!((graph.successors(5).count(), graph.predecessors(5).count(), graph.links(5).count()), (0, 0, 0));
    assert_eq!((graph.url(5), graph.node(url(5)), graph.outdegree(5)), (None, None, 0));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_is_the_graph_that_maps_of_sets_describe(made in made(), early in 0..30_u32) {
        let mut graph = WebGraph::default();
        let known = graph.enter(url(early)).unwrap();
        graph.accept(known);
        made.pages.iter().for_each(|page| super::made::add(&mut graph, page));

        let links: BTreeMap<u32, BTreeSet<u32>> =
            made.pages.iter().map(|(page, to, _)| (*page, to.iter().copied().filter(|to| to != page).collect())).collect();
        let accepted: BTreeSet<u32> =
            made.pages.iter().filter(|page| page.2).map(|page| page.0).chain([early]).collect();
        let page_of = |node: u32| (graph.url(node).unwrap().0 - 1_000) as u32;
        let pages = |nodes: Vec<u32>| nodes.into_iter().map(page_of).collect::<BTreeSet<u32>>();
        for node in 0..graph.nodes() {
            let page = page_of(node);
            let to = links.get(&page).cloned().unwrap_or_default();
            prop_assert_eq!(graph.outdegree(node) as usize, to.len());
            prop_assert_eq!(graph.successors(node).count(), to.len());
            prop_assert_eq!(pages(graph.successors(node).collect()), to.clone());
            let from: BTreeSet<u32> = links.iter().filter(|(_, to)| to.contains(&page)).map(|(from, _)| *from).collect();
            prop_assert_eq!(graph.predecessors(node).count(), from.len());
            prop_assert_eq!(pages(graph.predecessors(node).collect()), from);
            let is_hub = !accepted.contains(&page) && to.intersection(&accepted).count() >= 2;
            prop_assert_eq!(graph.is_hub(node), is_hub);
            prop_assert_eq!(graph.hubs().any(|hub| hub == node), is_hub);
        }
        prop_assert_eq!(pages(graph.authorities().to_vec()), accepted);
        let distinct: BTreeSet<u32> = graph.hubs().collect();
        prop_assert_eq!(distinct.len(), graph.hubs().count(), "each hub once");
    }
}
