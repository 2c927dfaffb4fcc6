//! Crawls of several sites at once that start from queries only (Shchekotykhin, Jannach and Friedrich: *xCrawl*,
//! sections 3 and 4): from a few examples, with a search over the pages of all recordings.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::index::{IndexBuilder, LocalIndex};
use harvestman_core::model::ParsedPage;
use harvestman_core::seed::Seed;
use harvestman_core::url::{CanonicalUrl, origin_of};
use harvestman_pipeline::visible_text;
use harvestman_structure::parse::Parser;

use super::target::{examples_of, target_types};
use super::{Contender, Crawl, Crawled, Experiment, ExperimentError, Results, Workers};
use crate::corpus::{Corpus, Label, PageId};
use crate::measures::Task;
use crate::replay::{Answered, Replay, Search};
use crate::tables::{Measure, Report};

/// The type of the wanted pages of the merged corpus.
const WANTED: &str = "wanted";
/// The budget as a multiple of the number of wanted pages: nine tenths of these are then found at a harvest rate of .8.
const BUDGET: f64 = 1.125;

/// Number of types of pages that are shown for each site as not wanted.
const OTHERS_MAX: usize = 4;

/// The experiment. Its corpus is made by [`FromQueries::merge`].
#[derive(Debug, Clone)]
pub struct FromQueries {
    /// The contenders.
    pub contenders: Vec<Contender>,
    /// Number of runs each, with the seeds from 1; the seed also draws the examples.
    pub seeds: u64,
    /// Maximum number of requests, queries included; `None` uses 1.125 times the number of wanted pages.
    pub budget: Option<usize>,
    /// Number of recordings, the first ones, whose pages are wanted. The others are only searched.
    pub sites: usize,
    /// The wanted type of each of them; if empty, its most frequent type of user-created content.
    pub types: Vec<String>,
    /// Number of example pages that are drawn.
    pub examples: usize,
    /// The URLs of the example pages; if empty, they are drawn.
    pub given: Vec<String>,
    /// Whether the policy is guarded against traps, as in a crawl.
    pub trap_guard: bool,
}

const SHOWN: &[Measure] = &[
    Measure::Fetches,
    Measure::Seconds,
    Measure::HarvestRate,
    Measure::Recall,
    Measure::ValidRatioUnique,
    Measure::RecallUnique,
    Measure::Area,
];
const DRAWN: &[(Measure, &str)] = &[(Measure::HarvestRate, "Harvest rate"), (Measure::Recall, "Recall")];

impl FromQueries {
    /// Joins recordings to the corpus of the experiment, in which the wanted types have one name.
    ///
    /// # Errors
    /// A recording has no labels, or no such type.
    pub fn merge(&self, recordings: &[Arc<Corpus>]) -> Result<Corpus, ExperimentError> {
        let mut wanted = Vec::new();
        for (at, recording) in recordings.iter().take(self.sites).enumerate() {
            wanted.push(match self.types.get(at) {
                Some(name) => Arc::from(name.as_str()),
                None => most_frequent(recording)?,
            });
        }
        let names: Vec<&str> = recordings.iter().map(|recording| recording.name.as_str()).collect();
        let page_type = |at: usize, label: &Label| -> Arc<str> {
            if wanted.get(at).is_some_and(|wanted| *wanted == label.page_type) {
                Arc::from(WANTED)
            } else {
                format!("{} {}", names[at], label.page_type).into()
            }
        };
        let mut corpus = Corpus::merged(&names[..self.sites.min(names.len())].join("+"), recordings, page_type)?;
        let wanted = wanted.iter().zip(&names).map(|(wanted, name)| format!("{wanted} of {name}"));
        corpus.notes.push(format!("wanted are {}", wanted.collect::<Vec<_>>().join(", ")));
        Ok(corpus)
    }
}

impl FromQueries {
    /// Returns the given examples, or draws some: one of each site in turn.
    fn examples_of(&self, corpus: &Corpus, seed: Seed) -> Result<Vec<PageId>, ExperimentError> {
        if !self.given.is_empty() {
            let page = |url: &String| corpus.find_loosely(url).filter(|id| corpus.page(*id).is_page());
            let missing = |url: &String| ExperimentError::NoPage { name: corpus.name.clone(), url: url.clone() };
            return self.given.iter().map(|url| page(url).ok_or_else(|| missing(url))).collect();
        }
        let mut drawn: Vec<(&str, Vec<PageId>)> = Vec::new();
        for id in examples_of(corpus, WANTED, usize::MAX, seed)? {
            let site = origin_of(corpus.url(id).as_str());
            match drawn.iter_mut().find(|(known, _)| *known == site) {
                Some((_, pages)) => pages.push(id),
                None => drawn.push((site, vec![id])),
            }
        }
        let of = |at: usize| drawn.get(at % drawn.len().max(1))?.1.get(at / drawn.len().max(1)).copied();
        Ok((0..self.examples).filter_map(of).collect())
    }
}

