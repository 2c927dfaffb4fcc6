//! The tree that the extractor of main texts works on, copied from the bounded one of the page, and why a page has
//! none.

use dom_query::Document;
use html5ever::Attribute;
use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, TreeSink};
use scraper::node::Element;
use scraper::{Html, Node};

/// Maximum number of attributes of an element that are copied.
const ATTRIBUTES_MAX: usize = 64;
/// Maximum length of a value that is copied, in bytes. What is longer is most often a picture.
const VALUE_BYTES_MAX: usize = 64 << 10;

/// Copies a page. What is not shown is left out: comments, and the contents of templates.
pub fn copied(page: &Html) -> Document {
    let document = Document::default();
    // Nodes that follow, each with the copy of its parent.
    let mut waiting = vec![(page.tree.root(), document.get_document())];
    while let Some((node, parent)) = waiting.pop() {
        let copy = match node.value() {
            Node::Element(element) if element.name() == "template" => continue,
            Node::Element(element) => {
                let copy = document.create_element(element.name.clone(), attributes(element), ElementFlags::default());
                document.append(&parent, NodeOrText::AppendNode(copy));
                copy
            }
            Node::Text(text) => {
                document.append(&parent, NodeOrText::AppendText(StrTendril::from_slice(text)));
                continue;
            }
            Node::Document | Node::Fragment => parent,
            Node::Doctype(_) | Node::Comment(_) | Node::ProcessingInstruction(_) => continue,
        };
        waiting.extend(node.children().rev().map(|child| (child, copy)));
    }
    document
}

fn attributes(element: &Element) -> Vec<Attribute> {
    let short = element.attrs.iter().filter(|(_, value)| value.len() <= VALUE_BYTES_MAX).take(ATTRIBUTES_MAX);
    short.map(|(name, value)| Attribute { name: name.clone(), value: StrTendril::from_slice(value) }).collect()
}

/// The reason why a page has no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It exceeds a bound.
    #[error("the page is too large or nested too deep")]
    TooLarge,
    /// No part of it is text to be read.
    #[error("the page has no main text")]
    NoMainText,
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_document::parse_without_scripts;

    #[test]
    fn a_copy_has_the_elements_and_texts_of_the_page() {
        for page in [
            "<title>a</title><p class='b c'>1 <i>2</i> 3<table><tr><td>4</table>&lt;5",
            "<svg viewBox='0 0 1 1'><title>a</title></svg><math><mi>x</math><noscript><img src=a></noscript>",
            "<ul><li>a<ul><li>b</ul><li>c</ul><pre>\nd\n</pre>",
        ] {
            let copy = copied(&parse_without_scripts(page).unwrap());
            assert_eq!(copy.html(), Document::from(page).html(), "{page}");
        }
    }

    #[test]
    fn what_is_not_shown_or_too_long_is_left_out() {
        let long = "x".repeat(VALUE_BYTES_MAX + 1);
        let many: String = (0..2 * ATTRIBUTES_MAX).map(|at| format!(" a{at}")).collect();
        let page = format!("<!-- a --><p title={long} class=b>c<template>d</template><!-- e -->f<br{many}>");
        let html = copied(&parse_without_scripts(&page).unwrap()).html().to_string();
        assert!(html.contains("<p class=\"b\">cf<br ") && html.len() < page.len() - VALUE_BYTES_MAX, "{html}");
        assert_eq!(html.matches("=\"\"").count(), ATTRIBUTES_MAX);
    }
}
