//! A document as its readers take it.

/// The type of a document that scripts left.
pub(crate) const RENDERED_TYPE: &str = "text/html; charset=utf-8";

/// A decoded document, and the content type that is stated for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Document<'d> {
    pub(crate) body: &'d [u8],
    pub(crate) content_type: Option<&'d str>,
}

impl<'d> Document<'d> {
    /// Returns the document that scripts left.
    pub(crate) const fn rendered(html: &'d str) -> Self {
        Self { body: html.as_bytes(), content_type: Some(RENDERED_TYPE) }
    }
}
