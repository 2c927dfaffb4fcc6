//! Rules for the body (HTML standard, section 13.2.6.4.7).

use super::builder::{Builder, Next, Phase};
use super::decoded_text::Source;
use super::element::{self, Tag};
use super::formatting_entry::Formatting;
use super::open::{Mode, Space};
use super::raw::Raw;
use super::tokens::TagToken;
use harvestman_core::model::LinkKind;

impl Builder {
    /// Handles a start tag.
    #[inline]
    pub fn start_tag(&mut self, source: Source<'_>, tag: &TagToken<'_>) -> Next {
        self.initial = false;
        if self.phase != Phase::Body && !self.in_template() {
            if self.phase == Phase::Frameset {
                return self.frameset_start(source, tag);
            }
            let next = self.head_start(source, tag);
            if next != Next::Again {
                return next;
            }
        }
        if self.open.space() != Space::Html && self.foreign_start(source, tag) == Next::Done {
            return Next::Done;
        }
        loop {
            let mode = self.open.mode();
            let next = if mode == Mode::Body { None } else { self.table_start(mode, source, tag) };
            match next {
                None => return self.body_start(source, tag),
                Some(Next::Again) => {}
                Some(next) => return next,
            }
        }
    }

    /// Handles an end tag.
    #[inline]
    pub fn end_tag(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        self.initial = false;
        if self.phase != Phase::Body && !self.in_template() {
            if self.phase == Phase::Frameset {
                return self.frameset_end(tag.tag);
            }
            if self.head_end(tag.tag) == Next::Done {
                return;
            }
        }
        if self.open.space() != Space::Html && self.foreign_end(tag) == Next::Done {
            return;
        }
        loop {
            let mode = self.open.mode();
            let next = if mode == Mode::Body { None } else { self.table_end(mode, tag.tag) };
            match next {
                None => return self.body_end(source, tag),
                Some(Next::Again) => {}
                Some(_) => return,
            }
        }
    }

    fn body_start(&mut self, source: Source<'_>, tag: &TagToken<'_>) -> Next {
        match tag.tag {
            Tag::A => self.start_anchor(source, tag),
            Tag::LI | Tag::DD | Tag::DT => {
                self.open.close_item(tag.tag);
                self.start_block(tag);
            }
            Tag::IMG | Tag::IMAGE | Tag::AREA | Tag::BR | Tag::EMBED | Tag::KEYGEN | Tag::WBR => {
                self.reopen_formatting();
                self.void(source, tag);
            }
            Tag::NOBR => self.start_nobr(source, tag),
            block if block.is(element::BLOCK) => self.start_block(tag),
            formatting if formatting.is(element::FORMATTING) => {
                self.reopen_formatting();
                self.start_formatting(source, tag);
            }
            heading if heading.is(element::HEADING) => {
                self.open.close_p();
                if self.open.tag().is(element::HEADING) {
                    self.open.pop();
                }
                self.push_token(tag);
            }
            // Parts of tables, where there is no table.
            part if part.is(element::TABLE_PART) => {}
            Tag::HTML | Tag::BODY | Tag::HEAD | Tag::FRAME => {}
            Tag::FRAMESET => self.frameset_in_body(tag),
            _ => return self.start_rarer(source, tag),
        }
        Next::Done
    }

