//! The effect of the sample size (SOUrCe 2018, section 5.5: figure 8).

use std::sync::Arc;

use super::ucc::{DRAWN, SHOWN, run_all};
use super::{Contender, Crawl, Experiment, ExperimentError, Results, Workers, ucc_budget};
use crate::corpus::Corpus;
use crate::measures::Task;
use crate::tables::{Report, paper};

/// The experiment: crawls for user-created content with different numbers of pages to learn templates from.
#[derive(Debug, Clone)]
pub struct Samples {
    /// The contenders.
    pub contenders: Vec<Contender>,
    /// The sample sizes, in pages.
    pub sizes: Vec<usize>,
    /// Number of runs each, with the seeds from 1.
    pub seeds: u64,
    /// Maximum number of requests; `None` uses [`ucc_budget`].
    pub budget: Option<usize>,
}

impl Experiment for Samples {
    fn measure(
        &self,
        corpus: &Arc<Corpus>,
        workers: &Workers<'_>,
        results: &mut Results,
    ) -> Result<(), ExperimentError> {
        let budget = self.budget.unwrap_or_else(|| ucc_budget(corpus));
        let mut crawls = Vec::new();
        for contender in &self.contenders {
            for size in &self.sizes {
                crawls.extend(
                    (1..=self.seeds)
                        .map(|seed| Crawl { sample: Some(*size), ..Crawl::new(*contender, Task::Ucc, budget, seed) }),
                );
            }
        }
        let crawled = run_all(corpus, &crawls, None, workers)?;
        results.add(format!("{}: by sample size, seed 1", corpus.name), crawled);
        Ok(())
    }

    fn report(&self, results: Results) -> Report {
        let (apath, bfs) = paper::SAMPLES_ALIKE;
        let note = format!("The paper: {apath} pages sampled by Apath are as good as {bfs} sampled breadth-first.");
        let mut charts = results.curve_charts();
        charts.extend(results.bar_charts(DRAWN, &[]));
        Report {
            name: "samples".to_owned(),
            title: "Crawls by sample size".to_owned(),
            notes: results.notes.into_iter().chain([note]).collect(),
            rows: results.rows,
            paper: Vec::new(),
            shown: SHOWN.to_vec(),
            charts,
        }
    }
}
