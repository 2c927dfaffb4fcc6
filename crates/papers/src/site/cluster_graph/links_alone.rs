//! Pruning by links alone (section 4.3). Edges: the fewest into a cluster that reach enough of its URLs. Nodes: headers
//! and footers, duplicate content, uninformative clusters.

use std::cmp::Reverse;
use std::collections::HashSet;

use harvestman_core::model::PolicyRefusal;

use super::graph::ClusterGraph;

/// Number of smaller sets whose extensions are searched for sets of three edges and more. (The choice of the best set
/// is the maximum coverage problem, which is NP-hard.)
const BEAM: usize = 50;

/// URLs of a cluster, one bit each.
#[derive(Clone)]
struct Urls(Box<[u64]>);

impl Urls {
    fn new(urls: &[u32], size: u32) -> Self {
        let mut words = vec![0_u64; size.div_ceil(64) as usize].into_boxed_slice();
        for url in urls.iter().filter(|url| **url < size) {
            words[*url as usize / 64] |= 1 << (url % 64);
        }
        Self(words)
    }

    fn len_with(&self, other: &Self) -> u32 {
        self.0.iter().zip(&other.0).map(|(one, two)| (one | two).count_ones()).sum()
    }

    fn take_in(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(one, two)| *one |= two);
    }
}

/// Some edges, and the URLs that they reach together.
#[derive(Clone)]
struct Choice {
    /// In ascending order.
    edges: Vec<usize>,
    urls: Urls,
    covered: u32,
}

/// Chooses edges into a cluster of `size` URLs, where `reached` has the URLs that each edge leads to. Returns the
/// indices, ascending, of the fewest edges that together reach at least the share `required` of the URLs; of the sets
/// of that number the one that reaches most (of equally good ones, the edges that reach more each, then the first).
/// Sets of one and two edges are compared exactly, larger ones by a beam search. Returns all edges if all together
/// reach too little.
///
/// O(edges² · size / 64) for two edges, O(edges · 50 · size / 64) for each further one.
pub(super) fn covering<S: AsRef<[u32]>>(reached: &[S], size: u32, required: f64) -> Vec<usize> {
    let sets: Vec<Urls> = reached.iter().map(|urls| Urls::new(urls.as_ref(), size)).collect();
    let nothing = Choice { edges: Vec::new(), urls: Urls::new(&[], size), covered: 0 };
    let mut all = nothing.urls.clone();
    sets.iter().for_each(|set| all.take_in(set));
    let enough = |covered: u32| f64::from(covered) >= required * f64::from(size);
    if !enough(all.len_with(&all)) {
        return (0..sets.len()).collect();
    }
    let mut order: Vec<usize> = (0..sets.len()).collect();
    order.sort_by_key(|edge| (Reverse(nothing.urls.len_with(&sets[*edge])), *edge));
    let mut beam = extended(&[nothing], &order, &sets, usize::MAX);
    while let Some(best) = beam.first() {
        if enough(best.covered) {
            return best.edges.clone();
        }
        beam = extended(&beam, &order, &sets, BEAM);
    }
    Vec::new()
}

/// Returns the `max` best sets that extend one of `choices` by an edge.
fn extended(choices: &[Choice], order: &[usize], sets: &[Urls], max: usize) -> Vec<Choice> {
    let mut candidates = Vec::new();
    // A set of m edges comes from at most m smaller ones.
    let enough = max.saturating_mul(choices.first().map_or(0, |choice| choice.edges.len() + 1));
    for (base, choice) in choices.iter().enumerate() {
        let further = order.iter().enumerate().filter(|(_, edge)| !choice.edges.contains(edge));
        candidates.extend(further.map(|(rank, edge)| (Reverse(choice.urls.len_with(&sets[*edge])), base, rank)));
        if candidates.len() > enough.saturating_mul(2) {
            candidates.select_nth_unstable(enough);
            candidates.truncate(enough);
        }
    }
    candidates.sort_unstable();
    let mut known = HashSet::new();
    let mut best = Vec::new();
    for (Reverse(covered), base, rank) in candidates {
        let mut choice = Choice { covered, ..choices[base].clone() };
        let place = choice.edges.partition_point(|edge| *edge < order[rank]);
        choice.edges.insert(place, order[rank]);
        if known.insert(choice.edges.clone()) {
            choice.urls.take_in(&sets[order[rank]]);
            best.push(choice);
        }
        if best.len() == max {
            break;
        }
    }
    best
}

