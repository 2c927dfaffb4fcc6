use proptest::prelude::*;

use super::*;

/// No thresholds.
const EAGER: BalanceThresholds = BalanceThresholds { begin: 0.0, end: 0.0, steps_max: 10_000, known_min: 0 };

fn loads(holders: &[usize], known: &[u64], nodes: usize) -> Vec<u64> {
    let mut loads = vec![0; nodes];
    holders.iter().zip(known).for_each(|(holder, known)| loads[*holder] += known);
    loads
}

fn moved(holders: &[usize], moves: &[Move]) -> Vec<usize> {
    let mut after = holders.to_vec();
    moves.iter().for_each(|step| after[usize::from(step.partition.0)] = step.to);
    after
}

/// The load relative to the weight, for nodes with a positive weight.
fn levels(holders: &[usize], known: &[u64], weights: &[Weight]) -> Vec<f64> {
    let loads = loads(holders, known, weights.len());
    let weighed = loads.iter().zip(weights).filter(|(_, weight)| **weight > 0);
    weighed.map(|(load, weight)| *load as f64 / f64::from(*weight)).collect()
}

fn most(levels: &[f64]) -> f64 {
    levels.iter().copied().fold(0.0, f64::max)
}

/// A fleet: the nodes' weights (the first is positive), and the holder and load of each partition.
fn fleet(partitions: usize) -> impl Strategy<Value = (Vec<Weight>, Vec<usize>, Vec<u64>)> {
    let weights = prop_oneof![3 => Just(1), 1 => 0..4_u32];
    prop::collection::vec(weights, 0..6).prop_flat_map(move |mut weights| {
        weights.insert(0, 1);
        let nodes: Vec<usize> = (0..weights.len()).filter(|node| weights[*node] > 0).collect();
        let known = prop_oneof![4 => 0..60_u64, 1 => 0..2_000_u64];
        let partition = (prop::sample::select(nodes), known);
        (Just(weights), prop::collection::vec(partition, 1..partitions)).prop_map(|(weights, partitions)| {
            let (holders, known) = partitions.into_iter().unzip();
            (weights, holders, known)
        })
    })
}

/// The optimal highest load, by exhaustive search.
fn best(known: &[u64], nodes: usize) -> u64 {
    let all = (0..nodes.pow(known.len() as u32)).map(|mut choice| {
        let holders: Vec<usize> = known
            .iter()
            .map(|_| {
                let holder = choice % nodes;
                choice /= nodes;
                holder
            })
            .collect();
        loads(&holders, known, nodes).into_iter().max().unwrap_or(0)
    });
    all.min().unwrap_or(0)
}

/// A reference implementation that tries every move and recomputes all loads.
fn naive(holders: &[usize], known: &[u64], weights: &[Weight], bounds: &BalanceThresholds) -> Vec<usize> {
    let mut holders = holders.to_vec();
    let total: u64 = known.iter().sum();
    let weight_sum: f64 = weights.iter().copied().map(f64::from).sum();
    let level = |holders: &[usize], node: usize| {
        let even = total as f64 * f64::from(weights[node]) / weight_sum;
        loads(holders, known, weights.len())[node] as f64 / even
    };
    let mut apart = bounds.begin;
    for _ in 0..bounds.steps_max {
        let mut steps = Vec::new();
        for partition in 0..holders.len() {
            let from = holders[partition];
            for to in (0..weights.len()).filter(|to| weights[*to] > 0) {
                let before = level(&holders, from);
                let mut after = holders.clone();
                after[partition] = to;
                let higher = level(&after, from).max(level(&after, to));
                if total > 0 && before - level(&holders, to) > apart && higher < before {
                    steps.push((before, from, higher, partition, to));
                }
            }
        }
        steps.sort_by(|one, other| {
            let levels = other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)).then(one.2.total_cmp(&other.2));
            levels.then((one.3, one.4).cmp(&(other.3, other.4)))
        });
        let Some((.., partition, to)) = steps.first() else { break };
        holders[*partition] = *to;
        apart = bounds.end;
    }
    holders
}