    fn start_rarer(&mut self, source: Source<'_>, tag: &TagToken<'_>) -> Next {
        match tag.tag {
            Tag::BASE | Tag::BASEFONT | Tag::BGSOUND | Tag::LINK | Tag::META | Tag::TEMPLATE => {
                return self.metadata(source, tag);
            }
            Tag::TITLE | Tag::STYLE | Tag::SCRIPT | Tag::NOFRAMES => return self.metadata(source, tag),
            Tag::TEXTAREA => {
                self.text_area();
                return Next::Raw(Raw::Escapable);
            }
            Tag::NOEMBED => return Next::Raw(Raw::Text),
            Tag::NOSCRIPT if self.scripting => return Next::Raw(Raw::Text),
            Tag::IFRAME => {
                self.collect(source, tag, LinkKind::Frame, "src");
                return Next::Raw(Raw::Text);
            }
            Tag::XMP => {
                self.open.close_p();
                self.reopen_formatting();
                return Next::Raw(Raw::Text);
            }
            Tag::PLAINTEXT => {
                self.open.close_p();
                return Next::Raw(Raw::Plain);
            }
            Tag::PRE | Tag::LISTING => self.start_block(tag),
            Tag::FORM => self.start_form(source, tag),
            Tag::TABLE => {
                if !self.quirks {
                    self.open.close_p();
                }
                self.push_token(tag);
            }
            Tag::PARAM | Tag::SOURCE | Tag::TRACK => self.void(source, tag),
            Tag::INPUT | Tag::HR | Tag::SELECT | Tag::OPTION | Tag::OPTGROUP | Tag::BUTTON => {
                self.start_control(source, tag)
            }
            Tag::RB | Tag::RTC | Tag::RP | Tag::RT => self.start_ruby(tag),
            Tag::SVG => self.start_foreign(tag, Space::Svg),
            Tag::MATH => self.start_foreign(tag, Space::Math),
            _ => {
                self.reopen_formatting();
                self.embed_of(source, tag);
                self.push_token(tag);
            }
        }
        Next::Done
    }

    fn start_block(&mut self, tag: &TagToken<'_>) {
        self.open.close_p();
        self.push_token(tag);
    }

    fn start_anchor(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        if self.open.has_formatting(Tag::A) {
            self.open.close_formatting(Tag::A, &mut self.spellings);
            self.open.forget(Tag::A);
        }
        self.reopen_formatting();
        let anchor = self.anchor(source, tag, tag.linked.href);
        self.open.remember(Tag::A, tag.attributes, tag.class, Some(anchor), |_| false);
        self.push_token(tag);
    }

    fn start_formatting(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        let written = |(from, to): (usize, usize)| source.bytes.get(from..to);
        let same = |other: &Formatting| written(other.attributes) == written(tag.attributes);
        self.open.remember(tag.tag, tag.attributes, tag.class, None, same);
        self.push_token(tag);
    }

    fn start_nobr(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        self.reopen_formatting();
        if self.open.in_scope(Tag::NOBR) {
            self.open.close_formatting(Tag::NOBR, &mut self.spellings);
            self.reopen_formatting();
        }
        self.start_formatting(source, tag);
    }

    fn start_form(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        if self.in_template() {
            self.start_block(tag);
        } else if !self.open.has_form() {
            self.open.close_p();
            self.open.begin_form();
            self.form(source, tag);
            self.push_token(tag);
        }
    }

    fn start_control(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        let select = self.open.find_in_scope(Tag::SELECT, element::SCOPE);
        match (tag.tag, select) {
            (Tag::HR, _) => {
                self.open.close_p();
                if select.is_some() {
                    self.open.imply_ends(None);
                }
                return self.void(source, tag);
            }
            (Tag::SELECT, Some(open)) => return self.open.truncate(open),
            (Tag::INPUT, Some(open)) => self.open.truncate(open),
            (Tag::OPTION, Some(_)) => self.open.imply_ends(Some(Tag::OPTGROUP)),
            (Tag::OPTGROUP, Some(_)) => self.open.imply_ends(None),
            (Tag::OPTION | Tag::OPTGROUP, None) if self.open.tag() == Tag::OPTION => self.open.pop(),
            (Tag::BUTTON, _) => self.close_in_scope(Tag::BUTTON),
            _ => {}
        }
        self.reopen_formatting();
        if tag.tag == Tag::INPUT { self.void(source, tag) } else { self.push_token(tag) }
    }

