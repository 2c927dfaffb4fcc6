//! The result of parsing a page: its links, how its markup was read, and what of it was not read.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{Apath, ContentUnit, FormFacts, PageElement, PageText, PageTree};

/// The type of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// `a[href]` and `area[href]`.
    Anchor,
    /// `iframe[src]` and `frame[src]`.
    Frame,
    /// A resource that a page needs to be shown: images, style sheets, scripts. Only collected on request.
    Embed,
    /// `<meta http-equiv=refresh>` or a `Refresh` header.
    Refresh,
}

/// A link as written on the page: entities decoded, not yet resolved.
///
/// The text is in [`ParsedPage::hrefs`] from `start` to `end`, so that a page's links cost one allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawLink {
    /// Byte offset of the link's first byte.
    pub start: u32,
    /// Byte offset behind its last byte.
    pub end: u32,
    /// The type of the link.
    pub kind: LinkKind,
    /// Number of texts of the page that begin before it ([`ParsedPage::texts`]); 0 if none are collected.
    pub text: u32,
    /// Whether it has `rel=nofollow` (or `ugc`, `sponsored`).
    pub nofollow: bool,
    /// The position of its element in the tree of the page.
    pub place: LinkPosition,
}

/// The elements around a link. Elements are numbered in the order in which they begin; those below the maximum depth
/// have the number of the last one above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct LinkPosition {
    /// The number of the element that contains it.
    pub parent: u32,
    /// The number of that element's parent.
    pub grandparent: u32,
    /// Whether it contains an image.
    pub image: bool,
}

/// All links of a page with the same Apath, in page order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkGroup {
    /// The Apath.
    pub apath: Apath,
    /// The spelling of the Apath (`/html/body/div/a[class]`), if the parser spells paths.
    pub apath_text: Option<Box<str>>,
    /// The links.
    pub links: Vec<RawLink>,
}

/// One entry of the bag of leaf paths: the hash of a path from the root to a leaf (text, image, anchor) and how often
/// it occurs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeafPath {
    /// 64-bit hash of the path.
    pub path: u64,
    /// Occurrences on the page.
    pub count: u32,
    /// The spelling of the path, if the parser spells paths.
    pub text: Option<Box<str>>,
}

/// A path string with a node value (Zhang, Nasraoui 2009, section 4.1): a text of the page, and the chain of elements
/// around it with their display properties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PsnvPair {
    /// 64-bit hash of the path string.
    pub path: u64,
    /// 64-bit hash of the text's words, independent of white space.
    pub value: u64,
    /// The spelling of the path string (`<td><tr-class/people><table><body><html>`), if the parser spells paths.
    pub text: Option<Box<str>>,
}

/// Directives to robots from `meta` elements or `X-Robots-Tag` headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RobotsDirectives {
    /// `noindex` or `none`.
    pub noindex: bool,
    /// `nofollow` or `none`.
    pub nofollow: bool,
    /// `noarchive`.
    pub noarchive: bool,
}

impl RobotsDirectives {
    /// Combines both sets of directives: the stricter wins.
    pub const fn and(self, other: Self) -> Self {
        Self {
            noindex: self.noindex || other.noindex,
            nofollow: self.nofollow || other.nofollow,
            noarchive: self.noarchive || other.noarchive,
        }
    }
}

