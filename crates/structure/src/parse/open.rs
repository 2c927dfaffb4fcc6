//! The stack of open elements: the parser's position in the page.
//!
//! Each element takes four bytes at any nesting depth. Path hashes end at a set depth, and deeper elements share the
//! last of them. Searches look no deeper than that either, so a tag never takes more than a fixed number of steps.

use super::element::{self, Tag};
use super::formatting_entry::Formatting;
use super::path::Path;
use super::tree_recorder::TreeRecorder;

/// The rules by which tags are read: the insertion modes of the standard that depend on the open elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Body,
    Cell,
    Caption,
    Table,
    TableBody,
    Row,
    Colgroup,
    Template,
}

/// The source of an element's rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Html,
    Svg,
    Math,
    /// An element of SVG or MathML that may contain HTML.
    HtmlPoint,
    /// An element of MathML that may contain text.
    TextPoint,
    /// SVG's `style` and `script`: their text is not shown.
    Hidden,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    tag: Tag,
    mode: Mode,
    space: Space,
}

#[derive(Debug)]
pub(super) struct OpenElements {
    stack: Vec<Open>,
    /// The paths of the outermost elements of `stack`.
    paths: Vec<Path>,
    /// Their numbers on the page.
    numbers: Vec<u32>,
    /// The number of elements that were opened so far.
    opened: u32,
    /// The number of open elements of each tag with special behaviour: it ends most searches.
    counts: [u32; 256],
    depth_max: usize,
    /// Number of open elements that formatting does not extend into.
    pub(super) markers: u32,
    pub(super) formatting: Vec<Formatting>,
    /// Records elements and texts, on request.
    pub(super) tree: TreeRecorder,
    /// The position of the current form in the stack; the form may have been popped.
    form: Option<usize>,
    /// Whether the last item placed in the current element was text that was counted, so that more text belongs to it.
    pub(super) in_text: bool,
    /// The same for content that was placed before the innermost table because it may not be in the table.
    pub(super) text_before_table: bool,
    /// The number of the text of [`Self::in_text`], and of the one before the innermost table.
    pub(super) text: u32,
    pub(super) before_table: u32,
    /// Number of elements looked at or pushed so far, which a test of hostile pages checks.
    #[cfg(test)]
    pub(super) work: std::cell::Cell<u64>,
}

impl OpenElements {
    pub fn new(depth_max: usize) -> Self {
        Self {
            stack: Vec::new(),
            paths: Vec::new(),
            numbers: Vec::new(),
            opened: 0,
            counts: [0; 256],
            depth_max: depth_max.max(8),
            markers: 0,
            formatting: Vec::new(),
            tree: TreeRecorder::default(),
            form: None,
            in_text: false,
            text_before_table: false,
            text: 0,
            before_table: 0,
            #[cfg(test)]
            work: std::cell::Cell::new(0),
        }
    }

    pub fn clear(&mut self) {
        self.stack.clear();
        self.stack.shrink_to(1 << 16);
        self.paths.clear();
        self.numbers.clear();
        self.opened = 0;
        self.counts.fill(0);
        self.markers = 0;
        self.formatting.clear();
        self.form = None;
        self.in_text = false;
        self.text_before_table = false;
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.stack.len()
    }

    #[inline]
    pub fn push(&mut self, tag: Tag, space: Space, path: Path) {
        self.note_work(1);
        let mode = mode_inside(tag, space, self.mode());
        if self.tree.on {
            self.tree.open(tag, space == Space::Html);
        }
        self.stack.push(Open { tag, mode, space });
        if self.paths.len() < self.depth_max {
            self.paths.push(path);
            self.numbers.push(self.opened);
        }
        self.opened = self.opened.wrapping_add(1);
        if let Some(index) = tag.index() {
            self.counts[index] += 1;
            self.markers += u32::from(tag.is(element::MARKER));
            if tag == Tag::TABLE {
                self.text_before_table = self.in_text;
                self.before_table = self.text;
            }
        }
        self.in_text = false;
    }

    /// Returns the numbers of the current element and of its parent; of the root, twice its own.
    #[inline]
    pub fn numbers(&self) -> (u32, u32) {
        match self.numbers.as_slice() {
            [.., parent, current] => (*current, *parent),
            [root] => (*root, *root),
            [] => (0, 0),
        }
    }

    #[inline]
    pub fn pop(&mut self) {
        let Some(Open { tag, .. }) = self.stack.pop() else { return };
        let at = self.stack.len();
        self.paths.truncate(at);
        self.numbers.truncate(at);
        self.tree.close(at);
        self.in_text = false;
        let Some(index) = tag.index() else { return };
        self.counts[index] -= 1;
        if tag.is(element::MARKER | element::FORMATTING) {
            self.end_formatting(tag, at);
        }
        if self.form == Some(at) {
            self.form = Some(usize::MAX);
        }
    }

