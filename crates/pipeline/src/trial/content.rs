//! What a document shows: its links to pages of the crawl and its text.

use std::collections::HashSet;

use crate::error::Error;
use crate::rendering::LinkScope;
use crate::search::searches::visible_text;
use crate::wiring::{scope, seeds};
use harvestman_core::config::Config;
use harvestman_core::url::{CanonicalUrl, Canonicaliser, Scope};
use harvestman_structure::parse::Parser;

/// What a document shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageContent {
    /// Number of bytes of the document, without content coding.
    pub bytes: usize,
    /// Its links to pages of the crawl, canonical, each once, in the order of the places where they first stand.
    pub links: Vec<String>,
    /// The lines of its visible text that are not blank, with single spaces between words.
    pub lines: Vec<String>,
}

impl PageContent {
    /// Returns the number of words of its text.
    pub fn words(&self) -> usize {
        self.lines.iter().map(|line| word_count(line)).sum()
    }
}

/// Returns the number of words of a text.
pub(super) fn word_count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Reads the documents of one page.
pub(super) struct ContentReader {
    url: CanonicalUrl,
    canonicaliser: Canonicaliser,
    scope: Scope,
    parser: Parser,
}

impl ContentReader {
    /// Creates a reader for the page at `url` of the crawl of `config`.
    pub(super) fn new(config: &Config, url: CanonicalUrl) -> Result<Self, Error> {
        let canonicaliser = Canonicaliser::new(&config.url).map_err(|error| Error::Configuration(error.to_string()))?;
        let seeds = seeds(&config.crawl.seeds, &canonicaliser, config.search.has_named())?;
        let scope = scope(config, &canonicaliser, &seeds)?;
        let parser = Parser::new(&config.parse).with_agent(&config.robots.agent);
        Ok(Self { url, canonicaliser, scope, parser })
    }

    /// Reads a document; `navigations` are the URLs to which its scripts wanted to navigate.
    pub(super) fn read(&mut self, body: &[u8], content_type: Option<&str>, navigations: &[String]) -> PageContent {
        let page = self.parser.parse(body, content_type);
        let (mut links, mut known) = (Vec::new(), HashSet::new());
        let in_scope = LinkScope { canonicaliser: &self.canonicaliser, scope: &self.scope };
        in_scope.each_link(&self.url, &page, navigations, |link| {
            if known.insert(link.fingerprint()) {
                links.push(link.as_str().to_owned());
            }
        });
        let text = visible_text(body, content_type).unwrap_or_default();
        PageContent { bytes: body.len(), links, lines: lines(&text) }
    }
}

fn lines(text: &str) -> Vec<String> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().map(words).filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_shows_links_within_the_scope_once_and_lines_of_text() {
        let mut config = Config::default();
        config.crawl.seeds = vec!["http://h.test/".to_owned()];
        let mut reader = ContentReader::new(&config, CanonicalUrl::from_canonical("http://h.test/t/1")).unwrap();
        let html = "<p>one  two</p><p> </p><p><a href=/a>three</a><p><a href=/a#x>four</a><p><a href=http://o.test/>five</a>\
                    <script>six</script>";
        let content = reader.read(html.as_bytes(), Some("text/html"), &["2".to_owned(), "http://o.test/2".to_owned()]);
        assert_eq!(content.links, ["http://h.test/a", "http://h.test/t/2"]);
        assert_eq!(content.lines, ["one two", "three", "four", "five"]);
        assert_eq!((content.bytes, content.words()), (html.len(), 5));
    }
}