/// The result of one pass over a page's bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedPage {
    /// The texts of all links, concatenated.
    pub hrefs: String,
    /// The links, grouped by Apath, groups in order of first occurrence.
    pub groups: Vec<LinkGroup>,
    /// The bag of leaf paths, in order of first occurrence.
    pub leaf_paths: Vec<LeafPath>,
    /// The texts that are shown, in page order, if the parser collects them.
    pub units: Vec<ContentUnit>,
    /// The words that are shown, if the parser collects them.
    pub text: PageText,
    /// For each text that begins on the page, the index in `text` of its first run, if the parser collects words: a
    /// text without words has none.
    pub text_starts: Vec<u32>,
    /// The words of `text` as they are shown, if the parser spells out.
    pub words: Vec<Box<str>>,
    /// Hashes of what it shows, without numbers, if the parser collects them: the same on two pages that differ only in
    /// numbers, dates and identifiers.
    pub gist: Vec<u64>,
    /// Hashes of the texts as they are written, each with its number on the page, if a gist is collected. A text that
    /// comes in pieces has several entries with one number.
    pub texts: Vec<(u32, u64)>,
    /// The path strings of the texts that are shown, in page order, if the parser collects them. A pair that occurs
    /// several times is listed each time.
    pub path_strings: Vec<PsnvPair>,
    /// Hashes of its distinct class names, in order of first occurrence, if the parser lists them.
    pub class_tokens: Vec<u64>,
    /// The controls of its forms.
    pub forms: FormFacts,
    /// Its elements and texts, if the parser records them and the page is within their bounds.
    pub tree: Option<PageTree>,
    /// `<base href>`, as written.
    pub base: Option<String>,
    /// `<title>`, with collapsed white space, truncated at a limit.
    pub title: Option<String>,
    /// `<link rel=canonical>`, as written.
    pub canonical: Option<String>,
    /// Directives from `<meta name=robots>` and from the `meta` elements that name the crawler's product token.
    pub robots: RobotsDirectives,
    /// The addresses of the feeds that it announces, as written, as far as the parser keeps them.
    pub feeds: Vec<Box<str>>,
    /// The elements that state something about the use of its content, as far as the parser keeps them.
    pub stated: Vec<PageElement>,
    /// How its markup was read.
    pub reading: Reading,
    /// The charset that the page was read in.
    pub charset: &'static str,
    /// Links beyond the limit of links per page.
    pub links_dropped: u32,
}

impl ParsedPage {
    /// Returns the text of `link`.
    pub fn href(&self, link: &RawLink) -> &str {
        self.hrefs.get(link.start as usize..link.end as usize).unwrap_or_default()
    }

    /// Adds the target of a `Refresh` header, which comes before all links of the page.
    pub fn add_refresh(&mut self, href: &str) {
        let ends = (u32::try_from(self.hrefs.len()), u32::try_from(self.hrefs.len() + href.len()));
        let (Ok(start), Ok(end)) = ends else { return };
        self.hrefs.push_str(href);
        let place = LinkPosition::default();
        let link = RawLink { start, end, kind: LinkKind::Refresh, text: 0, nofollow: false, place };
        match self.groups.iter_mut().find(|group| group.apath == Apath::REFRESH) {
            Some(group) => group.links.insert(0, link),
            None => self.groups.insert(0, LinkGroup { apath: Apath::REFRESH, apath_text: None, links: vec![link] }),
        }
    }

    /// Returns the first target of a refresh, as written; an empty one is the page itself.
    pub fn refresh(&self) -> Option<&str> {
        let group = self.groups.iter().find(|group| group.apath == Apath::REFRESH)?;
        group.links.first().map(|link| self.href(link))
    }

    /// Returns the links, by their groups.
    pub fn links(&self) -> impl Iterator<Item = &RawLink> {
        self.groups.iter().flat_map(|group| &group.links)
    }

    /// Returns the number of links on the page.
    pub fn link_count(&self) -> usize {
        self.groups.iter().map(|group| group.links.len()).sum()
    }
}

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

/// Why the body of a page was not read, or not to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unread {
    /// It was not read: its media type is none of a page or a feed.
    MediaType,
    /// It was read up to where its content coding is broken.
    ContentCoding,
    /// It was read up to the limit of decoded bytes.
    TooLong,
}

impl Unread {
    /// Returns its name in the page log.
    pub const fn label(self) -> &'static str {
        match self {
            Self::MediaType => "media_type",
            Self::ContentCoding => "content_coding",
            Self::TooLong => "too_long",
        }
    }
}
