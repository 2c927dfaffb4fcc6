//! Replays a recorded site: a crawl whose responses come from a corpus, at memory speed.
//!
//! Every request is a fetch and costs one: a redirect is one and its target another. URLs that the recording does not
//! hold do not exist for the crawl.

mod example;
mod names;
mod policies;
mod queries;
#[cfg(test)]
mod tests;
mod topic;
mod walks;

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;

pub use example::{ExamplePage, spelling};
pub use names::{Unknown, Variant, policies, policy_named, variant_names};
pub use policies::{PolicyInputs, make, printed, source_options, xcrawl_options};
pub use queries::{Answered, QueryStart, Search};
pub use topic::TopicInputs;
pub use walks::WalkParameters;

use crate::corpus::{Corpus, PageId};
use crate::measures::{Fetched, HostTime, Judge, Task};
use harvestman_core::clock::Instant;
use harvestman_core::config::url::ScopeMode;
use harvestman_core::config::{Config, FilterOrder};
use harvestman_core::model::{Answer, Exchange, Lease, RequestSignature, Timings, TrapRecord};
use harvestman_core::url::{CanonicalUrl, origin_of};
use harvestman_pipeline::offline::{Offline, RecordedSite};
use harvestman_pipeline::{AcceptsPage, Error, with_searches};
use harvestman_policy::{GuardedPolicy, Policy};
use harvestman_stages::frontier::{EarlyStop, EarlyStopOptions, YieldForecast};

/// The specification of a replay.
pub struct Plan<'a> {
    /// The recording.
    pub corpus: &'a Arc<Corpus>,
    /// The definition of valid pages.
    pub task: Task,
    /// Maximum number of requests.
    pub budget: usize,
    /// Additional start URLs besides the seed of the corpus.
    pub seeds: Vec<CanonicalUrl>,
    /// Maximum number of requests of a sample that is taken before the crawl starts again at the seeds, and not
    /// counted: the method of SOUrCe's authors. `None`: the sample is part of the crawl. Ignored by policies that take
    /// no separate sample.
    pub sample_free: Option<usize>,
    /// Whether it forecasts the yield periodically and stops if too little is expected. `None`: no forecasts.
    pub early_stop: Option<EarlyStopOptions>,
    /// The order of filter and dedup.
    pub order: FilterOrder,
    /// Whether the policy is guarded against traps, as in a crawl.
    pub trap_guard: bool,
    /// Whether a page is wanted, for policies that ask a validator: by its address, its decoded body and its content
    /// type.
    pub accepts: Option<Arc<AcceptsPage>>,
    /// Queries that it starts from, instead of the seed of the corpus.
    pub queries: Option<QueryStart>,
}

impl<'a> Plan<'a> {
    /// Creates a plan from the seed of the corpus in which every request counts.
    pub const fn new(corpus: &'a Arc<Corpus>, task: Task, budget: usize) -> Self {
        Self {
            corpus,
            task,
            budget,
            seeds: Vec::new(),
            sample_free: None,
            early_stop: None,
            order: FilterOrder::GraphDup,
            trap_guard: false,
            accepts: None,
            queries: None,
        }
    }
}

/// A request answered by a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The requested URL.
    pub url: CanonicalUrl,
    /// The recorded page; `None` if there is none and the response was 404, because the policy derived a URL that does
    /// not exist.
    pub page: Option<PageId>,
}

/// The result of a replay.
#[derive(Debug, Clone)]
pub struct Replay {
    /// The requests, in order.
    pub order: Vec<Request>,
    /// The result of each request.
    pub fetches: Vec<Fetched>,
    /// Number of requests of a preceding sample, which are not counted.
    pub sampled: usize,
    /// The final note of the policy.
    pub note: Option<String>,
    /// The forecasts.
    pub looks: Vec<Look>,
    /// The URL patterns that yielded nothing, if the policy is guarded against traps.
    pub traps: Vec<TrapRecord>,
    /// Whether it stopped because too little was expected.
    pub stopped_early: bool,
}

/// A forecast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Number of requests before it.
    pub requests: usize,
    /// The expected yield of the next requests.
    pub outlook: YieldForecast,
}

/// Replays `plan` under `policy`, calling `each` after every counted request.
pub fn replay(
    plan: &Plan<'_>,
    policy: Box<dyn Policy>,
    each: impl FnMut(Option<PageId>, &Fetched, &Offline),
) -> Result<Replay, Error> {
    replay_keeping(plan, policy, each).map(|(done, _)| done)
}

