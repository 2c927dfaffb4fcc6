//! A single measured crawl of a corpus.

use harvestman_papers::SB;
use std::sync::Arc;

use super::{Contender, ExperimentError};
use crate::corpus::{Corpus, PageId};
use crate::measures::{CurvePoint, Harvest, Judge, Task, curve, ratio};
use crate::replay::{ExamplePage, Plan, PolicyInputs, QueryStart, Replay, Search, TopicInputs, make, replay, spelling};
use crate::tables::{Measure, Row};
use harvestman_core::config::FilterOrder;
use harvestman_core::seed::Seed;
use harvestman_core::url::Fingerprint;
use harvestman_papers::baselines::Spelling;
use harvestman_pipeline::offline::Offline;
use harvestman_pipeline::{Acceptance, AcceptsPage};
use harvestman_policy::{Policy, PolicySnapshot};
use harvestman_stages::frontier::EarlyStopOptions;

/// Number of points of a curve.
const POINTS: usize = 60;
/// Maximum number of requests of a sample that is not counted.
pub const FREE_SAMPLE_REQUESTS: usize = 20_000;

/// The specification of a crawl.
#[derive(Clone)]
pub struct Crawl {
    /// The policy and its form.
    pub contender: Contender,
    /// The wanted pages.
    pub task: Task,
    /// Maximum number of requests.
    pub budget: usize,
    /// The random seed.
    pub seed: u64,
    /// The example pages. They are additional starts for every contender; policies that look for pages like one page
    /// know the first.
    pub examples: Vec<PageId>,
    /// Maximum number of pages to learn templates from; `None` uses that of the variant.
    pub sample: Option<usize>,
    /// A second budget, after which only recall is measured; `None`: there is none.
    pub recall_at: Option<usize>,
    /// Whether policies are told which pages are of the task's type: the validator of xCrawl, without error.
    pub validated: bool,
    /// What policies for a topic get.
    pub topic: Option<Arc<TopicInputs>>,
    /// The search that it starts from; the examples are then known and no starts.
    pub search: Option<Arc<Search>>,
    /// Whether the policy is guarded against traps, as in a crawl.
    pub trap_guard: bool,
}

/// The result of a crawl.
#[derive(Debug, Clone, PartialEq)]
pub struct Crawled {
    /// The name of the contender.
    pub name: String,
    /// Its measures.
    pub row: Row,
    /// Its harvest within its budget.
    pub harvest: Harvest,
    /// That with [`Crawl::recall_at`].
    pub harvest_beyond: Option<Harvest>,
    /// The growth of its harvest.
    pub curve: Vec<CurvePoint>,
    /// A final note of the policy, for example that it could not work as intended.
    pub note: Option<String>,
}

impl Crawled {
    /// Adds its harvest of a type as a share of `most`, that of a crawl with full knowledge.
    pub(super) fn compare(&mut self, most: Option<u64>) {
        let share = most.and_then(|most| ratio(self.harvest.valid, most));
        self.row.measures.extend(share.map(|share| (Measure::OfOracle, share)));
    }

    /// The same for unique pages, within the budget and with [`Crawl::recall_at`].
    pub(super) fn compare_unique(&mut self, most: &[u64]) {
        let harvests = [(Measure::OfOracle, Some(self.harvest)), (Measure::OfOracleAtWanted, self.harvest_beyond)];
        for ((measure, harvest), most) in harvests.into_iter().zip(most) {
            let share = harvest.and_then(|harvest| ratio(harvest.valid_unique, *most));
            self.row.measures.extend(share.map(|share| (measure, share)));
        }
    }
}

impl Crawl {
    /// Creates a crawl from the seed of a corpus.
    pub const fn new(contender: Contender, task: Task, budget: usize, seed: u64) -> Self {
        Self {
            contender,
            task,
            budget,
            seed,
            examples: Vec::new(),
            sample: None,
            recall_at: None,
            validated: false,
            topic: None,
            search: None,
            trap_guard: false,
        }
    }

    /// Runs the crawl. `spelling` is for the policies that use the spelling of Apaths (`spelling_for`).
    ///
    /// # Errors
    /// The crawl cannot be started.
    pub fn run(&self, corpus: &Arc<Corpus>, spelling: Option<&Spelling>) -> Result<Crawled, ExperimentError> {
        // The budget ends a crawl and changes nothing before.
        let longer = Self { budget: self.budget.max(self.recall_at.unwrap_or(0)), ..self.clone() };
        let done = longer.replay(corpus, spelling, None)?;
        let wanted = Judge::new(corpus, self.task.clone()).wanted();
        let first = |requests: usize| &done.fetches[..requests.min(done.fetches.len())];
        let harvest = Harvest::of(first(self.budget), wanted);
        let harvest_beyond = self.recall_at.map(|requests| Harvest::of(first(requests), wanted));
        let recall = harvest_beyond.and_then(|harvest| harvest.recall_unique);
        let seconds = first(self.budget).last().map(|fetched| fetched.second as f64);
        let row = self.row(corpus).with_harvest(&harvest).with(Measure::Seconds, seconds);
        let row = row.with(Measure::RecallAtWanted, recall);
        let note = done.note.map(|note| format!("{}: {}, seed {}: {note}", corpus.name, self.contender, self.seed));
        let curve = curve(first(self.budget), POINTS);
        Ok(Crawled { name: self.name(), row, harvest, harvest_beyond, curve, note })
    }

