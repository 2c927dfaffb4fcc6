//! Turns a page's tokens into paths, leaves and links. Elements are placed as the tree construction of the HTML
//! standard (section 13.2.6) places them, but no tree is built: only the paths of the open elements are stored.
//!
//! This file has what all rules share: where something is placed, and what is counted and collected when it is. The
//! rules are in `head`, `body`, `table` and `foreign`.

use super::attributes::Attributes;
use super::classes::Classes;
use super::decoded_text::Source;
use super::element::{self, Tag};
use super::formatting_entry::Anchor;
use super::meta::Meta;
use super::open::{OpenElements, Space};
use super::outlinks::Links;
use super::parse_limits::ParseLimits;
use super::path::{Leaves, Path, Spellings, TEXT, step};
use super::raw::Raw;
use super::tokens::{TagToken, Token, Tokens};
use super::units::{self, Texts, UnitContext, Units};
use harvestman_core::config::{ParseOptions, RobotsOptions};
use harvestman_core::model::{FormFacts, ParsedPage, Reading};

/// The progress through the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Before the head.
    Start,
    Head,
    AfterHead,
    Body,
    Frameset,
}

/// What to do next with a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// The tag is handled.
    Done,
    /// The insertion mode has changed: the tag is processed again.
    Again,
    /// The content of the tag's element is text.
    Raw(Raw),
}

#[derive(Debug)]
pub(super) struct Builder {
    pub options: ParseOptions,
    pub limits: ParseLimits,
    /// Whether pages are read as by a browser with scripting, in which case the content of `noscript` does not exist.
    pub scripting: bool,
    /// The product token by which a page addresses only this crawler.
    pub agent: Box<str>,
    pub open: OpenElements,
    pub leaves: Leaves,
    pub links: Links,
    pub meta: Meta,
    pub units: Units,
    pub classes: Classes,
    pub forms: FormFacts,
    pub spellings: Spellings,
    pub phase: Phase,
    /// Whether only comments and white space have come so far.
    pub initial: bool,
    /// Whether the page declares no modern document type, in which case a table does not end a paragraph.
    pub quirks: bool,
    /// Whether the position is in a `noscript` in the head.
    pub head_noscript: bool,
    /// Whether the page has a `body` tag.
    pub explicit_body: bool,
    /// A class attribute with its white space collapsed.
    pub class: Vec<u8>,
    /// Whether the page ended within an element whose content is text, or within a comment.
    pub unended: bool,
}

impl Builder {
    pub fn new(options: &ParseOptions, limits: ParseLimits, spelling: bool) -> Self {
        let paths_max = limits.leaf_paths.saturating_add(limits.links).saturating_mul(8) as usize;
        Self {
            options: options.clone(),
            limits,
            scripting: false,
            agent: RobotsOptions::default().agent.into(),
            open: OpenElements::new(limits.depth),
            leaves: Leaves::new(limits.leaf_paths),
            links: Links::new(limits.links, limits.attribute),
            meta: Meta::default(),
            units: Units::new(spelling),
            classes: Classes::new(limits.attribute),
            forms: FormFacts::default(),
            spellings: Spellings::new(spelling, paths_max),
            phase: Phase::Start,
            initial: true,
            quirks: true,
            head_noscript: false,
            explicit_body: false,
            class: Vec::new(),
            unended: false,
        }
    }

    /// Reads a page from its beginning to its end.
    pub fn page(&mut self, source: Source<'_>) -> ParsedPage {
        self.begin(source);
        let mut tokens = Tokens::new(source.bytes);
        tokens.classes = self.classes.on();
        while let Some(token) = tokens.next(self.in_foreign()) {
            match token {
                Token::Start => {
                    if self.open.tree.on {
                        self.open.tree.start_tag(source, &tokens.tag);
                    }
                    if tokens.classes {
                        tokens.tag.class = self.class_word(source, &tokens.tag);
                    }
                    if let Next::Raw(raw) = self.start_tag(source, &tokens.tag) {
                        self.raw_element(source, raw, &mut tokens);
                    }
                }
                Token::End => {
                    self.open.tree.end_tag();
                    self.end_tag(source, &tokens.tag);
                }
                Token::Text(text) => self.text(source, text, true),
                Token::Cdata(text) => self.text(source, text, false),
                // White space directly in a table is placed as it is.
                Token::Space(_) if self.open.tag().is(element::FOSTERS) => {}
                Token::Space(blank) => self.space(source, blank),
                Token::Comment => {
                    self.open.in_text = false;
                    self.open.tree.part_texts();
                }
                Token::Doctype(doctype) => self.doctype(doctype),
            }
        }
        self.unended = tokens.unended;
        self.finish(source)
    }

    fn begin(&mut self, source: Source<'_>) {
        self.open.clear();
        self.open.tree.begin(source.bytes.len());
        self.leaves.clear();
        self.links.clear();
        self.meta = Meta::default();
        self.units.clear();
        self.classes.clear();
        self.forms = FormFacts::default();
        self.spellings.clear();
        (self.phase, self.initial, self.quirks) = (Phase::Start, true, true);
        (self.head_noscript, self.explicit_body) = (false, false);
        self.push(Tag::HTML);
    }

