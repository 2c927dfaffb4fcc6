//! The elements and texts of a page, as the parser records them on request.

/// The number of a node of a [`PageTree`], in document order.
pub type PageNode = u32;

/// The root.
pub const ROOT: PageNode = 0;

/// Maximum number of attributes of one tag that are read, repeated ones included: each is compared with those before
/// it. Tags of real pages have some dozens at most.
const ATTRIBUTES_MAX: u32 = 256;

/// Number of bytes of a page for which room for one node is made.
const BYTES_OF_NODE: usize = 32;

/// The elements and texts of a page, in the order of their begins: a node comes before all that is in it.
///
/// All names, values and texts are kept in one string, so that a tree takes three allocations, however large it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageTree {
    characters: String,
    nodes: Vec<Node>,
    attributes: Vec<Attribute>,
    has_empty_tags: bool,
}

/// A part of the characters, or of the attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Part {
    from: u32,
    to: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Node {
    parent: PageNode,
    /// Empty for a text.
    name: Part,
    /// The attributes of an element, the characters of a text.
    content: Part,
}

/// A name and the value that follows it in the characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Attribute {
    from: u32,
    value: u32,
    to: u32,
}

/// An element that was read and is not placed yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UnplacedElement {
    name: Part,
    attributes: Part,
    /// Number of attributes that were read, repeated ones included.
    read: u32,
}

impl PageTree {
    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the number of bytes of all names, values and texts.
    pub fn bytes(&self) -> usize {
        self.characters.len()
    }

    /// Returns the number of bytes of memory that it takes.
    pub fn bytes_in_memory(&self) -> usize {
        let nodes = self.nodes.capacity() * size_of::<Node>();
        size_of::<Self>() + self.characters.capacity() + nodes + self.attributes.capacity() * size_of::<Attribute>()
    }

    /// Returns whether elements that are not always empty have tags that end with `/>`: the page may be XML.
    pub fn has_empty_tags(&self) -> bool {
        self.has_empty_tags
    }

    /// Returns the element that a node is in; of the root the root itself.
    pub fn parent(&self, node: PageNode) -> PageNode {
        self.nodes[node as usize].parent
    }

    /// Returns the name of an element in lower case; the empty one of a text.
    pub fn name(&self, node: PageNode) -> &str {
        self.part(self.nodes[node as usize].name)
    }

    /// Returns the characters of a text; of an element none.
    pub fn text(&self, node: PageNode) -> &str {
        let node = &self.nodes[node as usize];
        if node.is_text() { self.part(node.content) } else { "" }
    }

    /// Returns the text that an element begins with.
    pub fn text_in(&self, node: PageNode) -> &str {
        let first = (node as usize + 1 < self.len()).then_some(node + 1);
        first.filter(|first| self.parent(*first) == node).map_or("", |first| self.text(first))
    }

    /// Returns whether a node is a text.
    pub fn is_text(&self, node: PageNode) -> bool {
        self.nodes[node as usize].is_text()
    }

    /// Returns the attributes of an element, each with its value, in their order on the page.
    pub fn attributes(&self, node: PageNode) -> impl DoubleEndedIterator<Item = (&str, &str)> + Clone {
        let node = &self.nodes[node as usize];
        let of = if node.is_text() { Part::default() } else { node.content };
        self.attributes[of.from as usize..of.to as usize].iter().map(|attribute| {
            let of = |from: u32, to: u32| self.part(Part { from, to });
            (of(attribute.from, attribute.value), of(attribute.value, attribute.to))
        })
    }

    /// Returns the value of an attribute of an element.
    pub fn attribute(&self, node: PageNode, name: &str) -> Option<&str> {
        self.attributes(node).find(|(of, _)| *of == name).map(|(_, value)| value)
    }

    /// Returns the value of an attribute of an element that is not placed yet.
    pub fn attribute_of(&self, element: UnplacedElement, name: &str) -> Option<&str> {
        let Part { from, to } = element.attributes;
        let mut attributes = self.attributes[from as usize..to as usize].iter();
        let found = attributes.find(|of| self.part(Part { from: of.from, to: of.value }) == name)?;
        Some(self.part(Part { from: found.value, to: found.to }))
    }

    fn part(&self, part: Part) -> &str {
        &self.characters[part.from as usize..part.to as usize]
    }
}

/// How a tree is recorded.
impl PageTree {
    /// Removes all nodes.
    pub fn clear(&mut self) {
        self.characters.clear();
        self.nodes.clear();
        self.attributes.clear();
        self.has_empty_tags = false;
    }

    /// Makes room for a page of `bytes` bytes.
    pub fn reserve(&mut self, bytes: usize) {
        self.characters.reserve(bytes);
        self.nodes.reserve(bytes / BYTES_OF_NODE);
        self.attributes.reserve(bytes / BYTES_OF_NODE);
    }

    /// Records that an element that is not always empty has a tag that ends with `/>`.
    pub fn note_empty_tag(&mut self) {
        self.has_empty_tags = true;
    }

