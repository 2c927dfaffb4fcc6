//! Records the elements and texts of a page while it is read, for
//! [`ParsedPage::tree`](harvestman_core::model::ParsedPage::tree).
//!
//! Each open element has its node. What may not be directly in a table stays where it is on the page. After a misnested
//! end tag, elements that go on are other nodes.

use super::attributes::Attributes;
use super::decoded_text::Source;
use super::element::Tag;
use super::raw::Raw;
use super::tokens::TagToken;
use harvestman_core::model::{PageNode, PageTree, UnplacedElement};

/// The node of elements that are not recorded, nor is what is in them.
const HIDDEN: PageNode = PageNode::MAX;
/// Maximum number of nodes, of open elements, and of bytes of all names, values and texts. Of a page beyond these
/// nothing is recorded.
const NODES_MAX: usize = 100_000;
const DEPTH_MAX: usize = 256;
const BYTES_MAX: usize = 64 << 20;

/// Records a page.
#[derive(Debug, Default)]
pub(super) struct TreeRecorder {
    /// Whether anything is recorded.
    pub on: bool,
    tree: PageTree,
    /// The nodes of the open elements, the outermost first.
    open: Vec<PageNode>,
    /// The node of the head.
    head: Option<PageNode>,
    /// The element of the start tag that was read last, until it is placed.
    read: Option<(Tag, UnplacedElement)>,
    /// The node of which the element that is opened next is a copy.
    copied: Option<PageNode>,
    /// Whether text that follows belongs to the text that was recorded last.
    in_text: bool,
    /// Whether white space came since the last text.
    is_spaced: bool,
    is_exceeded: bool,
}

impl TreeRecorder {
    /// Begins with a page of `bytes` bytes.
    pub fn begin(&mut self, bytes: usize) {
        self.tree.clear();
        if self.on {
            self.tree.reserve(bytes.min(BYTES_MAX));
        }
        self.open.clear();
        (self.head, self.read, self.copied) = (None, None, None);
        (self.in_text, self.is_spaced, self.is_exceeded) = (false, false, false);
    }

    /// Returns what was recorded; `None` if nothing should be, or the page exceeds a bound.
    pub fn finish(&mut self) -> Option<PageTree> {
        let tree = std::mem::take(&mut self.tree);
        (self.on && !self.is_exceeded).then_some(tree)
    }

    /// Reads a start tag.
    pub fn start_tag(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        self.in_text = false;
        self.read = None;
        let parent = self.open.last().copied().unwrap_or_default();
        if parent == HIDDEN || self.is_exceeded {
            return;
        }
        if self.tree.bytes() > BYTES_MAX || self.tree.len() >= NODES_MAX {
            self.is_exceeded = true;
            return;
        }
        if tag.self_closing && !is_empty(tag.tag) {
            self.tree.note_empty_tag();
        }
        let mut element = match tag.tag {
            Tag::IMAGE => self.tree.read_element(Tag::IMG.name()),
            _ => self.tree.read_element(&String::from_utf8_lossy(tag.name)),
        };
        for (name, value) in Attributes::new(source.bytes, tag.attributes.0) {
            if !self.tree.read_attribute(&mut element, &source.attribute(name), &source.attribute(value)) {
                break;
            }
        }
        // Their tags may come when they are open already.
        let implied = match tag.tag {
            Tag::HTML => self.open.first(),
            Tag::BODY => self.open.get(1).filter(|node| **node != HIDDEN && self.tree.name(**node) == Tag::BODY.name()),
            _ => None,
        };
        if let Some(node) = implied {
            self.tree.add_attributes(*node, element);
        }
        self.read = Some((tag.tag, element));
    }

    /// Reads an end tag.
    pub fn end_tag(&mut self) {
        self.read = None;
    }

    /// Separates the texts around this position.
    pub fn part_texts(&mut self) {
        self.in_text = false;
    }

    /// Returns the node that is placed next.
    pub fn next_node(&self) -> PageNode {
        self.tree.len() as PageNode
    }

    /// Makes the element that is opened next a copy of a node.
    pub fn copy_next(&mut self, node: PageNode) {
        self.copied = Some(node);
    }

    /// Opens an element: that of the start tag that was read last, or another one that it implies. Those of other
    /// languages than HTML are never implied.
    pub fn open(&mut self, tag: Tag, is_html: bool) {
        self.in_text = false;
        let parent = self.open.last().copied();
        let copied = self.copied.take();
        // What was hidden when it was read has no node.
        let copied = copied.filter(|of| (*of as usize) < self.tree.len() && self.tree.name(*of) == tag.name());
        let is_hidden = parent == Some(HIDDEN) || matches!(tag, Tag::SELECT | Tag::TEMPLATE | Tag::SVG);
        let parent = parent.unwrap_or_default();
        let node = match copied {
            _ if is_hidden || self.is_exceeded => HIDDEN,
            Some(of) => self.tree.push_copy(parent, of),
            None => {
                let own = self.read.take_if(|(read, _)| *read == tag || !is_html);
                let element = own.map_or_else(|| self.tree.read_element(tag.name()), |(_, element)| element);
                self.tree.push_element(parent, element)
            }
        };
        self.open.push(node);
        self.is_exceeded |= self.open.len() > DEPTH_MAX;
    }