    fn finish(&mut self, source: Source<'_>) -> ParsedPage {
        let (hrefs, groups, links_dropped) = self.links.finish(&self.spellings);
        let Texts { units, text, starts, gist } = self.units.finish(source);
        let words = self.units.spelt(source);
        let path_strings = self.units.path_strings(source, &self.spellings);
        let texts = std::mem::take(&mut self.units.gist.texts);
        let meta = std::mem::take(&mut self.meta);
        ParsedPage {
            hrefs,
            groups,
            leaf_paths: self.leaves.finish(&self.spellings),
            units,
            text,
            text_starts: starts,
            words,
            gist,
            texts,
            path_strings,
            class_tokens: self.classes.list(),
            forms: self.forms,
            tree: self.open.tree.finish(),
            base: meta.base,
            title: meta.title,
            canonical: meta.canonical,
            robots: meta.robots,
            feeds: meta.feeds,
            stated: meta.stated,
            charset: source.encoding.name(),
            reading: Reading::default(),
            links_dropped,
        }
    }

    /// Returns the path of the step `word`, with the class tokens of the word `class`, below `parent`.
    #[inline]
    pub fn child(&mut self, parent: Path, word: u64, class: u64, name: impl Fn() -> String) -> Path {
        self.spellings.child(parent, word, class, name)
    }

    /// Returns the word that distinguishes the step of `tag` in leaf paths: of its display properties if path strings
    /// are wanted, otherwise of its kept class tokens.
    #[inline(never)]
    fn class_word(&mut self, source: Source<'_>, tag: &TagToken<'_>) -> u64 {
        if self.in_template() {
            return 0;
        }
        let class = tag.linked.class.map_or(0, |class| self.classes.word(source, class, &mut self.spellings));
        match &mut self.classes.display {
            Some(display) => display.word(source, Self::attributes(source, tag), &mut self.spellings),
            None => class,
        }
    }

    /// Returns the path of the element that `tag` would be placed in now.
    #[inline]
    pub fn parent_path(&self, tag: Option<Tag>) -> Path {
        if self.open.tag().is(element::FOSTERS) && !tag.is_some_and(|tag| tag.is(element::IN_TABLE)) {
            self.open.foster_path()
        } else {
            self.open.path()
        }
    }

    /// Opens an HTML element that need not have a tag on the page.
    pub fn push(&mut self, tag: Tag) {
        self.push_with(tag, 0);
    }

    /// Opens an HTML element that has the class tokens of the word `class`.
    pub fn push_with(&mut self, tag: Tag, class: u64) {
        let parent = if self.open.len() == 0 { Path::DOCUMENT } else { self.parent_path(Some(tag)) };
        let path = self.child(parent, tag.word(), class, || tag.name().to_owned());
        self.open.push(tag, Space::Html, path);
    }

    /// Returns the path of the element of `tag` when it is placed here.
    #[inline]
    pub fn element_path(&mut self, tag: &TagToken<'_>) -> Path {
        let parent = self.parent_path(Some(tag.tag));
        self.child(parent, tag.word, tag.class, || spelt(tag.name))
    }

    /// Opens the HTML element of `tag`.
    #[inline]
    pub fn push_token(&mut self, tag: &TagToken<'_>) {
        if self.open.tag().is(element::FOSTERS) {
            self.part_texts(tag.tag);
        }
        let path = self.element_path(tag);
        self.open.push(tag.tag, Space::Html, path);
    }

    /// Returns whether content at this position is shown, in the sense of leaf paths.
    #[inline]
    pub fn is_shown(&self) -> bool {
        self.phase >= Phase::Body && self.open.count(Tag::NOSCRIPT) == 0 && !self.in_template()
    }

    /// Returns whether this position is inside a `template`.
    #[inline]
    pub fn in_template(&self) -> bool {
        self.open.count(Tag::TEMPLATE) > 0
    }

    /// Places text here. `entities` says whether entities are decoded.
    #[inline]
    fn text(&mut self, source: Source<'_>, text: &[u8], entities: bool) {
        if self.phase < Phase::Body && !self.in_template() {
            self.start_body(Tag::HTML, 0);
        }
        self.close_colgroup();
        self.reopen_formatting_before_text();
        self.open.tree.text(source, text, entities);
        if self.open.in_text {
            return self.units.append(self.open.text, source, text, entities);
        }
        if !self.is_shown() || source.is_blank(text, entities) {
            return;
        }
        if self.phase == Phase::Frameset || self.open.space() == Space::Hidden {
            return;
        }
        let fostered = self.open.tag().is(element::FOSTERS);
        if fostered && std::mem::replace(&mut self.open.text_before_table, true) {
            return self.units.append(self.open.before_table, source, text, entities);
        }
        let parent = self.parent_path(None);
        self.text_leaf(parent);
        self.open.in_text = !fostered;
        if self.units.on {
            let number = self.unit(parent, false, source, text, entities);
            if fostered { self.open.before_table = number } else { self.open.text = number }
        }
    }

