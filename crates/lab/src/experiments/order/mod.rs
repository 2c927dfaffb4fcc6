//! Filter before dedup, or dedup before filter (ClusterGraph 2009, section 5: figures 4 to 8, table 6).
//!
//! Each order runs a complete crawl whose links are processed in that order over each store, as in the paper. In
//! addition, while graph-dup crawls once more, the links of every fetched page are processed in all orders side by
//! side, so that times compare the same links with the same snapshot at the same moment, whatever else the machine is
//! doing.

mod findings;
mod rows;
mod steps;
mod stores;
mod timing;

use harvestman_core::config::{FilterOrder, PolicyKind};
use std::sync::Arc;

use parking_lot::Mutex;

pub use steps::{Filtering, Page, Steps, Tally};
pub use stores::{EXACT_MEMORY, Store, StoreKind};

use super::links::LinkTable;
use super::{Contender, Crawl, Experiment, ExperimentError, Form, Results, Workers};
use crate::corpus::{Corpus, PageId};
use crate::measures::{Quality, Task};
use crate::tables::{Measure, Report, Row, paper};
use findings::findings;
use harvestman_policy::PolicySnapshot;
use rows::{Measured, with_quality};
use timing::{Timed, Timing, middle};

/// The name of the task in the rows.
const TASK: &str = "order";
/// Number of times that the crawl of each order is timed.
const TURNS: u64 = 3;

/// The experiment.
#[derive(Debug, Clone)]
pub struct Order {
    /// The forms of the policy.
    pub forms: Vec<Form>,
    /// The stores.
    pub stores: Vec<StoreKind>,
    /// Number of URLs that each store holds before the crawl.
    pub seen: u64,
    /// Sample sizes in pages; several show whether the sample is large enough. Empty: the default of the policy.
    pub samples: Vec<usize>,
    /// Number of runs, with the seeds from 1.
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
    Measure::RelativeTimeSameLinks,
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
    (Measure::ValuableShare, "Valuable pages per request"),
    (Measure::RecallValuable, "Recall of valuable pages"),
    (Measure::FalseNegatives, "Valuable pages among the rejected URLs"),
    (
        Measure::RelativeTime,
        "Time of filter, canonicalisation and dedup in a crawl, relative to the crawl with dedup only",
    ),
    (Measure::RelativeTimeSameLinks, "The same time for the same links"),
    (Measure::DuplicatesByDedup, "Share of duplicates among the links that reach the dedup"),
];

impl Experiment for Order {
    fn measure(
        &self,
        corpus: &Arc<Corpus>,
        workers: &Workers<'_>,
        results: &mut Results,
    ) -> Result<(), ExperimentError> {
        if corpus.truth().is_none() {
            return Err(ExperimentError::NoLabels {
                name: corpus.name.clone(),
                needs: "they define which pages are valuable",
            });
        }
        let links = LinkTable::of(corpus);
        let sized = self.sized(corpus);
        let done = workers.run(&corpus.name, &sized, |crawl| crawl.replay_in(FilterOrder::GraphDup, corpus, |_, _| {}));
        for (crawl, done) in sized.iter().zip(done) {
            let row = row(corpus, crawl, FilterOrder::GraphDup.name());
            results.rows.push(with_quality(row, &links.quality(corpus, &done?)));
        }
        let timing = Mutex::new(Timing::new(&self.stores, self.seen)?);
        // Timed crawls run alone.
        let timed = workers.alone().run(&corpus.name, &self.timed(corpus), |(crawl, how)| {
            timed(corpus, crawl, *how, &mut timing.lock(), &links)
        });
        self.add(corpus, timed.into_iter().collect::<Result<_, _>>()?, results);
        Ok(())
    }

    fn report(&self, results: Results) -> Report {
        let paper = paper::order();
        let charts = results.bar_charts(DRAWN, &paper);
        let found = findings(&results.rows);
        Report {
            name: TASK.to_owned(),
            title: "Filter before dedup, or dedup before filter".to_owned(),
            notes: results.notes.into_iter().chain(found).collect(),
            rows: results.rows,
            paper,
            shown: SHOWN.to_vec(),
            charts,
        }
    }
}

impl Order {
    /// Returns the crawls of each seed and form, with this sample size.
    fn crawls(&self, corpus: &Corpus, sample: Option<usize>) -> Vec<Crawl> {
        (1..=self.seeds).flat_map(|seed| self.crawls_of(corpus, seed, sample)).collect()
    }

    fn crawls_of(&self, corpus: &Corpus, seed: u64, sample: Option<usize>) -> impl Iterator<Item = Crawl> {
        let crawl = move |form: &Form| Crawl {
            contender: Contender { policy: PolicyKind::ClusterGraph, form: *form },
            sample,
            ..breadth_first(corpus, seed)
        };
        self.forms.iter().map(crawl)
    }

