//! The elements that the HTML standard treats specially, and how ("WHATWG HTML", section 13.2, as of 2026).

use super::path::name_word;

/// The name of an element as a number: one of those below, or a hash of any other name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag(u16);

/// First number of all other elements.
const OTHER: u16 = 256;

/// Ends the search for a block's parent and for an end tag's element.
pub(super) const SPECIAL: u16 = 1;
/// Ends every scope.
pub(super) const SCOPE: u16 = 1 << 1;
/// Ends the scope in which a `p` is looked for.
pub(super) const BUTTON_SCOPE: u16 = 1 << 2;
/// Ends the scope in which an `li` is looked for.
pub(super) const LIST_SCOPE: u16 = 1 << 3;
/// Ends the scope in which parts of tables are looked for.
pub(super) const TABLE_SCOPE: u16 = 1 << 4;
/// Its end tag may be left out.
pub(super) const IMPLIED: u16 = 1 << 5;
/// An active formatting element: it is reopened after a block that cut it short.
pub(super) const FORMATTING: u16 = 1 << 6;
/// `h1` to `h6`.
pub(super) const HEADING: u16 = 1 << 7;
/// Formatting does not reach into it.
pub(super) const MARKER: u16 = 1 << 8;
/// A part of a table; ignored outside of tables.
pub(super) const TABLE_PART: u16 = 1 << 9;
/// Content that may not be directly in it is placed before its table.
pub(super) const FOSTERS: u16 = 1 << 10;
/// A block: its start closes an open `p`, its end closes what is open inside.
pub(super) const BLOCK: u16 = 1 << 11;
/// Ends SVG and MathML content.
pub(super) const BREAKOUT: u16 = 1 << 12;
/// May be directly in a table.
pub(super) const IN_TABLE: u16 = 1 << 13;

const CELL: u16 = SPECIAL | SCOPE | MARKER | TABLE_PART | IN_TABLE;
const SECTION: u16 = SPECIAL | TABLE_PART | FOSTERS | IN_TABLE;
const POINT: u16 = SCOPE;
const B: u16 = BREAKOUT;

macro_rules! tags {
    ($($constant:ident $name:literal $flags:expr;)+) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "only numbers the constants")]
        #[repr(u16)]
        enum Number { $($constant),+ }

        #[expect(dead_code, reason = "most elements are only known by what they have in common with others")]
        impl Tag {
            $(pub const $constant: Self = Self(Number::$constant as u16);)+
        }

        const NAMES: &[&str] = &[$($name),+];

        const FLAGS: [u16; OTHER as usize] = {
            let mut flags = [0; OTHER as usize];
            $(flags[Number::$constant as usize] = $flags;)+
            flags
        };
    };
}

