//! Crawls for pages like an example (SOUrCe 2018, section 5.4: table 4, figure 7), and for pages that a validator
//! accepts (Shchekotykhin, Jannach and Friedrich: *xCrawl*, section 5.2).

use std::collections::BTreeMap;
use std::sync::Arc;

use rand::seq::IndexedRandom;

use super::crawl::spelling_for;
use super::reference::Reference;
use super::ucc::run_all;
use super::{Contender, Crawl, Experiment, ExperimentError, Results, Workers, target_budget};
use crate::corpus::{Corpus, PageId, Truth};
use crate::measures::Task;
use crate::tables::{Measure, Report, Row, paper};
use harvestman_core::seed::Seed;

/// The experiment.
#[derive(Debug, Clone)]
pub struct Target {
    /// The contenders.
    pub contenders: Vec<Contender>,
    /// Number of runs each, with the seeds from 1; the seed also draws the example.
    pub seeds: u64,
    /// Maximum number of requests; `None` uses the number of targets.
    pub budget: Option<usize>,
    /// The target types; if empty, [`target_types`].
    pub types: Vec<String>,
    /// Minimum number of pages of a type to be a target without being named.
    pub type_pages: u64,
    /// Whether each crawl is repeated until the frontier is empty, to measure the share of targets that can be reached.
    pub whole: bool,
    /// Number of example pages, drawn by the seed. They are additional starts.
    pub examples: usize,
    /// Whether policies are told of each fetched page whether it is of the type, as by a validator without error.
    pub validated: bool,
}

const SHOWN: &[Measure] = &[
    Measure::Fetches,
    Measure::HarvestRate,
    Measure::ValidRatioUnique,
    Measure::Recall,
    Measure::RecallUnique,
    Measure::F,
    Measure::OfOracle,
    Measure::Area,
    Measure::Entropy,
];
const DRAWN: &[(Measure, &str)] = &[
    (Measure::HarvestRate, "Harvest rate"),
    (Measure::ValidRatioUnique, "Harvest rate without duplicate views"),
    (Measure::Recall, "Recall"),
];
/// The name of the task in the rows of crawls of a whole corpus.
const WHOLE: &str = "target, whole corpus";

impl Experiment for Target {
    fn measure(
        &self,
        corpus: &Arc<Corpus>,
        workers: &Workers<'_>,
        results: &mut Results,
    ) -> Result<(), ExperimentError> {
        let truth = truth(corpus)?;
        let types = if self.types.is_empty() {
            target_types(corpus, self.type_pages)?
        } else {
            self.types.iter().map(|name| known_type(corpus, truth, name)).collect::<Result<_, _>>()?
        };
        results.notes.push(format!("{}: the targets are {}", corpus.name, types.join(", ")));
        let spelling = spelling_for(corpus, &self.contenders);
        let reference = Reference::of(corpus);
        let run = |crawls: &[Crawl]| run_all(corpus, crawls, spelling.as_ref(), workers);
        for page_type in types {
            let crawls = self.crawls(corpus, &page_type, None)?;
            let mut crawled = run(&crawls)?;
            let most = most(&reference, &crawls, workers);
            for (crawl, crawled) in crawls.iter().zip(&mut crawled) {
                crawled.compare(most.get(&crawl.seed).copied());
            }
            results.add(format!("{}: {page_type}, seed 1", corpus.name), crawled);
            if self.whole {
                // No crawl fetches a URL twice, so this budget suffices.
                let crawls = self.crawls(corpus, &page_type, Some(corpus.len()))?;
                let rows = run(&crawls)?.into_iter().map(|crawled| crawled.row);
                results.rows.extend(rows.map(|row| Row { task: WHOLE.to_owned(), ..row }));
            }
        }
        Ok(())
    }

    fn report(&self, results: Results) -> Report {
        let mut paper = if self.validated { paper::xcrawl() } else { paper::averages(paper::target()) };
        if self.whole && !self.validated {
            let row = Row { target: Some("average".to_owned()), ..Row::new(paper::AVERAGE, WHOLE, "SOUrCe") };
            paper.push(row.with(Measure::Recall, paper::FINAL_RECALL));
        }
        let mut charts = results.curve_charts();
        let by_budget = Results {
            rows: results.rows.iter().filter(|row| row.task != WHOLE).cloned().collect(),
            ..Results::default()
        };
        charts.extend(by_budget.bar_charts(DRAWN, &paper));
        let mut shown = SHOWN.to_vec();
        if self.validated {
            shown.insert(1, Measure::Seconds);
        }
        let (name, title) = if self.validated {
            ("xcrawl", "Crawls for pages that a validator accepts")
        } else {
            ("target", "Crawls for pages like an example")
        };
        Report {
            name: name.to_owned(),
            title: title.to_owned(),
            notes: results.notes,
            rows: results.rows,
            paper,
            shown,
            charts,
        }
    }
}

impl Target {
    fn crawls(
        &self,
        corpus: &Corpus,
        page_type: &Arc<str>,
        budget: Option<usize>,
    ) -> Result<Vec<Crawl>, ExperimentError> {
        let task = Task::Target(Arc::clone(page_type));
        let budget = budget.or(self.budget).unwrap_or_else(|| target_budget(corpus, &task));
        let mut crawls = Vec::new();
        for contender in &self.contenders {
            for seed in 1..=self.seeds {
                let examples = examples_of(corpus, page_type, self.examples, Seed(seed))?;
                let validated = self.validated;
                crawls.push(Crawl { examples, validated, ..Crawl::new(*contender, task.clone(), budget, seed) });
            }
        }
        Ok(crawls)
    }
}