    /// Reads the name of an element. Its attributes follow by [`Self::read_attribute`].
    pub fn read_element(&mut self, name: &str) -> UnplacedElement {
        let from = self.characters.len() as u32;
        self.push_name(name);
        let attributes = Part { from: self.attributes.len() as u32, to: self.attributes.len() as u32 };
        UnplacedElement { name: Part { from, to: self.characters.len() as u32 }, attributes, read: 0 }
    }

    /// Reads an attribute of the element that was read last. The first of two of one name counts. Returns false if the
    /// element has too many of them: this one and those that follow are left out.
    pub fn read_attribute(&mut self, of: &mut UnplacedElement, name: &str, value: &str) -> bool {
        if of.read >= ATTRIBUTES_MAX {
            return false;
        }
        of.read += 1;
        let from = self.characters.len();
        self.push_name(name);
        let read = &self.attributes[of.attributes.from as usize..];
        let is_known = |attribute: &Attribute| {
            self.characters[attribute.from as usize..attribute.value as usize] == self.characters[from..]
        };
        if read.iter().any(is_known) {
            self.characters.truncate(from);
            return true;
        }
        let middle = self.characters.len();
        self.characters.push_str(value);
        let attribute = Attribute { from: from as u32, value: middle as u32, to: self.characters.len() as u32 };
        self.attributes.push(attribute);
        of.attributes.to = self.attributes.len() as u32;
        true
    }

    fn push_name(&mut self, name: &str) {
        let from = self.characters.len();
        self.characters.push_str(name);
        self.characters[from..].make_ascii_lowercase();
    }

    /// Places an element.
    pub fn push_element(&mut self, parent: PageNode, element: UnplacedElement) -> PageNode {
        self.push(Node { parent, name: element.name, content: element.attributes })
    }

    /// Places an element as another one.
    pub fn push_copy(&mut self, parent: PageNode, of: PageNode) -> PageNode {
        let Node { name, content, .. } = self.nodes[of as usize];
        self.push(Node { parent, name, content })
    }

    /// Gives an element the attributes of another one, unless it has some.
    pub fn add_attributes(&mut self, node: PageNode, of: UnplacedElement) {
        let content = &mut self.nodes[node as usize].content;
        if content.from == content.to {
            *content = of.attributes;
        }
    }

    /// Places a text.
    pub fn push_text(&mut self, parent: PageNode, text: &str) -> PageNode {
        let from = self.characters.len() as u32;
        self.characters.push_str(text);
        let content = Part { from, to: self.characters.len() as u32 };
        self.push(Node { parent, name: Part::default(), content })
    }

    /// Adds to the node that was placed last, which must be a text, if nothing was read since.
    pub fn append_text(&mut self, text: &str) {
        let Some(last) = self.nodes.last_mut().filter(|last| last.content.to as usize == self.characters.len()) else {
            return;
        };
        self.characters.push_str(text);
        last.content.to = self.characters.len() as u32;
    }

    fn push(&mut self, node: Node) -> PageNode {
        self.nodes.push(node);
        (self.nodes.len() - 1) as PageNode
    }
}

impl Node {
    fn is_text(&self) -> bool {
        self.name.from == self.name.to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_their_parts() {
        let mut tree = PageTree::default();
        let root = tree.read_element("HTML");
        assert_eq!(tree.push_element(ROOT, root), ROOT);
        let mut link = tree.read_element("a");
        tree.read_attribute(&mut link, "HREF", "/x");
        tree.read_attribute(&mut link, "href", "/y");
        tree.read_attribute(&mut link, "Class", "B");
        let link = tree.push_element(ROOT, link);
        let text = tree.push_text(link, "a");
        tree.append_text("b");
        let copy = tree.push_copy(ROOT, link);
        assert_eq!((tree.name(ROOT), tree.name(link), tree.text(text)), ("html", "a", "ab"));
        let attributes: Vec<_> = tree.attributes(copy).collect();
        assert_eq!(attributes, [("href", "/x"), ("class", "B")]);
        assert_eq!((tree.parent(text), tree.attribute(link, "class")), (link, Some("B")));
        assert!(tree.is_text(text) && !tree.is_text(copy) && tree.attributes(text).next().is_none());
    }

    #[test]
    fn attributes_of_a_tag_are_bounded_with_those_that_repeat_names() {
        let mut tree = PageTree::default();
        let mut tag = tree.read_element("p");
        for number in 0..ATTRIBUTES_MAX {
            let name = if number % 2 == 0 { "same".to_owned() } else { format!("a{number}") };
            assert!(tree.read_attribute(&mut tag, &name, "x"), "{number}");
        }
        let bytes = tree.bytes();
        assert!(!tree.read_attribute(&mut tag, "more", "x"));
        let tag = tree.push_element(ROOT, tag);
        assert_eq!((tree.attributes(tag).count(), tree.bytes()), (ATTRIBUTES_MAX as usize / 2 + 1, bytes));
        let mut next = tree.read_element("p");
        assert!(tree.read_attribute(&mut next, "more", "x"), "each tag has its own");
    }

    #[test]
    fn a_text_is_not_continued_behind_other_characters() {
        let mut tree = PageTree::default();
        tree.push_text(ROOT, "a");
        tree.read_element("b");
        tree.append_text("c");
        assert_eq!(tree.text(0), "a");
    }
}