    fn start_ruby(&mut self, tag: &TagToken<'_>) {
        if self.open.in_scope(Tag::RUBY) {
            let inner = tag.tag == Tag::RP || tag.tag == Tag::RT;
            self.open.imply_ends(inner.then_some(Tag::RTC));
        }
        self.push_token(tag);
    }

    /// Adds an element without content.
    fn void(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        self.part_texts(tag.tag);
        self.open.tree.leaf(tag.tag, false);
        match tag.tag {
            Tag::IMG | Tag::IMAGE => {
                let image = TagToken { name: b"img", word: Tag::IMG.word(), tag: Tag::IMG, ..*tag };
                if self.is_shown() {
                    let path = self.element_path(&image);
                    self.leaves.add(path.rich);
                    self.show_media(source, tag);
                    if self.open.count(Tag::A) > 0 {
                        self.links.image();
                    }
                }
                self.embed(source, &image, &["src", "srcset"]);
            }
            Tag::AREA => self.collect(source, tag, LinkKind::Anchor, "href"),
            Tag::INPUT => self.input(source, tag),
            _ => self.embed_of(source, tag),
        }
    }

    /// Records the source of a picture, film or sound; `data-src` is where pages that load lazily put it.
    fn show_media(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        if self.units.gist.on {
            let addresses = Self::attributes(source, tag).pick(["src", "data-src"]);
            addresses.into_iter().flatten().for_each(|address| self.units.gist.image(address));
        }
    }

    fn embed_of(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        if matches!(tag.tag, Tag::SOURCE | Tag::VIDEO | Tag::EMBED | Tag::AUDIO) && self.is_shown() {
            self.show_media(source, tag);
        }
        match tag.tag {
            Tag::SOURCE => self.embed(source, tag, &["src", "srcset"]),
            Tag::VIDEO => self.embed(source, tag, &["src", "poster"]),
            Tag::EMBED | Tag::TRACK | Tag::AUDIO => self.embed(source, tag, &["src"]),
            Tag::OBJECT => self.embed(source, tag, &["data"]),
            _ => {}
        }
    }

    fn close_in_scope(&mut self, tag: Tag) {
        if let Some(at) = self.open.find_in_scope(tag, element::SCOPE) {
            self.open.truncate(at);
        }
    }

    fn body_end(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        match tag.tag {
            Tag::P => {
                if self.open.find_in_scope(Tag::P, element::SCOPE | element::BUTTON_SCOPE).is_none() {
                    self.push(Tag::P);
                }
                self.open.close_p();
            }
            Tag::LI => {
                if let Some(at) = self.open.find_in_scope(Tag::LI, element::SCOPE | element::LIST_SCOPE) {
                    self.open.truncate(at);
                }
            }
            formatting if formatting.is(element::FORMATTING) => {
                self.open.close_formatting(tag.tag, &mut self.spellings);
            }
            heading if heading.is(element::HEADING) => {
                if let Some(at) = self.open.find_flagged_in_scope(element::HEADING) {
                    self.open.truncate(at);
                }
            }
            block if block.is(element::BLOCK) => self.close_in_scope(tag.tag),
            Tag::BUTTON | Tag::LISTING | Tag::PRE | Tag::SELECT | Tag::DD | Tag::DT => self.close_in_scope(tag.tag),
            Tag::APPLET | Tag::MARQUEE | Tag::OBJECT => self.close_in_scope(tag.tag),
            Tag::FORM if self.in_template() => self.close_in_scope(Tag::FORM),
            Tag::FORM => self.open.end_form(),
            Tag::TEMPLATE => {
                if let Some(at) = self.open.find_in_scope(Tag::TEMPLATE, 0) {
                    self.open.truncate(at);
                }
            }
            Tag::BODY | Tag::HTML => {}
            Tag::BR => {
                self.reopen_formatting();
                self.void(source, tag);
            }
            _ => self.open.close_other(tag.tag),
        }
    }
}
