//! The tree of a page as extraction reads it: elements and texts in document order, without what is not shown; and the
//! text of a node as it is shown.

mod build;
mod steps;
mod xml;

use std::ops::Range;

use steps::{STEP_BYTES, Steps};

use harvestman_core::model::{PageNode, PageTree};

/// The index of a node.
pub type NodeIndex = usize;

/// An element or a text.
#[derive(Debug, Clone)]
pub struct Node {
    /// The element that it is in; that of the root is the root itself.
    pub parent: NodeIndex,
    /// The index behind its last descendant.
    pub end: NodeIndex,
    /// A hash of its name and classes, and of those of the elements around it.
    pub path: u64,
    /// A hash of the names of the elements from the root to it.
    pub tags: u64,
    /// A hash of its name and classes.
    pub word: u64,
    /// A hash of its name.
    pub tag: u32,
    /// The node of the page that it is.
    source: PageNode,
    /// Whether it is a link or in one.
    pub is_linked: bool,
    /// Number of words in it.
    pub words: usize,
    /// Number of these that are in links.
    pub linked_words: usize,
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content<'t> {
    /// An element: its name.
    Element(&'t str),
    /// A text.
    Text(&'t str),
}

/// A page.
///
/// Whoever reads it takes a bounded number of steps: behind them it seems to have no nodes, so that each loop over them
/// ends, and [`Tree::is_given_up`] tells that what was found does not count.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    page: PageTree,
    nodes: Vec<Node>,
    steps: Steps,
}

impl Tree {
    /// Begins another reading of the page, which may take as many steps as the one before.
    pub(crate) fn begin_reading(&self) {
        self.steps.begin();
    }

    /// Ends this reading of the page.
    pub(crate) fn give_up(&self) {
        self.steps.use_up();
    }

    /// Returns whether the reading took more steps than a page may take, so that the result does not count.
    pub fn is_given_up(&self) -> bool {
        self.steps.are_used_up()
    }

    /// Returns all nodes, in document order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns a node.
    pub fn node(&self, at: NodeIndex) -> &Node {
        &self.nodes[at]
    }

    /// Returns what a node is.
    pub fn content(&self, at: NodeIndex) -> Content<'_> {
        let source = self.nodes[at].source;
        match self.page.is_text(source) {
            true => {
                let text = self.page.text(source);
                self.steps.take(1 + text.len() / STEP_BYTES);
                Content::Text(text)
            }
            false => Content::Element(self.name(at)),
        }
    }

    /// Returns the name of an element; of a text and of the root the empty one.
    pub fn name(&self, at: NodeIndex) -> &str {
        self.steps.take(1);
        if at == 0 { "" } else { self.page.name(self.nodes[at].source) }
    }

    /// Returns the attributes of an element, each with its value.
    pub fn attributes(&self, at: NodeIndex) -> impl DoubleEndedIterator<Item = (&str, &str)> + Clone {
        let is_root = at == 0;
        let attributes = self.page.attributes(self.nodes[at].source);
        self.steps.take(1 + attributes.size_hint().0);
        attributes.filter(move |_| !is_root)
    }

    /// Returns an attribute of an element.
    pub fn attribute(&self, at: NodeIndex, name: &str) -> Option<&str> {
        let (_, value) = self.attributes(at).find(|(of, _)| *of == name)?;
        self.steps.take(value.len() / STEP_BYTES);
        Some(value)
    }

    /// Returns the children of a node.
    pub fn children(&self, at: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        let end = self.nodes[at].end;
        let mut next = at + 1;
        std::iter::from_fn(move || {
            let child = next;
            self.steps.take(1);
            (child < end && !self.steps.are_used_up()).then(|| next = self.nodes[child].end)?;
            Some(child)
        })
    }

    /// Returns the element that a node is in; `None` of the root.
    pub fn parent(&self, at: NodeIndex) -> Option<NodeIndex> {
        (at > 0).then(|| self.nodes[at].parent)
    }

    /// Returns the node before another one in the same element.
    pub fn sibling_before(&self, at: NodeIndex) -> Option<NodeIndex> {
        let parent = self.parent(at)?;
        // The node before may be deep within the sibling.
        self.upwards(at.checked_sub(1).filter(|before| *before > parent)?)
            .find(|above| self.nodes[*above].parent == parent)
    }

    /// Returns a node and the elements around it, from the inside out.
    pub fn upwards(&self, at: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        std::iter::successors(Some(at), |at| {
            self.steps.take(1);
            self.parent(*at).filter(|_| !self.steps.are_used_up())
        })
    }

