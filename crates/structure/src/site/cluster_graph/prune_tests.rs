use proptest::prelude::*;

use super::samples_tests::*;
use super::*;

const KEPT: Standing = Standing::Kept;

fn paper(sample: &[GraphPage], clusters: usize) -> ClusterGraph {
    ClusterGraph::learn(sample, clusters, &[], &PruneOptions::paper())
}

/// Returns the first pages of a cluster, each with these links.
fn pages(cluster: u64, count: u64, links: &[u64]) -> Vec<GraphPage> {
    (0..count).map(|url| page(100 * cluster + url, links)).collect()
}

fn urls(cluster: u64, count: u64) -> Vec<u64> {
    (0..count).map(|url| 100 * cluster + url).collect()
}

#[test]
fn an_edge_says_how_many_urls_link_and_how_many_are_linked_to() {
    let sample = [
        page(0, &[100, 101, 100, 0]),
        page(1, &[100, 199, 9_000]),
        page(100, &[101]),
        page(101, &[]),
        page(102, &[]),
        page(100, &[0, 1]),
    ];
    let graph = ClusterGraph::whole(&sample, 2, Universe::Sampled);
    let edge =
        |from, to, sources, targets| GraphEdge { from: Cluster(from), to: Cluster(to), sources, targets, kept: true };
    assert_eq!(graph.edges(), [edge(0, 1, 2, 2), edge(1, 1, 1, 1)]);
    assert_eq!(graph.nodes().iter().map(|node| (node.size, node.links_in)).collect::<Vec<_>>(), [(2, 0), (3, 4)]);
    assert_eq!(graph.pages(), 5, "a URL counts once");
    // With all URLs that were seen there is one more, 199.
    let graph = ClusterGraph::whole(&sample, 2, Universe::Seen);
    assert_eq!(graph.edges(), [edge(0, 1, 2, 3), edge(1, 1, 1, 1)]);
    assert_eq!(graph.nodes()[1].size, 4);
}

#[test]
fn of_two_orders_of_the_same_posts_one_is_deleted_as_in_the_paper() {
    // A start page; posts by date, which reach 6 of them; by topic, which reach all; posts; two clusters besides.
    let mut sample = vec![page(0, &[100, 101, 200, 201, 400, 500])];
    sample.extend(pages(1, 2, &urls(3, 6)));
    sample.extend(pages(2, 2, &urls(3, 10)));
    sample.extend([pages(3, 10, &[]), pages(4, 3, &[]), pages(5, 3, &[])].concat());
    let graph = paper(&sample, 6);
    let duplicate = Standing::Pruned(GraphReason::DuplicateContent);
    assert_eq!(standings(&graph), [KEPT, duplicate, KEPT, KEPT, KEPT, KEPT]);
    assert_eq!(kept(&graph), [(0, 2), (0, 4), (0, 5), (2, 3)]);
    let decide = |from, to| graph.decide(Some(Cluster(from)), Some(Cluster(to)));
    assert_eq!(decide(0, 1), Err(GraphReason::DuplicateContent));
    assert_eq!(decide(1, 3), Err(GraphReason::NoEdge));
    assert_eq!(decide(2, 3), Ok(()));
    assert_eq!(graph.decide(Some(Cluster(2)), None), Err(GraphReason::NoCluster));
    assert_eq!(graph.decide(None, Some(Cluster(3))), Ok(()), "a page without a cluster passes");
    assert_eq!(graph.decide(None, Some(Cluster(1))), Err(GraphReason::DuplicateContent));
    assert_eq!(graph.decide(Some(Cluster(9)), Some(Cluster(3))), Ok(()), "so does one whose cluster is unknown");
    assert_eq!(decide(2, 9), Err(GraphReason::NoCluster));
}

#[test]
fn a_list_that_still_leads_elsewhere_is_no_duplicate() {
    let mut sample = vec![page(0, &[100, 101, 200, 201, 500])];
    sample.extend(pages(1, 2, &[urls(3, 6), urls(4, 3)].concat()));
    sample.extend(pages(2, 2, &urls(3, 10)));
    sample.extend([pages(3, 10, &[]), pages(4, 3, &[]), pages(5, 3, &[])].concat());
    assert_eq!(standings(&paper(&sample, 6)), [KEPT; 6]);
}