    /// Returns the tag of the current element; `html` if none is open.
    #[inline]
    pub fn tag(&self) -> Tag {
        self.stack.last().map_or(Tag::HTML, |open| open.tag)
    }

    #[inline]
    pub fn mode(&self) -> Mode {
        self.stack.last().map_or(Mode::Body, |open| open.mode)
    }

    #[inline]
    pub fn space(&self) -> Space {
        self.stack.last().map_or(Space::Html, |open| open.space)
    }

    #[inline]
    pub fn tag_at(&self, at: usize) -> Tag {
        self.stack[at].tag
    }

    /// Returns the path of the `at`-th element, or of the deepest that has one.
    #[inline]
    pub fn path_at(&self, at: usize) -> Path {
        self.paths.get(at).or(self.paths.last()).copied().unwrap_or(Path::DOCUMENT)
    }

    /// Returns the path of the current element.
    #[inline]
    pub fn path(&self) -> Path {
        self.paths.last().copied().unwrap_or(Path::DOCUMENT)
    }

    /// Returns the word of the kept class tokens of the `at`-th element, if it has a path of its own.
    pub fn class_at(&self, at: usize) -> u64 {
        self.paths.get(at).map_or(0, |path| path.class)
    }

    /// Sets the path of the root to `path`, from which elements that are opened from now on derive theirs.
    pub fn move_root(&mut self, path: Path) {
        if let Some(root) = self.paths.first_mut() {
            *root = path;
        }
    }

    /// Returns the path of the element that takes content that may not be directly in a table: the table's parent.
    pub fn foster_path(&self) -> Path {
        let table = self.nearest(|open| open.tag == Tag::TABLE || open.tag == Tag::TEMPLATE);
        match table {
            Some(at) if at > 0 && self.stack[at].tag == Tag::TABLE => self.path_at(at - 1),
            Some(at) => self.path_at(at),
            None => self.path_at(0),
        }
    }

    /// Returns the number of open elements of this tag, which has special behaviour.
    #[inline]
    pub fn count(&self, tag: Tag) -> u32 {
        tag.index().map_or(0, |index| self.counts[index])
    }

    /// Returns the innermost open element that is `wanted`, within the search depth.
    #[inline]
    fn nearest(&self, wanted: impl Fn(&Open) -> bool) -> Option<usize> {
        let from = self.stack.len().saturating_sub(self.depth_max);
        let found = self.stack[from..].iter().rposition(wanted).map(|at| from + at);
        self.note_work(self.stack.len() - found.unwrap_or(from));
        found
    }

    /// Counts `steps` of work, in tests.
    #[inline]
    pub(super) fn note_work(&self, steps: usize) {
        #[cfg(test)]
        self.work.set(self.work.get() + steps as u64);
        #[cfg(not(test))]
        let _ = steps;
    }

    /// Returns the innermost `tag` in the scope that is ended by any of the flags `ends`.
    #[inline]
    pub fn find_in_scope(&self, tag: Tag, ends: u16) -> Option<usize> {
        if tag.index().is_some() && self.count(tag) == 0 {
            return None;
        }
        self.nearest(|open| open.tag == tag || open.tag.is(ends)).filter(|at| self.stack[*at].tag == tag)
    }

    /// Returns whether `tag` is in the ordinary scope.
    #[inline]
    pub fn in_scope(&self, tag: Tag) -> bool {
        self.find_in_scope(tag, element::SCOPE).is_some()
    }

    pub fn in_table_scope(&self, tag: Tag) -> bool {
        self.find_in_scope(tag, element::TABLE_SCOPE).is_some()
    }

    /// Returns the position of the innermost element with any of the flags `wanted` in the ordinary scope.
    pub fn find_flagged_in_scope(&self, wanted: u16) -> Option<usize> {
        self.nearest(|open| open.tag.is(wanted | element::SCOPE)).filter(|at| self.stack[*at].tag.is(wanted))
    }

    /// Pops down to `length` elements.
    #[inline]
    pub fn truncate(&mut self, length: usize) {
        while self.stack.len() > length {
            self.pop();
        }
    }

    /// Pops elements with optional end tags, except those of tag `except`.
    #[inline]
    pub fn imply_ends(&mut self, except: Option<Tag>) {
        while self.tag().is(element::IMPLIED) && Some(self.tag()) != except {
            self.pop();
        }
    }

    /// Pops until the current element has any of the flags `context` or is the root.
    pub fn pop_to(&mut self, context: impl Fn(Tag) -> bool) {
        while self.stack.len() > 1 && !context(self.tag()) {
            self.pop();
        }
    }

