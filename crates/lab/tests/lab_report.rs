//! From a corpus to a report: measured replays of a simulated forum, with the published figures.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as the test does")]

use std::collections::BTreeMap;

use harvestman::seed::Seed;
use harvestman::sim::{Family, World, WorldOptions};
use harvestman_lab::corpus::{Corpus, PageId};
use harvestman_lab::measures::{CurvePoint, Fetched, Harvest, Judge, Task, curve};
use harvestman_lab::tables::{CurveAxis, Measure, Report, Row, bars, curves, paper, summaries};
use rand::seq::SliceRandom;

const BUDGET: usize = 40;

/// Fetches the pages in this order, within the budget.
fn replay(corpus: &Corpus, order: impl Iterator<Item = PageId>) -> (Vec<Fetched>, Harvest) {
    let mut judge = Judge::new(corpus, Task::Ucc);
    let fetches: Vec<_> = order.take(BUDGET).map(|id| judge.fetched(corpus.landing(id, 5))).collect();
    let harvest = Harvest::of(&fetches, judge.wanted());
    (fetches, harvest)
}

/// Orders the pages by their true value, best first: the optimal policy.
fn best_first(corpus: &Corpus) -> Vec<PageId> {
    let truth = corpus.truth().unwrap();
    let mut order: Vec<_> = corpus.ids().collect();
    order.sort_by_key(|id| truth.page(*id).is_none_or(|label| !label.is_ucc || label.is_duplicate_view));
    order
}

fn row(corpus: &Corpus, policy: &str, seed: u64, harvest: &Harvest) -> Row {
    let budget = Some(BUDGET as u64);
    Row { seed: Some(seed), budget, ..Row::new(&corpus.name, "ucc", policy) }.with_harvest(harvest)
}

#[test]
fn the_report_of_an_experiment_distinguishes_good_policies_from_bad() {
    let families = vec![Family::Forum];
    let options =
        WorldOptions { pages: 200, hosts: 1, families, page_bytes: 200, links: 12, ..WorldOptions::default() };
    let corpus = Corpus::from_world(&World::new(&options, Seed(3)).unwrap()).unwrap();
    let (mut rows, mut lines) = (Vec::new(), BTreeMap::<&str, Vec<CurvePoint>>::new());
    for seed in 0..10 {
        let mut shuffled: Vec<_> = corpus.ids().collect();
        shuffled.shuffle(&mut Seed(seed).rng());
        for (policy, order) in [("random", shuffled), ("best", best_first(&corpus))] {
            let (fetches, harvest) = replay(&corpus, order.into_iter());
            rows.push(row(&corpus, policy, seed, &harvest));
            lines.entry(policy).or_insert_with(|| curve(&fetches, 30));
        }
    }
    let summed = summaries(&rows);
    let of = |policy: &str| summed.iter().find(|summary| summary.mean.policy == policy).unwrap();
    let (best, random) = (&of("best").spreads, &of("random").spreads);
    assert_eq!((of("best").runs, best[&Measure::ValidRatioUnique].mean), (10, 1.0));
    assert!(best[&Measure::ValidRatioUnique].deviation < 1e-12, "the same order each time");
    assert!(random[&Measure::ValidRatioUnique].max < 1.0 && random[&Measure::ValidRatioUnique].deviation > 0.0);
    assert!(best[&Measure::RecallUnique].mean > random[&Measure::RecallUnique].max);

    let beside = paper::averages(paper::ucc());
    let lines: Vec<_> = lines.into_iter().map(|(policy, points)| (policy.to_owned(), points)).collect();
    let charts = vec![
        curves("Harvest", &lines, CurveAxis::Fetches, true),
        bars("Valid ratio", Measure::ValidRatio, &summed, &paper::ucc()),
        bars("Valid ratio without duplicate views", Measure::ValidRatioUnique, &summed, &[]),
    ];
    let (name, title) = ("ucc".to_owned(), "User-created content".to_owned());
    let shown = vec![Measure::ValidRatio, Measure::ValidRatioUnique, Measure::Recall, Measure::F, Measure::Entropy];
    let report = Report { name, title, notes: corpus.notes.clone(), rows, paper: beside, shown, charts };
    let folder = tempfile::tempdir().unwrap();
    // Set this variable to keep the page for inspection.
    let out = std::env::var_os("LAB_REPORT_OUT").map_or_else(|| folder.path().to_owned(), Into::into);
    for file in report.write(&out).unwrap() {
        assert!(std::fs::metadata(&file).unwrap().len() > 200, "{}", file.display());
    }
    let text = report.tables()[0].to_text();
    assert!(
        text.contains("±") && text.lines().any(|line| line.contains("SOUrCe") && line.contains("0.9989")),
        "{text}"
    );
}
