//! The parser alone: the links of a page with their places, and its text.
//!
//! ```
//! use harvestman_library::parse::PageParser;
//!
//! let html = b"<title>Egrets</title><ul><li><a class=thread href='../t/7#p3'>Great egret</a></ul>";
//! let page = PageParser::new().parse("https://forum.example.org/board/", html, Some("text/html")).unwrap();
//! assert_eq!(page.title(), Some("Egrets"));
//! assert_eq!(page.links()[0].url(), Some("https://forum.example.org/t/7"));
//! assert_eq!(page.links()[0].apath(), "/html/body/ul/li/a[thread]");
//! assert!(page.text().contains("Great egret"));
//! ```

use super::Error;
use harvestman_core::config::ParseOptions;
use harvestman_core::config::url::UrlOptions;
use harvestman_core::model::ParsedPage as InnerPage;
use harvestman_core::url::{CanonicalUrl, Canonicaliser, Resolver};
use harvestman_structure::parse::{Parser, Spelling};

/// Parses pages one after another. It reuses its memory, so each thread should have one.
#[derive(Debug)]
pub struct PageParser {
    parser: Parser,
    canonicaliser: Canonicaliser,
}

/// A parsed page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedPage {
    title: Option<String>,
    text: String,
    links: Vec<ParsedLink>,
}

/// A link with its place on its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedLink {
    url: Option<String>,
    href: String,
    apath: String,
    nofollow: bool,
}

impl PageParser {
    /// Creates a parser with the default settings of a crawl.
    pub fn new() -> Self {
        // Nothing in the defaults can be wrong; a test makes sure.
        let canonicaliser = Canonicaliser::new(&UrlOptions::default()).unwrap_or_else(|error| unreachable!("{error}"));
        Self { parser: Parser::with_spelling(&ParseOptions::default(), Spelling::On), canonicaliser }
    }

    /// Parses an HTML page, whatever its bytes: errors in the markup are repaired as browsers do. The time is linear in
    /// the length of the page, and the memory is bounded.
    ///
    /// `url` is the address of the page, against which its links are resolved. `body` is without content coding.
    /// `content_type` is the header of the answer, which may name the charset.
    ///
    /// # Errors
    /// `url` is not an http or https URL.
    pub fn parse(&mut self, url: &str, body: &[u8], content_type: Option<&str>) -> Result<ParsedPage, Error> {
        let wrong = |why| Error::Usage(format!("`{url}` is not an http or https URL ({why})"));
        let url: CanonicalUrl = self.canonicaliser.parse(url).map_err(|why| wrong(why.label()))?;
        let page = self.parser.parse(body, content_type);
        let mut resolver = self.canonicaliser.document_resolver(&url, page.base.as_deref(), page.charset);
        let links = links(&page, &mut resolver);
        let text = harvestman_pipeline::visible_text(body, content_type).unwrap_or_default();
        Ok(ParsedPage { title: page.title, text, links })
    }
}

impl Default for PageParser {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the links in the order of the page.
fn links(page: &InnerPage, resolver: &mut Resolver<'_>) -> Vec<ParsedLink> {
    let groups = page.groups.iter().flat_map(|group| group.links.iter().map(move |link| (group, link)));
    let mut links: Vec<_> = groups.collect();
    links.sort_by_key(|(_, link)| link.start);
    let parsed = links.into_iter().map(|(group, link)| {
        let href = page.href(link).to_owned();
        let url = resolver.resolve(&href).ok().map(|url| url.as_str().to_owned());
        ParsedLink {
            url,
            href,
            apath: group.apath_text.as_deref().unwrap_or_default().to_owned(),
            nofollow: link.nofollow,
        }
    });
    parsed.collect()
}

impl ParsedPage {
    /// The title.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The text that a reader sees, without scripts and styles.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The links, in the order of the page.
    pub fn links(&self) -> &[ParsedLink] {
        &self.links
    }
}

impl ParsedLink {
    /// The URL that it leads to, canonical; `None` if it is no http or https URL.
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// The link as it is written on the page.
    pub fn href(&self) -> &str {
        &self.href
    }

    /// Its Apath: the names of the elements from the root to the link, with the class of the link in brackets (SOUrCe
    /// 2018, section 3.1). Links at one Apath of pages made from one template lead to pages of one kind.
    pub fn apath(&self) -> &str {
        &self.apath
    }

    /// Whether it asks robots not to follow it.
    pub const fn is_nofollow(&self) -> bool {
        self.nofollow
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn links_come_in_the_order_of_the_page_and_those_that_lead_nowhere_have_no_url() {
        let html = b"<base href='/b/'><a href=one>1</a><p><a href='//[' rel=nofollow>m</a></p><a href=two>2</a>";
        let page = PageParser::new().parse("http://h.test/a/", html, None).unwrap();
        let links: Vec<_> = page.links().iter().map(|link| (link.href(), link.url(), link.is_nofollow())).collect();
        let expected = [
            ("one", Some("http://h.test/b/one"), false),
            ("//[", None, true),
            ("two", Some("http://h.test/b/two"), false),
        ];
        assert_eq!(links, expected);
    }

    #[test]
    fn an_address_that_is_no_url_is_refused() {
        let error = PageParser::new().parse("forum", b"", None).unwrap_err();
        assert!(
            matches!(&error, Error::Usage(text) if text.contains("`forum` is not an http or https URL")),
            "{error}"
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_page(body in proptest::collection::vec(any::<u8>(), 0..500)) {
            PageParser::new().parse("http://h.test/", &body, None).unwrap();
        }
    }
}
