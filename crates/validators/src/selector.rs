//! A validator by a CSS selector.

use std::fmt;

use scraper::{Html, Selector};

use crate::required::{self, SelectorNames};
use crate::{InvalidWant, PageView, Validator, tags};

/// Maximum number of nodes of a page on which a selector with `~` is tried: it may compare each element with all
/// siblings before it.
const SIBLINGS_MAX: usize = 20_000;

/// Accepts pages in which at least one element matches a CSS selector (or a list of them, separated by commas).
#[derive(Debug, Clone)]
pub struct CssSelector {
    text: String,
    selector: Selector,
    /// What its text tells; `None` where it is written in an unusual way.
    names: Option<SelectorNames>,
}

impl PartialEq for CssSelector {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for CssSelector {}

impl CssSelector {
    /// Parses a selector.
    ///
    /// # Errors
    ///
    /// The selector is malformed, or uses what a static page does not have (`:hover`, `::before`).
    pub fn new(text: &str) -> Result<Self, InvalidWant> {
        match Selector::parse(text) {
            Ok(selector) => Ok(Self { text: text.to_owned(), selector, names: required::names_of(text) }),
            Err(_) => Err(InvalidWant::Selector(text.to_owned())),
        }
    }

    /// Whether an element of a tree matches.
    fn matches_in(&self, document: &Html) -> Option<bool> {
        let is_bounded = !self.text.contains('~') || document.tree.nodes().len() <= SIBLINGS_MAX;
        is_bounded.then(|| document.select(&self.selector).next().is_some())
    }
}

impl fmt::Display for CssSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "selector:{}", self.text)
    }
}

impl Validator for CssSelector {
    /// Builds a tree only if the source has the names of the selector and its tags do not tell; where a match depends
    /// on an element alone, no further than to the first one. Cannot tell where a selector with `~` meets a page of
    /// more than 20,000 nodes.
    fn accepts(&self, page: &PageView<'_>) -> Option<bool> {
        let source = page.source()?;
        let Some(names) = &self.names else { return self.matches_in(page.document()?) };
        if !names.required.may_match(source) {
            return Some(false);
        }
        let by_tags = names.compounds.as_ref().and_then(|compounds| tags::has_match(source, compounds));
        by_tags.or_else(|| {
            if names.are_compounds {
                page.has_element(|element| self.selector.matches(&element))
            } else {
                self.matches_in(page.document()?)
            }
        })
    }

    fn name(&self) -> String {
        self.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &[u8] = b"<!doctype html><article class='post first' id=p1><h1>Title</h1><p data-k=v>Text</article>";

    fn accepts(selector: &str) -> bool {
        CssSelector::new(selector).unwrap().accepts(&PageView::new("http://a/", PAGE)).unwrap()
    }

    #[test]
    fn a_page_with_a_matching_element_is_accepted() {
        for selector in ["h1", "article.post > h1", "#p1 [data-k=v]", "ul, h1 + p", "article:has(h1):not(.last)"] {
            assert!(accepts(selector), "{selector}");
        }
        for selector in ["h2", "h1 > p", ".post.last", "p:empty"] {
            assert!(!accepts(selector), "{selector}");
        }
    }

    #[test]
    fn siblings_are_searched_on_pages_of_limited_size_only() {
        // The document, html, head and body are nodes too.
        let page = "<hr>".repeat(SIBLINGS_MAX - 3);
        let accepts = |selector, page: &str| {
            CssSelector::new(selector).unwrap().accepts(&PageView::new("http://a/", page.as_bytes()))
        };
        assert_eq!(accepts("hr ~ hr", &page[4..]), Some(true));
        assert_eq!(accepts("hr ~ hr", &page), None);
        assert_eq!(accepts("hr + hr", &page), Some(true));
    }

    #[test]
    fn malformed_selectors_are_rejected() {
        for selector in ["", "h1 >", "a[", "a::before", ":unknown", "{}"] {
            assert_eq!(CssSelector::new(selector), Err(InvalidWant::Selector(selector.to_owned())), "{selector}");
        }
    }
}