proptest! {
    #[test]
    fn the_highest_load_never_grows_and_none_is_left_that_a_move_would_lower((weights, holders, known) in fleet(80)) {
        let moves = balance(&holders, &known, &weights, &EAGER);
        let after = moved(&holders, &moves);
        let (before, now) = (levels(&holders, &known, &weights), levels(&after, &known, &weights));
        prop_assert!(most(&now) <= most(&before) * (1.0 + 1e-12));
        prop_assert!(moves.iter().all(|step| holders[usize::from(step.partition.0)] != step.to && weights[step.to] > 0));
        // It ended by itself, and not because it ran out of steps.
        prop_assert!(balance(&after, &known, &weights, &EAGER).is_empty());
    }

    #[test]
    fn with_equal_weights_nodes_are_at_most_a_partition_apart_or_so_much_as_is_let_be((_, holders, known) in fleet(80), nodes in 1..6_usize, end in 0.0..0.3) {
        let holders: Vec<usize> = holders.iter().map(|holder| holder % nodes).collect();
        let bounds = BalanceThresholds { begin: end, end, ..EAGER };
        let after = moved(&holders, &balance(&holders, &known, &vec![1; nodes], &bounds));
        let loads = loads(&after, &known, nodes);
        let (most, least) = (loads.iter().max().unwrap(), loads.iter().min().unwrap());
        let even = known.iter().sum::<u64>() as f64 / nodes as f64;
        let largest = known.iter().max().unwrap();
        prop_assert!((most - least) as f64 <= (end * even + 1e-6).max(*largest as f64));
    }

    #[test]
    fn it_comes_as_near_to_the_best_as_its_source_says((_, holders, known) in fleet(8), nodes in 2..4_usize) {
        let holders: Vec<usize> = holders.iter().map(|holder| holder % nodes).collect();
        let after = moved(&holders, &balance(&holders, &known, &vec![1; nodes], &EAGER));
        let found = loads(&after, &known, nodes).into_iter().max().unwrap_or(0);
        let bound = 2.0 - 2.0 / (nodes as f64 + 1.0);
        prop_assert!(found as f64 <= best(&known, nodes) as f64 * bound + 1e-9);
    }

    #[test]
    fn it_is_what_trying_every_move_finds((weights, holders, known) in fleet(12), steps_max in 0..9_usize, begin in 0.0..0.5, end in 0.0..0.2) {
        let bounds = BalanceThresholds { begin, end, steps_max, known_min: 0 };
        let moves = balance(&holders, &known, &weights, &bounds);
        prop_assert!(moves.len() <= steps_max);
        prop_assert_eq!(moved(&holders, &moves), naive(&holders, &known, &weights, &bounds));
    }

    #[test]
    fn nothing_moves_where_nodes_are_near_each_other_or_little_is_known((weights, holders, known) in fleet(80), begin in 0.0..0.5, known_min in 0..100_u64) {
        let bounds = BalanceThresholds { begin, end: 0.0, steps_max: 100, known_min };
        let levels = levels(&holders, &known, &weights);
        let total: u64 = known.iter().sum();
        let even = total as f64 / weights.iter().copied().map(f64::from).sum::<f64>();
        let least = levels.iter().copied().fold(f64::MAX, f64::min);
        let is_near = most(&levels) - least <= begin * even * (1.0 - 1e-9);
        let is_little = total < known_min * levels.len() as u64;
        prop_assert!(!is_near && !is_little || balance(&holders, &known, &weights, &bounds).is_empty());
    }
}

/// Each partition as `(node, load)`.
fn periodic(partitions: &[(usize, u64)], nodes: usize) -> Vec<Move> {
    let (holders, known): (Vec<usize>, Vec<u64>) = partitions.iter().copied().unzip();
    balance(&holders, &known, &vec![1; nodes], &BalanceThresholds::PERIODIC)
}

const fn to(partition: u16, to: usize) -> Move {
    Move { partition: Partition(partition), to }
}

#[test]
fn what_is_too_much_moves_in_as_few_steps_as_there_are() {
    // Loads of 150, 100 and 50: moving one partition of 50 is optimal.
    let partitions = [(0, 60), (0, 50), (0, 40), (1, 100), (2, 30), (2, 20)];
    assert_eq!(periodic(&partitions, 3), [to(1, 2)]);
}

#[test]
fn one_large_partition_stays_alone_and_the_others_are_spread_without_it() {
    let partitions = [(0, 500), (0, 30), (1, 40), (1, 40), (1, 40), (2, 30)];
    let moves = periodic(&partitions, 3);
    assert_eq!(moves, [to(1, 2), to(2, 2)]);
    let after: Vec<(usize, u64)> = partitions
        .iter()
        .zip(0..)
        .map(|((holder, known), at)| (if at == 1 || at == 2 { 2 } else { *holder }, *known))
        .collect();
    assert!(periodic(&after, 3).is_empty(), "it does not move back");
}

#[test]
fn hardly_anything_known_moves_nothing() {
    assert!(periodic(&[(0, 30), (0, 20), (1, 5)], 3).is_empty());
    assert!(!periodic(&[(0, 35), (0, 20), (1, 5)], 3).is_empty());
}

#[test]
fn a_node_of_twice_the_weight_takes_twice_as_much_and_one_without_nothing() {
    let holders = vec![0; 90];
    let moves = balance(&holders, &[10; 90], &[1, 2, 0], &EAGER);
    assert_eq!(loads(&moved(&holders, &moves), &[10; 90], 3), [300, 600, 0]);
}

#[test]
fn nobody_and_nothing_are_balanced() {
    assert!(balance(&[], &[], &[], &EAGER).is_empty());
    assert!(balance(&[0, 0], &[0, 0], &[1, 1], &EAGER).is_empty());
    assert!(balance(&[0, 0], &[5, 5], &[0, 0], &EAGER).is_empty());
}
