//! Crawls for the items of a topic (Zhang, Nasraoui 2009, section 8.3).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::reference::Reference;
use super::{
    Contender, Crawl, Crawled, Experiment, ExperimentError, Results, TypesBy, Workers, profile_cotags, profile_types,
};
use crate::corpus::{Corpus, PageId};
use crate::measures::{Harvest, Judge, Task, Topic};
use crate::replay::TopicInputs;
use crate::tables::{Measure, Report, Row};
use harvestman_core::seed::Seed;

/// The experiment.
#[derive(Debug, Clone)]
pub struct Profiles {
    /// The contenders.
    pub contenders: Vec<Contender>,
    /// Number of runs each, with the seeds from 1.
    pub seeds: u64,
    /// Number of requests after which crawls are measured; `None`: `profiles_budgets`.
    pub budget: Option<usize>,
    /// Number of topics, the most frequent ones; with 0, only page types are measured.
    pub topics: usize,
}

/// Returns the numbers of requests after which a crawl for a topic is measured, in ascending order: as many as the
/// topic has items, and a sixteenth, an eighth and a quarter of the pages of the corpus. Pages are HTML pages with
/// status 200 that are no duplicate views.
pub fn profiles_budgets(corpus: &Corpus, topic: &Topic) -> Vec<usize> {
    let Some(truth) = corpus.truth() else { return Vec::new() };
    let unique = corpus.ids().filter_map(|id| truth.page(id)).filter(|label| !label.is_duplicate_view).count();
    let task = Task::Topic(Arc::new(topic.clone()));
    let items = Judge::new(corpus, task).wanted().map_or(0, |wanted| wanted.unique as usize);
    let budgets: BTreeSet<usize> = [items, unique / 16, unique / 8, unique / 4].map(|budget| budget.max(1)).into();
    budgets.into_iter().collect()
}

const SHOWN: &[Measure] = &[
    Measure::Types,
    Measure::Classified,
    Measure::TypeRight,
    Measure::TypeRightByType,
    Measure::RoleRight,
    Measure::Cotags,
    Measure::CotagsFound,
    Measure::CotagPrecision,
    Measure::CotagRecall,
    Measure::Fetches,
    Measure::HarvestRate,
    Measure::ValidRatioUnique,
    Measure::RecallUnique,
    Measure::OfOracle,
    Measure::Area,
];
const DRAWN: &[(Measure, &str)] = &[(Measure::ValidRatioUnique, "Harvest ratio"), (Measure::RecallUnique, "Recall")];

impl Experiment for Profiles {
    fn measure(
        &self,
        corpus: &Arc<Corpus>,
        workers: &Workers<'_>,
        results: &mut Results,
    ) -> Result<(), ExperimentError> {
        let ways: Vec<_> =
            TypesBy::ALL.into_iter().flat_map(|by| (1..=self.seeds).map(move |seed| (by, seed))).collect();
        let types = workers.run(&corpus.name, &ways, |(by, seed)| profile_types::row(corpus, *by, *seed));
        for (row, note) in types.into_iter().flatten() {
            results.rows.push(row);
            results.notes.extend(note);
        }
        let topics = Topic::of(corpus, self.topics);
        if topics.is_empty() && self.topics > 0 {
            if results.rows.iter().any(|row| row.corpus == corpus.name) {
                results.notes.push(format!("{}: no topics, since no items have tags", corpus.name));
                return Ok(());
            }
            let needs = "topics are tags of items: the labels need the columns `role` and `tags`";
            return Err(ExperimentError::NoLabels { name: corpus.name.clone(), needs });
        }
        let reference = if topics.is_empty() { None } else { Some(Reference::of(corpus)) };
        for (topic, reference) in topics.iter().zip(reference.iter().cycle()) {
            self.measure_topic(corpus, topic, reference, workers, results)?;
        }
        Ok(())
    }

    fn report(&self, results: Results) -> Report {
        let mut charts = results.curve_charts();
        charts.extend(results.bar_charts(DRAWN, &[]));
        Report {
            name: "profiles".to_owned(),
            title: "Crawls for the items of a topic".to_owned(),
            notes: results.notes,
            rows: results.rows,
            paper: Vec::new(),
            shown: SHOWN.to_vec(),
            charts,
        }
    }
}

impl Profiles {
    fn measure_topic(
        &self,
        corpus: &Arc<Corpus>,
        topic: &Topic,
        reference: &Reference<'_>,
        workers: &Workers<'_>,
        results: &mut Results,
    ) -> Result<(), ExperimentError> {
        results.notes.push(format!("{}: a topic is {}", corpus.name, topic.tags.join(", ")));
        let task = Task::Topic(Arc::new(topic.clone()));
        let budgets = self.budget.map_or_else(|| profiles_budgets(corpus, topic), |budget| vec![budget]);
        let most: Vec<(Row, u64)> =
            workers.run(&reference.name(), &budgets, |budget| oracle(corpus, &task, reference, *budget));
        let mut crawls = Vec::new();
        for seed in 1..=self.seeds {
            let inputs = Arc::new(TopicInputs::of(corpus, topic, Seed(seed)));
            let crawl = |contender: &Contender| Crawl {
                topic: Some(Arc::clone(&inputs)),
                ..Crawl::new(*contender, task.clone(), 0, seed)
            };
            crawls.extend(self.contenders.iter().map(crawl));
        }
        let crawled = workers.run(&corpus.name, &crawls, |crawl| {
            let (crawled, done) = crawl.run_at(corpus, &budgets)?;
            let longest = budgets.iter().max().map(|budget| *budget as u64);
            let row = Row { budget: longest, measures: BTreeMap::new(), ..crawl.row(corpus) };
            Ok((crawled, profile_cotags::row(corpus, topic, &done, row)))
        });
        let crawled: Vec<(Vec<Crawled>, Row)> = crawled.into_iter().collect::<Result<_, ExperimentError>>()?;
        let (mut all, mut cotags) = (Vec::new(), Vec::new());
        for (mut at_budgets, row) in crawled {
            for (crawled, (_, most)) in at_budgets.iter_mut().zip(&most) {
                crawled.compare_unique(&[*most]);
            }
            all.extend(at_budgets);
            cotags.push(row);
        }
        results.add(format!("{}: {}, seed 1", corpus.name, topic.name()), all);
        results.rows.extend(most.into_iter().map(|(row, _)| row).chain(cotags));
        Ok(())
    }
}

/// The crawl with full knowledge of the site, and the number of items that it yields.
fn oracle(corpus: &Corpus, task: &Task, reference: &Reference<'_>, budget: usize) -> (Row, u64) {
    let (order, most) = reference.choice(task, &[], false, budget);
    let mut judge = Judge::new(corpus, task.clone());
    let fetches: Vec<_> = order.iter().map(|url| judge.fetched(Some(PageId(*url)))).collect();
    let row =
        Row { target: task.target(), budget: Some(budget as u64), ..Row::new(&corpus.name, task.name(), "oracle") };
    (row.with_harvest(&Harvest::of(&fetches, judge.wanted())), most)
}