/// Prunes clusters that are linked from more than half of the other clusters by more links than half the sampled URLs.
pub(super) fn prune_headers_and_footers(graph: &mut ClusterGraph) {
    let others = graph.nodes.iter().filter(|node| node.size > 0).count().saturating_sub(1);
    let linked_from = linked_from(graph);
    for (node, linked_from) in graph.nodes.iter_mut().zip(linked_from) {
        if 2 * linked_from > others && 2 * node.links_in > u64::from(graph.pages) {
            node.pruned = Some(PolicyRefusal::HeaderFooter);
        }
    }
}

/// Returns for each cluster the number of other clusters that link to it.
fn linked_from(graph: &ClusterGraph) -> Vec<usize> {
    let mut counts = vec![0; graph.nodes.len()];
    graph.edges.iter().filter(|edge| edge.from != edge.to).for_each(|edge| counts[edge.to.index()] += 1);
    counts
}

/// Prunes duplicates. If two clusters led to a third, the edge from one of them was deleted, and neither that one nor
/// the third leads anywhere (except to itself) any more, that one is pruned. Edges are taken in order; a cluster that
/// was pruned no longer makes another a duplicate, so one of two that lead to each other stays.
pub(super) fn prune_duplicates(graph: &mut ClusterGraph) {
    let (leaves, linked_from) = (leaves(graph), linked_from(graph));
    for edge in graph.edges.iter().filter(|edge| !edge.kept && edge.from != edge.to) {
        let (from, to) = (edge.from.index(), edge.to.index());
        let stand = [from, to].into_iter().all(|cluster| graph.nodes[cluster].pruned.is_none());
        if stand && leaves[from] && leaves[to] && linked_from[to] >= 2 {
            graph.nodes[from].pruned = Some(PolicyRefusal::DuplicateContent);
        }
    }
}

/// Prunes clusters that lead nowhere (except to themselves) and are smaller than the mean by more than twice the
/// standard deviation.
pub(super) fn prune_uninformative(graph: &mut ClusterGraph) {
    let leaves = leaves(graph);
    let bound = unusually_small(graph);
    for (node, leaf) in graph.nodes.iter_mut().zip(leaves) {
        if leaf && node.pruned.is_none() && f64::from(node.size) < bound {
            node.pruned = Some(PolicyRefusal::Uninformative);
        }
    }
}

/// Returns the mean size of clusters minus twice its standard deviation. It is often negative.
fn unusually_small(graph: &ClusterGraph) -> f64 {
    let sizes: Vec<f64> = graph.nodes.iter().map(|node| f64::from(node.size)).filter(|size| *size > 0.0).collect();
    let count = sizes.len().max(1) as f64;
    let mean = sizes.iter().sum::<f64>() / count;
    let variance = sizes.iter().map(|size| (size - mean).powi(2)).sum::<f64>() / count;
    2.0_f64.mul_add(-variance.sqrt(), mean)
}

