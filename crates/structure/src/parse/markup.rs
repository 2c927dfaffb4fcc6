//! What a page is written in: decided here once for all readers of pages, the parser and those that build a tree.

use std::borrow::Cow;

use harvestman_core::model::{ContentType, MarkupRules, MediaType};

use super::charset;
use super::unended::{Repaired, repaired};
use super::xhtml::{NotXhtml, as_html};

/// The media type of XHTML.
const XHTML: &str = "application/xhtml+xml";

/// What a page is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkupLanguage {
    Html,
    /// XHTML that is declared to be XML, but is not well-formed.
    BrokenXhtml,
    /// XML that is no XHTML.
    OtherXml,
}

impl MarkupLanguage {
    /// Returns the rules by which it is read.
    pub const fn rules(self) -> MarkupRules {
        match self {
            Self::Html | Self::OtherXml => MarkupRules::Html,
            Self::BrokenXhtml => MarkupRules::BrokenXml,
        }
    }
}

/// Returns a page of XHTML that is declared to be XML as HTML, or otherwise what it is written in.
pub(super) fn from_xhtml(bytes: &[u8], content_type: Option<&str>) -> Result<String, MarkupLanguage> {
    let is_xhtml = content_type.and_then(ContentType::of).is_some_and(|stated| stated.is(XHTML));
    if !is_xhtml && MediaType::of(content_type) != MediaType::Xml {
        return Err(MarkupLanguage::Html);
    }
    let (encoding, bytes) = charset::of(bytes, content_type);
    as_html(&encoding.decode_without_bom_handling(bytes).0).map_err(|error| match error {
        NotXhtml::Broken if is_xhtml => MarkupLanguage::BrokenXhtml,
        NotXhtml::OtherRoot if is_xhtml => MarkupLanguage::Html,
        NotXhtml::Broken | NotXhtml::OtherRoot => MarkupLanguage::OtherXml,
    })
}

/// Returns a page as the HTML that all readers of pages read: `decode` decodes one that is not written in XHTML.
///
/// XHTML that is declared to be XML is written anew, and end tags that are missing are added where otherwise the rest
/// of the page would count as the text of an element.
pub fn html_of<'b>(
    bytes: &'b [u8],
    content_type: Option<&str>,
    decode: impl FnOnce(&'b [u8]) -> Cow<'b, str>,
) -> Cow<'b, str> {
    let language = match from_xhtml(bytes, content_type) {
        Ok(html) => return Cow::Owned(html),
        Err(language) => language,
    };
    let text = decode(bytes);
    match with_ends(text.as_bytes(), language) {
        Some(Repaired { bytes, .. }) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        None => text,
    }
}

/// Returns a page with the end tags that it lacks; `None` if there are none, or it is no page.
pub(super) fn with_ends(bytes: &[u8], language: MarkupLanguage) -> Option<Repaired> {
    match language {
        MarkupLanguage::Html => repaired(bytes, false),
        MarkupLanguage::BrokenXhtml => repaired(bytes, true),
        MarkupLanguage::OtherXml => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(page: &str, content_type: &str) -> String {
        html_of(page.as_bytes(), Some(content_type), String::from_utf8_lossy).into_owned()
    }

    #[test]
    fn xhtml_is_read_as_xml_by_its_media_type() {
        let page = "<html xmlns='http://www.w3.org/1999/xhtml'><title/><p>x</p></html>";
        let as_html = "<!DOCTYPE html><html><title></title><p>x</p></html>";
        for xml in [
            "application/xhtml+xml",
            "Application/XHTML+xml; charset=utf-8",
            "text/html, application/xhtml+xml",
            "text/xml",
            "application/xml",
        ] {
            assert_eq!(html(page, xml), as_html, "{xml}");
        }
        assert_eq!(html(page, "text/html"), page.replace("<title/>", "<title/></title>"));
    }

    #[test]
    fn what_is_not_well_formed_is_read_as_html_in_which_empty_elements_end() {
        let page = "<html><script src='a'/><p>x<script>y</script></html>";
        assert_eq!(html(page, XHTML), page.replace("'a'/>", "'a'/></script>"));
        assert_eq!(html(page, "text/html"), page);
    }

    #[test]
    fn a_feed_stays_as_it_is() {
        let feed = "<rss><title/><item><title/></item></rss>";
        assert_eq!(html(feed, "application/rss+xml"), feed);
        assert_eq!(html("<rss><title/>&x;", "text/xml"), "<rss><title/>&x;");
    }

    #[test]
    fn the_charset_is_that_of_the_declaration() {
        let page = b"<?xml version='1.0' encoding='iso-8859-1'?><html><p>\xe9</p></html>";
        let html = html_of(page, Some(XHTML), String::from_utf8_lossy);
        assert_eq!(html, "<!DOCTYPE html><html><p>\u{e9}</p></html>");
    }
}
