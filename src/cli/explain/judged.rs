//! How a policy judged a page, and what it expects of a link that waits.

use serde::Serialize;

use super::directory::CrawlDirectory;
use harvestman_pipeline::TextReplay;
use harvestman_policy::learned::{Judgement, WaitingLink};

/// How a page was judged.
#[derive(Debug, Serialize)]
pub(super) struct JudgedReport {
    /// The judgement.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// The tests of the crawl's validator.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub want: Vec<String>,
}

impl JudgedReport {
    /// Returns the judgement in a replay, if the page is in it.
    pub fn of(directory: &CrawlDirectory, replay: &TextReplay) -> Option<Self> {
        let TextReplay::Done { judgement: Some(judgement), .. } = replay else { return None };
        let want = if judgement.topic.is_none() { directory.config.policy.want.clone() } else { Vec::new() };
        Some(Self { judgement: Judgement::clone(judgement), want })
    }
}

/// What is expected of a link that waits.
#[derive(Debug, Serialize)]
pub(super) struct WaitingReport(pub WaitingLink);

impl WaitingReport {
    /// Returns what a replay expects of the link, if it waits.
    pub fn of(replay: &TextReplay) -> Option<Self> {
        match replay {
            TextReplay::Done { waiting, .. } => waiting.as_deref().cloned().map(Self),
            _ => None,
        }
    }
}