tags! {
    A "a" FORMATTING; ADDRESS "address" SPECIAL | BLOCK; APPLET "applet" SPECIAL | SCOPE | MARKER; AREA "area" SPECIAL;
    ARTICLE "article" SPECIAL | BLOCK; ASIDE "aside" SPECIAL | BLOCK; AUDIO "audio" 0; BOLD "b" FORMATTING | B;
    BASE "base" SPECIAL; BASEFONT "basefont" SPECIAL; BGSOUND "bgsound" SPECIAL; BIG "big" FORMATTING | B;
    BLOCKQUOTE "blockquote" SPECIAL | BLOCK | B; BODY "body" SPECIAL | B; BR "br" SPECIAL | B;
    BUTTON "button" SPECIAL | BUTTON_SCOPE; CAPTION "caption" CELL; CENTER "center" SPECIAL | BLOCK | B;
    CODE "code" FORMATTING | B; COL "col" SPECIAL | TABLE_PART | IN_TABLE; COLGROUP "colgroup" SPECIAL | TABLE_PART | IN_TABLE;
    DD "dd" SPECIAL | IMPLIED | B; DETAILS "details" SPECIAL | BLOCK; DIALOG "dialog" BLOCK; DIR "dir" SPECIAL | BLOCK;
    DIV "div" SPECIAL | BLOCK | B; DL "dl" SPECIAL | BLOCK | B; DT "dt" SPECIAL | IMPLIED | B; EM "em" FORMATTING | B;
    EMBED "embed" SPECIAL | B; FIELDSET "fieldset" SPECIAL | BLOCK; FIGCAPTION "figcaption" SPECIAL | BLOCK;
    FIGURE "figure" SPECIAL | BLOCK; FONT "font" FORMATTING; FOOTER "footer" SPECIAL | BLOCK; FORM "form" SPECIAL;
    FRAME "frame" SPECIAL; FRAMESET "frameset" SPECIAL; H1 "h1" SPECIAL | HEADING | B; H2 "h2" SPECIAL | HEADING | B;
    H3 "h3" SPECIAL | HEADING | B; H4 "h4" SPECIAL | HEADING | B; H5 "h5" SPECIAL | HEADING | B;
    H6 "h6" SPECIAL | HEADING | B; HEAD "head" SPECIAL | B; HEADER "header" SPECIAL | BLOCK; HGROUP "hgroup" SPECIAL | BLOCK;
    HR "hr" SPECIAL | B; HTML "html" SPECIAL | SCOPE | TABLE_SCOPE; I "i" FORMATTING | B; IFRAME "iframe" SPECIAL;
    IMAGE "image" 0; IMG "img" SPECIAL | B; INPUT "input" SPECIAL; KEYGEN "keygen" 0; LI "li" SPECIAL | IMPLIED | B;
    LINK "link" SPECIAL; LISTING "listing" SPECIAL | B; MAIN "main" SPECIAL | BLOCK;
    MARQUEE "marquee" SPECIAL | SCOPE | MARKER; MATH "math" 0; MENU "menu" SPECIAL | BLOCK | B; META "meta" SPECIAL | B;
    NAV "nav" SPECIAL | BLOCK; NOBR "nobr" FORMATTING | B; NOEMBED "noembed" SPECIAL; NOFRAMES "noframes" SPECIAL;
    NOSCRIPT "noscript" SPECIAL; OBJECT "object" SPECIAL | SCOPE | MARKER; OL "ol" SPECIAL | BLOCK | LIST_SCOPE | B;
    OPTGROUP "optgroup" IMPLIED; OPTION "option" IMPLIED; P "p" SPECIAL | IMPLIED | BLOCK | B; PARAM "param" SPECIAL;
    PLAINTEXT "plaintext" SPECIAL; PRE "pre" SPECIAL | B; RB "rb" IMPLIED; RP "rp" IMPLIED; RT "rt" IMPLIED;
    RTC "rtc" IMPLIED; RUBY "ruby" B; S "s" FORMATTING | B; SCRIPT "script" SPECIAL | IN_TABLE;
    SEARCH "search" BLOCK; SECTION "section" SPECIAL | BLOCK; SELECT "select" SPECIAL | SCOPE; SMALL "small" FORMATTING | B;
    SOURCE "source" SPECIAL; SPAN "span" B; STRIKE "strike" FORMATTING | B; STRONG "strong" FORMATTING | B;
    STYLE "style" SPECIAL | IN_TABLE; SUB "sub" B; SUMMARY "summary" SPECIAL | BLOCK; SUP "sup" B; SVG "svg" 0;
    TABLE "table" SPECIAL | SCOPE | TABLE_SCOPE | FOSTERS | B; TBODY "tbody" SECTION; TD "td" CELL;
    TEMPLATE "template" SPECIAL | SCOPE | TABLE_SCOPE | MARKER | IN_TABLE; TEXTAREA "textarea" SPECIAL; TFOOT "tfoot" SECTION;
    TH "th" CELL; THEAD "thead" SECTION; TITLE "title" SPECIAL; TR "tr" SECTION; TRACK "track" SPECIAL;
    TT "tt" FORMATTING | B; U "u" FORMATTING | B; UL "ul" SPECIAL | BLOCK | LIST_SCOPE | B; VAR "var" B; VIDEO "video" 0;
    WBR "wbr" SPECIAL; XMP "xmp" SPECIAL;
    // Elements of MathML and SVG in which HTML begins again.
    MI "mi" POINT; MO "mo" POINT; MN "mn" POINT; MS "ms" POINT; MTEXT "mtext" POINT; ANNOTATION_XML "annotation-xml" 0;
    SVG_FOREIGN_OBJECT "foreignobject" POINT; SVG_DESC "desc" POINT; SVG_TITLE "title" POINT;
}