/// Returns the harvest of a crawl with full knowledge that may derive addresses, by the seed that draws the example.
fn most(reference: &Reference<'_>, crawls: &[Crawl], workers: &Workers<'_>) -> BTreeMap<u64, u64> {
    let seeds: BTreeMap<u64, &Crawl> = crawls.iter().map(|crawl| (crawl.seed, crawl)).collect();
    let seeds: Vec<(u64, &Crawl)> = seeds.into_iter().collect();
    let harvest = |(seed, crawl): &(u64, &Crawl)| {
        let (_, harvest) = reference.choice(&crawl.task, &crawl.examples, true, crawl.budget);
        (*seed, harvest)
    };
    workers.run(&reference.name(), &seeds, harvest).into_iter().collect()
}

fn truth(corpus: &Corpus) -> Result<&Truth, ExperimentError> {
    let missing =
        || ExperimentError::NoLabels { name: corpus.name.clone(), needs: "targets are pages of a labelled type" };
    corpus.truth().ok_or_else(missing)
}

/// Returns the types of user-created content with at least `least` pages (HTML, status 200), by name. A type is
/// user-created content if most of its pages are.
///
/// # Errors
/// The corpus has no labels or no such type.
pub fn target_types(corpus: &Corpus, least: u64) -> Result<Vec<Arc<str>>, ExperimentError> {
    let truth = truth(corpus)?;
    let mut made_by_users: BTreeMap<&Arc<str>, u64> = BTreeMap::new();
    for label in corpus.ids().filter_map(|id| truth.page(id)).filter(|label| label.is_ucc) {
        *made_by_users.entry(&label.page_type).or_default() += 1;
    }
    let most = |page_type: &Arc<str>, pages: u64| made_by_users.get(page_type).is_some_and(|ucc| ucc * 2 > pages);
    let wanted =
        truth.types().iter().filter(|(page_type, counts)| counts.pages >= least && most(page_type, counts.pages));
    let types: Vec<_> = wanted.map(|(page_type, _)| Arc::clone(page_type)).collect();
    if types.is_empty() {
        return Err(ExperimentError::NoTypes { name: corpus.name.clone(), least, known: known(truth) });
    }
    Ok(types)
}

/// Returns a page of a type (HTML, status 200), drawn with `seed`; if possible, one that is no view of another page.
///
/// # Errors
/// The corpus has no labels or no such page.
pub fn example_of(corpus: &Corpus, page_type: &str, seed: Seed) -> Result<PageId, ExperimentError> {
    let (truth, pages) = (truth(corpus)?, pages_of(corpus, page_type)?);
    let missing = || unknown(corpus, truth, page_type);
    let is_view = |id: &PageId| truth.page(*id).is_some_and(|label| label.is_duplicate_view);
    // Nobody gives the permalink of a page as an example of such pages.
    let own: Vec<_> = pages.iter().copied().filter(|id| !is_view(id)).collect();
    let pages = if own.is_empty() { pages } else { own };
    pages.choose(&mut seed.child("example").rng()).copied().ok_or_else(missing)
}

/// Returns this many pages of a type (HTML, status 200), or all of them if there are fewer, drawn with `seed`. The
/// first is that of [`example_of`].
///
/// # Errors
/// The corpus has no labels or no such page.
pub fn examples_of(corpus: &Corpus, page_type: &str, count: usize, seed: Seed) -> Result<Vec<PageId>, ExperimentError> {
    let first = example_of(corpus, page_type, seed)?;
    let others: Vec<_> = pages_of(corpus, page_type)?.into_iter().filter(|id| *id != first).collect();
    let more = others.choose_multiple(&mut seed.child("examples").rng(), count.saturating_sub(1)).copied();
    Ok(std::iter::once(first).chain(more).collect())
}

fn pages_of(corpus: &Corpus, page_type: &str) -> Result<Vec<PageId>, ExperimentError> {
    let truth = truth(corpus)?;
    let is_one = |id: &PageId| truth.page(*id).is_some_and(|label| &*label.page_type == page_type);
    Ok(corpus.ids().filter(is_one).collect())
}

fn known_type(corpus: &Corpus, truth: &Truth, name: &str) -> Result<Arc<str>, ExperimentError> {
    let found = truth.types().keys().find(|page_type| &***page_type == name);
    found.map(Arc::clone).ok_or_else(|| unknown(corpus, truth, name))
}

fn unknown(corpus: &Corpus, truth: &Truth, page_type: &str) -> ExperimentError {
    ExperimentError::UnknownType { name: corpus.name.clone(), page_type: page_type.to_owned(), known: known(truth) }
}

/// Lists the types with the most pages.
fn known(truth: &Truth) -> String {
    let mut types: Vec<_> = truth.types().iter().collect();
    types.sort_by_key(|(name, counts)| (std::cmp::Reverse(counts.pages), *name));
    let named = types.into_iter().take(12).map(|(name, counts)| format!("{name} ({})", counts.pages));
    named.collect::<Vec<_>>().join(", ")
}
