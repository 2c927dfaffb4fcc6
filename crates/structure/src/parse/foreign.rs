//! Rules for SVG and MathML (HTML standard, section 13.2.6.5).

use super::builder::{Builder, Next, spelt};
use super::decoded_text::Source;
use super::element::{self, Tag};
use super::open::Space;
use super::tokens::TagToken;

impl Builder {
    /// Returns whether the current element is not an HTML element.
    #[inline]
    pub fn in_foreign(&self) -> bool {
        self.open.space() != Space::Html
    }

    /// Opens the root of SVG or MathML.
    pub fn start_foreign(&mut self, tag: &TagToken<'_>, space: Space) {
        self.reopen_formatting();
        let path = self.element_path(tag);
        self.part_texts(tag.tag);
        if !tag.self_closing {
            self.open.push(tag.tag, space, path);
        }
    }

    /// Handles a start tag in foreign content. [`Next::Again`] means that the rules of HTML apply.
    pub fn foreign_start(&mut self, source: Source<'_>, tag: &TagToken<'_>) -> Next {
        let space = self.open.space();
        let stays_in_point = tag.name.eq_ignore_ascii_case(b"mglyph") || tag.name.eq_ignore_ascii_case(b"malignmark");
        match space {
            Space::HtmlPoint => return Next::Again,
            Space::TextPoint if !stays_in_point => return Next::Again,
            Space::Math if tag.tag == Tag::SVG && self.open.tag() == Tag::ANNOTATION_XML => return Next::Again,
            _ => {}
        }
        if tag.tag.is(element::BREAKOUT) || (tag.tag == Tag::FONT && is_styled(source, tag)) {
            self.open.leave_foreign();
            return Next::Again;
        }
        let svg = matches!(space, Space::Svg | Space::Hidden);
        if tag.tag == Tag::A {
            let [old_href] = Self::attributes(source, tag).pick(["xlink:href"]);
            self.anchor(source, tag, tag.linked.href.or(old_href.filter(|_| svg)));
        }
        let path = self.open.path();
        let path = self.child(path, tag.word, tag.class, || spelt(tag.name));
        self.open.in_text = false;
        if !tag.self_closing {
            let (number, space) = space_inside(source, tag, svg);
            self.open.push(number, space, path);
        }
        Next::Done
    }

    /// Handles an end tag in foreign content. [`Next::Again`] means that the rules of HTML apply.
    pub fn foreign_end(&mut self, tag: &TagToken<'_>) -> Next {
        if matches!(tag.tag, Tag::P | Tag::BR) {
            self.open.leave_foreign();
            return Next::Again;
        }
        let numbers = [Tag::foreign(tag.word, true), Tag::foreign(tag.word, false)];
        if self.open.close_foreign(numbers) { Next::Done } else { Next::Again }
    }
}

/// Returns the tag of a foreign element, and the kind of content that it may have.
fn space_inside(source: Source<'_>, tag: &TagToken<'_>, svg: bool) -> (Tag, Space) {
    let number = Tag::foreign(tag.word, svg);
    let space = match number {
        Tag::SVG_FOREIGN_OBJECT | Tag::SVG_DESC | Tag::SVG_TITLE => Space::HtmlPoint,
        Tag::MI | Tag::MO | Tag::MN | Tag::MS | Tag::MTEXT => Space::TextPoint,
        Tag::ANNOTATION_XML if holds_html(source, tag) => Space::HtmlPoint,
        _ if svg && matches!(tag.tag, Tag::STYLE | Tag::SCRIPT) => Space::Hidden,
        _ if svg => Space::Svg,
        _ => Space::Math,
    };
    (number, space)
}

fn holds_html(source: Source<'_>, tag: &TagToken<'_>) -> bool {
    let [encoding] = Builder::attributes(source, tag).pick(["encoding"]);
    encoding.is_some_and(|encoding| {
        encoding.eq_ignore_ascii_case(b"text/html") || encoding.eq_ignore_ascii_case(b"application/xhtml+xml")
    })
}

fn is_styled(source: Source<'_>, tag: &TagToken<'_>) -> bool {
    Builder::attributes(source, tag).pick(["color", "face", "size"]).iter().any(Option::is_some)
}
