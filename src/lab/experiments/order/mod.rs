//! Filter before dedup, or dedup before the filter (ClusterGraph 2009, section 5: figures 4 to 8, table 6).
//!
//! Each crawl is made to its end, three times by the same graph: with the filter first, with the dedup first, and with the dedup
//! alone, which is breadth-first. While the crawl with the filter first goes on, the links of every page that it fetches are taken
//! through the steps of all three orders side by side, over each store, so that times compare the same links of the same pages
//! by the same knowledge, at the same moment of a machine that is never quite at rest.

mod findings;
mod links;
mod steps;
mod stores;
mod timing;

use std::sync::Arc;

use parking_lot::Mutex;

pub use stores::StoreKind;
#[cfg(test)]
pub(crate) use {
    steps::{Filtering, Page, Steps, Tally},
    stores::Store,
};

use super::{Contender, Crawl, Error, Experiment, Form, Results, Workers};
use crate::config::FilterOrder;
use crate::lab::corpus::{Corpus, PageId};
use crate::lab::measures::{Quality, Task};
use crate::lab::replay::PolicyName;
use crate::lab::tables::{Measure, Report, Row, paper};
use crate::policy::PolicySnapshot;
use findings::findings;
use links::LinkTable;
use timing::{Timed, Timing};

/// The task in the rows.
const TASK: &str = "order";
/// Bytes of memory that the exact set may use.
pub const EXACT_MEMORY: usize = 64 << 20;

/// The experiment.
#[derive(Debug, Clone)]
pub struct Order {
    /// The forms of the policy.
    pub forms: Vec<Form>,
    /// The stores.
    pub stores: Vec<StoreKind>,
    /// URLs that each store holds before the crawl.
    pub seen: u64,
    /// Pages of the sample; several to see whether it is large enough. None: as many as the policy takes by itself.
    pub samples: Vec<usize>,
    /// Runs, with the seeds from 1 on.
    pub seeds: u64,
}

const SHOWN: &[Measure] = &[
    Measure::Fetches,
    Measure::ValuableShare,
    Measure::DuplicateShare,
    Measure::UninformativeShare,
    Measure::RecallValuable,
    Measure::FalseNegatives,
    Measure::RelativeTime,
    Measure::RelativeCrawlTime,
    Measure::RelativeFilterTime,
    Measure::RelativeCanonicaliseTime,
    Measure::RelativeDedupTime,
    Measure::FilterNs,
    Measure::CanonicaliseNs,
    Measure::DedupNs,
    Measure::DuplicatesByDedup,
    Measure::MemoryBytes,
];

const DRAWN: &[(Measure, &str)] = &[
    (Measure::ValuableShare, "Valuable pages by requests"),
    (Measure::RecallValuable, "Valuable pages by those of the corpus"),
    (Measure::FalseNegatives, "Valuable pages among what was left out"),
    (Measure::RelativeTime, "Time of filter, canonicalisation and dedup, relative to dedup alone, same links"),
    (Measure::RelativeCrawlTime, "The same of the whole crawl, relative to the crawl with dedup alone"),
    (Measure::DuplicatesByDedup, "Duplicates that the dedup removes, by the links that it is asked about"),
];

impl Experiment for Order {
    fn measure(&self, corpus: &Arc<Corpus>, workers: &Workers<'_>, results: &mut Results) -> Result<(), Error> {
        if corpus.truth().is_none() {
            return Err(Error::NoLabels { name: corpus.name.clone(), needs: "what is worth having is told by them" });
        }
        let links = LinkTable::of(corpus);
        let untimed = self.untimed(corpus);
        let done = workers.run(&corpus.name, &untimed, |(crawl, order)| crawl.replay_in(*order, corpus, |_, _| {}));
        for ((crawl, order), done) in untimed.iter().zip(done) {
            let row = row(corpus, crawl, order.name());
            results.rows.push(with_quality(row, &links.quality(corpus, &done?)));
        }
        let timing = Mutex::new(Timing::new(&self.stores, self.seen)?);
        // Who is timed is alone.
        let timed = workers.alone().run(&corpus.name, &self.crawls(corpus, None), |crawl| {
            let mut timing = timing.lock();
            timing.begin(corpus, crawl);
            let mut steps = |page: PageId, policy: &dyn PolicySnapshot| timing.page(corpus, page, policy);
            let replay = crawl.replay_in(FilterOrder::GraphDup, corpus, &mut steps)?;
            Ok::<_, Error>((crawl.clone(), replay, timing.end()?, timing.interrupted()))
        });
        let alone = workers.alone().run(&corpus.name, &[self.breadth_first(corpus)], |crawl| {
            let mut timing = timing.lock();
            timing.begin_alone(corpus, crawl);
            crawl.replay_in(FilterOrder::DupOnly, corpus, |page, policy| timing.page(corpus, page, policy))?;
            timing.end()
        });
        let alone = alone.into_iter().collect::<Result<Vec<_>, Error>>()?.concat();
        for timed in timed {
            let (crawl, replay, timed, interrupted) = timed?;
            add_timed((corpus, &crawl), &links.quality(corpus, &replay), (&timed, &alone), results);
            if interrupted > 0 {
                let (name, seed) = (&corpus.name, crawl.seed);
                results.notes.push(format!(
                    "{name}, seed {seed}: {interrupted} pages are not in the times: the machine was busy elsewhere"
                ));
            }
            results.notes.extend(replay.note.map(|note| format!("{}, seed {}: {note}", corpus.name, crawl.seed)));
        }
        Ok(())
    }

