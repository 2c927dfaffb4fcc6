//! Active formatting elements: `<b>`, `<a>` and similar, which are reopened after a block has cut them short.
//!
//! The standard's adoption agency algorithm (section 13.2.6.4.7) moves nodes that were read before the end tag. A
//! stream cannot do so: what was counted before a misnested end tag keeps its path, what follows has the path of the
//! standard.

use super::element::{self, Tag};
use super::formatting_entry::{Anchor, CLOSED, Formatting};
use super::open::OpenElements;
use super::path::Spellings;

/// Maximum number of formatting elements remembered. Otherwise a hostile page would have all of them reopened at each
/// of its blocks.
const FORMATTING_MAX: usize = 64;

impl OpenElements {
    /// Remembers the element that is pushed next. If more than three are `same`, the oldest is dropped.
    pub fn remember(
        &mut self,
        tag: Tag,
        attributes: (usize, usize),
        class: u64,
        anchor: Option<Anchor>,
        same: impl Fn(&Formatting) -> bool,
    ) {
        let level = self.markers;
        let twins = |entry: &Formatting| entry.level == level && entry.tag == tag && same(entry);
        let forgotten = if self.formatting.len() >= FORMATTING_MAX {
            Some(0)
        } else if self.formatting.len() >= 3 && self.formatting.iter().filter(|entry| twins(entry)).count() >= 3 {
            self.formatting.iter().position(twins)
        } else {
            None
        };
        if let Some(index) = forgotten {
            self.formatting.remove(index);
        }
        let node = self.tree.next_node();
        self.formatting.push(Formatting { tag, attributes, class, anchor, node, at: self.len(), level });
    }

    /// Records that the element at `at` was popped, which is a formatting element or a marker.
    pub(super) fn end_formatting(&mut self, tag: Tag, at: usize) {
        if tag.is(element::MARKER) {
            self.markers -= 1;
            while self.formatting.last().is_some_and(|entry| entry.level > self.markers) {
                self.formatting.pop();
            }
        } else if let Some(entry) = self.formatting.iter_mut().rev().find(|entry| entry.at == at) {
            entry.at = CLOSED;
        }
    }

    /// Records that the element at `from` has left the stack and that those above have moved down.
    pub(super) fn moved_down(&mut self, from: usize) {
        for entry in &mut self.formatting {
            if entry.at != CLOSED && entry.at > from {
                entry.at -= 1;
            }
        }
    }

    /// Returns the first of the formatting elements that must be reopened before text or an element is placed here.
    #[inline]
    pub fn first_to_reopen(&self) -> Option<usize> {
        let waits = |entry: &Formatting| entry.at == CLOSED && entry.level == self.markers;
        if !self.formatting.last().is_some_and(waits) {
            return None;
        }
        Some(self.formatting.iter().rposition(|entry| !waits(entry)).map_or(0, |open| open + 1))
    }

    /// Records that the `index`-th formatting element is pushed next.
    pub fn reopened(&mut self, index: usize) -> Formatting {
        let at = self.len();
        let entry = &mut self.formatting[index];
        entry.at = at;
        *entry
    }

    /// Returns whether a formatting element `tag` is active here.
    pub fn has_formatting(&self, tag: Tag) -> bool {
        self.active(tag).is_some()
    }

    fn active(&self, tag: Tag) -> Option<usize> {
        self.formatting.iter().rposition(|entry| entry.tag == tag && entry.level == self.markers)
    }

    /// Drops the innermost active formatting element `tag`.
    pub fn forget(&mut self, tag: Tag) {
        if let Some(index) = self.active(tag) {
            self.formatting.remove(index);
        }
    }

    /// Handles the end tag of a formatting element.
    pub fn close_formatting(&mut self, tag: Tag, spellings: &mut Spellings) {
        let Some(index) = self.active(tag) else { return self.close_other(tag) };
        self.note_work(self.formatting.len());
        let at = self.formatting[index].at;
        if at == CLOSED {
            self.formatting.remove(index);
            return;
        }
        if self.is_cut_off(at) {
            return;
        }
        self.formatting.remove(index);
        self.note_work(2 * (self.len() - at));
        match (at + 1..self.len()).rev().find(|above| self.tag_at(*above).is(element::SPECIAL)) {
            None => self.truncate(at),
            Some(block) => self.cut_out(at, block, spellings),
        }
    }

    /// Returns whether a scope ends between the current element and the one at `at`, or that element is deeper than
    /// searches look.
    fn is_cut_off(&self, at: usize) -> bool {
        self.len() - at > self.search_max() || (at + 1..self.len()).any(|above| self.tag_at(above).is(element::SCOPE))
    }

    /// Removes the element at `at` from around the blocks inside it, the innermost of which is at `block`. Other
    /// formatting elements stay around the blocks; elements that are neither formatting nor blocks are closed, as are
    /// all inside the innermost block.
    fn cut_out(&mut self, at: usize, block: usize, spellings: &mut Spellings) {
        let parent = at - 1;
        let mut path = if self.tag_at(parent).is(element::FOSTERS) { self.foster_path() } else { self.path_at(parent) };
        let mut kept = Vec::with_capacity(block - at);
        self.uncount(self.tag_at(at));
        for above in at + 1..self.len() {
            let tag = self.tag_at(above);
            let entry = self.formatting.iter_mut().find(|entry| entry.at == above);
            if above <= block && (entry.is_some() || tag.is(element::SPECIAL)) {
                if let Some(entry) = entry {
                    entry.at = at + kept.len();
                }
                path = spellings.child(path, tag.word(), self.class_at(above), || tag.name().to_owned());
                kept.push((above, path));
            } else {
                if let Some(entry) = entry {
                    entry.at = CLOSED;
                }
                self.uncount(tag);
            }
        }
        self.rebuild(at, &kept);
    }
}
