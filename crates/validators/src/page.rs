//! The page that validators examine: the text that it shows, and its links with their texts and places.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

use scraper::{ElementRef, Html, Node, Selector};
use xxhash_rust::xxh3::Xxh3;

use harvestman_document as document;
use harvestman_document::Search;

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
        self.visible.get_or_init(|| self.document().map(text)).as_deref()
    }
}

fn is_html(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    ["text/html", "application/xhtml+xml"].iter().any(|html| kind.eq_ignore_ascii_case(html))
}

/// Maximum length of a page's text, in bytes; the rest is cut.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// Elements whose content is not shown.
const HIDDEN: &[&str] = &["head", "script", "style", "noscript", "template"];
/// Elements that do not interrupt a line.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd", "label",
    "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
];

/// Returns the text that a page shows: each text that no element of a block interrupts is a line. White space is
/// collapsed.
pub fn text(document: &Html) -> String {
    document
        .tree
        .root()
        .first_child()
        .map_or_else(String::new, |_| visible_text(document.root_element(), TEXT_BYTES_MAX))
}

/// Returns the text that an element shows, up to `bytes_max` bytes and the end of the text node that exceeds them.
pub fn visible_text(element: ElementRef<'_>, bytes_max: usize) -> String {
    let (mut text, mut gap) = (String::new(), Gap::None);
    let mut next = element.first_child();
    while let Some(node) = next {
        if text.len() > bytes_max {
            break;
        }
        let name = node.value().as_element().map(scraper::node::Element::name);
        let shown = name.is_none_or(|name| !HIDDEN.contains(&name));
        if let Node::Text(content) = node.value() {
            append(content, &mut text, &mut gap);
        }
        gap = gap.max(around(name));
        if shown && let Some(child) = node.first_child() {
            next = Some(child);
            continue;
        }
        // The next node in document order that is not inside this one.
        let mut above = Some(node);
        next = loop {
            let Some(left) = above.filter(|left| left.id() != element.id()) else { break None };
            gap = gap.max(around(left.value().as_element().map(scraper::node::Element::name)));
            if let Some(sibling) = left.next_sibling() {
                break Some(sibling);
            }
            above = left.parent();
        };
    }
    text
}

/// What separates a text from the one before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
}

/// The gap at the beginning and at the end of an element.
fn around(name: Option<&str>) -> Gap {
    if name.is_some_and(|name| !INLINE.contains(&name)) { Gap::Line } else { Gap::None }
}

/// Appends a text with its white space collapsed.
fn append(content: &str, text: &mut String, gap: &mut Gap) {
    for (at, part) in content.split(char::is_whitespace).enumerate() {
        if at > 0 {
            *gap = (*gap).max(Gap::Space);
        }
        if part.is_empty() {
            continue;
        }
        match *gap {
            Gap::Space if !text.is_empty() => text.push(' '),
            Gap::Line if !text.is_empty() => text.push('\n'),
            _ => {}
        }
        text.push_str(part);
        *gap = Gap::None;
    }
}

/// Maximum number of links that are returned, and maximum length of a text in bytes: a longer one is left out.
const ANCHORS_MAX: usize = 2_000;
const TEXT_MAX: usize = 200;

/// A link with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The place: a hash of the names and classes of the elements around the link.
    pub place: u64,
    /// The text, with single spaces.
    pub text: String,
    /// The address, as written.
    pub href: String,
}

/// Returns the first 2,000 links of a page whose text has 1 to 200 bytes; `None` if the page is not HTML or exceeds a
/// bound.
pub fn anchors(page: &PageView<'_>) -> Option<Vec<Anchor>> {
    let links = Selector::parse("a[href]").ok()?;
    Some(page.document()?.select(&links).filter_map(anchor).take(ANCHORS_MAX).collect())
}

fn anchor(link: ElementRef<'_>) -> Option<Anchor> {
    let words = link.text().flat_map(str::split_whitespace);
    let mut text = String::new();
    for word in words {
        if text.len() + word.len() >= TEXT_MAX {
            return None;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    let href = link.attr("href")?.trim().to_owned();
    (!text.is_empty()).then(|| Anchor { place: place(link), text, href })
}

fn place(link: ElementRef<'_>) -> u64 {
    let mut hasher = Xxh3::new();
    for element in link.ancestors().filter_map(ElementRef::wrap) {
        for part in [element.value().name(), element.attr("class").unwrap_or_default()] {
            hasher.update(part.as_bytes());
            hasher.update(b"\n");
        }
    }
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

    #[test]
    fn text_has_a_line_for_each_block_and_nothing_hidden() {
        let page = "<title>T</title><style>s</style><body> <p>One <b>bold</b>er\n word<br>next</p><script>x()</script>\
            <noscript>n</noscript><template>t</template><ul><li>a<li> b </ul>tail";
        assert_eq!(text(&harvestman_document::parse(page).unwrap()), "One bolder word\nnext\na\nb\ntail");
        assert_eq!(text(&harvestman_document::parse("").unwrap()), "");
    }

    #[test]
    fn the_text_of_one_element_ends_with_it() {
        let document = harvestman_document::parse("<div><p>one<i>two</i></p>three</div>").unwrap();
        let selector = scraper::Selector::parse("p").unwrap();
        assert_eq!(visible_text(document.select(&selector).next().unwrap(), 100), "onetwo");
    }

    #[test]
    fn a_long_text_is_cut() {
        let page = format!("<p>{}", "a".repeat(29_999)).repeat(40);
        let length = text(&harvestman_document::parse(&page).unwrap()).len();
        assert_eq!(length, TEXT_BYTES_MAX.next_multiple_of(30_000) - 1);
        let one = harvestman_document::parse("<p>12<p>34<p>56").unwrap();
        assert_eq!(visible_text(one.root_element(), 2), "12\n34");
    }

    fn anchors_of(html: &str) -> Vec<Anchor> {
        anchors(&PageView::new("http://h.test/", html.as_bytes())).unwrap()
    }

    #[test]
    fn links_have_texts_addresses_and_places() {
        let found = anchors_of(
            "<ul class=tags><li><a href=' /tag/a '>Macro <b>photo</b></a><li><a href=/tag/b>b</a></ul>\
             <ul><li><a href=/c>c</a></ul><a href=/d></a><a>no address</a>",
        );
        let texts: Vec<_> = found.iter().map(|anchor| (anchor.text.as_str(), anchor.href.as_str())).collect();
        assert_eq!(texts, [("Macro photo", "/tag/a"), ("b", "/tag/b"), ("c", "/c")]);
        assert!(found[0].place == found[1].place && found[1].place != found[2].place);
    }

    #[test]
    fn long_texts_and_many_links_are_left_out() {
        assert!(anchors_of(&format!("<a href=/>{}</a>", "w ".repeat(TEXT_MAX))).is_empty());
        assert_eq!(anchors_of(&"<a href=/x>x</a>".repeat(ANCHORS_MAX + 7)).len(), ANCHORS_MAX);
        assert!(anchors(&PageView::new("http://h.test/", b"x").with_content_type(Some("image/png"))).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn no_page_makes_it_panic(body in "(<a href=[a-z/]{0,4}>|</a>|<p class=x>|[a-z &;\u{e9}]){0,40}") {
            if let Some(found) = anchors(&PageView::new("http://h.test/", body.as_bytes())) {
                prop_assert!(found.iter().all(|anchor| !anchor.text.is_empty() && anchor.text.len() <= TEXT_MAX));
            }
        }
    }
}
