//! The stack of open elements: where on the page the parser stands.
//!
//! Each element costs four bytes, however deep the page nests; the path hashes end at a set depth, and what is deeper shares
//! the last of them. Searches look no deeper than that either, so a tag never costs more than a fixed number of steps.

use super::element::{self, Tag};
use super::formatting_entry::Formatting;
use super::path::Path;

/// Which rules tags are read by: the insertion modes of the standard, as far as they depend on the open elements.
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

/// Where an element's rules come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Html,
    Svg,
    Math,
    /// An element of SVG or MathML into which HTML may be written.
    HtmlPoint,
    /// An element of MathML into which text may be written.
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
    /// How many of each tag with a behaviour of its own are open: most searches end here.
    counts: [u32; 256],
    depth_max: usize,
    /// Open elements into which formatting does not reach.
    pub(super) markers: u32,
    pub(super) formatting: Vec<Formatting>,
    /// Where in the stack the current form is; it may have been popped.
    form: Option<usize>,
    /// Whether the last thing put into the current element was text that was counted: then more text is part of it.
    pub(super) in_text: bool,
    /// The same for what was put before the innermost table because it did not belong into it.
    pub(super) text_before_table: bool,
    /// The number of the text that [`Self::in_text`] is about, and of the one before the innermost table.
    pub(super) text: u32,
    pub(super) before_table: u32,
    /// Elements looked at or put on the stack so far: what a test of hostile pages asserts on.
    #[cfg(test)]
    pub(super) work: std::cell::Cell<u64>,
}

impl OpenElements {
    pub fn new(depth_max: usize) -> Self {
        Self {
            stack: Vec::new(),
            paths: Vec::new(),
            counts: [0; 256],
            depth_max: depth_max.max(8),
            markers: 0,
            formatting: Vec::new(),
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
        self.stack.push(Open { tag, mode, space });
        if self.paths.len() < self.depth_max {
            self.paths.push(path);
        }
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

    #[inline]
    pub fn pop(&mut self) {
        let Some(Open { tag, .. }) = self.stack.pop() else { return };
        let at = self.stack.len();
        self.paths.truncate(at);
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

    /// The tag of the current element, and of the root's parent where none is open.
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

    /// The path of the `at`-th element, or of the deepest that has one.
    #[inline]
    pub fn path_at(&self, at: usize) -> Path {
        self.paths.get(at).or(self.paths.last()).copied().unwrap_or(Path::DOCUMENT)
    }

    /// The path of the current element.
    #[inline]
    pub fn path(&self) -> Path {
        self.paths.last().copied().unwrap_or(Path::DOCUMENT)
    }

    /// The word of the kept class tokens of the `at`-th element, as far as it has a path.
    pub fn class_at(&self, at: usize) -> u64 {
        self.paths.get(at).map_or(0, |path| path.class)
    }

    /// Gives the root the path `path`, which what is opened in it from now on shares.
    pub fn move_root(&mut self, path: Path) {
        if let Some(root) = self.paths.first_mut() {
            *root = path;
        }
    }

    /// The path below which something lands that does not belong directly into a table: that of the table's parent.
    pub fn foster_path(&self) -> Path {
        let table = self.nearest(|open| open.tag == Tag::TABLE || open.tag == Tag::TEMPLATE);
        match table {
            Some(at) if at > 0 && self.stack[at].tag == Tag::TABLE => self.path_at(at - 1),
            Some(at) => self.path_at(at),
            None => self.path_at(0),
        }
    }

    /// How many elements of this tag, which has a behaviour of its own, are open.
    #[inline]
    pub fn count(&self, tag: Tag) -> u32 {
        tag.index().map_or(0, |index| self.counts[index])
    }

    /// The innermost open element that is `wanted`, as far as searches look.
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

    /// The innermost `tag` in the scope that any of the flags `ends` ends.
    #[inline]
    pub fn find_in_scope(&self, tag: Tag, ends: u16) -> Option<usize> {
        if tag.index().is_some() && self.count(tag) == 0 {
            return None;
        }
        self.nearest(|open| open.tag == tag || open.tag.is(ends)).filter(|at| self.stack[*at].tag == tag)
    }

    /// Whether `tag` is in the ordinary scope.
    #[inline]
    pub fn in_scope(&self, tag: Tag) -> bool {
        self.find_in_scope(tag, element::SCOPE).is_some()
    }

    pub fn in_table_scope(&self, tag: Tag) -> bool {
        self.find_in_scope(tag, element::TABLE_SCOPE).is_some()
    }

    /// Where the innermost element with any of the flags `wanted` is, in the ordinary scope.
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

    /// Pops elements whose end tags may be left out, but none of tag `except`.
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

    /// Handles an end tag that has no rule of its own: closes its element, unless something special is open inside.
    pub fn close_other(&mut self, tag: Tag) {
        let same = |open: &Open| open.tag == tag && open.space == Space::Html;
        let open = self.nearest(|open| same(open) || open.tag.is(element::SPECIAL));
        if let Some(at) = open.filter(|at| same(&self.stack[*at])) {
            self.truncate(at);
        }
    }

    /// Pops what is foreign until HTML may stand here.
    pub fn leave_foreign(&mut self) {
        while !matches!(self.space(), Space::Html | Space::HtmlPoint | Space::TextPoint) {
            self.pop();
        }
    }

    /// Closes the foreign element that has one of `tags`; false where an HTML element is met first.
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

    /// Whether a form is open, or was and its end tag has not come.
    pub fn has_form(&self) -> bool {
        self.form.is_some()
    }

    /// Makes the element that is pushed next the current form.
    pub fn begin_form(&mut self) {
        self.form = Some(self.stack.len());
    }

    /// Handles `</form>`: takes the form out of the stack, and leaves what is open inside where it is.
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

    /// Exchanges all elements from `from` for `with`, (where they were, their paths), after formatting was cut short.
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
        let length = from + with.len();
        self.stack.truncate(length);
        self.paths.truncate(length);
        self.in_text = false;
    }

    /// How many elements searches look at.
    pub(super) fn search_max(&self) -> usize {
        self.depth_max
    }

    /// Notes that an element of tag `tag` has left the stack.
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
