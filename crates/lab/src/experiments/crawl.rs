//! One crawl of a corpus, measured.

use std::sync::Arc;

use super::{Contender, Error};
use crate::corpus::{Corpus, PageId};
use crate::measures::{CurvePoint, Harvest, Judge, Task, curve};
use crate::replay::{ExamplePage, Making, Plan, PolicyName, Replay, make, replay, spelling};
use crate::tables::{Measure, Row};
use harvestman_core::config::FilterOrder;
use harvestman_core::seed::Seed;
use harvestman_pipeline::offline::Offline;
use harvestman_policy::baselines::Spelling;
use harvestman_policy::{Policy, PolicySnapshot};
use harvestman_stages::frontier::EarlyStopOptions;

/// Points of a curve.
const POINTS: usize = 60;
/// Requests that a sample which does not count may take.
pub const FREE_SAMPLE_REQUESTS: usize = 20_000;

/// A crawl that is to be made.
#[derive(Debug, Clone)]
pub struct Crawl {
    /// By whom.
    pub contender: Contender,
    /// What for.
    pub task: Task,
    /// Requests that it may send.
    pub budget: usize,
    /// Where its draws start.
    pub seed: u64,
    /// The page that others shall be like. It is a start besides the corpus's seed, for every contender alike.
    pub example: Option<PageId>,
    /// Pages to learn templates from at most; none: as many as the variant says.
    pub sample: Option<usize>,
}

/// A crawl that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Crawled {
    /// Whose it is.
    pub name: String,
    /// Its measures.
    pub row: Row,
    /// How its harvest grew.
    pub curve: Vec<CurvePoint>,
    /// What the policy says about itself in the end: that it could not do what it is for.
    pub note: Option<String>,
}

impl Crawl {
    /// Crawls. `spelling` is for the policies that look at how Apaths are spelt (`spelling_for`).
    ///
    /// # Errors
    ///
    /// Where the crawl cannot be started.
    pub fn run(&self, corpus: &Arc<Corpus>, spelling: Option<&Spelling>) -> Result<Crawled, Error> {
        let done = self.replay(corpus, spelling, None)?;
        let wanted = Judge::new(corpus, self.task.clone()).wanted();
        let row = self.row(corpus).with_harvest(&Harvest::of(&done.fetches, wanted));
        let note = done.note.map(|note| format!("{}: {}, seed {}: {note}", corpus.name, self.contender, self.seed));
        Ok(Crawled { name: self.name(), row, curve: curve(&done.fetches, POINTS), note })
    }

    /// Crawls, and gives every request. `early_stop`: whether it looks ahead.
    ///
    /// # Errors
    ///
    /// Where the crawl cannot be started.
    pub fn replay(
        &self,
        corpus: &Arc<Corpus>,
        spelling: Option<&Spelling>,
        early_stop: Option<EarlyStopOptions>,
    ) -> Result<Replay, Error> {
        let (plan, policy) = self.plan(corpus, spelling);
        Ok(replay(&Plan { early_stop, ..plan }, policy, |_, _, _| {})?)
    }

    /// Crawls with filter and dedup in this order. `each` is shown every page that was fetched, with what the policy knew of the
    /// site before.
    ///
    /// # Errors
    ///
    /// Where the crawl cannot be started.
    pub fn replay_in(
        &self,
        order: FilterOrder,
        corpus: &Arc<Corpus>,
        mut each: impl FnMut(PageId, &dyn PolicySnapshot),
    ) -> Result<Replay, Error> {
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

    /// What is replayed, and who crawls.
    fn plan<'a>(&self, corpus: &'a Arc<Corpus>, spelling: Option<&Spelling>) -> (Plan<'a>, Box<dyn Policy>) {
        let example = self.example.map(|id| ExamplePage::of(corpus, id));
        let making = Making {
            variant: self.contender.form.variant,
            example: example.as_ref(),
            sample_pages: self.sample,
            by: self.contender.form.by,
            spelling: spelling.cloned(),
            ..Making::new(Seed(self.seed))
        };
        let policy = make(self.contender.policy, &making);
        let seeds = example.iter().map(|example| example.url.clone()).collect();
        let sample_free = self.contender.form.free_sample.then_some(FREE_SAMPLE_REQUESTS);
        (Plan { seeds, sample_free, ..Plan::new(corpus, self.task.clone(), self.budget) }, policy)
    }

    fn name(&self) -> String {
        let sample = self.sample.map(|pages| format!(", {pages} pages"));
        format!("{}{}", self.contender, sample.unwrap_or_default())
    }

    /// A row that says what was run.
    #[expect(clippy::cast_precision_loss, reason = "a number of pages")]
    pub fn row(&self, corpus: &Corpus) -> Row {
        let Contender { policy, form } = self.contender;
        let sample = self.sample.map(|pages| format!(", {pages} pages")).unwrap_or_default();
        let target = match &self.task {
            Task::Ucc => None,
            Task::Target(page_type) => Some(page_type.to_string()),
        };
        let row = Row {
            target,
            variant: Some(format!("{form}{sample}")),
            seed: Some(self.seed),
            budget: Some(self.budget as u64),
            ..Row::new(&corpus.name, self.task.name(), policy.name())
        };
        row.with(Measure::Sample, self.sample.map(|pages| pages as f64))
    }
}

/// How the Apaths of a corpus are spelt, if one of these asks for it: it takes a reading of the whole corpus.
pub fn spelling_for(corpus: &Corpus, contenders: &[Contender]) -> Option<Spelling> {
    contenders.iter().any(|contender| contender.policy == PolicyName::Sb).then(|| spelling(corpus))
}
