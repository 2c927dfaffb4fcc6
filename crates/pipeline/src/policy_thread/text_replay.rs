//! What the text of a page added to a crawl, and how the page was judged: its observations are shown to a policy again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::error::Error;
use crate::observations::{self, OBSERVATIONS_DIRECTORY};
use crate::policy_thread::example::{examples, reader};
use crate::policy_thread::example_links::links_reader;
use crate::policy_thread::model_file::model;
use crate::policy_thread::policy_setup::inputs;
use crate::wiring::{scope, seeds};
use harvestman_core::config::Config;
use harvestman_core::seed::Seed;
use harvestman_core::url::{CanonicalUrl, Canonicaliser};
use harvestman_policy::learned::{Judgement, LearnedPolicy, TextTrace, TextTracer, WaitingLink};
use harvestman_policy::{PolicyInputs, make_learner};

/// The result of [`replay_text`].
#[derive(Debug, Clone, PartialEq)]
pub enum TextReplay {
    /// The policy of the crawl does not learn page by page.
    NotLearned,
    /// The directory holds no observations.
    NotPersisted,
    /// Its observations were made with other settings, or by another version.
    Unreadable,
    /// The observations were replayed.
    Done {
        /// Their number.
        observations: u64,
        /// What they say of the page's text.
        trace: TextTrace,
        /// How the page was judged, if one was fetched.
        judgement: Option<Box<Judgement>>,
        /// What is expected of the link to it, if it waits.
        waiting: Option<Box<WaitingLink>>,
    },
}

/// Replays the observations in the directory of a crawl to a new policy, and returns what it makes of the text of the
/// page at `url`. Nothing in the directory changes. It takes as long as the crawl took to learn.
///
/// # Errors
/// The settings of the crawl name a file that cannot be read any more, or an observation cannot be read.
pub fn replay_text(config: &Config, directory: &Path, url: &CanonicalUrl) -> Result<TextReplay, Error> {
    if !config.fleet.servers.is_empty() {
        // One node learns for all, and the bus has what it learns from.
        return Ok(TextReplay::NotPersisted);
    }
    let Some(learner) = learner(config)? else { return Ok(TextReplay::NotLearned) };
    let mut tracer = TextTracer::new(learner, url.clone());
    let path = directory.join(OBSERVATIONS_DIRECTORY);
    let replay =
        AssertUnwindSafe(|| observations::replay(directory, observations::key(config), |seen, _| tracer.observe(seen)));
    let recalled = match catch_unwind(replay) {
        Ok(recalled) => recalled.map_err(|source| Error::Read { path, source })?,
        Err(_) => return Err(Error::Internal("the policy panicked at an observation of the crawl".to_owned())),
    };
    Ok(match (recalled.observations, recalled.spoilt) {
        (0, 0) => TextReplay::NotPersisted,
        (0, _) => TextReplay::Unreadable,
        (observations, _) => {
            let (judgement, waiting) = (tracer.judgement().cloned().map(Box::new), tracer.waiting().map(Box::new));
            TextReplay::Done { observations, judgement, waiting, trace: tracer.finish() }
        }
    })
}

/// Returns the policy of a crawl before its first observation; `None` if it does not learn from texts.
fn learner(config: &Config) -> Result<Option<LearnedPolicy>, Error> {
    let wrong = |error: &dyn std::fmt::Display| Error::Configuration(error.to_string());
    let canonicaliser = Canonicaliser::new(&config.url).map_err(|error| wrong(&error))?;
    let seeds = seeds(&config.crawl.seeds, &canonicaliser, config.search.has_named())?;
    let scope = scope(config, &canonicaliser, &seeds)?;
    let examples = examples(config, &canonicaliser, &scope)?;
    let model = model(config, &seeds, &scope)?;
    // What it would explore first does not matter.
    let inputs = inputs(&config.policy, &examples, model.as_ref(), Seed(config.crawl.seed));
    let inputs = PolicyInputs { read_links: Some(links_reader(&canonicaliser)), ..inputs };
    Ok(make_learner(config.crawl.policy, &inputs, reader(&config.parse)))
}