/// Returns for each cluster whether no edge is left that leads out of it.
fn leaves(graph: &ClusterGraph) -> Vec<bool> {
    let mut leaves = vec![true; graph.nodes.len()];
    let out = graph.edges.iter().filter(|edge| edge.kept && edge.from != edge.to);
    out.for_each(|edge| leaves[edge.from.index()] = false);
    leaves
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn covered(reached: &[Vec<u32>], edges: &[usize]) -> usize {
        edges.iter().flat_map(|edge| &reached[*edge]).collect::<HashSet<_>>().len()
    }

    /// The reference implementation, which looks at every subset: returns the number of edges and of the URLs that they
    /// reach; `None` if all together reach too little.
    fn by_brute_force(reached: &[Vec<u32>], size: u32, required: f64) -> Option<(usize, usize)> {
        let subsets = (1_u32..1 << reached.len()).map(|subset| {
            let edges: Vec<usize> = (0..reached.len()).filter(|edge| subset >> edge & 1 == 1).collect();
            (edges.len(), covered(reached, &edges))
        });
        let enough = subsets.filter(|(_, covered)| *covered as f64 >= required * f64::from(size));
        enough.min_by_key(|(edges, covered)| (*edges, Reverse(*covered)))
    }

    #[test]
    fn one_edge_suffices_if_it_reaches_six_of_ten() {
        let reached = [vec![0, 1, 2, 3, 4], vec![0, 1, 2, 3, 4, 5], vec![6, 7, 8, 9]];
        assert_eq!(covering(&reached, 10, 0.6), [1]);
        // With 0.7 it takes two, and the best two reach all ten.
        assert_eq!(covering(&reached, 10, 0.7), [1, 2]);
    }

    #[test]
    fn of_two_sets_of_one_size_the_one_that_reaches_more_is_taken() {
        let reached = [vec![0, 1, 2], vec![2, 3, 4], vec![3, 4, 5]];
        // The first two reach five, the first and the last six.
        assert_eq!(covering(&reached, 8, 0.6), [0, 2]);
    }

    #[test]
    fn all_edges_stay_where_they_reach_too_little() {
        assert_eq!(covering(&[vec![0], vec![1], vec![0]], 10, 0.6), [0, 1, 2]);
        assert_eq!(covering(&[vec![0, 1]], 2, 1.1), [0]);
        assert_eq!(covering(&[vec![0, 1], vec![0]], 2, f64::NAN), [0, 1]);
    }

    #[test]
    fn without_edges_there_is_nothing_to_choose() {
        assert!(covering::<Vec<u32>>(&[], 10, 0.6).is_empty());
        assert!(covering::<Vec<u32>>(&[], 0, 0.6).is_empty());
    }

    #[test]
    fn of_equal_edges_the_first_stays() {
        let reached = vec![vec![0, 1]; 5];
        assert_eq!(covering(&reached, 2, 0.6), [0]);
    }

    #[test]
    fn many_edges_that_reach_one_url_each_are_chosen_one_by_one() {
        let reached: Vec<Vec<u32>> = (0..40).map(|url| vec![url]).collect();
        assert_eq!(covering(&reached, 40, 0.6), (0..24).collect::<Vec<_>>());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 300, ..ProptestConfig::default() })]

        #[test]
        fn the_chosen_edges_are_those_of_brute_force(
            reached in proptest::collection::vec(proptest::collection::btree_set(0..12_u32, 0..7), 0..7),
            required in 0.05..1.0_f64,
        ) {
            // With six edges at most the beam leaves no set out.
            let reached: Vec<Vec<u32>> = reached.into_iter().map(|urls| urls.into_iter().collect()).collect();
            let found = covering(&reached, 12, required);
            match by_brute_force(&reached, 12, required) {
                Some(best) => prop_assert_eq!((found.len(), covered(&reached, &found)), best),
                None => prop_assert_eq!(found.len(), reached.len()),
            }
        }

        #[test]
        fn what_is_chosen_reaches_enough_and_needs_each_of_its_edges(
            reached in proptest::collection::vec(proptest::collection::vec(0..200_u32, 0..20), 1..40),
        ) {
            let found = covering(&reached, 200, 0.3);
            prop_assert!(found.is_sorted_by(|one, two| one < two));
            if covered(&reached, &(0..reached.len()).collect::<Vec<_>>()) >= 60 {
                prop_assert!(covered(&reached, &found) >= 60);
                for left_out in 0..found.len() {
                    let mut fewer = found.clone();
                    fewer.remove(left_out);
                    prop_assert!(covered(&reached, &fewer) < 60, "{:?} suffice", fewer);
                }
            }
        }
    }
}