    /// Returns the crawls with the given sample sizes.
    fn sized(&self, corpus: &Corpus) -> Vec<Crawl> {
        self.samples.iter().flat_map(|size| self.crawls(corpus, Some(*size))).collect()
    }

    /// Returns the timed crawls; those that are compared alternate, so that all are affected equally by other load.
    fn timed(&self, corpus: &Corpus) -> Vec<(Crawl, How)> {
        let of_seed = |seed| {
            let turn = move |turn| {
                let alone = (breadth_first(corpus, seed), How::In(FilterOrder::DupOnly, turn));
                let each = [FilterOrder::DupGraph, FilterOrder::GraphDup].map(|order| How::In(order, turn));
                let crawls = self.crawls_of(corpus, seed, None);
                std::iter::once(alone).chain(crawls.flat_map(move |crawl| each.map(|how| (crawl.clone(), how))))
            };
            let side_by_side = self.crawls_of(corpus, seed, None).map(|crawl| (crawl, How::SideBySide));
            (0..TURNS).flat_map(turn).chain(side_by_side)
        };
        (1..=self.seeds).flat_map(of_seed).collect()
    }

    /// Adds the rows of each form and seed.
    fn add(&self, corpus: &Corpus, done: Vec<Done>, results: &mut Results) {
        for one in &done {
            let (name, seed) = (&corpus.name, one.crawl.seed);
            if one.interrupted > 0 {
                let pages = one.interrupted;
                results.notes.push(format!(
                    "{name}, seed {seed}, {}: {pages} pages are excluded from the times because the machine was busy",
                    one.how
                ));
            }
            let of_crawl = one.note.iter().filter(|_| one.how == How::In(FilterOrder::GraphDup, 0));
            results.notes.extend(of_crawl.map(|note| format!("{name}, seed {seed}: {note}")));
        }
        for side in done.iter().filter(|one| one.how == How::SideBySide) {
            let crawl = &side.crawl;
            let is_own = |one: &&Done| match one.how {
                How::In(FilterOrder::DupOnly, _) => one.crawl.seed == crawl.seed,
                How::In(..) => (one.crawl.contender, one.crawl.seed) == (crawl.contender, crawl.seed),
                How::SideBySide => false,
            };
            let own = middle(done.iter().filter(is_own).flat_map(|one| one.timed.clone()).collect());
            let quality: Vec<_> = done.iter().filter(is_own).filter_map(Done::quality).collect();
            let measured = Measured { own: &own, side_by_side: &side.timed, quality: &quality };
            results.rows.extend(measured.rows(|order| row(corpus, crawl, order)));
        }
    }
}

/// The way in which a crawl is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// In one order, which the crawl uses; the number of the repetition.
    In(FilterOrder, u64),
    /// In all orders; the crawl uses graph-dup.
    SideBySide,
}

impl std::fmt::Display for How {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::In(order, _) => order.name(),
            Self::SideBySide => "side by side",
        })
    }
}

/// A timed crawl.
struct Done {
    crawl: Crawl,
    how: How,
    quality: Quality,
    timed: Vec<Timed>,
    interrupted: u64,
    note: Option<String>,
}

impl Done {
    fn quality(&self) -> Option<(FilterOrder, Quality)> {
        match self.how {
            How::In(order, _) => Some((order, self.quality)),
            How::SideBySide => None,
        }
    }
}

/// Runs and times a crawl.
fn timed(
    corpus: &Arc<Corpus>,
    crawl: &Crawl,
    how: How,
    timing: &mut Timing,
    links: &LinkTable,
) -> Result<Done, ExperimentError> {
    let order = match how {
        How::In(order, _) => order,
        How::SideBySide => FilterOrder::GraphDup,
    };
    match how {
        How::In(order, turn) => timing.begin_in(order, turn, corpus, crawl),
        How::SideBySide => timing.begin_side_by_side(corpus, crawl),
    }
    let replay = crawl
        .replay_in(order, corpus, |page: PageId, policy: &dyn PolicySnapshot| timing.page(corpus, page, policy))?;
    let (timed, interrupted) = (timing.end()?, timing.interrupted());
    let quality = links.quality(corpus, &replay);
    Ok(Done { crawl: crawl.clone(), how, quality, timed, interrupted, note: replay.note })
}

/// Returns the crawl without a filter, which is the same for every seed except for its time.
fn breadth_first(corpus: &Corpus, seed: u64) -> Crawl {
    let contender = Contender { policy: PolicyKind::Bfs, form: Form::DEFAULT };
    Crawl::new(contender, Task::Ucc, corpus.len(), seed)
}

fn row(corpus: &Corpus, crawl: &Crawl, order: &str) -> Row {
    Row { task: TASK.to_owned(), order: Some(order.to_owned()), ..crawl.row(corpus) }
}
