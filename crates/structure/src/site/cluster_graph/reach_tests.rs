use std::collections::BTreeSet;

use proptest::prelude::*;

use super::samples_tests::*;
use super::*;

const BRIDGE: Standing = Standing::Bridge(GraphReason::DuplicateContent);
const DUPLICATE: Standing = Standing::Pruned(GraphReason::DuplicateContent);
const KEPT: Standing = Standing::Kept;

fn learn(sample: &[GraphPage], clusters: usize, seeds: &[u64]) -> ClusterGraph {
    learn_by(Reach::Always, sample, clusters, seeds)
}

fn learn_by(reach: Reach, sample: &[GraphPage], clusters: usize, seeds: &[u64]) -> ClusterGraph {
    ClusterGraph::learn(sample, clusters, seeds, &PruneOptions { reach, ..PruneOptions::default() })
}

/// Returns `count` pages of a cluster that all show the same.
fn alike(cluster: u64, count: u64, links: &[u64]) -> Vec<GraphPage> {
    (0..count).map(|url| GraphPage { content: Some(77), ..page(100 * cluster + url, links) }).collect()
}

#[test]
fn a_pruned_cluster_on_the_only_way_becomes_a_bridge() {
    // 0 → 1 → 2, where 1 shows the same on all of its pages, and 2 links back to it.
    let mut sample = alike(1, 3, &[200, 201]);
    sample.extend([page(0, &[100, 101]), page(200, &[102]), page(201, &[])]);
    let graph = learn(&sample, 3, &[0]);
    assert_eq!(standings(&graph), [KEPT, BRIDGE, KEPT]);
    assert_eq!(kept(&graph), [(0, 1), (1, 2)], "the link back to the bridge is not followed");
    assert_eq!(graph.reached(&sample, &[0]), [Cluster(0), Cluster(1), Cluster(2)]);
}

#[test]
fn a_bridge_is_worthwhile_if_it_brings_back_as_many_urls_as_it_has() {
    // Three pages lead to a cluster of two, and that to one of one more.
    let mut sample = alike(1, 3, &[200, 201]);
    sample.extend([page(0, &[100, 101, 102]), page(200, &[300]), page(201, &[]), page(300, &[])]);
    assert_eq!(standings(&learn_by(Reach::Worthwhile, &sample, 4, &[0])), [KEPT, BRIDGE, KEPT, KEPT]);
    // Without the last there are only two.
    sample[4].links.clear();
    let graph = learn_by(Reach::Worthwhile, &sample, 4, &[0]);
    assert_eq!(standings(&graph), [KEPT, DUPLICATE, KEPT, KEPT]);
    assert_eq!(kept(&graph), [(1, 2)]);
    assert_eq!(standings(&learn_by(Reach::Always, &sample, 4, &[0])), [KEPT, BRIDGE, KEPT, KEPT]);
}

#[test]
fn of_several_bridges_the_smaller_one_is_taken() {
    let mut sample = [alike(1, 5, &[300]), alike(2, 3, &[300])].concat();
    sample.extend([page(0, &[100, 200]), page(300, &[])]);
    assert_eq!(standings(&learn(&sample, 4, &[0])), [KEPT, DUPLICATE, BRIDGE, KEPT]);
}

#[test]
fn a_seed_of_a_pruned_cluster_leads_on_without_a_bridge() {
    let mut sample = alike(0, 3, &[100]);
    sample.push(page(100, &[0, 1]));
    let graph = learn(&sample, 2, &[0]);
    assert_eq!(standings(&graph), [DUPLICATE, KEPT]);
    assert_eq!(kept(&graph), [(0, 1)]);
}

#[test]
fn a_seed_without_a_cluster_opens_what_it_links_to() {
    let mut sample = alike(0, 3, &[100]);
    sample.extend([page(9_000, &[0]), page(100, &[])]);
    assert_eq!(standings(&learn(&sample, 2, &[9_000])), [BRIDGE, KEPT], "the pruned cluster has to be opened");
    sample.push(page(9_001, &[100]));
    assert_eq!(standings(&learn(&sample, 2, &[9_000, 9_001])), [DUPLICATE, KEPT], "it need not be any more");
}

#[test]
fn what_no_way_leads_to_stays_out_of_reach() {
    let sample = [page(0, &[100]), page(100, &[]), page(200, &[0])];
    let graph = learn(&sample, 3, &[0]);
    assert_eq!(standings(&graph), [KEPT; 3]);
    assert_eq!(graph.reached(&sample, &[0]), [Cluster(0), Cluster(1)]);
    assert!(graph.reached(&sample, &[]).is_empty());
    assert!(graph.reached(&sample, &[555]).is_empty(), "a seed that was not sampled");
}

#[test]
fn edges_deleted_by_coverage_are_put_back_where_nothing_else_leads_to_a_cluster() {
    // Cluster 2 is reached best from itself, and that edge alone would be kept.
    let around = [200, 201, 202, 203, 204];
    let mut sample = vec![page(0, &[200]), page(100, &[0])];
    sample.extend(around.iter().map(|url| page(*url, &around)));
    let options = PruneOptions { coverage: Some(0.6), reach: Reach::Always, ..PruneOptions::default() };
    let cut = ClusterGraph::learn(&sample, 3, &[0], &PruneOptions { reach: Reach::Never, ..options });
    assert_eq!(kept(&cut), [(1, 0), (2, 2)]);
    let graph = ClusterGraph::learn(&sample, 3, &[0], &options);
    assert_eq!(kept(&graph), [(0, 2), (1, 0), (2, 2)]);
}

/// The reference implementation: returns the clusters that any route leads to, over pruned clusters and deleted edges
/// too.
fn on_any_way(sample: &[GraphPage], graph: &ClusterGraph, seeds: &[u64]) -> BTreeSet<Cluster> {
    let mut found = BTreeSet::new();
    for seed in sample.iter().filter(|page| seeds.contains(&page.url)) {
        match seed.cluster {
            Some(cluster) => found.extend([cluster]),
            None => found.extend(seed.leads_to().filter_map(|link| link.cluster)),
        }
    }
    for _ in graph.nodes() {
        let next: Vec<_> = graph.edges().iter().filter(|edge| found.contains(&edge.from)).map(|edge| edge.to).collect();
        found.extend(next);
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_kept_cluster_that_some_way_leads_to_is_reached(
        sample in samples(),
        seeds in proptest::collection::vec(0..4_usize, 0..3),
    ) {
        let seeds: Vec<u64> = seeds.into_iter().filter_map(|place| Some(sample.get(place)?.url)).collect();
        for options in variants().into_iter().filter(|options| options.reach == Reach::Always) {
            let graph = ClusterGraph::learn(&sample, 6, &seeds, &options);
            let possible = on_any_way(&sample, &graph, &seeds);
            let reached: BTreeSet<_> = graph.reached(&sample, &seeds).into_iter().collect();
            prop_assert!(reached.is_subset(&possible));
            for (cluster, standing) in (0..).map(Cluster).zip(standings(&graph)) {
                let wanted = match standing {
                    Standing::Kept => possible.contains(&cluster),
                    Standing::Bridge(_) => true,
                    Standing::Pruned(_) => continue,
                };
                prop_assert_eq!(reached.contains(&cluster), wanted, "{:?} {:?}", cluster, standing);
            }
        }
    }
}
