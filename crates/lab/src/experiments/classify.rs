//! Cross-validated classification (SOUrCe 2018, section 5.2).

use std::sync::Arc;

use super::cluster::{known_precision, type_of};
use super::{Clustered, Experiment, ExperimentError, Method, Results, Workers, apath_sample};
use crate::corpus::{Corpus, PageId};
use crate::measures::{Precision, stratified_folds};
use crate::tables::{Measure, Report, Row};
use harvestman_core::seed::Seed;

/// The experiment: clusters are learned from three quarters of an Apath sample and used to classify the last quarter;
/// each quarter is the last one once. An outlier of the three quarters is a cluster of its own, as in the paper.
#[derive(Debug, Clone)]
pub struct Classify {
    /// The clustering methods.
    pub methods: Vec<Method>,
    /// Number of pages in the sample.
    pub sample: usize,
    /// Number of runs, with the seeds from 1.
    pub seeds: u64,
}

const FOLDS: usize = 4;
const SHOWN: &[Measure] = &[Measure::Sample, Measure::MicroPrecision, Measure::MacroPrecision];
const DRAWN: &[(Measure, &str)] =
    &[(Measure::MicroPrecision, "Precision by pages"), (Measure::MacroPrecision, "Precision by clusters")];

impl Experiment for Classify {
    fn measure(
        &self,
        corpus: &Arc<Corpus>,
        workers: &Workers<'_>,
        results: &mut Results,
    ) -> Result<(), ExperimentError> {
        if corpus.truth().is_none() {
            return Err(ExperimentError::NoLabels {
                name: corpus.name.clone(),
                needs: "precision is measured by page types",
            });
        }
        let jobs: Vec<_> =
            self.methods.iter().flat_map(|method| (1..=self.seeds).map(move |seed| (*method, seed))).collect();
        let rows = workers.run(&corpus.name, &jobs, |(method, seed)| self.run(corpus, *method, *seed));
        results.rows.extend(rows.into_iter().collect::<Result<Vec<_>, _>>()?);
        Ok(())
    }

    fn report(&self, results: Results) -> Report {
        let note = format!("Each row is the mean over {FOLDS} folds; the paper gives no figures by site.");
        Report {
            name: "classify".to_owned(),
            title: "Classification, cross validated".to_owned(),
            charts: results.bar_charts(DRAWN, &[]),
            notes: results.notes.into_iter().chain([note]).collect(),
            rows: results.rows,
            paper: Vec::new(),
            shown: SHOWN.to_vec(),
        }
    }
}

impl Classify {
    #[expect(clippy::cast_precision_loss, reason = "a number of pages")]
    fn run(&self, corpus: &Corpus, method: Method, seed: u64) -> Result<Row, ExperimentError> {
        let sample = apath_sample(corpus, self.sample, &mut Seed(seed).child("sample").rng());
        let (pages, types): (Vec<_>, Vec<_>) =
            sample.into_iter().filter_map(|id| Some((id, type_of(corpus, id)?))).unzip();
        let dealt = stratified_folds(&types, FOLDS, &mut Seed(seed).child("folds").rng());
        let precisions: Vec<_> =
            (0..FOLDS).filter_map(|fold| precision(corpus, method, &pages, |at| dealt[at] == fold)).collect();
        if precisions.len() < FOLDS {
            let what = format!("{} labelled pages sampled, but {FOLDS} folds need at least one each", pages.len());
            return Err(ExperimentError::TooFewPages { name: corpus.name.clone(), what });
        }
        let mean = |of: fn(&Precision) -> f64| precisions.iter().map(of).sum::<f64>() / FOLDS as f64;
        let precision = Precision { micro: mean(|p| p.micro), macro_: mean(|p| p.macro_) };
        let row = Row { seed: Some(seed), ..Row::new(&corpus.name, "classify", method.name()) };
        Ok(row.with(Measure::Sample, pages.len() as f64).with_precision(&precision))
    }
}

/// Returns the precision on the pages selected by `is_test` (by index), of a classifier learned from the others.
fn precision(corpus: &Corpus, method: Method, pages: &[PageId], is_test: impl Fn(usize) -> bool) -> Option<Precision> {
    let part = |wanted: bool| -> Vec<PageId> {
        let places = pages.iter().enumerate().filter(|(at, _)| is_test(*at) == wanted);
        places.map(|(_, id)| *id).collect()
    };
    let (training, test) = (part(false), part(true));
    let clustered = Clustered::of(method, corpus, &training);
    known_precision(corpus, &clustered, &training, &test)
}
