//! Clustering of a sample (SOUrCe 2018, section 5.2: tables 1 and 2).

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::seq::SliceRandom;

use super::{Clustered, Experiment, ExperimentError, Method, Results, Workers, apath_sample};
use crate::corpus::{Corpus, PageId};
use crate::measures::{Clustering, Precision};
use crate::tables::{Measure, Report, Row, paper};
use harvestman_core::seed::Seed;

/// The experiment: an Apath sample is clustered, and other pages of the corpus are classified by it.
#[derive(Debug, Clone)]
pub struct Cluster {
    /// The clustering methods.
    pub methods: Vec<Method>,
    /// Number of pages in the sample.
    pub sample: usize,
    /// Maximum number of pages to classify, drawn from all others.
    pub others_max: usize,
    /// Number of runs, with the seeds from 1.
    pub seeds: u64,
}

const SHOWN: &[Measure] = &[
    Measure::Sample,
    Measure::Features,
    Measure::Types,
    Measure::Clusters,
    Measure::Outliers,
    Measure::Eps,
    Measure::Purity,
    Measure::MicroF,
    Measure::MacroF,
    Measure::MicroPrecision,
];
const DRAWN: &[(Measure, &str)] = &[
    (Measure::Purity, "Purity"),
    (Measure::MicroF, "F by pages"),
    (Measure::MacroF, "F by types"),
    (Measure::MicroPrecision, "Precision of the classification of other pages"),
];

impl Experiment for Cluster {
    fn measure(
        &self,
        corpus: &Arc<Corpus>,
        workers: &Workers<'_>,
        results: &mut Results,
    ) -> Result<(), ExperimentError> {
        let seeds: Vec<_> = (1..=self.seeds).collect();
        let samples = workers.run(&format!("{}: samples", corpus.name), &seeds, |seed| {
            apath_sample(corpus, self.sample, &mut Seed(*seed).child("sample").rng())
        });
        let sampled = || seeds.iter().zip(&samples);
        let jobs: Vec<_> = self
            .methods
            .iter()
            .flat_map(|method| sampled().map(move |(seed, sample)| (*method, *seed, sample)))
            .collect();
        results.rows.extend(workers.run(&corpus.name, &jobs, |(method, seed, sample)| {
            let clustered = Clustered::of(*method, corpus, sample);
            let row = Row { seed: Some(*seed), ..Row::new(&corpus.name, "cluster", method.name()) };
            let others = self.others(corpus, sample, Seed(*seed));
            let row = with_clusters(row, corpus, sample, &clustered);
            match known_precision(corpus, &clustered, sample, &others) {
                Some(precision) => row.with_precision(&precision),
                None => row,
            }
        }));
        Ok(())
    }

    fn report(&self, results: Results) -> Report {
        let note = "micro_precision: share of the corpus's other pages that kNN puts in a cluster most of whose sampled \
            pages are of their type. The paper gives no purity per site.";
        Report {
            name: "cluster".to_owned(),
            title: "Clustering of a sample".to_owned(),
            charts: results.bar_charts(DRAWN, &[]),
            notes: results.notes.into_iter().chain([note.to_owned()]).collect(),
            rows: results.rows,
            paper: paper::clustering(),
            shown: SHOWN.to_vec(),
        }
    }
}

impl Cluster {
    /// Returns pages outside the sample, drawn with `seed` if there are more than `others_max`.
    fn others(&self, corpus: &Corpus, sample: &[PageId], seed: Seed) -> Vec<PageId> {
        let mut sampled = vec![false; corpus.len()];
        sample.iter().for_each(|id| sampled[id.index()] = true);
        let mut others: Vec<_> = corpus.ids().filter(|id| !sampled[id.index()] && corpus.page(*id).is_page()).collect();
        others.shuffle(&mut seed.child("others").rng());
        others.truncate(self.others_max);
        others
    }
}

/// Returns the type of a page; `None` for pages without a label.
pub(super) fn type_of(corpus: &Corpus, id: PageId) -> Option<&str> {
    Some(&*corpus.truth()?.page(id)?.page_type)
}

#[expect(clippy::cast_precision_loss, reason = "counts of pages and paths")]
fn with_clusters(row: Row, corpus: &Corpus, sample: &[PageId], clustered: &Clustered) -> Row {
    let labels = clustered.labels();
    let (radius, features) = clustered.radius_and_features().unzip();
    let row = row.with(Measure::Eps, radius.map(f64::from)).with(Measure::Features, features.map(|n| n as f64));
    let pages = labels.iter().zip(sample).filter_map(|(label, id)| Some((*label, type_of(corpus, *id)?)));
    if let Some(clustering) = Clustering::of(pages) {
        return row.with_clustering(&clustering);
    }
    let clusters: BTreeSet<_> = labels.iter().flatten().collect();
    row.with(Measure::Sample, sample.len() as f64)
        .with(Measure::Clusters, clusters.len() as f64)
        .with(Measure::Outliers, labels.iter().filter(|label| label.is_none()).count() as f64)
}

/// Returns the precision on `others`, by the types of the sample, over the pages with known types.
pub(super) fn known_precision(
    corpus: &Corpus,
    clustered: &Clustered,
    sample: &[PageId],
    others: &[PageId],
) -> Option<Precision> {
    corpus.truth()?;
    let training = clustered.parts().zip(sample);
    let training = training.filter_map(|(part, id)| Some((part, type_of(corpus, *id)?)));
    let parts = clustered.classify(corpus, others);
    let test = parts.iter().zip(others).filter_map(|(part, id)| Some((*part, type_of(corpus, *id)?)));
    Precision::of(training, test)
}