    /// Closes the open `p`, if there is one in scope.
    #[inline]
    pub fn close_p(&mut self) {
        if let Some(at) = self.find_in_scope(Tag::P, element::SCOPE | element::BUTTON_SCOPE) {
            self.truncate(at);
        }
    }

    /// Closes the list item that ends where one of tag `tag` begins.
    pub fn close_item(&mut self, tag: Tag) {
        let same = |other: Tag| if tag == Tag::LI { other == Tag::LI } else { other == Tag::DD || other == Tag::DT };
        let barrier =
            |other: Tag| other.is(element::SPECIAL) && other != Tag::ADDRESS && other != Tag::DIV && other != Tag::P;
        let open = self.nearest(|open| same(open.tag) || barrier(open.tag));
        if let Some(at) = open.filter(|at| same(self.stack[*at].tag)) {
            self.truncate(at);
        }
    }

    /// Handles an end tag that has no rule of its own: closes its element, unless a special element is open inside.
    pub fn close_other(&mut self, tag: Tag) {
        let same = |open: &Open| open.tag == tag && open.space == Space::Html;
        let open = self.nearest(|open| same(open) || open.tag.is(element::SPECIAL));
        if let Some(at) = open.filter(|at| same(&self.stack[*at])) {
            self.truncate(at);
        }
    }

    /// Pops foreign elements until HTML is allowed.
    pub fn leave_foreign(&mut self) {
        while !matches!(self.space(), Space::Html | Space::HtmlPoint | Space::TextPoint) {
            self.pop();
        }
    }

    /// Closes the foreign element that has one of `tags`. Returns false if an HTML element comes first.
    pub fn close_foreign(&mut self, tags: [Tag; 2]) -> bool {
        match self.nearest(|open| open.space == Space::Html || tags.contains(&open.tag)) {
            Some(at) if self.stack[at].space != Space::Html => {
                self.truncate(at);
                true
            }
            Some(_) => false,
            None => true,
        }
    }

    /// Returns whether a form is open, or was open and its end tag has not come.
    pub fn has_form(&self) -> bool {
        self.form.is_some()
    }

    /// Makes the element that is pushed next the current form.
    pub fn begin_form(&mut self) {
        self.form = Some(self.stack.len());
    }

    /// Handles `</form>`: removes the form from the stack, and leaves the elements inside it where they are.
    pub fn end_form(&mut self) {
        let Some(at) = self.form.take() else { return };
        let in_scope =
            at < self.stack.len() && self.nearest(|open| open.tag.is(element::SCOPE)).is_none_or(|end| end < at);
        if in_scope {
            self.imply_ends(None);
            self.remove(at);
        }
    }

    fn remove(&mut self, at: usize) {
        if at + 1 == self.stack.len() {
            return self.pop();
        }
        self.counts[Tag::FORM.index().unwrap_or_default()] -= 1;
        self.stack.remove(at);
        self.tree.remove(at);
        if at < self.paths.len() {
            let last = self.path();
            self.paths.remove(at);
            // The paths must again be those of the outermost elements.
            if self.paths.len() < self.stack.len() {
                self.paths.push(last);
            }
        }
        self.moved_down(at);
    }

    /// Replaces all elements from `from` by `with` (old positions and new paths), after formatting was cut short.
    pub(super) fn rebuild(&mut self, from: usize, with: &[(usize, Path)]) {
        for (to, &(was, path)) in with.iter().enumerate() {
            self.stack[from + to] = self.stack[was];
            if let Some(slot) = self.paths.get_mut(from + to) {
                *slot = path;
            }
            if self.form == Some(was) {
                self.form = Some(from + to);
            }
        }
        self.tree.reopen(from, with.iter().map(|(was, _)| *was));
        let length = from + with.len();
        self.stack.truncate(length);
        self.paths.truncate(length);
        self.in_text = false;
    }

    /// Returns the number of elements that searches look at.
    pub(super) fn search_max(&self) -> usize {
        self.depth_max
    }

    /// Records that an element of tag `tag` has left the stack.
    pub(super) fn uncount(&mut self, tag: Tag) {
        if let Some(index) = tag.index() {
            self.counts[index] -= 1;
        }
    }
}

fn mode_inside(tag: Tag, space: Space, outside: Mode) -> Mode {
    match tag {
        _ if space != Space::Html => outside,
        Tag::TABLE => Mode::Table,
        Tag::TEMPLATE => Mode::Template,
        _ if outside == Mode::Template => Mode::Template,
        Tag::TBODY | Tag::THEAD | Tag::TFOOT => Mode::TableBody,
        Tag::TR => Mode::Row,
        Tag::TD | Tag::TH => Mode::Cell,
        Tag::CAPTION => Mode::Caption,
        Tag::COLGROUP => Mode::Colgroup,
        _ => outside,
    }
}
