//! The links of a page with their texts and places.

use scraper::{ElementRef, Selector};
use xxhash_rust::xxh3::Xxh3;

use crate::PageView;

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

    fn of(html: &str) -> Vec<Anchor> {
        anchors(&PageView::new("http://h.test/", html.as_bytes())).unwrap()
    }

    #[test]
    fn links_have_texts_addresses_and_places() {
        let found = of("<ul class=tags><li><a href=' /tag/a '>Macro <b>photo</b></a><li><a href=/tag/b>b</a></ul>\
             <ul><li><a href=/c>c</a></ul><a href=/d></a><a>no address</a>");
        let texts: Vec<_> = found.iter().map(|anchor| (anchor.text.as_str(), anchor.href.as_str())).collect();
        assert_eq!(texts, [("Macro photo", "/tag/a"), ("b", "/tag/b"), ("c", "/c")]);
        assert!(found[0].place == found[1].place && found[1].place != found[2].place);
    }

    #[test]
    fn long_texts_and_many_links_are_left_out() {
        assert!(of(&format!("<a href=/>{}</a>", "w ".repeat(TEXT_MAX))).is_empty());
        assert_eq!(of(&"<a href=/x>x</a>".repeat(ANCHORS_MAX + 7)).len(), ANCHORS_MAX);
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
