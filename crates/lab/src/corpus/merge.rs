//! Several recordings as one corpus, for crawls that find their sites themselves.

use std::sync::Arc;

use super::build::Builder;
use super::{Corpus, CorpusError, Label, Limits, PageId, Truth};
use harvestman_pipeline::visible_text;

impl Corpus {
    /// Joins recordings of different sites. `page_type` renames the type of a page, by the number of its recording.
    /// Bodies are shared, not copied. Of a URL in several recordings the first one counts.
    ///
    /// # Errors
    /// There are no pages, or more than a corpus holds.
    pub fn merged(
        name: &str,
        parts: &[Arc<Self>],
        page_type: impl Fn(usize, &Label) -> Arc<str>,
    ) -> Result<Self, CorpusError> {
        let limits = Limits { bytes_max: u64::MAX, ..Limits::default() };
        let mut builder = Builder::new(name.to_owned(), limits);
        let mut labels = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            for id in part.ids() {
                if builder.add(part.url(id).clone(), part.page(id).clone())? {
                    let label = part.truth().and_then(|truth| truth.label(id));
                    labels.push(label.map(|label| Label { page_type: page_type(at, label), ..label.clone() }));
                }
            }
        }
        let knows_ucc = parts.iter().all(|part| part.truth().is_some_and(Truth::knows_ucc));
        let corpus = builder.finish(|| "these recordings".to_owned())?;
        let truth = Truth::new(&corpus, labels, knows_ucc);
        Ok(corpus.labelled(truth))
    }

    /// Returns the visible text of a page; `None` if it is no HTML page.
    pub fn text(&self, id: PageId) -> Option<String> {
        let stored = self.page(id);
        stored.is_page().then(|| visible_text(&stored.body, stored.content_type()))?
    }
}