    fn report(&self, results: Results) -> Report {
        let paper = paper::order();
        let charts = results.bar_charts(DRAWN, &paper);
        let found = findings(&results.rows);
        Report {
            name: TASK.to_owned(),
            title: "Filter before dedup, or dedup before the filter".to_owned(),
            notes: results.notes.into_iter().chain(found).collect(),
            rows: results.rows,
            paper,
            shown: SHOWN.to_vec(),
            charts,
        }
    }
}

impl Order {
    /// The crawls of each form and seed, with a sample of so many pages.
    fn crawls(&self, corpus: &Corpus, sample: Option<usize>) -> Vec<Crawl> {
        let crawl = |form: &Form, seed| Crawl {
            contender: Contender { policy: PolicyName::ClusterGraph, form: *form },
            task: Task::Ucc,
            budget: corpus.len(),
            seed,
            example: None,
            sample,
        };
        self.forms.iter().flat_map(|form| (1..=self.seeds).map(move |seed| crawl(form, seed))).collect()
    }

    /// The crawl without a filter.
    fn breadth_first(&self, corpus: &Corpus) -> Crawl {
        let contender = Contender { policy: PolicyName::Bfs, form: Form::DEFAULT };
        Crawl { contender, task: Task::Ucc, budget: corpus.len(), seed: 1, example: None, sample: None }
    }

    /// The crawls in the other orders, and those by samples of several sizes.
    fn untimed(&self, corpus: &Corpus) -> Vec<(Crawl, FilterOrder)> {
        let sized = self.samples.iter().flat_map(|size| self.crawls(corpus, Some(*size)));
        let sized = sized.map(|crawl| (crawl, FilterOrder::GraphDup));
        let second = self.crawls(corpus, None).into_iter().map(|crawl| (crawl, FilterOrder::DupGraph));
        sized.chain(second).chain([(self.breadth_first(corpus), FilterOrder::DupOnly)]).collect()
    }
}

fn row(corpus: &Corpus, crawl: &Crawl, order: &str) -> Row {
    Row { task: TASK.to_owned(), order: Some(order.to_owned()), ..crawl.row(corpus) }
}

#[expect(clippy::cast_precision_loss, reason = "counts of pages are far below 2^52")]
fn with_quality(row: Row, quality: &Quality) -> Row {
    row.with(Measure::Fetches, quality.fetches as f64)
        .with(Measure::ValuableShare, quality.valuable)
        .with(Measure::DuplicateShare, quality.duplicate)
        .with(Measure::UninformativeShare, quality.uninformative)
        .with(Measure::RecallValuable, quality.recall)
        .with(Measure::FalsePositives, quality.false_positives())
        .with(Measure::FalseNegatives, quality.false_negatives)
}

/// A row for each order and store; the quality stands where the crawl was in that order.
fn add_timed(
    (corpus, crawl): (&Corpus, &Crawl),
    quality: &Quality,
    (timed, crawl_alone): (&[Timed], &[Timed]),
    results: &mut Results,
) {
    for one in timed {
        let crawl_alone = crawl_alone.iter().find(|other| other.store == one.store).map(|other| &other.tally);
        let alone = timed.iter().find(|other| other.store == one.store && other.order == FilterOrder::DupOnly);
        let row = Row { store: Some(one.store.to_string()), ..row(corpus, crawl, one.name()) };
        let row = if one.is_whole() { with_quality(row, quality) } else { row };
        results.rows.push(one.measures(row, alone.map(|alone| &alone.tally), crawl_alone));
    }
}
