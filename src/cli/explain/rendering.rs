//! How a page was rendered, and what is known of its class.

use std::path::Path;

use serde::Serialize;

use harvestman_core::model::{PageRecord, RenderClassSummary};
use harvestman_pipeline::read_rendering;

/// How a page was rendered.
#[derive(Debug, Serialize)]
pub(super) struct PageRendering {
    /// `rendered`, `replayed`, or why that failed; `None` if the page was processed as the server sent it.
    pub(super) outcome: Option<String>,
    /// The name of its class; `None` if it has no scripts.
    pub(super) class: Option<String>,
    /// What is known of its class now; `None` if nothing is stored.
    pub(super) known: Option<RenderClassSummary>,
    /// Why that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unknown: Option<String>,
}

impl PageRendering {
    /// Returns how a page of the crawl in this directory was rendered; `None` if that was never considered.
    pub(super) fn of(directory: &Path, page: &PageRecord) -> Option<Self> {
        let (outcome, class) = (page.rendered.clone(), page.render_class.clone());
        if outcome.is_none() && class.is_none() {
            return None;
        }
        let (stored, unknown) = match read_rendering(directory, usize::MAX) {
            Ok(stored) => (stored.unwrap_or_default(), None),
            Err(why) => (Default::default(), Some(why)),
        };
        let known = stored.classes.into_iter().find(|known| Some(&known.class) == class.as_ref());
        Some(Self { outcome, class, known, unknown })
    }
}