/// The same, and returns the policy with what it has learned.
pub fn replay_keeping(
    plan: &Plan<'_>,
    policy: Box<dyn Policy>,
    mut each: impl FnMut(Option<PageId>, &Fetched, &Offline),
) -> Result<(Replay, Box<dyn Policy>), Error> {
    let (policy, sampled) = match plan.sample_free {
        Some(requests) => take_sample(plan, policy, requests)?,
        None => (policy, 0),
    };
    let policy = if plan.trap_guard { Box::new(GuardedPolicy::new(policy)) } else { policy };
    let mut crawl = start(plan, policy)?;
    let mut judge = Judge::new(plan.corpus, plan.task.clone());
    let mut done = Replay {
        order: Vec::new(),
        fetches: Vec::new(),
        sampled,
        note: None,
        looks: Vec::new(),
        traps: Vec::new(),
        stopped_early: false,
    };
    let mut early_stop = plan.early_stop.map(EarlyStop::new);
    let mut time = HostTime::default();
    while done.order.len() < plan.budget {
        let Some(lease) = crawl.lease() else { break };
        let page = take_in(plan, &mut crawl, &lease);
        let second = time.request(origin_of(lease.item.url.as_str()));
        let fetched = Fetched { second, ..judge.fetched(page) };
        each(page, &fetched, &crawl);
        done.order.push(Request { url: lease.item.url, page });
        done.fetches.push(fetched);
        if early_stop.as_mut().is_some_and(|early_stop| look(early_stop, &crawl, &mut done)) {
            done.stopped_early = true;
            break;
        }
    }
    done.note = crawl.policy().note();
    done.traps = crawl.policy().traps();
    Ok((done, crawl.into_policy()))
}

/// Makes a forecast if one is due. Returns true if the crawl should stop.
fn look(early_stop: &mut EarlyStop, crawl: &Offline, done: &mut Replay) -> bool {
    let requests = done.order.len();
    if !early_stop.is_due(requests as u64) {
        return false;
    }
    let outlook = crawl.forecast(early_stop.requests());
    done.looks.extend(outlook.map(|outlook| Look { requests, outlook }));
    early_stop.look(requests as u64, outlook)
}

/// Lets the policy take its sample. Returns it for a crawl that starts again, with the number of requests used.
fn take_sample(plan: &Plan<'_>, policy: Box<dyn Policy>, requests: usize) -> Result<(Box<dyn Policy>, usize), Error> {
    let mut crawl = start(plan, policy)?;
    let mut sent = 0;
    while sent < requests && crawl.policy().is_sampling() {
        let Some(lease) = crawl.lease() else { break };
        take_in(plan, &mut crawl, &lease);
        sent += 1;
    }
    let mut policy = crawl.into_policy();
    let afresh = policy.restarted();
    Ok((afresh.unwrap_or(policy), sent))
}

fn start(plan: &Plan<'_>, policy: Box<dyn Policy>) -> Result<Offline, Error> {
    let mut config = Config::default();
    // The depth of a recording was limited when it was made.
    config.budget.depth = u16::MAX;
    // All recorded hosts are in scope.
    config.scope.mode = ScopeMode::Any;
    config.filter.order = plan.order;
    let known = Arc::clone(plan.corpus);
    let mut seeds = vec![plan.corpus.url(plan.corpus.seed()).clone()];
    seeds.extend(plan.seeds.iter().cloned());
    let policy = match &plan.queries {
        Some(queries) => {
            QueryStart::configure(&mut config);
            seeds.clear();
            with_searches(&config, policy, queries.samples.clone())?
        }
        None => policy,
    };
    let recorded = move |fingerprint| known.find_fingerprint(fingerprint).is_some();
    Offline::new(&config, &seeds, policy, RecordedSite { accepts: plan.accepts.clone(), ..RecordedSite::new(recorded) })
}

/// Passes the recorded response of a leased URL to the crawl, or that there is none.
fn take_in(plan: &Plan<'_>, crawl: &mut Offline, lease: &Lease) -> Option<PageId> {
    let (corpus, url) = (plan.corpus, &lease.item.url);
    if let Some(answer) = plan.queries.as_ref().and_then(|queries| queries.answer(url)) {
        crawl.take_in(lease, &answer);
        return None;
    }
    let page = corpus.find_fingerprint(url.fingerprint());
    crawl.take_in(lease, &page.map_or_else(|| not_found(url), |id| exchange(corpus, id, url)));
    page
}

fn not_found(url: &CanonicalUrl) -> Exchange {
    answered(url, 404, HeaderMap::new(), Bytes::new())
}

/// Returns the recorded response as the fetcher would return it.
fn exchange(corpus: &Corpus, id: PageId, url: &CanonicalUrl) -> Exchange {
    let stored = corpus.page(id);
    let mut headers = stored.headers.clone();
    // The corpus holds decoded bodies.
    headers.remove(http::header::CONTENT_ENCODING);
    headers.remove(http::header::TRANSFER_ENCODING);
    answered(url, stored.status, headers, stored.body.clone())
}

fn answered(url: &CanonicalUrl, status: u16, headers: HeaderMap, body: Bytes) -> Exchange {
    let version = http::Version::HTTP_11;
    let answer = Answer { status, version, headers, body, truncated: None, remote: None, reservation: None };
    let timings = Timings { started: Instant::EPOCH, first_byte: None, ended: Instant::EPOCH };
    Exchange {
        url: url.clone(),
        request_headers: HeaderMap::new(),
        signature: RequestSignature::default(),
        result: Ok(answer),
        timings,
    }
}
