//! How a page was rendered, and what is known of its class.

use std::fmt;
use std::path::Path;

use serde::Serialize;

use crate::cli::output::fact;
use harvestman_core::model::{PageRecord, RenderClassSummary};
use harvestman_pipeline::read_rendering;
use harvestman_report::render_class_facts;

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

impl fmt::Display for PageRendering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcome = match self.outcome.as_deref() {
            None => "not rendered: the page counts as the server sent it",
            Some("rendered") => "rendered by a browser",
            Some("replayed") => "replayed: plain requests completed the page",
            Some(why) => why,
        };
        fact(f, "outcome", outcome)?;
        if let Some(class) = &self.class {
            fact(f, "class", class)?;
        }
        match (&self.known, &self.unknown) {
            (Some(known), _) => {
                fact(f, "like", &known.example)?;
                render_class_facts(known).iter().try_for_each(|(name, value)| fact(f, name, value))
            }
            (None, Some(why)) => fact(f, "", why),
            (None, None) => fact(f, "", "nothing is stored of this class"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::PageRecord;

    fn page(rendered: Option<&str>, class: Option<&str>) -> PageRecord {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        PageRecord { rendered: owned(rendered), render_class: owned(class), ..PageRecord::default() }
    }

    #[test]
    fn a_page_has_the_outcome_and_what_is_known_of_its_class() {
        let dir = tempfile::tempdir().unwrap();
        let class = "00000000000000ff";
        let stored = r#"{"format":1,"rendered":6,"replayed":1,"budget":{"earned":0.0,"advance":4.0},"templates":[],"gains":[],"classes":[
            {"class":"00000000000000ff","pages":{"example":"http://h.test/t/1","pages":9,"rendered":6,"replayed":1},
             "need":{"need":"needed","trials":6,"gain":4.25},"replay":null,"actions":null}]}"#;
        std::fs::write(dir.path().join("render.json"), stored).unwrap();
        let text = PageRendering::of(dir.path(), &page(Some("replayed"), Some(class))).unwrap().to_string();
        for part in
            ["plain requests completed", class, "http://h.test/t/1", "9, 6 rendered, 1 replayed", "adds 4.2 links"]
        {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        let other = PageRendering::of(dir.path(), &page(None, Some("0000000000000001"))).unwrap().to_string();
        assert!(other.contains("not rendered") && other.contains("nothing is stored"), "{other}");
        assert!(PageRendering::of(dir.path(), &page(None, None)).is_none());
        std::fs::write(dir.path().join("render.json"), "torn").unwrap();
        let text = PageRendering::of(dir.path(), &page(Some("hung"), Some(class))).unwrap().to_string();
        assert!(text.contains("hung") && text.contains("render.json"), "{text}");
    }
}
