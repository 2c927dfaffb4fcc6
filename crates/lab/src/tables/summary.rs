//! Summaries of rows that differ only in their seed.

use std::collections::{BTreeMap, HashMap};

use super::{Measure, Row};
use crate::measures::Spread;

/// Runs of the same experiment with several seeds.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The first row, without its seed and with the means as its measures.
    pub mean: Row,
    /// Number of runs.
    pub runs: u64,
    /// The spread of each measure, over the runs that have it.
    pub spreads: BTreeMap<Measure, Spread>,
}

/// Returns one summary for all rows that differ only in their seed (and measures), in the order of their first rows.
pub fn summaries(rows: &[Row]) -> Vec<Summary> {
    let mut places = HashMap::new();
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    for row in rows {
        let key =
            (&row.corpus, &row.task, &row.target, &row.policy, (&row.variant, &row.order, &row.store), row.budget);
        let place = *places.entry(key).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups.iter().filter_map(|group| summary(group)).collect()
}

fn summary(group: &[&Row]) -> Option<Summary> {
    let spread = |measure: &Measure| {
        let values: Vec<_> = group.iter().filter_map(|row| row.measures.get(measure).copied()).collect();
        Spread::of(&values).map(|spread| (*measure, spread))
    };
    let spreads: BTreeMap<_, _> = Measure::ALL.iter().filter_map(spread).collect();
    let measures = spreads.iter().map(|(measure, spread)| (*measure, spread.mean)).collect();
    let mean = Row { seed: None, measures, ..(*group.first()?).clone() };
    Some(Summary { mean, runs: group.len() as u64, spreads })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_differ_only_in_their_seed_are_summarised() {
        let row = |policy: &str, seed: u64, ratio: f64| {
            let row = Row { seed: Some(seed), budget: Some(10), ..Row::new("c", "ucc", policy) };
            row.with(Measure::ValidRatio, ratio)
        };
        let mut rows = vec![row("source", 1, 0.5), row("bfs", 1, 0.25), row("source", 2, 1.0)];
        rows[2].measures.insert(Measure::Recall, 0.125);
        let summed = summaries(&rows);
        assert_eq!(
            summed.iter().map(|s| (s.mean.policy.as_str(), s.runs)).collect::<Vec<_>>(),
            [("source", 2), ("bfs", 1)]
        );
        let spread = summed[0].spreads[&Measure::ValidRatio];
        assert_eq!((spread.mean, spread.min, spread.max, spread.count), (0.75, 0.5, 1.0, 2));
        assert_eq!((summed[0].mean.seed, summed[0].mean.budget), (None, Some(10)));
        assert_eq!(summed[0].mean.measures[&Measure::ValidRatio], 0.75);
        assert_eq!(summed[0].spreads[&Measure::Recall].count, 1, "only over the runs that have it");
        let other_budget = Row { budget: Some(20), ..rows[0].clone() };
        assert_eq!(summaries(&[rows[0].clone(), other_budget]).len(), 2);
        assert_eq!(summaries(&[]), []);
    }
}
