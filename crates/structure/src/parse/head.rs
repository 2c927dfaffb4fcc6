//! Rules for the content before the body, and for framesets (HTML standard, sections 13.2.6.4.1 to 6 and 20).

use super::builder::{Builder, Next, Phase};
use super::decoded_text::Source;
use super::element::Tag;
use super::path::Path;
use super::raw::Raw;
use super::tokens::TagToken;
use harvestman_core::model::LinkKind;

impl Builder {
    /// Begins the body, which the tag `by` may have opened explicitly, with the class tokens of the word `class`.
    pub fn start_body(&mut self, by: Tag, class: u64) {
        self.initial = false;
        self.head_noscript = false;
        self.phase = Phase::Body;
        self.explicit_body = by == Tag::BODY;
        self.push_with(Tag::BODY, class);
    }

    /// Handles a start tag before the body. [`Next::Again`] means that the body has begun.
    pub fn head_start(&mut self, source: Source<'_>, tag: &TagToken<'_>) -> Next {
        match tag.tag {
            Tag::HTML => {
                self.root_class(tag.class);
                return Next::Done;
            }
            Tag::HEAD => {
                self.phase = self.phase.max(Phase::Head);
                return Next::Done;
            }
            Tag::BASEFONT | Tag::BGSOUND | Tag::LINK | Tag::META | Tag::STYLE | Tag::NOFRAMES => {}
            Tag::NOSCRIPT if self.phase < Phase::AfterHead => return self.noscript_in_head(),
            // All other elements end a `noscript` in the head.
            Tag::BASE | Tag::TITLE | Tag::SCRIPT | Tag::TEMPLATE => self.head_noscript = false,
            Tag::FRAMESET => {
                self.phase = Phase::Frameset;
                self.push_with(Tag::FRAMESET, tag.class);
                return Next::Done;
            }
            by => {
                self.start_body(by, if by == Tag::BODY { tag.class } else { 0 });
                return if by == Tag::BODY { Next::Done } else { Next::Again };
            }
        }
        self.phase = self.phase.max(Phase::Head);
        self.metadata(source, tag)
    }

    fn noscript_in_head(&mut self) -> Next {
        self.phase = Phase::Head;
        if self.scripting {
            return Next::Raw(Raw::Text);
        }
        self.head_noscript = true;
        Next::Done
    }

    /// Handles an end tag before the body. [`Next::Again`] means that the body has begun.
    pub fn head_end(&mut self, tag: Tag) -> Next {
        match tag {
            Tag::NOSCRIPT if self.head_noscript => self.head_noscript = false,
            Tag::HEAD | Tag::BODY | Tag::HTML if self.head_noscript => {}
            Tag::HEAD => self.phase = Phase::AfterHead,
            Tag::BODY | Tag::HTML | Tag::BR => {
                self.start_body(Tag::HTML, 0);
                return Next::Again;
            }
            _ => {}
        }
        Next::Done
    }

    /// Handles an element of the head, wherever on the page it is.
    pub fn metadata(&mut self, source: Source<'_>, tag: &TagToken<'_>) -> Next {
        match tag.tag {
            Tag::TITLE => return Next::Raw(Raw::Escapable),
            Tag::STYLE | Tag::NOFRAMES => return Next::Raw(Raw::Text),
            Tag::SCRIPT => {
                self.embed(source, tag, &["src"]);
                return Next::Raw(Raw::Script);
            }
            Tag::TEMPLATE => self.push(Tag::TEMPLATE),
            Tag::BASE | Tag::LINK | Tag::META if !self.in_template() => {
                self.open.tree.leaf(tag.tag, self.phase < Phase::Body);
                self.about_the_page(source, tag);
            }
            _ => {}
        }
        if tag.tag != Tag::TEMPLATE {
            self.part_texts(tag.tag);
        }
        Next::Done
    }

    /// Handles a start tag in a frameset.
    pub fn frameset_start(&mut self, source: Source<'_>, tag: &TagToken<'_>) -> Next {
        match tag.tag {
            Tag::FRAMESET => self.push_with(Tag::FRAMESET, tag.class),
            Tag::FRAME => self.collect(source, tag, LinkKind::Frame, "src"),
            Tag::NOFRAMES => return Next::Raw(Raw::Text),
            _ => {}
        }
        Next::Done
    }

    /// Handles an end tag in a frameset.
    pub fn frameset_end(&mut self, tag: Tag) {
        if tag == Tag::FRAMESET && self.open.tag() == Tag::FRAMESET {
            self.open.pop();
        }
    }

    /// Replaces the body by a frameset, if the page has no `body` tag and nothing is in the body.
    pub fn frameset_in_body(&mut self, tag: &TagToken<'_>) {
        if !self.explicit_body && self.leaves.is_empty() && self.links.is_empty() && !self.in_template() {
            self.open.truncate(1);
            self.phase = Phase::Frameset;
            self.push_with(Tag::FRAMESET, tag.class);
        }
    }

    /// Sets the class tokens of the root element, as long as the root is empty: its tag may come late.
    fn root_class(&mut self, class: u64) {
        if class != 0 && self.open.len() == 1 && self.open.class_at(0) == 0 {
            let root = self.child(Path::DOCUMENT, Tag::HTML.word(), class, || "html".to_owned());
            self.open.move_root(root);
        }
    }
}
