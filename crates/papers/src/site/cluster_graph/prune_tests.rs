use proptest::prelude::*;

use super::samples_tests::*;
use super::*;
use harvestman_core::model::PolicyRefusal;

const KEPT: Option<PolicyRefusal> = None;
const DUPLICATE: Option<PolicyRefusal> = Some(PolicyRefusal::DuplicateContent);

/// Returns the first pages of a cluster, each with these links.
fn pages(cluster: u64, count: u64, links: &[u64]) -> Vec<GraphPage> {
    (0..count).map(|url| page(100 * cluster + url, links)).collect()
}

fn urls(cluster: u64, count: u64) -> Vec<u64> {
    (0..count).map(|url| 100 * cluster + url).collect()
}

#[test]
fn an_edge_says_which_sampled_urls_it_leads_to() {
    let sample = [
        page(0, &[100, 101, 100, 0]),
        page(1, &[100, 199, 9_000]),
        page(100, &[101]),
        page(101, &[]),
        page(102, &[]),
        page(100, &[0, 1]),
    ];
    let WholeGraph { graph, reached } = WholeGraph::new(&sample, 2);
    let edge = |from, to| GraphEdge { from: Cluster(from), to: Cluster(to), kept: true };
    assert_eq!(graph.edges(), [edge(0, 1), edge(1, 1)]);
    assert_eq!(reached.iter().map(|urls| urls.len()).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(graph.nodes().iter().map(|node| (node.size, node.links_in)).collect::<Vec<_>>(), [(2, 0), (3, 4)]);
    assert_eq!(graph.pages(), 5, "a URL counts once");
}

#[test]
fn of_two_orders_of_the_same_posts_one_is_deleted_as_in_the_paper() {
    // A start page; posts by date, which reach 6 of them; by topic, which reach all; posts; two clusters besides.
    let mut sample = vec![page(0, &[100, 101, 200, 201, 400, 500])];
    sample.extend(pages(1, 2, &urls(3, 6)));
    sample.extend(pages(2, 2, &urls(3, 10)));
    sample.extend([pages(3, 10, &[]), pages(4, 3, &[]), pages(5, 3, &[])].concat());
    let graph = ClusterGraph::learn(&sample, 6);
    assert_eq!(pruned(&graph), [KEPT, DUPLICATE, KEPT, KEPT, KEPT, KEPT]);
    assert_eq!(kept(&graph), [(0, 2), (0, 4), (0, 5), (2, 3)]);
    let decide = |from, to| graph.decide(Some(Cluster(from)), Some(Cluster(to)));
    assert_eq!(decide(0, 1), Err(PolicyRefusal::DuplicateContent));
    assert_eq!(decide(1, 3), Err(PolicyRefusal::NoEdge));
    assert_eq!(decide(2, 3), Ok(()));
    assert_eq!(graph.decide(Some(Cluster(2)), None), Err(PolicyRefusal::NoCluster));
    assert_eq!(graph.decide(None, Some(Cluster(3))), Ok(()), "a page without a cluster passes");
    assert_eq!(graph.decide(None, Some(Cluster(1))), Err(PolicyRefusal::DuplicateContent));
    assert_eq!(graph.decide(Some(Cluster(9)), Some(Cluster(3))), Ok(()), "so does one whose cluster is unknown");
    assert_eq!(decide(2, 9), Err(PolicyRefusal::NoCluster));
}

#[test]
fn a_list_that_still_leads_elsewhere_is_no_duplicate() {
    let mut sample = vec![page(0, &[100, 101, 200, 201, 500])];
    sample.extend(pages(1, 2, &[urls(3, 6), urls(4, 3)].concat()));
    sample.extend(pages(2, 2, &urls(3, 10)));
    sample.extend([pages(3, 10, &[]), pages(4, 3, &[]), pages(5, 3, &[])].concat());
    assert_eq!(pruned(&ClusterGraph::learn(&sample, 6)), [KEPT; 6]);
}

#[test]
fn of_two_clusters_that_lead_to_each_other_one_stays() {
    let mut sample = vec![page(0, &[100, 101, 200, 201])];
    sample.extend([pages(1, 2, &[200]), pages(2, 2, &[100]), pages(3, 5, &[]), pages(4, 5, &[])].concat());
    let graph = ClusterGraph::learn(&sample, 5);
    assert_eq!(pruned(&graph), [KEPT, DUPLICATE, KEPT, KEPT, KEPT]);
}

/// Returns four clusters of two pages, of which the pages in `linking` link to a fifth.
fn footer(linking: &[u64]) -> ClusterGraph {
    let link = |url: &u64| page(*url, if linking.contains(url) { &[400, 401] } else { &[] });
    let mut sample: Vec<_> = [0, 1, 100, 101, 200, 201, 300, 301].iter().map(link).collect();
    sample.extend(pages(4, 2, &[]));
    ClusterGraph::learn(&sample, 5)
}

#[test]
fn what_more_than_half_of_the_clusters_and_pages_link_to_is_a_footer() {
    let footer_found = Some(PolicyRefusal::HeaderFooter);
    // Ten pages: six links from three of four clusters.
    assert_eq!(pruned(&footer(&[0, 100, 200]))[4], footer_found);
    assert!(kept(&footer(&[0, 100, 200])).is_empty(), "its edges go with it");
    // Six links from two of four clusters are not enough, nor five pages' worth of links.
    assert_eq!(pruned(&footer(&[0, 100, 101]))[4], KEPT);
    let mut five_links: Vec<_> = [0, 1, 100, 101, 200, 201, 300, 301].iter().map(|url| page(*url, &[])).collect();
    [0, 2, 4].iter().for_each(|place| five_links[*place].leads_to = vec![400]);
    five_links[1].leads_to = vec![400, 401];
    five_links.extend(pages(4, 2, &[]));
    assert_eq!(pruned(&ClusterGraph::learn(&five_links, 5))[4], KEPT);
}

/// Returns eleven clusters of ten pages in a ring, of which the last reaches half of the first, and one of one page,
/// which the first page links to.
fn ring(links: &[u64]) -> ClusterGraph {
    let ring = |cluster| pages(cluster, 10, &urls((cluster + 1) % 11, if cluster == 10 { 5 } else { 10 }));
    let mut sample: Vec<_> = (0..11).flat_map(ring).collect();
    sample[0].leads_to.push(1_100);
    sample.push(page(1_100, links));
    ClusterGraph::learn(&sample, 12)
}

#[test]
fn a_small_cluster_that_leads_nowhere_is_uninformative() {
    let mut wanted = [KEPT; 12];
    assert_eq!(pruned(&ring(&urls(0, 10))), wanted, "it leads somewhere");
    wanted[11] = Some(PolicyRefusal::Uninformative);
    assert_eq!(pruned(&ring(&[100])), wanted, "nothing needs the edge out of it");
    assert_eq!(pruned(&ring(&[])), wanted);
}

#[test]
fn without_pages_clusters_or_edges_nothing_is_pruned_and_nothing_fails() {
    let graph = ClusterGraph::learn(&[], 0);
    assert_eq!(graph.decide(None, Some(Cluster(0))), Err(PolicyRefusal::NoCluster));
    assert_eq!(pruned(&ClusterGraph::learn(&[], 3)), [KEPT; 3]);
    let alone = ClusterGraph::learn(&pages(0, 3, &urls(0, 3)), 1);
    assert_eq!((pruned(&alone), kept(&alone)), (vec![KEPT], vec![(0, 0)]));
    let apart = ClusterGraph::learn(&[pages(0, 2, &[]), pages(1, 2, &[])].concat(), 2);
    assert_eq!((pruned(&apart), kept(&apart)), (vec![KEPT; 2], vec![]));
}

#[test]
fn clusters_beyond_the_number_count_as_none() {
    let graph = ClusterGraph::learn(&[page(0, &[700]), page(700, &[0])], 1);
    assert!(graph.edges().is_empty());
    assert_eq!((graph.pages(), graph.nodes()[0].size), (2, 1));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_graph_does_not_depend_on_the_order_of_the_sample(sample in samples()) {
        let mut turned = sample.clone();
        turned.reverse();
        turned.iter_mut().for_each(|page| page.leads_to.reverse());
        prop_assert_eq!(ClusterGraph::learn(&sample, 6), ClusterGraph::learn(&turned, 6));
    }

    #[test]
    fn no_edge_of_a_pruned_cluster_is_kept_and_links_are_followed_by_kept_edges_alone(sample in samples()) {
        let graph = ClusterGraph::learn(&sample, 6);
        for (from, to) in (0..6).flat_map(|from| (0..6).map(move |to| (from, to))) {
            let followed = graph.decide(Some(Cluster(from)), Some(Cluster(to))).is_ok();
            prop_assert_eq!(followed, kept(&graph).contains(&(from, to)));
            let ends = [from, to].map(|end| pruned(&graph)[end as usize]);
            prop_assert!(!followed || ends == [KEPT; 2]);
        }
    }

    #[test]
    fn the_targets_are_those_of_counting_pairs(sample in samples()) {
        let WholeGraph { graph, reached } = WholeGraph::new(&sample, 6);
        for (from, to) in (0..6).flat_map(|from| (0..6).map(move |to| (Cluster(from), Cluster(to)))) {
            let is_target = |page: &GraphPage, url: u64| {
                let sampled = sample.iter().any(|page| page.url == url);
                sampled && cluster_of(url) == Some(to) && url != page.url
            };
            let sources = sample.iter().filter(|page| page.cluster == Some(from));
            let links = sources.flat_map(|page| page.leads_to.iter().filter(move |url| is_target(page, **url)));
            let targets: std::collections::HashSet<u64> = links.copied().collect();
            let found = graph.edges().iter().position(|edge| (edge.from, edge.to) == (from, to));
            prop_assert_eq!(found.map_or(0, |place| reached[place].len()), targets.len());
        }
    }
}