    /// Places white space here. It is no text by itself, but separates words inside a text.
    #[inline]
    fn space(&mut self, source: Source<'_>, blank: &[u8]) {
        self.reopen_formatting_before_text();
        self.open.tree.text(source, blank, false);
        if self.units.on && self.open.in_text {
            self.units.append(self.open.text, source, blank, false);
        }
    }

    /// Begins a unit of content with `text` in the element at `path`, unless the text labels a control (`is_label`, or
    /// by the elements around it). Returns the unit's number. Path strings need labels too.
    #[inline(never)]
    fn unit(&mut self, path: Path, is_label: bool, source: Source<'_>, text: &[u8], entities: bool) -> u32 {
        let within = |tags: &[Tag]| tags.iter().any(|tag| self.open.count(*tag) > 0);
        let is_label = is_label || within(&[Tag::BUTTON, Tag::SELECT, Tag::OPTION, Tag::OPTGROUP]);
        if is_label && !self.units.strings {
            return units::NONE;
        }
        let context = UnitContext { in_anchor: within(&[Tag::A]), in_form: within(&[Tag::FORM]), is_label };
        self.units.begin(context, path.rich, source, text, entities)
    }

    /// Records that an element `tag` is placed here, so that text that follows is another text.
    #[inline]
    pub fn part_texts(&mut self, tag: Tag) {
        self.open.in_text = false;
        if self.open.tag().is(element::FOSTERS) && !tag.is(element::IN_TABLE) {
            self.open.text_before_table = false;
        }
    }

    fn text_leaf(&mut self, parent: Path) {
        let path = self.child(parent, TEXT, 0, || "#text".to_owned());
        self.leaves.add(path.rich);
    }

    /// Places the element whose start tag was read last and whose content is text.
    fn raw_element(&mut self, source: Source<'_>, raw: Raw, tokens: &mut Tokens<'_>) {
        let tag = tokens.tag;
        let content = tokens.content(raw, tag.tag.name());
        if tag.tag == Tag::TITLE && !self.in_template() {
            self.meta.title(source, content, self.limits.title);
        }
        self.part_texts(tag.tag);
        self.open.tree.raw(source, tag.tag, content, raw, self.phase < Phase::Body);
        let shown = !matches!(tag.tag, Tag::SCRIPT | Tag::STYLE | Tag::NOSCRIPT) && self.is_shown();
        if shown && !source.is_blank(content, raw == Raw::Escapable) {
            let path = self.element_path(&tag);
            self.text_leaf(path);
            if self.units.on {
                self.unit(path, tag.tag == Tag::TEXTAREA, source, content, raw == Raw::Escapable);
            }
        }
    }

    fn reopen_formatting_before_text(&mut self) {
        if matches!(self.open.space(), Space::Html | Space::HtmlPoint | Space::TextPoint) {
            self.reopen_formatting();
        }
    }

    /// Reopens the formatting elements that were cut short by a block.
    #[inline]
    pub fn reopen_formatting(&mut self) {
        if let Some(first) = self.open.first_to_reopen() {
            self.reopen_formatting_from(first);
        }
    }

    #[cold]
    fn reopen_formatting_from(&mut self, first: usize) {
        for index in first..self.open.formatting.len() {
            let entry = self.open.reopened(index);
            self.open.tree.copy_next(entry.node);
            if let Some(anchor) = entry.anchor {
                self.repeat_anchor(anchor, entry.class);
            }
            self.push_with(entry.tag, entry.class);
        }
    }

    /// Counts an `a` that is reopened: in the tree it is another element.
    fn repeat_anchor(&mut self, Anchor { word, link }: Anchor, class: u64) {
        let parent = self.parent_path(Some(Tag::A));
        // The name of the word is known from the first occurrence.
        let apath = step(parent.plain, word);
        self.spellings.learn(apath, parent.plain, word, String::new);
        if self.is_shown() {
            let mut rich = || self.spellings.child(parent, Tag::A.word(), class, || "a".to_owned()).rich;
            let leaf = if self.classes.choose() { rich() } else { apath };
            self.leaves.add(leaf);
        }
        if let Some(span) = link {
            self.links.repeat(apath, span);
        }
    }

    /// Reads the document type and with it whether the quirks rules apply.
    fn doctype(&mut self, doctype: &[u8]) {
        if self.initial {
            self.initial = false;
            self.quirks = super::doctype::is_quirky(doctype);
        }
    }

    /// Returns the attributes of `tag`.
    pub fn attributes<'b>(source: Source<'b>, tag: &TagToken<'b>) -> Attributes<'b> {
        Attributes::new(source.bytes, tag.attributes.0)
    }
}

/// Returns an element's name as paths spell it.
pub(super) fn spelt(name: &[u8]) -> String {
    String::from_utf8_lossy(name).to_ascii_lowercase()
}