    /// Closes the open elements from the `length`-th on.
    pub fn close(&mut self, length: usize) {
        self.in_text = false;
        self.open.truncate(length);
    }

    /// Removes the `at`-th open element. Those in it stay where they are.
    pub fn remove(&mut self, at: usize) {
        if at < self.open.len() {
            self.open.remove(at);
        }
    }

    /// Replaces the open elements from the `from`-th on by copies of some of them.
    pub fn reopen(&mut self, from: usize, of: impl Iterator<Item = usize>) {
        let nodes: Vec<PageNode> = of.filter_map(|at| self.open.get(at).copied()).collect();
        self.open.truncate(from);
        for node in nodes {
            let parent = self.open.last().copied().unwrap_or_default();
            let is_hidden = node == HIDDEN || parent == HIDDEN || self.is_exceeded;
            let copy = if is_hidden { HIDDEN } else { self.tree.push_copy(parent, node) };
            self.open.push(copy);
        }
        self.in_text = false;
    }

    /// Places an element without content. `is_head` tells that the body has not begun.
    pub fn leaf(&mut self, tag: Tag, is_head: bool) {
        self.in_text = false;
        let Some(parent) = self.parent(is_head) else { return };
        let name = if tag == Tag::IMAGE { Tag::IMG } else { tag };
        let own = self.read.take_if(|(read, _)| *read == tag);
        let element = own.map_or_else(|| self.tree.read_element(name.name()), |(_, element)| element);
        self.tree.push_element(parent, element);
    }

    /// Places the element of the start tag that was read last, whose content is text.
    pub fn raw(&mut self, source: Source<'_>, tag: Tag, content: &[u8], raw: Raw, is_head: bool) {
        let is_kept = match tag {
            Tag::SCRIPT => self.is_data(),
            // A picture for browsers without scripts ends the head before the title.
            Tag::TITLE | Tag::XMP | Tag::PLAINTEXT => true,
            // Of what is shown in it nothing is on the page.
            Tag::IFRAME => return self.leaf(tag, is_head),
            _ => false,
        };
        let Some(parent) = self.parent(is_head).filter(|_| is_kept) else { return self.part_texts() };
        let Some((_, element)) = self.read.take() else { return };
        let node = self.tree.push_element(parent, element);
        if !content.is_empty() {
            self.tree.push_text(node, &source.shown(content, raw == Raw::Escapable));
        }
        self.in_text = false;
    }

    /// Places text.
    #[inline]
    pub fn text(&mut self, source: Source<'_>, text: &[u8], entities: bool) {
        if self.on {
            self.add_text(source, text, entities);
        }
    }

    fn add_text(&mut self, source: Source<'_>, text: &[u8], entities: bool) {
        let parent = self.open.last().copied().unwrap_or_default();
        if parent == HIDDEN || self.is_exceeded {
            return;
        }
        // Half of the texts are white space between elements.
        if !self.in_text && source.is_blank(text, entities) {
            self.is_spaced = true;
            return;
        }
        let shown = source.shown(text, entities);
        if self.in_text {
            self.tree.append_text(&shown);
        } else {
            // The words of two elements touch only if nothing is between them.
            let space = if std::mem::take(&mut self.is_spaced) { " " } else { "" };
            self.tree.push_text(parent, space);
            self.tree.append_text(&shown);
            self.in_text = true;
        }
    }

    /// Returns the node that takes what is placed here; `None` if it is not recorded.
    fn parent(&mut self, is_head: bool) -> Option<PageNode> {
        let parent = self.open.last().copied().unwrap_or_default();
        if !self.on || parent == HIDDEN || self.is_exceeded {
            return None;
        }
        if !is_head {
            return Some(parent);
        }
        if self.head.is_none() {
            let head = self.tree.read_element(Tag::HEAD.name());
            self.head = Some(self.tree.push_element(parent, head));
        }
        self.head
    }

    /// Returns whether the element that was read last is a script with data.
    fn is_data(&self) -> bool {
        let media_type = self.read.and_then(|(_, element)| self.tree.attribute_of(element, "type"));
        media_type.is_some_and(|media_type| media_type.to_ascii_lowercase().contains("json"))
    }
}

/// Returns whether elements of a tag are always empty in HTML.
fn is_empty(tag: Tag) -> bool {
    let first = [Tag::AREA, Tag::BASE, Tag::BASEFONT, Tag::BR, Tag::COL, Tag::EMBED, Tag::FRAME, Tag::HR, Tag::IMG];
    let second = [Tag::INPUT, Tag::LINK, Tag::META, Tag::PARAM, Tag::SOURCE, Tag::TRACK, Tag::WBR, Tag::IMAGE];
    first.contains(&tag) || second.contains(&tag)
}
