//! Removes markup for machines from pages, to measure what is found without it.

use harvestman_document::parse;
use scraper::Node;

/// The attributes of microdata, RDFa and Open Graph.
const ATTRIBUTES: &[&str] = &[
    "itemscope",
    "itemtype",
    "itemprop",
    "itemid",
    "itemref",
    "vocab",
    "typeof",
    "property",
    "resource",
    "prefix",
    "about",
    "datatype",
];
/// The beginnings of the class names of microformats.
const CLASSES: &[&str] = &["h-", "p-", "u-", "dt-", "e-"];

/// Returns a page without JSON-LD, microdata, RDFa, Open Graph and microformats; `None` if it exceeds the bounds of the
/// parser. The `datetime` of `time` elements stays.
pub fn without_markup(html: &str) -> Option<String> {
    let mut document = parse(html)?;
    for node in document.tree.values_mut() {
        let Node::Element(element) = node else { continue };
        let is_script = element.name() == "script";
        element.attrs.retain(|(name, value)| {
            let is_data = is_script && &*name.local == "type" && value.contains("json");
            !is_data && !ATTRIBUTES.contains(&&*name.local)
        });
        for (name, value) in &mut element.attrs {
            if &*name.local == "class" && value.split_ascii_whitespace().any(is_microformat) {
                let kept: Vec<_> = value.split_ascii_whitespace().filter(|class| !is_microformat(class)).collect();
                *value = kept.join(" ").into();
            }
        }
    }
    Some(document.html())
}

fn is_microformat(class: &str) -> bool {
    let rest = CLASSES.iter().find_map(|prefix| class.strip_prefix(prefix));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_goes_and_the_page_stays() {
        let html = "<html><head><meta property=og:title content=x><script type='application/ld+json'>{}</script></head>\
            <body><div itemscope itemtype=http://schema.org/Comment class='post h-entry p-4'><time itemprop=d datetime=2025>1</time>";
        let plain = without_markup(html).unwrap();
        for gone in ["property", "ld+json", "item", "h-entry"] {
            assert!(!plain.contains(gone), "{gone} is in {plain}");
        }
        assert!(plain.contains(r#"<div class="post p-4"><time datetime="2025">1</time></div>"#), "{plain}");
    }

    #[test]
    fn pages_beyond_the_bounds_are_left_out() {
        assert_eq!(without_markup(&"<div>".repeat(100_000)), None);
    }
}
