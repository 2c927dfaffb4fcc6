//! The tree of a page as extraction reads it: elements and texts in document order, without what is not shown.

mod build;
mod text;
mod xml;

use std::ops::Range;

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
#[derive(Debug, Clone, Default)]
pub struct Tree {
    page: PageTree,
    nodes: Vec<Node>,
}

impl Tree {
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
            true => Content::Text(self.page.text(source)),
            false => Content::Element(self.name(at)),
        }
    }

    /// Returns the name of an element; of a text and of the root the empty one.
    pub fn name(&self, at: NodeIndex) -> &str {
        if at == 0 { "" } else { self.page.name(self.nodes[at].source) }
    }

    /// Returns the attributes of an element, each with its value.
    pub fn attributes(&self, at: NodeIndex) -> impl DoubleEndedIterator<Item = (&str, &str)> + Clone {
        let is_root = at == 0;
        self.page.attributes(self.nodes[at].source).filter(move |_| !is_root)
    }

    /// Returns an attribute of an element.
    pub fn attribute(&self, at: NodeIndex, name: &str) -> Option<&str> {
        self.attributes(at).find(|(of, _)| *of == name).map(|(_, value)| value)
    }

    /// Returns the children of a node.
    pub fn children(&self, at: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        let end = self.nodes[at].end;
        let mut next = at + 1;
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| next = self.nodes[child].end)?;
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
        std::iter::successors(Some(at), |at| self.parent(*at))
    }

    /// Returns a node and all in it.
    pub fn range(&self, at: NodeIndex) -> Range<NodeIndex> {
        at..self.nodes[at].end
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
