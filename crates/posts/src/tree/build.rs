//! Builds the tree from the elements and texts that the parser records.

use std::borrow::Cow;
use std::ops::Range;

use harvestman_core::config::ParseOptions;
use harvestman_core::model::path_hash::{fold, fold_run, step};
use harvestman_core::model::{PageNode, PageTree, ROOT};
use harvestman_structure::parse::Parser;

use super::steps::Steps;
use super::xml::as_html;
use super::{Node, NodeIndex, Tree};
use crate::head::PageHead;
use crate::maps::HashMap;

/// Elements whose content is not shown, of those that the parser records.
const HIDDEN: [&str; 5] = ["script", "noscript", "head", "title", "textarea"];
/// Minimum length of the texts for browsers without scripts that are considered, in bytes.
const NOSCRIPT_BYTES_MIN: usize = 500;
/// The media type of a page that is decoded.
const DECODED: Option<&str> = Some("text/html; charset=utf-8");

/// Classes that tell the state of an element, or its place among its siblings.
const STATES: [&str; 11] = ["", "odd", "even", "first", "last", "alt", "row", "bg", "active", "new", "unread"];

/// The place of a node of the page that is not in the tree, and of one that is in the head.
const LEFT_OUT: NodeIndex = NodeIndex::MAX;
const IN_HEAD: NodeIndex = NodeIndex::MAX - 1;

impl Tree {
    /// Reads a page. Returns `None` if it exceeds a bound. Where most of the text is for browsers without scripts, that
    /// counts.
    pub fn parse(source: &str) -> Option<Self> {
        Self::parse_with_head(source).map(|(tree, _)| tree)
    }

    /// Reads a page as [`Tree::parse`] does, and what it says of itself.
    pub(crate) fn parse_with_head(source: &str) -> Option<(Self, PageHead)> {
        let mut parser = Parser::new(&ParseOptions::default()).with_tree();
        let mut page = parser.parse(source.as_bytes(), DECODED).tree?;
        if page.has_empty_tags()
            && let Cow::Owned(html) = as_html(source)
        {
            page = parser.parse(html.as_bytes(), DECODED).tree?;
        }
        Some(Self::of(page))
    }

    /// Reads the elements and texts of a page, and what it says of itself.
    pub(crate) fn of(page: PageTree) -> (Self, PageHead) {
        let mut head = PageHead::default();
        let nodes = Nodes::of(&page, ROOT..page.len() as PageNode, Some(&mut head));
        let other = without_scripts(&page).map(|range| Nodes::of(&page, range, None));
        let nodes = other.filter(|other| other[0].words > nodes[0].words).unwrap_or(nodes);
        let steps = Steps::of_page(nodes.len(), page.bytes());
        (Self { page, nodes, steps }, head)
    }
}

/// Returns the part of a page that is for browsers without scripts and has most text.
fn without_scripts(page: &PageTree) -> Option<Range<PageNode>> {
    let all = page.len() as PageNode;
    let parts = (ROOT..all).filter(|node| page.name(*node) == "noscript").map(|part| {
        let end = (part + 1..all).find(|node| page.parent(*node) < part).unwrap_or(all);
        let bytes: usize = (part + 1..end).map(|node| page.text(node).trim().len()).sum();
        (bytes, part + 1..end)
    });
    let (bytes, range) = parts.max_by_key(|(bytes, _)| *bytes)?;
    (bytes >= NOSCRIPT_BYTES_MIN).then_some(range)
}

/// Nodes that are being made.
struct Nodes<'p> {
    page: &'p PageTree,
    nodes: Vec<Node>,
    /// A class name without its digits.
    class: String,
    /// Hashes of the class names of an element.
    classes: Vec<u64>,
    /// The words of elements with classes that were read, by name and classes.
    words: HashMap<(&'p str, &'p str), u64>,
}

