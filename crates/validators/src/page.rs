//! The page that validators examine.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

use scraper::{ElementRef, Html};

use crate::visible;
use harvestman_document::{self as document, Search};

/// Maximum size of a page that is read, in bytes.
pub const PAGE_BYTES_MAX: usize = 8 << 20;

/// A page as validators see it. Its text and its tree are built when the first validator needs them, once for all.
pub struct PageView<'a> {
    /// The URL of the page.
    pub url: &'a str,
    /// The body, without content coding.
    pub body: &'a [u8],
    /// The `Content-Type` of the response. Without it, the page is taken for HTML.
    pub content_type: Option<&'a str>,
    source: OnceCell<Option<Cow<'a, str>>>,
    document: OnceCell<Option<Html>>,
    visible: OnceCell<Option<String>>,
    is_given_up: Cell<bool>,
}

impl<'a> PageView<'a> {
    /// Creates a view of a page without content type.
    pub const fn new(url: &'a str, body: &'a [u8]) -> Self {
        Self {
            url,
            body,
            content_type: None,
            source: OnceCell::new(),
            document: OnceCell::new(),
            visible: OnceCell::new(),
            is_given_up: Cell::new(false),
        }
    }

    /// Sets the content type of the response.
    #[must_use]
    pub fn with_content_type(self, content_type: Option<&'a str>) -> Self {
        Self { content_type, ..self }
    }

    /// Returns whether the posts of the page took too long to read, so that validators by posts could not tell.
    pub fn is_given_up(&self) -> bool {
        self.is_given_up.get()
    }

    /// Notes that the posts took too long to read.
    pub(crate) fn give_up(&self) {
        self.is_given_up.set(true);
    }

    /// Returns the source of an HTML page that is not too large.
    pub(crate) fn source(&self) -> Option<&str> {
        let decode = || {
            let fits = self.body.len() <= PAGE_BYTES_MAX && self.content_type.is_none_or(is_html);
            fits.then(|| document::decode(self.body, self.content_type))
        };
        self.source.get_or_init(decode).as_deref()
    }

    /// Returns the tree of an HTML page within all bounds.
    pub(crate) fn document(&self) -> Option<&Html> {
        let whole = || match document::search(self.source()?, |_| false)? {
            Search::Found => None,
            Search::NotFound(document) => Some(document),
        };
        self.document.get_or_init(whole).as_ref()
    }

    /// Returns whether the page has an element that is sought by its own name and attributes. Reads the page no further
    /// than to the first one. `None`: the page is not HTML, or exceeds a bound before.
    pub(crate) fn has_element(&self, is_sought: impl Fn(ElementRef<'_>) -> bool) -> Option<bool> {
        let is_in = |document: &Html| document.tree.nodes().filter_map(ElementRef::wrap).any(&is_sought);
        if let Some(Some(document)) = self.document.get() {
            return Some(is_in(document));
        }
        match document::search(self.source()?, &is_sought)? {
            Search::Found => Some(true),
            Search::NotFound(document) => {
                // The others were looked at, but not `html` and `body`.
                let found = is_in(&document);
                // Other validators may need it.
                let _ = self.document.set(Some(document));
                Some(found)
            }
        }
    }

    /// Returns the text that the page shows.
    pub fn visible_text(&self) -> Option<&str> {
        self.visible.get_or_init(|| self.document().map(visible::text)).as_deref()
    }
}

fn is_html(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    ["text/html", "application/xhtml+xml"].iter().any(|html| kind.eq_ignore_ascii_case(html))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_html_up_to_the_size_limit_is_read() {
        let read = |content_type| PageView::new("http://a/", b"a").with_content_type(content_type).source().is_some();
        assert!(read(None) && read(Some("text/HTML ; charset=utf-8")) && read(Some("application/xhtml+xml")));
        assert!(!read(Some("application/pdf")) && !read(Some("")));
        let large = vec![b'a'; PAGE_BYTES_MAX + 1];
        assert!(PageView::new("http://a/", &large[1..]).source().is_some());
        assert!(PageView::new("http://a/", &large).source().is_none());
    }
}
