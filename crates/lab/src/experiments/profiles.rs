//! Crawls for the items of a topic (Zhang, Nasraoui 2009, section 8.3).

use std::sync::Arc;

use super::reference::Reference;
use super::ucc::run_all;
use super::{Contender, Crawl, Experiment, ExperimentError, Results, Workers};
use crate::corpus::Corpus;
use crate::measures::{Task, Topic};
use crate::replay::TopicInputs;
use crate::tables::{Measure, Report};
use harvestman_core::seed::Seed;

/// The experiment.
#[derive(Debug, Clone)]
pub struct Profiles {
    /// The contenders.
    pub contenders: Vec<Contender>,
    /// Number of runs each, with the seeds from 1.
    pub seeds: u64,
    /// Maximum number of requests; `None` uses a quarter of the URLs.
    pub budget: Option<usize>,
    /// Number of topics, the most frequent ones.
    pub topics: usize,
}

const SHOWN: &[Measure] = &[
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
        let topics = Topic::of(corpus, self.topics);
        if topics.is_empty() {
            let needs = "topics are tags of items: the labels need the columns `role` and `tags`";
            return Err(ExperimentError::NoLabels { name: corpus.name.clone(), needs });
        }
        let budget = self.budget.unwrap_or(corpus.len() / 4);
        let reference = Reference::of(corpus);
        for topic in topics {
            results.notes.push(format!("{}: a topic is {}", corpus.name, topic.tags.join(", ")));
            let task = Task::Topic(Arc::new(topic.clone()));
            let mut crawls = Vec::new();
            for seed in 1..=self.seeds {
                let inputs = Arc::new(TopicInputs::of(corpus, &topic, Seed(seed)));
                let crawl = |contender: &Contender| Crawl {
                    topic: Some(Arc::clone(&inputs)),
                    ..Crawl::new(*contender, task.clone(), budget, seed)
                };
                crawls.extend(self.contenders.iter().map(crawl));
            }
            let mut crawled = run_all(corpus, &crawls, None, workers)?;
            let harvest = |budget: &usize| reference.choice(&task, &[], false, *budget).1;
            let most = workers.run(&reference.name(), &[budget], harvest);
            crawled.iter_mut().for_each(|crawled| crawled.compare_unique(&most));
            results.add(format!("{}: {}, seed 1", corpus.name, topic.name()), crawled);
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