impl<'p> Nodes<'p> {
    /// Returns the nodes of a part of a page: a root, and what is shown. `head` takes what the page says of itself.
    fn of(page: &'p PageTree, range: Range<PageNode>, mut head: Option<&mut PageHead>) -> Vec<Node> {
        let mut nodes = Vec::with_capacity(range.len() + 1);
        nodes.push(Node::root());
        let mut made = Self { page, nodes, class: String::new(), classes: Vec::new(), words: HashMap::default() };
        let mut places = vec![0; range.len()];
        for node in range.clone() {
            let parent = page.parent(node);
            // The root of the page is in itself.
            let is_in = parent >= range.start && parent < node;
            let above = if is_in { places[(parent - range.start) as usize] } else { 0 };
            places[(node - range.start) as usize] = made.place(node, above);
            if let Some(head) = &mut head {
                head.see(page, node, above == IN_HEAD);
            }
        }
        close(&mut made.nodes);
        made.nodes
    }

    /// Adds a node that is in `above`, unless it is not shown. Returns its place.
    fn place(&mut self, node: PageNode, above: NodeIndex) -> NodeIndex {
        if above >= IN_HEAD {
            return above;
        }
        if self.page.is_text(node) {
            return self.push_text(above, node);
        }
        match self.page.name(node) {
            "head" => IN_HEAD,
            name if HIDDEN.contains(&name) => LEFT_OUT,
            _ => self.push_element(above, node),
        }
    }

    fn push_text(&mut self, parent: NodeIndex, source: PageNode) -> NodeIndex {
        const WORD: u64 = fold(b"#text");
        let words = count_words(self.page.text(source));
        let at = self.push(parent, WORD, WORD, source);
        let is_linked = self.nodes[at].is_linked;
        let node = &mut self.nodes[at];
        (node.words, node.linked_words) = (words, if is_linked { words } else { 0 });
        at
    }

    fn push_element(&mut self, parent: NodeIndex, source: PageNode) -> NodeIndex {
        let name = self.page.name(source);
        let tag = fold_run(name.as_bytes());
        let word = match self.page.attribute(source, "class") {
            // Few elements have classes that no other one has.
            Some(names) => match self.words.get(&(name, names)) {
                Some(word) => *word,
                None => self.read_classes(name, names),
            },
            None => tag,
        };
        let at = self.push(parent, word, tag, source);
        self.nodes[at].is_linked |= name == "a";
        at
    }

    /// Returns a hash of the name of an element and its classes.
    fn read_classes(&mut self, name: &'p str, names: &'p str) -> u64 {
        self.classes.clear();
        for name in names.split_ascii_whitespace() {
            self.class.clear();
            self.class.extend(name.chars().filter(|c| !c.is_ascii_digit()));
            // A class name that tells nothing does not count.
            if !STATES.contains(&self.class.as_str()) {
                self.classes.push(fold_run(self.class.as_bytes()));
            }
        }
        self.classes.sort_unstable();
        self.classes.dedup();
        let word = self.classes.iter().fold(fold_run(name.as_bytes()), |word, class| step(word, *class));
        self.words.insert((name, names), word);
        word
    }

    fn push(&mut self, parent: NodeIndex, word: u64, tag: u64, source: PageNode) -> NodeIndex {
        let above = &self.nodes[parent];
        let (path, tags) = (step(above.path, word), step(above.tags, tag));
        let node =
            Node { parent, path, tags, word, tag: tag as u32, source, is_linked: above.is_linked, ..Node::root() };
        self.nodes.push(node);
        self.nodes.len() - 1
    }
}

/// Returns the number of words of a text.
fn count_words(text: &str) -> usize {
    if text.is_ascii() { text.split_ascii_whitespace().count() } else { text.split_whitespace().count() }
}

/// Sets the ends and sums of all nodes.
fn close(nodes: &mut [Node]) {
    for at in (0..nodes.len()).rev() {
        let Node { parent, end, words, linked_words, .. } = nodes[at];
        let end = end.max(at + 1);
        nodes[at].end = end;
        if at > 0 {
            let above = &mut nodes[parent];
            above.end = above.end.max(end);
            above.words += words;
            above.linked_words += linked_words;
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
            tag: 1,
            source: ROOT,
            is_linked: false,
            words: 0,
            linked_words: 0,
        }
    }
}

#[cfg(test)]
#[path = "twin_tests.rs"]
mod twin_tests;

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
        let tree = Tree::parse(&format!("<title>t</title><div>loading<noscript><p>{text}</noscript>")).unwrap();
        assert_eq!(tree.node(0).words, 300);
    }

    #[test]
    fn a_page_beyond_the_bounds_is_refused() {
        assert!(Tree::parse(&"<div>".repeat(200_000)).is_none());
    }
}
