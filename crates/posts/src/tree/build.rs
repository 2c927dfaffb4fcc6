//! Builds the tree from that of the HTML parser.

use harvestman_core::model::path_hash::{fold, step};
use harvestman_document::{Search, search};
use scraper::{ElementRef, Html, Node as HtmlNode};

use super::xml::as_html;
use super::{Content, Node, NodeIndex, Tree};
use crate::head::PageHead;

/// Elements whose content is not shown.
const HIDDEN: [&str; 9] = ["script", "style", "noscript", "template", "head", "title", "select", "textarea", "svg"];
/// Minimum length of content for browsers without scripts that is considered, in bytes.
const NOSCRIPT_BYTES_MIN: usize = 1_000;

/// Classes that tell the state of an element, or its place among its siblings.
const STATES: [&str; 11] = ["", "odd", "even", "first", "last", "alt", "row", "bg", "active", "new", "unread"];

impl Tree {
    /// Reads a page. Returns `None` if it exceeds a bound. Where most of the text is for browsers without scripts, that counts.
    pub fn parse(source: &str) -> Option<Self> {
        Self::parse_with_head(source).map(|(tree, _)| tree)
    }

    /// Reads a page as [`Tree::parse`] does, and what it says of itself.
    pub(crate) fn parse_with_head(source: &str) -> Option<(Self, PageHead)> {
        let html = document(&as_html(source))?;
        let (tree, head) = Self::of(&html);
        match Self::without_scripts(&html) {
            Some(other) if other.nodes[0].words > tree.nodes[0].words => Some((other, head)),
            _ => Some((tree, head)),
        }
    }

    /// Reads the longest part of a page that is for browsers without scripts.
    fn without_scripts(html: &Html) -> Option<Self> {
        let elements = html.tree.nodes().filter_map(ElementRef::wrap);
        let parts =
            elements.filter(|element| element.value().name() == "noscript").map(|part| part.text().collect::<String>());
        let longest = parts.max_by_key(String::len).filter(|part| part.len() > NOSCRIPT_BYTES_MIN)?;
        Some(Self::of(&document(&longest)?).0)
    }

    fn of(html: &Html) -> (Self, PageHead) {
        let (mut tree, mut head) = (Self { nodes: vec![Node::root()] }, PageHead::default());
        // Nodes that are still to be read, the next one last, and the element that each is in.
        let mut waiting: Vec<_> = html.tree.root().children().rev().map(|node| (node, 0)).collect();
        while let Some((node, parent)) = waiting.pop() {
            match node.value() {
                HtmlNode::Text(text) if !text.trim().is_empty() => tree.push_text(parent, text),
                HtmlNode::Element(element) if HIDDEN.contains(&element.name()) => {
                    let (is_head, is_script) = (element.name() == "head", element.name() == "script");
                    let elements = node.descendants().take_while(|_| is_head || is_script);
                    elements.filter_map(ElementRef::wrap).for_each(|element| head.see(element, is_head));
                }
                HtmlNode::Element(element) => {
                    if matches!(element.name(), "meta" | "link") {
                        ElementRef::wrap(node).into_iter().for_each(|element| head.see(element, false));
                    }
                    let at = tree.push_element(parent, element);
                    waiting.extend(node.children().rev().map(|child| (child, at)));
                }
                _ => {}
            }
        }
        tree.close();
        (tree, head)
    }

    fn push_text(&mut self, parent: NodeIndex, text: &str) {
        let words = text.split_whitespace().count();
        let at = self.push(parent, (fold(b"#text"), fold(b"#text")), Content::Text(text.into()));
        let is_linked = self.nodes[at].is_linked;
        let node = &mut self.nodes[at];
        (node.words, node.linked_words) = (words, if is_linked { words } else { 0 });
    }

    fn push_element(&mut self, parent: NodeIndex, element: &scraper::node::Element) -> NodeIndex {
        let name = fold(element.name().as_bytes());
        let mut classes: Vec<u64> = element.classes().filter_map(class_word).collect();
        classes.sort_unstable();
        classes.dedup();
        let word = classes.iter().fold(name, |word, class| step(word, *class));
        let attributes = element.attrs().map(|(name, value)| (name.into(), value.into())).collect();
        let at = self.push(parent, (word, name), Content::Element(element.name().into(), attributes));
        self.nodes[at].is_linked |= element.name() == "a";
        at
    }

    fn push(&mut self, parent: NodeIndex, (word, tag): (u64, u64), content: Content) -> NodeIndex {
        let above = &self.nodes[parent];
        let (path, tags) = (step(above.path, word), step(above.tags, tag));
        let node = Node { parent, path, tags, word, content, is_linked: above.is_linked, ..Node::root() };
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Sets the ends and sums of all nodes.
    fn close(&mut self) {
        for at in (0..self.nodes.len()).rev() {
            let Node { parent, end, words, linked_words, .. } = self.nodes[at];
            let end = end.max(at + 1);
            self.nodes[at].end = end;
            if at > 0 {
                let above = &mut self.nodes[parent];
                above.end = above.end.max(end);
                above.words += words;
                above.linked_words += linked_words;
            }
        }
    }
}

impl Node {
    fn root() -> Self {
        Self {
            parent: 0,
            end: 0,
            path: 1,
            tags: 1,
            word: 1,
            content: Content::Element("".into(), Vec::new()),
            is_linked: false,
            words: 0,
            linked_words: 0,
        }
    }
}

fn document(source: &str) -> Option<Html> {
    match search(source, |_| false)? {
        Search::NotFound(html) => Some(html),
        Search::Found => None,
    }
}

/// Returns a hash of a class name without its digits; `None` of one that tells nothing.
fn class_word(class: &str) -> Option<u64> {
    let name: String = class.chars().filter(|c| !c.is_ascii_digit()).collect();
    (!STATES.contains(&name.as_str())).then(|| fold(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_hidden_parts() {
        let tree = Tree::parse(
            "<title> t </title><script type=application/ld+json>{}</script><p>a b <a href=/>c</a><style>x</style><svg><text>y</text></svg>",
        );
        let tree = tree.unwrap();
        assert_eq!((tree.node(0).words, tree.node(0).linked_words), (3, 1));
    }

    #[test]
    fn classes_that_tell_a_state_do_not_count() {
        let tree =
            Tree::parse("<p class='post post-12 odd'>a</p><p class='post-7 post'>b</p><p class=x>c</p>").unwrap();
        let paths: Vec<u64> =
            (0..tree.nodes().len()).filter(|at| tree.name(*at) == "p").map(|at| tree.node(at).path).collect();
        assert!(paths[0] == paths[1] && paths[1] != paths[2]);
    }

    #[test]
    fn what_browsers_without_scripts_show_counts_where_it_is_most() {
        let text = "word ".repeat(300);
        let tree = Tree::parse(&format!("<title>t</title><p>loading<noscript><p>{text}</noscript>")).unwrap();
        assert_eq!(tree.node(0).words, 300);
    }

    #[test]
    fn a_page_beyond_the_bounds_is_refused() {
        assert!(Tree::parse(&"<div>".repeat(200_000)).is_none());
    }
}