#[test]
fn of_two_clusters_that_lead_to_each_other_one_stays() {
    let mut sample = vec![page(0, &[100, 101, 200, 201])];
    sample.extend([pages(1, 2, &[200]), pages(2, 2, &[100]), pages(3, 5, &[]), pages(4, 5, &[])].concat());
    let graph = paper(&sample, 5);
    assert_eq!(standings(&graph), [KEPT, Standing::Pruned(GraphReason::DuplicateContent), KEPT, KEPT, KEPT]);
}

/// Returns four clusters of two pages, of which the pages in `linking` link to a fifth.
fn footer(linking: &[u64]) -> ClusterGraph {
    let link = |url: &u64| page(*url, if linking.contains(url) { &[400, 401] } else { &[] });
    let mut sample: Vec<_> = [0, 1, 100, 101, 200, 201, 300, 301].iter().map(link).collect();
    sample.extend(pages(4, 2, &[]));
    paper(&sample, 5)
}

#[test]
fn what_more_than_half_of_the_clusters_and_pages_link_to_is_a_footer() {
    let pruned = Standing::Pruned(GraphReason::HeaderFooter);
    // Ten pages: six links from three of four clusters.
    assert_eq!(standings(&footer(&[0, 100, 200]))[4], pruned);
    assert!(kept(&footer(&[0, 100, 200])).is_empty(), "its edges go with it");
    // Six links from two of four clusters are not enough, nor five pages' worth of links.
    assert_eq!(standings(&footer(&[0, 100, 101]))[4], KEPT);
    let mut five_links: Vec<_> = [0, 1, 100, 101, 200, 201, 300, 301].iter().map(|url| page(*url, &[])).collect();
    [0, 2, 4].iter().for_each(|place| five_links[*place].links = vec![link(400)]);
    five_links[1].links = vec![link(400), link(401)];
    five_links.extend(pages(4, 2, &[]));
    assert_eq!(standings(&paper(&five_links, 5))[4], KEPT);
}

/// Returns eleven clusters of ten pages in a ring, of which the last reaches half of the first, and one of one page,
/// which the first page links to.
fn ring(links: &[u64]) -> ClusterGraph {
    let ring = |cluster| pages(cluster, 10, &urls((cluster + 1) % 11, if cluster == 10 { 5 } else { 10 }));
    let mut sample: Vec<_> = (0..11).flat_map(ring).collect();
    sample[0].links.push(link(1_100));
    sample.push(page(1_100, links));
    paper(&sample, 12)
}

#[test]
fn a_small_cluster_that_leads_nowhere_is_uninformative() {
    let mut wanted = [KEPT; 12];
    assert_eq!(standings(&ring(&urls(0, 10))), wanted, "it leads somewhere");
    wanted[11] = Standing::Pruned(GraphReason::Uninformative);
    assert_eq!(standings(&ring(&[100])), wanted, "nothing needs the edge out of it");
    assert_eq!(standings(&ring(&[])), wanted);
}

#[test]
fn without_pages_clusters_or_edges_nothing_is_pruned_and_nothing_fails() {
    for options in variants() {
        let graph = ClusterGraph::learn(&[], 0, &[1], &options);
        assert_eq!(graph.decide(None, Some(Cluster(0))), Err(GraphReason::NoCluster));
        assert_eq!(graph.filter().decide(None, Some(Cluster(0))), Err(GraphReason::NoCluster));
        assert_eq!(standings(&ClusterGraph::learn(&[], 3, &[], &options)), [KEPT; 3]);
        let alone = ClusterGraph::learn(&pages(0, 3, &urls(0, 3)), 1, &[0], &options);
        assert_eq!((standings(&alone), kept(&alone)), (vec![KEPT], vec![(0, 0)]));
        let apart = ClusterGraph::learn(&[pages(0, 2, &[]), pages(1, 2, &[])].concat(), 2, &[0], &options);
        assert_eq!((standings(&apart), kept(&apart)), (vec![KEPT; 2], vec![]));
    }
}

