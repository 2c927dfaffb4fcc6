//! The tree of a page as extraction reads it: elements and texts in document order, without what is not shown.

mod build;
mod steps;
mod text;
mod xml;

use std::ops::Range;

use harvestman_core::model::{PageNode, PageTree};

use steps::{STEP_BYTES, Steps};

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
}
