//! The effect of each term of the paper's score (SOUrCe 2018, eq. 11, section 5.6: table 5).

use harvestman_core::config::PolicyKind;
use std::sync::Arc;

use super::{Contender, Experiment, ExperimentError, Form, Results, Ucc, Workers};
use crate::corpus::Corpus;
use crate::tables::{Measure, Report, paper};

/// The experiment: crawls for user-created content by the paper's score, complete and without one of its terms.
#[derive(Debug, Clone)]
pub struct Ablation(Ucc);

impl Ablation {
    /// Compares these forms with `seeds` runs each and `budget` requests, or the budget of [`Ucc`].
    pub fn new(forms: &[Form], seeds: u64, budget: Option<usize>) -> Self {
        Self(Ucc { contenders: Contender::all(&[PolicyKind::Ucc], forms), seeds, budget })
    }
}

impl Experiment for Ablation {
    fn measure(
        &self,
        corpus: &Arc<Corpus>,
        workers: &Workers<'_>,
        results: &mut Results,
    ) -> Result<(), ExperimentError> {
        self.0.measure(corpus, workers, results)
    }

    fn report(&self, results: Results) -> Report {
        let paper = paper::ablation();
        let entropy = results.bar_charts(&[(Measure::Entropy, "Entropy of the page types, bits")], &paper);
        let mut report = self.0.report(results);
        report.notes.push("The paper's Dsim+Balance is the score without Info, and so on.".to_owned());
        Report {
            name: "ablation".to_owned(),
            title: "The score of SOUrCe without one of its terms".to_owned(),
            charts: report.charts.into_iter().chain(entropy).collect(),
            paper,
            ..report
        }
    }
}
