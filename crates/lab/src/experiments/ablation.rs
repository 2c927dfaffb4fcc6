//! What each term of the paper's score does (SOUrCe 2018, eq. 11, section 5.6: table 5).

use std::sync::Arc;

use super::{Contender, Error, Experiment, Form, Results, Ucc, Workers};
use crate::corpus::Corpus;
use crate::replay::PolicyName;
use crate::tables::{Measure, Report, paper};

/// The experiment: crawls for user-created content by the paper's score, whole and without one of its terms.
#[derive(Debug, Clone)]
pub struct Ablation(Ucc);

impl Ablation {
    /// Compares these forms; `seeds` runs of each, with `budget` requests or as [`Ucc`] has it.
    pub fn new(forms: &[Form], seeds: u64, budget: Option<usize>) -> Self {
        Self(Ucc { contenders: Contender::all(&[PolicyName::Ucc], forms), seeds, budget })
    }
}

impl Experiment for Ablation {
    fn measure(&self, corpus: &Arc<Corpus>, workers: &Workers<'_>, results: &mut Results) -> Result<(), Error> {
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