/// Number of tags with special behaviour in HTML; the following ones exist only in foreign content.
const HTML_TAGS: usize = Number::MI as usize;

const WORDS: [u64; NAMES.len()] = {
    let mut words = [0; NAMES.len()];
    let mut i = 0;
    while i < NAMES.len() {
        words[i] = name_word(NAMES[i].as_bytes());
        i += 1;
    }
    words
};

/// Open addressing, filled to a quarter at most; `u8::MAX` is an empty slot.
const SLOTS: [u8; 512] = {
    let mut slots = [u8::MAX; 512];
    let mut i = 0;
    while i < HTML_TAGS {
        let mut slot = slot_of(WORDS[i]);
        while slots[slot] != u8::MAX {
            slot = (slot + 1) % 512;
        }
        slots[slot] = i as u8;
        i += 1;
    }
    slots
};

const fn slot_of(word: u64) -> usize {
    (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55) as usize
}

impl Tag {
    /// Returns the tag of the HTML element whose name has the word `word`.
    #[inline]
    pub fn of(word: u64) -> Self {
        let mut slot = slot_of(word);
        loop {
            let number = SLOTS[slot];
            if number == u8::MAX {
                return Self::other(word);
            }
            if WORDS[number as usize] == word {
                return Self(number as u16);
            }
            slot = (slot + 1) % 512;
        }
    }

    /// Returns the tag of an element without special behaviour. Two names may share a tag, which only confuses their
    /// end tags.
    pub const fn other(word: u64) -> Self {
        Self((word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as u16 | OTHER)
    }

    /// Returns the tag of an element in SVG or MathML, which does not behave as the HTML element of that name.
    pub fn foreign(word: u64, svg: bool) -> Self {
        let html = Self::of(word);
        match html {
            Self::SVG | Self::MATH => return html,
            Self::TITLE if svg => return Self::SVG_TITLE,
            _ => {}
        }
        let points =
            if svg { Self::SVG_FOREIGN_OBJECT.0..=Self::SVG_DESC.0 } else { Self::MI.0..=Self::ANNOTATION_XML.0 };
        points.map(Self).find(|tag| tag.word() == word).unwrap_or_else(|| Self::other(word))
    }

    /// Returns the index in tables over all tags with special behaviour; `None` for other elements.
    #[inline]
    pub const fn index(self) -> Option<usize> {
        if self.0 < OTHER { Some(self.0 as usize) } else { None }
    }

    /// Returns the word of its name, for tags with special behaviour.
    #[inline]
    pub const fn word(self) -> u64 {
        WORDS[self.0 as usize]
    }

    /// Returns its name, for tags with special behaviour.
    pub const fn name(self) -> &'static str {
        NAMES[self.0 as usize]
    }

    /// Returns whether it has any of `flags`.
    #[inline]
    pub const fn is(self, flags: u16) -> bool {
        self.0 < OTHER && FLAGS[self.0 as usize] & flags != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_no_other_is() {
        for (number, name) in NAMES.iter().enumerate().take(HTML_TAGS) {
            assert_eq!(Tag::of(name_word(name.as_bytes())), Tag(number as u16), "{name}");
        }
        for other in ["", "x", "abbr", "blockquotes", "custom-element", "mi", "foreignobject"] {
            assert_eq!(Tag::of(name_word(other.as_bytes())).index(), None, "{other}");
        }
    }

    #[test]
    fn names_that_mean_something_in_html_mean_nothing_in_svg() {
        assert_eq!(Tag::foreign(name_word(b"p"), true).index(), None);
        assert_eq!(Tag::foreign(name_word(b"title"), true), Tag::SVG_TITLE);
        assert_eq!(Tag::foreign(name_word(b"mi"), true).index(), None);
        assert_eq!(Tag::foreign(name_word(b"mi"), false), Tag::MI);
        assert_eq!(Tag::foreign(name_word(b"annotation-xml"), false), Tag::ANNOTATION_XML);
    }
}
