//! How a page was read where its markup, read by the rules of HTML, is not what its author wrote.

use std::collections::HashSet;

/// Maximum number of links that are named.
const NAMED_MAX: usize = 50;

/// How a page was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    /// By which rules.
    pub rules: MarkupRules,
    /// The first element whose content, of text only, has no end, so that it was read as markup; `comment` of a
    /// comment.
    pub unended: Option<&'static str>,
    /// The links that only exist because of that, as written; the first 50.
    pub recovered: Vec<Box<str>>,
}

impl Reading {
    /// Returns the reading of a page by which the content of the element `unended` is markup: the page has these links,
    /// and by the rules of HTML it has those that are `known`.
    pub fn recovered<'p>(
        unended: &'static str,
        links: impl Iterator<Item = &'p str>,
        known: impl Iterator<Item = &'p str>,
    ) -> Self {
        let mut seen: HashSet<&str> = known.collect();
        let recovered = links.filter(|href| seen.insert(*href)).take(NAMED_MAX).map(Into::into).collect();
        Self { rules: MarkupRules::default(), unended: Some(unended), recovered }
    }
}

/// The rules by which markup is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MarkupRules {
    /// Those of HTML.
    #[default]
    Html,
    /// Those of XML.
    Xml,
    /// Those of HTML, although the page is declared to be XML: it is not well-formed.
    BrokenXml,
}

impl MarkupRules {
    /// Returns the name in the page log; `None` of the rules that nearly all pages are read by.
    pub const fn label(self) -> Option<&'static str> {
        match self {
            Self::Html => None,
            Self::Xml => Some("xml"),
            Self::BrokenXml => Some("broken_xml"),
        }
    }
}
