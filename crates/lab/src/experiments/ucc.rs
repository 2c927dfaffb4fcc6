//! Crawls for user-created content (SOUrCe 2018, section 5.3: table 3, figures 5 and 6).

use std::sync::Arc;

use super::crawl::spelling_for;
use super::reference::Reference;
use super::{Contender, Crawl, Crawled, Experiment, ExperimentError, Results, Workers, ucc_budget, unique_ucc};
use crate::corpus::Corpus;
use crate::measures::Task;
use crate::tables::{Measure, Report, paper};
use harvestman_papers::baselines::Spelling;

/// The experiment.
#[derive(Debug, Clone)]
pub struct Ucc {
    /// The contenders.
    pub contenders: Vec<Contender>,
    /// Number of runs each, with the seeds from 1.
    pub seeds: u64,
    /// Maximum number of requests; `None` uses [`ucc_budget`].
    pub budget: Option<usize>,
}

/// The measures in the tables of crawls for user-created content.
pub(super) const SHOWN: &[Measure] = &[
    Measure::PageRatio,
    Measure::ValidRatio,
    Measure::ValidRatioUnique,
    Measure::Recall,
    Measure::RecallUnique,
    Measure::F,
    Measure::FUnique,
    Measure::OfOracle,
    Measure::OfOracleAtWanted,
    Measure::RecallAtWanted,
    Measure::Area,
    Measure::Entropy,
];

/// The measures drawn as bars.
pub(super) const DRAWN: &[(Measure, &str)] = &[
    (Measure::ValidRatio, "Valid ratio"),
    (Measure::ValidRatioUnique, "Valid ratio without duplicate views"),
    (Measure::Recall, "Recall"),
    (Measure::RecallUnique, "Recall without duplicate views"),
    (Measure::F, "F"),
];

impl Experiment for Ucc {
    fn measure(
        &self,
        corpus: &Arc<Corpus>,
        workers: &Workers<'_>,
        results: &mut Results,
    ) -> Result<(), ExperimentError> {
        let budget = self.budget.unwrap_or_else(|| ucc_budget(corpus));
        let wanted = unique_ucc(corpus);
        let recall_at = wanted.filter(|_| self.budget.is_none());
        let crawl = |contender: Contender, seed| Crawl { recall_at, ..Crawl::new(contender, Task::Ucc, budget, seed) };
        let crawls = self.contenders.iter().flat_map(|who| (1..=self.seeds).map(|seed| crawl(*who, seed)));
        let spelling = spelling_for(corpus, &self.contenders);
        let mut crawled = run_all(corpus, &crawls.collect::<Vec<_>>(), spelling.as_ref(), workers)?;
        if wanted.is_some() {
            let budgets: Vec<usize> = [Some(budget), recall_at].into_iter().flatten().collect();
            let reference = Reference::of(corpus);
            let harvest = |budget: &usize| reference.choice(&Task::Ucc, &[], false, *budget).1;
            let most = workers.run(&reference.name(), &budgets, harvest);
            crawled.iter_mut().for_each(|crawled| crawled.compare_unique(&most));
        }
        results.add(format!("{}: user-created content, seed 1", corpus.name), crawled);
        Ok(())
    }

    fn report(&self, results: Results) -> Report {
        let paper = paper::averages(paper::ucc());
        let mut charts = results.curve_charts();
        charts.extend(results.bar_charts(DRAWN, &paper));
        Report {
            name: "ucc".to_owned(),
            title: "Crawls for user-created content".to_owned(),
            notes: results.notes,
            rows: results.rows,
            paper,
            shown: SHOWN.to_vec(),
            charts,
        }
    }
}

/// Runs these crawls.
pub(super) fn run_all(
    corpus: &Arc<Corpus>,
    crawls: &[Crawl],
    spelling: Option<&Spelling>,
    workers: &Workers<'_>,
) -> Result<Vec<Crawled>, ExperimentError> {
    workers.run(&corpus.name, crawls, |crawl| crawl.run(corpus, spelling)).into_iter().collect()
}
