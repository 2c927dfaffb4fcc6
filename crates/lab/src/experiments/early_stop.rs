//! The accuracy of yield forecasts, and the savings and losses of stopping by them.
//!
//! Each crawl is run completely once, with forecasts all the time; the point where it would have stopped at each share
//! is determined afterwards, since forecasts do not affect the crawl.

use harvestman_core::config::PolicyKind;
use std::sync::Arc;

use super::{Contender, Crawl, Experiment, ExperimentError, Form, Results, Workers, example_of, target_types};
use crate::corpus::{Corpus, TypeCounts};
use crate::measures::{Fetched, Harvest, Judge, Task};
use crate::replay::{Look, Replay};
use crate::tables::{Chart, Measure, Report, Row, Series};
use harvestman_core::seed::Seed;
use harvestman_stages::frontier::{EarlyStop, EarlyStopOptions};

/// The experiment.
#[derive(Debug, Clone)]
pub struct EarlyStops {
    /// Shares of the next requests that are expected to yield something, below which a crawl stops; one row each.
    pub shares: Vec<f64>,
    /// Number of requests of a forecast.
    pub requests: u32,
    /// Number of runs, with the seeds from 1.
    pub seeds: u64,
    /// Minimum number of pages of a target type.
    pub type_pages: u64,
}

/// The name of the task in the rows.
const TASK: &str = "early-stop";
const SHOWN: &[Measure] = &[
    Measure::Fetches,
    Measure::ValidRatioUnique,
    Measure::RecallUnique,
    Measure::ExpectedYield,
    Measure::NextYield,
    Measure::YieldError,
    Measure::YieldBias,
];

impl Experiment for EarlyStops {
    fn measure(
        &self,
        corpus: &Arc<Corpus>,
        workers: &Workers<'_>,
        results: &mut Results,
    ) -> Result<(), ExperimentError> {
        let crawls = self.crawls(corpus)?;
        let look = EarlyStopOptions { share: 0.0, requests: self.requests };
        let done = workers.run(&corpus.name, &crawls, |crawl| crawl.replay(corpus, None, Some(look)));
        for (crawl, done) in crawls.iter().zip(done) {
            let done = done?;
            results.rows.extend(self.rows(corpus, crawl, &done));
            if crawl.seed == 1 {
                results.charts.push(self.chart(corpus, crawl, &done));
            }
        }
        Ok(())
    }

    fn report(&self, results: Results) -> Report {
        Report {
            name: "early-stop".to_owned(),
            title: format!("Crawls with forecasts over {} requests", self.requests),
            notes: results.notes,
            rows: results.rows,
            paper: Vec::new(),
            shown: SHOWN.to_vec(),
            charts: results.charts,
        }
    }
}

impl EarlyStops {
    /// Returns one crawl of the whole corpus per task and seed.
    fn crawls(&self, corpus: &Corpus) -> Result<Vec<Crawl>, ExperimentError> {
        let types = match target_types(corpus, self.type_pages) {
            Err(ExperimentError::NoTypes { .. }) => Vec::new(),
            types => types?,
        };
        let tasks = [Task::Ucc].into_iter().chain(types.into_iter().map(Task::Target));
        let mut crawls = Vec::new();
        for task in tasks {
            for seed in 1..=self.seeds {
                let (policy, examples) = match &task {
                    Task::Ucc => (PolicyKind::Ucc, Vec::new()),
                    Task::Target(name) => (PolicyKind::Target, vec![example_of(corpus, name, Seed(seed))?]),
                    Task::Topic(_) => continue,
                };
                let contender = Contender { policy, form: Form::DEFAULT };
                let budget = corpus.len();
                crawls.push(Crawl { examples, ..Crawl::new(contender, task.clone(), budget, seed) });
            }
        }
        Ok(crawls)
    }

    /// Returns the row of the whole crawl, with the accuracy of the forecasts, and one row per share.
    fn rows(&self, corpus: &Corpus, crawl: &Crawl, done: &Replay) -> Vec<Row> {
        let wanted = Judge::new(corpus, crawl.task.clone()).wanted();
        let row = |variant: String| Row { variant: Some(variant), task: TASK.to_owned(), ..crawl.row(corpus) };
        let differences = self.differences(done);
        let mean = |of: fn(f64) -> f64| {
            let count = differences.len() as f64;
            differences.iter().map(|difference| of(*difference)).sum::<f64>() / count
        };
        let whole = row("to the end".to_owned()).with_harvest(&Harvest::of(&done.fetches, wanted));
        let whole = whole.with(Measure::YieldError, mean(f64::abs)).with(Measure::YieldBias, mean(|signed| signed));
        let stopped = self.shares.iter().map(|share| {
            let row = row(format!("below {share}"));
            self.stopped(row, *share, done, wanted)
        });
        [whole].into_iter().chain(stopped).collect()
    }

    /// Returns the result of a crawl that stops at `share`.
    fn stopped(&self, row: Row, share: f64, done: &Replay, wanted: Option<TypeCounts>) -> Row {
        let mut early_stop = EarlyStop::new(EarlyStopOptions { share, requests: self.requests });
        let at = done.looks.iter().find(|look| early_stop.look(look.requests as u64, Some(look.outlook)));
        let requests = at.map_or(done.fetches.len(), |look| look.requests);
        row.with_harvest(&Harvest::of(&done.fetches[..requests], wanted))
            .with(Measure::ExpectedYield, at.map(|look| look.outlook.expected_yield))
            .with(Measure::NextYield, at.and_then(|look| self.actual(look, &done.fetches)))
    }

    /// Returns the differences between expected and actual yields.
    fn differences(&self, done: &Replay) -> Vec<f64> {
        let difference = |look: &Look| Some(look.outlook.expected_yield - self.actual(look, &done.fetches)?);
        done.looks.iter().filter_map(difference).collect()
    }

    /// Returns the share of the forecast requests that yielded something; of fewer if the crawl ended before. `None` if
    /// there were none.
    fn actual(&self, look: &Look, fetches: &[Fetched]) -> Option<f64> {
        let next = &fetches[look.requests..];
        let next = &next[..next.len().min(self.requests as usize)];
        Harvest::of(next, Some(TypeCounts::default())).valid_ratio_unique
    }

    fn chart(&self, corpus: &Corpus, crawl: &Crawl, done: &Replay) -> Chart {
        let line = |name: &str, dashed, of: &dyn Fn(&Look) -> Option<f64>| {
            let points = done.looks.iter().filter_map(|look| Some((look.requests as f64, of(look)?)));
            Series { name: name.to_owned(), points: points.collect(), dashed }
        };
        let what = match &crawl.task {
            Task::Ucc => "user-created content".to_owned(),
            Task::Target(_) | Task::Topic(_) => crawl.task.target().unwrap_or_default(),
        };
        Chart::Lines {
            title: format!("{}: {what}, seed {}", corpus.name, crawl.seed),
            x: "requests".to_owned(),
            y: format!("share of the next {} requests", self.requests),
            series: vec![
                line("expected", false, &|look| Some(look.outlook.expected_yield)),
                line("actual", true, &|look| self.actual(look, &done.fetches)),
            ],
        }
    }
}
