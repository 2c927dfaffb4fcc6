//! Learns from the requests of rendered pages.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Renders;
use super::page::RenderClass;
use harvestman_render::replay::{ReplayTemplate, Sample};
use harvestman_render::{ReplayShare, ReplayState};

impl Renders {
    /// Returns the template whose share of the gain of a sample [`Renders::learn_requests`] must be told.
    pub(crate) fn candidate(&self, class: RenderClass, sample: &Sample) -> Option<Arc<ReplayTemplate>> {
        self.learned.replays.lock().candidate(&class, sample)
    }

    /// Returns whether the requests of pages that were rendered are learned.
    pub(crate) const fn learns_requests(&self) -> bool {
        self.is_replaying
    }

    /// Learns from the requests of a page that a browser rendered.
    pub(crate) fn learn_requests(
        &self,
        class: RenderClass,
        sample: Sample,
        candidate: Option<(Arc<ReplayTemplate>, ReplayShare)>,
    ) {
        let url = sample.page_url.clone();
        let template = candidate.as_ref().map(|(template, _)| Arc::clone(template));
        let mut replays = self.learned.replays.lock();
        let before = replays.state(&class);
        replays.learn(class, sample, candidate);
        let after = replays.state(&class);
        drop(replays);
        self.has_decided.fetch_or(before != after, Ordering::Relaxed);
        match (before == after, after, template) {
            (false, Some(ReplayState::Ready), Some(template)) => {
                let requests = template.describe();
                tracing::info!(
                    page = url.as_str(),
                    requests,
                    "plain requests bring what a browser shows: no page like this is rendered from now on"
                );
            }
            (false, Some(ReplayState::GivenUp), _) => {
                tracing::info!(
                    page = url.as_str(),
                    "no plain requests bring what a browser shows: pages like this are rendered"
                );
            }
            _ => {}
        }
        self.show();
    }
}
