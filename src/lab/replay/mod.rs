//! Replays a recorded site: a crawl whose answers come from a corpus, at memory speed.
//!
//! Every request is a fetch and costs one: a redirect is one and its target another. URLs that the recording does not hold do not
//! exist for the crawl.

mod example;
mod policies;

use std::sync::Arc;

use http::HeaderMap;

pub use example::{ExamplePage, spelling};
pub use policies::{Making, PolicyName, Unknown, Variant, make};
pub use policies::reader;

use crate::clock::Instant;
use crate::config::Config;
use crate::lab::corpus::{Corpus, PageId};
use crate::lab::measures::{Fetched, Judge, Task};
use crate::page::{Answer, Exchange, Timings};
use crate::pipeline::Error;
use crate::pipeline::offline::Offline;
use crate::policy::Policy;
use crate::url::CanonicalUrl;

/// What is replayed.
pub struct Plan<'a> {
    /// The recording.
    pub corpus: &'a Arc<Corpus>,
    /// What counts as valid.
    pub task: Task,
    /// Requests that may be sent.
    pub budget: usize,
    /// URLs to start from besides the corpus's seed.
    pub seeds: Vec<CanonicalUrl>,
}

/// What a replay did.
#[derive(Debug, Clone)]
pub struct Replay {
    /// What was requested, in this order.
    pub order: Vec<PageId>,
    /// What each request brought.
    pub fetches: Vec<Fetched>,
}

/// Replays `plan` under `policy`, calling `each` after every request.
pub fn replay(
    plan: &Plan<'_>,
    policy: Box<dyn Policy>,
    mut each: impl FnMut(PageId, &Fetched, &Offline),
) -> Result<Replay, Error> {
    let mut config = Config::default();
    // A recording is as deep as it is; its limits are the recorder's.
    config.budget.depth = u16::MAX;
    let known = Arc::clone(plan.corpus);
    let mut seeds = vec![plan.corpus.url(plan.corpus.seed()).clone()];
    seeds.extend(plan.seeds.iter().cloned());
    let recorded = move |fingerprint| known.find_fingerprint(fingerprint).is_some();
    let mut crawl = Offline::new(&config, &seeds, policy, recorded)?;
    let mut judge = Judge::new(plan.corpus, plan.task.clone());
    let mut done = Replay { order: Vec::new(), fetches: Vec::new() };
    while done.order.len() < plan.budget {
        let Some(lease) = crawl.next() else { break };
        let Some(id) = plan.corpus.find_fingerprint(lease.item.url.fingerprint()) else { continue };
        let fetched = judge.fetched(Some(id));
        let exchange = exchange(plan.corpus, id, &lease.item.url);
        crawl.take_in(&lease, &exchange);
        each(id, &fetched, &crawl);
        done.order.push(id);
        done.fetches.push(fetched);
    }
    Ok(done)
}

/// The recorded answer as the fetcher would have handed it over.
fn exchange(corpus: &Corpus, id: PageId, url: &CanonicalUrl) -> Exchange {
    let stored = corpus.page(id);
    let mut headers = stored.headers.clone();
    // The corpus holds decoded bodies.
    headers.remove(http::header::CONTENT_ENCODING);
    headers.remove(http::header::TRANSFER_ENCODING);
    let answer = Answer {
        status: stored.status,
        version: http::Version::HTTP_11,
        headers,
        body: stored.body.clone(),
        truncated: None,
        remote: None,
        place: None,
    };
    let timings = Timings { started: Instant::EPOCH, first_byte: None, ended: Instant::EPOCH };
    Exchange { url: url.clone(), request_headers: HeaderMap::new(), result: Ok(answer), timings }
}
