//! What the index knows of a document besides its words.

use crate::index::limits::EXCERPT_CHARACTERS_MAX;

/// The name of the column that holds the number of a document.
pub(crate) const NUMBER: &str = "number";

/// What is shown of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexedPage {
    pub url: Box<str>,
    pub title: Option<Box<str>>,
    pub excerpt: Box<str>,
}

impl IndexedPage {
    /// Keeps what is shown of a document. An empty title is none.
    pub fn new(url: &str, title: &str, text: &str) -> Self {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let excerpt: String = text.chars().take(EXCERPT_CHARACTERS_MAX).collect();
        let excerpt = excerpt.split_whitespace().collect::<Vec<_>>().join(" ");
        let title = (!title.is_empty()).then(|| title.into_boxed_str());
        Self { url: url.into(), title, excerpt: excerpt.into_boxed_str() }
    }
}
