//! The computation of all weights.

use crate::site::web_graph::WebGraph;

/// What is added to the weight that flows in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RankForm {
    /// (1 - c) times the initial weight, as in Haveliwala: hub weights have an effect until the end.
    #[default]
    Teleport,
    /// Nothing, as printed. Before each step authorities have weight 1 again, and nodes with weight 0 have their
    /// initial weight (formula 1); otherwise all weights would decrease to 0. A hub that no page links to loses its
    /// weight.
    Printed,
}

/// The parameters of [`topic_rank`] and [`TopicRank`](super::TopicRank).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankOptions {
    /// c, the damping factor: the share of its weight that a page passes on.
    pub damping: f64,
    /// What is added to the weight that flows in.
    pub form: RankForm,
    /// The weights have stabilised when their changes sum up to less than this.
    pub tolerance: f64,
    /// Maximum number of steps.
    pub steps_max: u32,
}

impl Default for RankOptions {
    /// c = 0.85; changes below 0.0001, at most 100 steps.
    fn default() -> Self {
        Self { damping: 0.85, form: RankForm::default(), tolerance: 1e-4, steps_max: 100 }
    }
}

/// Computes the weights by node from the initial ones. `start` are weights of an earlier state of the same graph, from
/// which the iteration then starts. O(steps · edges).
pub fn topic_rank(graph: &WebGraph, initial: &[f64], start: Option<&[f64]>, options: &RankOptions) -> Vec<f64> {
    let mut weights = initial.to_vec();
    weights.resize(graph.nodes() as usize, 0.0);
    weights.iter_mut().zip(start.unwrap_or_default()).for_each(|(weight, start)| *weight = *start);
    for _ in 0..options.steps_max {
        let next = step(graph, initial, weights.clone(), options);
        let change: f64 = next.iter().zip(&weights).map(|(one, other)| (one - other).abs()).sum();
        weights = next;
        if change < options.tolerance {
            break;
        }
    }
    weights
}

fn step(graph: &WebGraph, initial: &[f64], mut weights: Vec<f64>, options: &RankOptions) -> Vec<f64> {
    let mut next = vec![0.0; weights.len()];
    match options.form {
        RankForm::Printed => {
            let unset = weights.iter_mut().zip(initial).filter(|(weight, _)| **weight <= 0.0);
            unset.for_each(|(weight, initial)| *weight = *initial);
            graph.authorities().iter().for_each(|node| weights[*node as usize] = 1.0);
        }
        RankForm::Teleport => {
            next.iter_mut().zip(initial).for_each(|(next, initial)| *next = (1.0 - options.damping) * initial);
        }
    }
    for (page, weight) in (0..).zip(weights) {
        let edge = options.damping * weight / f64::from(graph.outdegree(page).max(1));
        graph.successors(page).for_each(|to| next[to as usize] += edge);
    }
    next
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::topic_weights;
    use super::*;
    use crate::site::web_graph::made::{Made, made, nodes};

    const EXACT: RankOptions =
        RankOptions { damping: 0.85, form: RankForm::Teleport, tolerance: 1e-13, steps_max: 1_000 };

    fn close(one: &[f64], other: &[f64]) -> bool {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-9)
    }

    #[test]
    fn one_step_as_printed_gives_each_successor_its_part() {
        // The authority 1 links to 2 and 3; 4, with weight 1/4, links to 2 only.
        let graph = Made::new(&[(1, &[2, 3]), (4, &[2])], &[1]).whole();
        let initial = topic_weights(&graph, &[], 4);
        let printed = RankOptions { form: RankForm::Printed, steps_max: 1, ..EXACT };
        let found = topic_rank(&graph, &initial, None, &printed);
        let of: Vec<f64> = nodes(&graph, &[1, 2, 3, 4]).iter().map(|node| found[*node as usize]).collect();
        assert!(close(&of, &[0.0, 0.85 * (0.5 + 0.25), 0.85 * 0.5, 0.0]), "{of:?}");
    }

    #[test]
    fn the_index_page_that_authorities_link_to_is_the_best_unvisited_node() {
        // Figure 2: the index page 4 is linked from the authorities 1, 2, 3 and from 5, which links to 6 as well.
        let pages: &[(u32, &[u32])] = &[(1, &[4, 8]), (2, &[4, 9]), (3, &[4, 5]), (5, &[4, 6, 7])];
        let graph = Made::new(pages, &[1, 2, 3]).whole();
        for form in [RankForm::Printed, RankForm::Teleport] {
            let options = RankOptions { form, ..RankOptions::default() };
            let found = topic_rank(&graph, &topic_weights(&graph, &[], graph.nodes()), None, &options);
            let [index, six, seven, eight] =
                nodes(&graph, &[4, 6, 7, 8]).iter().map(|n| found[*n as usize]).collect::<Vec<_>>()[..]
            else {
                unreachable!()
            };
            assert!(index > eight && eight > six && six == seven && six > 0.0, "{form:?} {found:?}");
        }
    }

    #[test]
    fn an_empty_graph_has_no_weights() {
        assert!(topic_rank(&WebGraph::default(), &[], None, &RankOptions::default()).is_empty());
    }

    /// The reference implementation: a dense matrix, and the formulas over all pairs of nodes.
    fn naive(graph: &WebGraph, initial: &[f64], form: RankForm, steps: u32) -> Vec<f64> {
        let all: Vec<u32> = (0..graph.nodes()).collect();
        let edge = |from: u32, to: u32| {
            let linked: std::collections::BTreeSet<u32> = graph.links(from).map(|edge| edge.to).collect();
            if linked.contains(&to) { 1.0 / linked.len() as f64 } else { 0.0 }
        };
        let mut weights = initial.to_vec();
        for _ in 0..steps {
            let from = |u: u32| match form {
                RankForm::Teleport => weights[u as usize],
                RankForm::Printed if graph.is_authority(u) => 1.0,
                RankForm::Printed if weights[u as usize] == 0.0 => initial[u as usize],
                RankForm::Printed => weights[u as usize],
            };
            let sum = |v: u32| -> f64 { all.iter().map(|u| from(*u) * edge(*u, v)).sum() };
            let teleport = if form == RankForm::Teleport { 0.15 } else { 0.0 };
            weights = all.iter().map(|v| 0.85 * sum(*v) + teleport * initial[*v as usize]).collect();
        }
        weights
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn weights_are_those_of_the_formulas(made in made(), printed in any::<bool>(), steps in 1..9_u32) {
            let graph = made.whole();
            let initial = topic_weights(&graph, &[0.0, 0.4, 0.2], graph.nodes());
            let form = if printed { RankForm::Printed } else { RankForm::Teleport };
            let options = RankOptions { form, steps_max: steps, tolerance: 0.0, ..EXACT };
            let found = topic_rank(&graph, &initial, None, &options);
            prop_assert!(close(&found, &naive(&graph, &initial, form, steps)), "{:?}", found);
        }

        #[test]
        fn the_start_does_not_matter_in_the_end(made in made(), start in prop::collection::vec(0.0..2.0_f64, 30)) {
            let graph = made.whole();
            let initial = topic_weights(&graph, &[], graph.nodes());
            let start = &start[..(graph.nodes() as usize).min(start.len())];
            let one = topic_rank(&graph, &initial, None, &EXACT);
            let other = topic_rank(&graph, &initial, Some(start), &EXACT);
            prop_assert!(close(&one, &other), "{:?} is not {:?}", one, other);
        }
    }
}