    /// Returns a node and all in it, to tell what is in it: [`Tree::inside`] visits them.
    pub fn range(&self, at: NodeIndex) -> Range<NodeIndex> {
        at..self.nodes[at].end
    }

    /// Visits a node and all in it.
    pub fn inside(&self, at: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        self.visit(self.range(at))
    }

    /// Visits all nodes.
    pub fn all(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.visit(0..self.nodes.len())
    }

    /// Visits the nodes of a range.
    pub fn visit(&self, range: Range<NodeIndex>) -> impl Iterator<Item = NodeIndex> + '_ {
        range.take_while(|_| {
            self.steps.take(1);
            !self.steps.are_used_up()
        })
    }
}

/// Elements that are part of a line of text.
const INLINE: [&str; 24] = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "ins", "kbd", "label", "mark", "q", "s",
    "small", "span", "strong", "sub", "sup", "time", "tt", "u",
];

impl Tree {
    /// Returns whether an element is part of a line of text.
    pub(crate) fn is_inline(&self, at: NodeIndex) -> bool {
        INLINE.contains(&self.name(at))
    }

    /// Returns the text of a node: words separated by single blanks, unless they touch on the same line.
    pub fn text(&self, at: NodeIndex) -> String {
        self.text_without(at, &|_| false)
    }

    /// Returns the text of a node without that of some nodes in it.
    pub fn text_without(&self, at: NodeIndex, is_left_out: &dyn Fn(NodeIndex) -> bool) -> String {
        let (mut text, mut is_apart, mut node) = (String::new(), false, at);
        while node < self.nodes[at].end && !self.is_given_up() {
            if node != at && is_left_out(node) {
                (node, is_apart) = (self.nodes[node].end, true);
                continue;
            }
            match self.content(node) {
                Content::Element(name) => is_apart |= !INLINE.contains(&name),
                Content::Text(part) => {
                    append(&mut text, part, is_apart || self.ends_block_before(node, at));
                    is_apart = false;
                }
            }
            node += 1;
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// Returns whether a block within `root` ends right before a node.
    fn ends_block_before(&self, node: NodeIndex, root: NodeIndex) -> bool {
        let Some(before) = node.checked_sub(1).filter(|before| *before > root) else { return false };
        let ended = self.upwards(before).take_while(|above| *above > root && self.nodes[*above].end <= node);
        ended
            .filter(|above| matches!(self.content(*above), Content::Element(_)))
            .any(|above| !INLINE.contains(&self.name(above)))
    }
}

/// Appends a part to a text with its white space collapsed. `is_apart` tells that it is on another line.
fn append(text: &mut String, part: &str, is_apart: bool) {
    if part.is_ascii() {
        append_words(text, part, is_apart, part.split_ascii_whitespace());
    } else {
        append_words(text, part, is_apart, part.split_whitespace());
    }
}

fn append_words<'w>(text: &mut String, part: &str, is_apart: bool, words: impl Iterator<Item = &'w str>) {
    for (number, word) in words.enumerate() {
        let touches = number == 0 && !is_apart && !part.starts_with(char::is_whitespace);
        if !text.is_empty() && !touches && !text.ends_with(' ') {
            text.push(' ');
        }
        text.push_str(word);
    }
    if part.ends_with(char::is_whitespace) {
        text.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_follow_each_other() {
        let tree = Tree::parse("<ul><li>a<li class='x y2'>b <i>c</i></ul>").unwrap();
        let list = (0..tree.nodes().len()).find(|at| tree.name(*at) == "ul").unwrap();
        let items: Vec<_> = tree.children(list).map(|at| tree.text(at)).collect();
        assert_eq!(items, ["a", "b c"]);
        let item = tree.children(list).nth(1).unwrap();
        assert_eq!((tree.attribute(item, "class"), tree.parent(item)), (Some("x y2"), Some(list)));
        assert_eq!(tree.range(item).len(), 4);
        assert_eq!(tree.upwards(item).last(), Some(0));
    }

    #[test]
    fn texts_are_as_shown() {
        let tree = Tree::parse("<title> t </title><p>a<b>b</b> c<br>d<div>e</div>f<script>x</script>g").unwrap();
        assert_eq!(tree.text(0), "ab c d e fg");
        let bold = (0..tree.nodes().len()).find(|at| tree.name(*at) == "b").unwrap();
        assert_eq!(tree.text_without(0, &|at| at == bold), "a c d e fg");
        let apart = Tree::parse("<p><b>a</b> <i>b</i><i>c</i>\n<a href=/>d</a></p>").unwrap();
        assert_eq!(apart.text(0), "a bc d");
    }
}