impl Experiment for FromQueries {
    fn measure(
        &self,
        corpus: &Arc<Corpus>,
        workers: &Workers<'_>,
        results: &mut Results,
    ) -> Result<(), ExperimentError> {
        let search = search_of(corpus, workers)?;
        let pages = corpus.truth().and_then(|truth| truth.types().get(WANTED)).map_or(0, |counts| counts.pages);
        let budget = self.budget.unwrap_or((pages as f64 * BUDGET) as usize);
        let mut crawls = Vec::new();
        for contender in &self.contenders {
            for seed in 1..=self.seeds {
                let examples = self.examples_of(corpus, Seed(seed))?;
                let task = Task::Target(WANTED.into());
                let crawl = Crawl::new(*contender, task, budget, seed);
                let (search, trap_guard) = (Some(Arc::clone(&search)), self.trap_guard);
                crawls.push(Crawl { examples, validated: true, search, trap_guard, ..crawl });
            }
        }
        let run = |crawl: &Crawl| -> Result<Vec<Crawled>, ExperimentError> {
            let (mut crawled, done) = crawl.run_at(corpus, &[budget])?;
            for crawled in &mut crawled {
                let spent = format!("{}: {}, seed {}: {}", corpus.name, crawled.name, crawl.seed, spent(corpus, &done));
                crawled.note = Some(crawled.note.take().map_or_else(String::new, |note| note + "; ") + &spent);
            }
            Ok(crawled)
        };
        let crawled = workers.run(&corpus.name, &crawls, run).into_iter().collect::<Result<Vec<_>, _>>()?.concat();
        results.add(format!("{}: from queries, seed 1", corpus.name), crawled);
        Ok(())
    }

    fn report(&self, results: Results) -> Report {
        let mut charts = results.curve_charts();
        charts.extend(results.time_charts());
        charts.extend(results.bar_charts(DRAWN, &[]));
        Report {
            name: "xcrawl-queries".to_owned(),
            title: "Crawls of several sites from queries".to_owned(),
            notes: results.notes,
            rows: results.rows,
            paper: Vec::new(),
            shown: SHOWN.to_vec(),
            charts,
        }
    }
}

/// Returns the type of user-created content with the most pages that are no duplicate views.
fn most_frequent(recording: &Corpus) -> Result<Arc<str>, ExperimentError> {
    let types = target_types(recording, 1)?;
    let unique =
        |name: &Arc<str>| recording.truth().and_then(|truth| truth.types().get(name)).map_or(0, |counts| counts.unique);
    let best = types.iter().max_by_key(|name| (unique(name), std::cmp::Reverse(Arc::clone(name))));
    best.map(Arc::clone).ok_or_else(|| ExperimentError::NoTypes {
        name: recording.name.clone(),
        least: 1,
        known: String::new(),
    })
}

/// Returns what the requests were spent on: for each site the requests and, of these, those that brought a wanted page;
/// the most frequent types of the others.
fn spent(corpus: &Corpus, done: &Replay) -> String {
    let mut sites: BTreeMap<&str, (usize, usize, BTreeMap<&str, usize>)> = BTreeMap::new();
    for (request, fetched) in done.order.iter().zip(&done.fetches) {
        let (requests, wanted, others) = sites.entry(origin_of(request.url.as_str())).or_default();
        *requests += 1;
        if fetched.valid_unique {
            *wanted += 1;
            continue;
        }
        let label = request.page.and_then(|id| corpus.truth()?.label(id));
        let page_type = label.map_or("no page", |label| &*label.page_type);
        *others.entry(page_type).or_default() += 1;
    }
    let mut sites: Vec<_> = sites.into_iter().collect();
    sites.sort_by_key(|(_, (requests, ..))| Reverse(*requests));
    let shown = sites.into_iter().map(|(site, (requests, wanted, others))| {
        let mut others: Vec<_> = others.into_iter().collect();
        others.sort_by_key(|(_, count)| Reverse(*count));
        let others = others.iter().take(OTHERS_MAX).map(|(name, count)| format!("{count} {name}"));
        format!("{site} {wanted} of {requests} ({})", others.collect::<Vec<_>>().join(", "))
    });
    format!("wanted pages of requests: {}", shown.collect::<Vec<_>>().join("; "))
}

/// Builds a search over the pages of a corpus.
fn search_of(corpus: &Arc<Corpus>, workers: &Workers<'_>) -> Result<Arc<Search>, ExperimentError> {
    let pages: Vec<PageId> = corpus.ids().filter(|id| corpus.page(*id).is_page()).collect();
    let chunks: Vec<&[PageId]> = pages.chunks(500).collect();
    let read = |chunk: &&[PageId]| -> Vec<(PageId, Option<String>, String)> {
        let mut parser = Parser::new(&harvestman_core::config::ParseOptions::default());
        chunk.iter().filter_map(|id| read_page(corpus, *id, &mut parser)).collect()
    };
    let mut builder = IndexBuilder::new()?;
    for (id, title, text) in workers.run(&format!("{}: index", corpus.name), &chunks, read).into_iter().flatten() {
        builder.add(corpus.url(id).as_str(), title.as_deref(), &text)?;
    }
    let index = builder.finish()?;
    Ok(Arc::new(move |query: &str, count: usize| answer(&index, query, count)))
}

fn read_page(corpus: &Corpus, id: PageId, parser: &mut Parser) -> Option<(PageId, Option<String>, String)> {
    let stored = corpus.page(id);
    let text = visible_text(&stored.body, stored.content_type())?;
    let ParsedPage { title, .. } = parser.parse(&stored.body, stored.content_type());
    Some((id, title, text))
}

fn answer(index: &LocalIndex, query: &str, count: usize) -> Answered {
    let Ok(found) = index.search(query, 0, count) else { return Answered::default() };
    let urls = found.results.iter().map(|hit| CanonicalUrl::from_canonical(&*hit.url)).collect();
    Answered { hits: found.hits, urls }
}