    /// Runs the crawl once, and measures it after each of these numbers of requests; its own budget is not used.
    ///
    /// # Errors
    /// The crawl cannot be started.
    pub fn run_at(&self, corpus: &Arc<Corpus>, budgets: &[usize]) -> Result<(Vec<Crawled>, Replay), ExperimentError> {
        let longest = budgets.iter().copied().max().unwrap_or(self.budget);
        let done = Self { budget: longest, ..self.clone() }.replay(corpus, None, None)?;
        let wanted = Judge::new(corpus, self.task.clone()).wanted();
        let note =
            done.note.as_ref().map(|note| format!("{}: {}, seed {}: {note}", corpus.name, self.name(), self.seed));
        let first = |requests: usize| &done.fetches[..requests.min(done.fetches.len())];
        let crawled = |budget: &usize| {
            let harvest = Harvest::of(first(*budget), wanted);
            let seconds = first(*budget).last().map(|fetched| fetched.second as f64);
            let row = Self { budget: *budget, ..self.clone() }.row(corpus).with_harvest(&harvest);
            let row = row.with(Measure::Seconds, seconds);
            let note = note.clone().filter(|_| *budget == longest);
            Crawled { name: self.name(), row, harvest, harvest_beyond: None, curve: curve(&done.fetches, POINTS), note }
        };
        Ok((budgets.iter().map(crawled).collect(), done))
    }

    /// Runs the crawl and returns every request. `early_stop` enables yield forecasts.
    ///
    /// # Errors
    /// The crawl cannot be started.
    pub fn replay(
        &self,
        corpus: &Arc<Corpus>,
        spelling: Option<&Spelling>,
        early_stop: Option<EarlyStopOptions>,
    ) -> Result<Replay, ExperimentError> {
        let (plan, policy) = self.plan(corpus, spelling);
        Ok(replay(&Plan { early_stop, ..plan }, policy, |_, _, _| {})?)
    }

    /// Runs the crawl with filter and dedup in this order. `each` is called for every fetched page, with the snapshot
    /// before it.
    ///
    /// # Errors
    /// The crawl cannot be started.
    pub fn replay_in(
        &self,
        order: FilterOrder,
        corpus: &Arc<Corpus>,
        mut each: impl FnMut(PageId, &dyn PolicySnapshot),
    ) -> Result<Replay, ExperimentError> {
        let (plan, mut policy) = self.plan(corpus, None);
        let mut before = policy.snapshot();
        let each = |page: Option<PageId>, _: &_, crawl: &Offline| {
            if let Some(page) = page {
                each(page, &*before);
            }
            before = crawl.snapshot();
        };
        Ok(replay(&Plan { order, ..plan }, policy, each)?)
    }

    /// Returns the plan and the policy.
    fn plan<'a>(&self, corpus: &'a Arc<Corpus>, spelling: Option<&Spelling>) -> (Plan<'a>, Box<dyn Policy>) {
        let example = self.examples.first().map(|id| ExamplePage::of(corpus, *id));
        let making = PolicyInputs {
            variant: self.contender.form.variant,
            walks: self.contender.form.walks,
            example: example.as_ref(),
            sample_pages: self.sample,
            validated: self.validated,
            topic: self.topic.as_deref(),
            spelling: spelling.cloned(),
            ..PolicyInputs::new(Seed(self.seed))
        };
        let policy = make(self.contender.policy, &making);
        let starts = self.examples.iter().filter(|_| self.search.is_none());
        let seeds = starts.map(|id| corpus.url(*id).clone()).collect();
        let samples = || self.examples.iter().filter_map(|id| corpus.text(*id)).collect();
        let queries = self.search.clone().map(|search| QueryStart { search, samples: samples() });
        let sample_free = self.contender.form.free_sample.then_some(FREE_SAMPLE_REQUESTS);
        let accepts = self.validated.then(|| labelled(corpus, &self.task)).flatten();
        let plan = Plan::new(corpus, self.task.clone(), self.budget);
        (Plan { seeds, sample_free, accepts, queries, trap_guard: self.trap_guard, ..plan }, policy)
    }

    fn name(&self) -> String {
        let sample = self.sample.map(|pages| format!(", {pages} pages"));
        format!("{}{}", self.contender, sample.unwrap_or_default())
    }

    /// Returns a row that identifies the run.
    #[expect(clippy::cast_precision_loss, reason = "a number of pages")]
    pub fn row(&self, corpus: &Corpus) -> Row {
        let Contender { policy, form } = self.contender;
        let sample = self.sample.map(|pages| format!(", {pages} pages")).unwrap_or_default();
        let row = Row {
            target: self.task.target(),
            variant: Some(format!("{form}{sample}")),
            seed: Some(self.seed),
            budget: Some(self.budget as u64),
            ..Row::new(&corpus.name, self.task.name(), policy.name())
        };
        row.with(Measure::Sample, self.sample.map(|pages| pages as f64))
    }
}

/// A validator that knows the labels of a corpus; `None` if the task is for no type.
fn labelled(corpus: &Arc<Corpus>, task: &Task) -> Option<Arc<AcceptsPage>> {
    let (corpus, target) = (Arc::clone(corpus), task.target()?);
    let is_of_type = move |url: &str| {
        let id = corpus.find_fingerprint(Fingerprint::of(url))?;
        Some(corpus.truth()?.page(id).is_some_and(|label| *label.page_type == *target))
    };
    Some(Arc::new(move |url: &str, _: &[u8], _: Option<&str>| Acceptance {
        accepted: is_of_type(url),
        ..Acceptance::default()
    }))
}

/// Returns the spelling of the Apaths of a corpus if one of these contenders needs it, which requires reading the whole
/// corpus.
pub fn spelling_for(corpus: &Corpus, contenders: &[Contender]) -> Option<Spelling> {
    contenders.iter().any(|contender| contender.policy == SB).then(|| spelling(corpus))
}
