//! The text that a page shows.

use scraper::{ElementRef, Html, Node};

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
    document.tree.root().first_child().map_or_else(String::new, |_| of(document.root_element(), TEXT_BYTES_MAX))
}

/// Returns the text that an element shows, up to `bytes_max` bytes and the end of the text node that exceeds them.
pub fn of(element: ElementRef<'_>, bytes_max: usize) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(of(document.select(&selector).next().unwrap(), 100), "onetwo");
    }

    #[test]
    fn a_long_text_is_cut() {
        let page = format!("<p>{}", "a".repeat(29_999)).repeat(40);
        let length = text(&harvestman_document::parse(&page).unwrap()).len();
        assert_eq!(length, TEXT_BYTES_MAX.next_multiple_of(30_000) - 1);
        let one = harvestman_document::parse("<p>12<p>34<p>56").unwrap();
        assert_eq!(of(one.root_element(), 2), "12\n34");
    }
}
