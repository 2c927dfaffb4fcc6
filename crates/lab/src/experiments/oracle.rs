//! The harvest of a crawl with full knowledge of the site, for user-created content and for the pages of each type.

use std::sync::Arc;

use super::reference::Reference;
use super::{
    Experiment, ExperimentError, Results, Workers, example_of, target_budget, target_types, ucc_budget, unique_ucc,
};
use crate::corpus::{Corpus, PageId};
use crate::measures::{Harvest, Judge, Task};
use crate::tables::{Measure, Report, Row};
use harvestman_core::seed::Seed;

/// The experiment.
#[derive(Debug, Clone)]
pub struct Oracle {
    /// Number of examples of each target type, drawn with the seeds from 1.
    pub seeds: u64,
    /// Maximum number of requests of all crawls; `None` uses the budgets of the other experiments.
    pub budget: Option<usize>,
    /// Minimum number of pages of a target type.
    pub type_pages: u64,
}

/// The variants: with the budget of the other experiments; with as many requests as there are wanted pages; with
/// addresses that extend known ones.
const LINKED: &str = "linked";
const AT_WANTED: &str = "linked, a request per wanted page";
const DERIVED: &str = "derived";

const SHOWN: &[Measure] = &[
    Measure::Fetches,
    Measure::Wanted,
    Measure::Harvested,
    Measure::Bound,
    Measure::ValidRatio,
    Measure::ValidRatioUnique,
    Measure::RecallUnique,
];

/// One crawl to compute.
struct Run {
    task: Task,
    variant: &'static str,
    budget: usize,
    seed: u64,
    examples: Vec<PageId>,
    /// Whether the crawl may derive addresses, as the policies for targets do.
    derives: bool,
}

impl Experiment for Oracle {
    fn measure(
        &self,
        corpus: &Arc<Corpus>,
        workers: &Workers<'_>,
        results: &mut Results,
    ) -> Result<(), ExperimentError> {
        let runs = self.runs(corpus)?;
        let reference = Reference::of(corpus);
        results.rows.extend(workers.run(&corpus.name, &runs, |run| run.row(corpus, &reference)));
        Ok(())
    }

    fn report(&self, results: Results) -> Report {
        Report {
            name: "oracle".to_owned(),
            title: "The harvest of a crawl with full knowledge of the site".to_owned(),
            notes: results.notes,
            rows: results.rows,
            paper: Vec::new(),
            shown: SHOWN.to_vec(),
            charts: Vec::new(),
        }
    }
}

impl Oracle {
    fn runs(&self, corpus: &Corpus) -> Result<Vec<Run>, ExperimentError> {
        let wanted = unique_ucc(corpus);
        let types = match target_types(corpus, self.type_pages) {
            Err(ExperimentError::NoTypes { .. }) if wanted.is_some() => Vec::new(),
            types => types?,
        };
        let ucc =
            |variant, budget| Run { task: Task::Ucc, variant, budget, seed: 1, examples: Vec::new(), derives: false };
        let mut runs = match (self.budget, wanted) {
            (_, None) => Vec::new(),
            (Some(budget), _) => vec![ucc(LINKED, budget)],
            (None, Some(wanted)) => vec![ucc(LINKED, ucc_budget(corpus)), ucc(AT_WANTED, wanted)],
        };
        for name in types {
            let task = Task::Target(Arc::clone(&name));
            for seed in 1..=self.seeds {
                let examples = vec![example_of(corpus, &name, Seed(seed))?];
                let budget = self.budget.unwrap_or_else(|| target_budget(corpus, &task));
                for (variant, derives) in [(LINKED, false), (DERIVED, true)] {
                    runs.push(Run { task: task.clone(), variant, budget, seed, examples: examples.clone(), derives });
                }
            }
        }
        Ok(runs)
    }
}

impl Run {
    #[expect(clippy::cast_precision_loss, reason = "numbers of pages")]
    fn row(&self, corpus: &Corpus, reference: &Reference<'_>) -> Row {
        let site = reference.site(&self.task, &self.examples, self.derives);
        let all = site.wanted.iter().filter(|wanted| **wanted).count();
        let (order, harvested) = reference.choice(&self.task, &self.examples, self.derives, self.budget);
        let mut judge = Judge::new(corpus, self.task.clone());
        let fetches: Vec<_> = order.iter().map(|url| judge.fetched(Some(PageId(*url)))).collect();
        let row = Row {
            target: self.task.target(),
            variant: Some(self.variant.to_owned()),
            seed: Some(self.seed),
            budget: Some(self.budget as u64),
            ..Row::new(&corpus.name, self.task.name(), "oracle")
        };
        row.with_harvest(&Harvest::of(&fetches, judge.wanted()))
            .with(Measure::Wanted, all as f64)
            .with(Measure::Harvested, harvested as f64)
            .with(Measure::Bound, site.bound(self.budget) as f64)
    }
}