#[test]
fn clusters_beyond_the_bound_count_as_none() {
    let sample = [page(0, &[700]), page(700, &[0])];
    let graph = ClusterGraph::whole(&sample, 1, Universe::Seen);
    assert!(graph.edges().is_empty());
    assert_eq!(graph.pages(), 2);
    assert_eq!(ClusterGraph::whole(&sample, usize::MAX, Universe::Seen).nodes().len(), CLUSTERS_MAX);
}

#[test]
fn a_graph_reads_again_as_it_was_written() {
    let graph = footer(&[0, 100, 200]);
    let text = serde_json::to_string(&graph).unwrap();
    assert!(text.contains(r#"{"from":0,"to":4,"sources":1,"targets":2,"kept":false}"#), "{text}");
    assert!(text.contains(r#""standing":{"pruned":"header_footer"}"#), "{text}");
    assert_eq!(serde_json::from_str::<ClusterGraph>(&text).unwrap(), graph);
}

#[test]
fn a_graph_written_by_somebody_else_may_have_edges_to_nowhere() {
    let text = r#"{"pages":1,"nodes":[{"size":1,"links_in":0,"standing":"kept"}],
        "edges":[{"from":0,"to":7,"sources":1,"targets":1,"kept":true},{"from":9,"to":0,"sources":1,"targets":1,"kept":true}]}"#;
    let graph: ClusterGraph = serde_json::from_str(text).unwrap();
    let (from, nowhere) = (Some(Cluster(0)), Some(Cluster(7)));
    for found in [graph.decide(from, nowhere), graph.filter().decide(from, nowhere)] {
        assert_eq!(found, Err(GraphReason::NoCluster));
    }
    assert_eq!(graph.reached(&[page(0, &[700])], &[0]), [Cluster(0)]);
}

#[test]
fn each_reason_has_a_name_of_its_own() {
    let names: std::collections::BTreeSet<_> = GraphReason::ALL.iter().map(|reason| reason.name()).collect();
    assert_eq!(names.len(), GraphReason::ALL.len());
    for reason in GraphReason::ALL {
        assert_eq!(serde_json::to_string(&reason).unwrap(), format!("{:?}", reason.name()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_filter_says_what_the_graph_says(sample in samples()) {
        let ends: Vec<_> = (0..8).map(|number| Some(Cluster(number))).chain([None, Some(Cluster(u32::MAX))]).collect();
        for options in variants() {
            let graph = ClusterGraph::learn(&sample, 6, &[0], &options);
            let filter = graph.filter();
            for (from, to) in ends.iter().flat_map(|from| ends.iter().map(move |to| (*from, *to))) {
                prop_assert_eq!(filter.decide(from, to), graph.decide(from, to), "{:?} {:?}", from, to);
            }
        }
    }

    #[test]
    fn a_graph_does_not_depend_on_the_order_of_the_sample(sample in samples()) {
        let mut turned = sample.clone();
        turned.reverse();
        turned.iter_mut().for_each(|page| page.links.reverse());
        for options in variants() {
            let learn = |sample| ClusterGraph::learn(sample, 6, &[0, 9_000], &options);
            prop_assert_eq!(learn(&sample), learn(&turned));
        }
    }

    #[test]
    fn the_weights_are_those_of_counting_pairs(sample in samples()) {
        let graph = ClusterGraph::whole(&sample, 6, Universe::Sampled);
        for from in (0..6).map(Cluster) {
            for to in (0..6).map(Cluster) {
                let pairs: Vec<(u64, u64)> = sample.iter().filter(|page| page.cluster == Some(from)).flat_map(|page| {
                    let ends = page.leads_to().filter(|link| link.cluster == Some(to));
                    let ends = ends.filter(|link| sample.iter().any(|page| page.url == link.url));
                    ends.map(|link| (page.url, link.url))
                }).collect();
                let distinct = |urls: Vec<u64>| urls.into_iter().collect::<std::collections::HashSet<_>>().len();
                let wanted = (!pairs.is_empty()).then(|| {
                    [pairs.iter().map(|pair| pair.0).collect(), pairs.iter().map(|pair| pair.1).collect()].map(distinct)
                });
                let found = graph.edges().iter().find(|edge| (edge.from, edge.to) == (from, to));
                prop_assert_eq!(found.map(|edge| [edge.sources as usize, edge.targets as usize]), wanted);
            }
        }
    }
}
