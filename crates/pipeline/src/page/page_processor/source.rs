//! What an HTML page is read from.

use harvestman_render::RenderedPage;

/// What an HTML page is read from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source<'a> {
    /// The answer of the server; the page may be rendered.
    Answer,
    /// The same of a page that is not rendered.
    OnlyAnswer,
    /// The document that its scripts left.
    Rendered(&'a RenderedPage),
}

impl Source<'_> {
    pub(super) const fn is_rendered(self) -> bool {
        matches!(self, Self::Rendered(_))
    }
}
