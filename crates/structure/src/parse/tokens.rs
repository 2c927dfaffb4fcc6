//! Splits a page into tags, texts and comments (HTML standard, section 13.2.5). It looks at each byte once and copies
//! none.

use memchr::memchr;

use super::attributes::{Linked, end_of_anchor, end_of_tag};
use super::bytes::{ENDS_TAG_NAME, find, leading_letters, leading_space};
use super::element::Tag;
use super::path::name_word;
use super::raw::{Raw, end_of_content};

/// The length of the part of a longer element name that distinguishes it from others.
const NAME_MAX: usize = 128;

#[derive(Debug, Clone, Copy)]
pub(super) struct TagToken<'b> {
    pub name: &'b [u8],
    /// The word of its name.
    pub word: u64,
    pub tag: Tag,
    /// Start of its attributes and end of the tag.
    pub attributes: (usize, usize),
    pub self_closing: bool,
    /// The link attributes of an `a`, and with [`Tokens::classes`] the class of any element; otherwise undefined.
    pub linked: Linked<'b>,
    /// The word of its kept class tokens, set by the builder.
    pub class: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Token<'b> {
    /// The start tag [`Tokens::tag`].
    Start,
    /// The end tag [`Tokens::tag`].
    End,
    /// Text with entities as written. One text may come in several tokens.
    Text(&'b [u8]),
    /// White space only.
    Space(&'b [u8]),
    /// Text without entities.
    Cdata(&'b [u8]),
    Comment,
    /// The text between `<!doctype` and `>`.
    Doctype(&'b [u8]),
}

pub(super) struct Tokens<'b> {
    bytes: &'b [u8],
    at: usize,
    /// Whether the classes of all elements are read.
    pub classes: bool,
    /// Whether the page ended within an element whose content is text, or within a comment.
    pub unended: bool,
    /// The tag read last. It stays here and is written field by field, because copies of it are the largest cost.
    pub tag: TagToken<'b>,
}

impl<'b> Tokens<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        let tag = TagToken {
            name: b"",
            word: 0,
            tag: Tag::HTML,
            attributes: (0, 0),
            self_closing: false,
            linked: Linked::default(),
            class: 0,
        };
        Self { bytes, at: 0, classes: false, unended: false, tag }
    }

    /// Returns where the next token begins.
    pub const fn position(&self) -> usize {
        self.at
    }

    /// Goes on at another position.
    pub const fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Returns the next token. In SVG and MathML (`foreign`) there are CDATA sections.
    #[inline(always)]
    pub fn next(&mut self, foreign: bool) -> Option<Token<'b>> {
        loop {
            let rest = self.bytes.get(self.at..)?;
            match *rest {
                [] => return None,
                [b'<', first, ..] if first.is_ascii_alphabetic() => {
                    return self.read_tag(self.at + 1).then_some(Token::Start);
                }
                [b'<', b'/', first, ..] if first.is_ascii_alphabetic() => {
                    return self.read_tag(self.at + 2).then_some(Token::End);
                }
                // An empty end tag does not even separate the texts around it.
                [b'<', b'/', b'>', ..] => self.at += 3,
                [b'<', b'/', _, ..] | [b'<', b'?', ..] => return Some(self.bogus_comment()),
                [b'<', b'!', ..] => return Some(self.declaration(foreign)),
                _ => return Some(self.text(rest)),
            }
        }
    }

    #[inline]
    fn text(&mut self, rest: &'b [u8]) -> Token<'b> {
        let solid = leading_space(rest);
        if solid == rest.len() || (solid > 0 && rest[solid] == b'<') {
            self.at += solid;
            return Token::Space(&rest[..solid]);
        }
        // Here the first byte may be a `<` that begins no markup.
        let length = find(b'<', &rest[solid + 1..]).map_or(rest.len(), |end| solid + 1 + end);
        self.at += length;
        Token::Text(&rest[..length])
    }

    /// Reads the tag whose name begins at `start`. Returns false if the page ends inside it, in which case it is no
    /// tag.
    #[inline]
    fn read_tag(&mut self, start: usize) -> bool {
        let rest = &self.bytes[start..];
        let (length, word) = short_lower_name(rest).unwrap_or_else(|| name_of(rest));
        let attributes = start + length;
        let tag = Tag::of(word);
        // Most attributes of all other elements are never looked at again.
        let end = if tag == Tag::A || self.classes {
            end_of_anchor(self.bytes, attributes, &mut self.tag.linked)
        } else {
            end_of_tag(self.bytes, attributes)
        };
        let Some((behind, self_closing)) = end else {
            self.at = self.bytes.len();
            return false;
        };
        self.at = behind;
        self.tag.name = &rest[..length];
        self.tag.word = word;
        self.tag.tag = tag;
        self.tag.attributes = (attributes, behind);
        self.tag.self_closing = self_closing;
        true
    }

    fn bogus_comment(&mut self) -> Token<'b> {
        self.at = memchr(b'>', &self.bytes[self.at..]).map_or(self.bytes.len(), |end| self.at + end + 1);
        Token::Comment
    }

    fn declaration(&mut self, foreign: bool) -> Token<'b> {
        let rest = &self.bytes[self.at + 2..];
        if rest.starts_with(b"--") {
            let end = end_of_comment(self.bytes, self.at + 4);
            self.unended |= end.is_none();
            self.at = end.unwrap_or(self.bytes.len());
            Token::Comment
        } else if foreign && rest.starts_with(b"[CDATA[") {
            let content = &rest[7..];
            let end = memchr::memmem::find(content, b"]]>");
            self.at += 9 + end.map_or(content.len(), |end| end + 3);
            Token::Cdata(&content[..end.unwrap_or(content.len())])
        } else if rest.get(..7).is_some_and(|start| start.eq_ignore_ascii_case(b"doctype")) {
            let end = memchr(b'>', rest).unwrap_or(rest.len());
            self.at = (self.at + 2 + end + 1).min(self.bytes.len());
            Token::Doctype(&rest[7..end.max(7)])
        } else {
            self.bogus_comment()
        }
    }

    /// Returns the content of the element `name` whose start tag was read last and whose content is text. Skips its end
    /// tag.
    pub fn content(&mut self, raw: Raw, name: &str) -> &'b [u8] {
        let end = end_of_content(self.bytes, self.at, raw, name);
        let content = &self.bytes[self.at..end];
        self.at = end;
        self.unended |= end == self.bytes.len() && raw != Raw::Plain;
        if end < self.bytes.len() {
            // The end tag: if it is incomplete, the page ends here.
            self.read_tag(end + 2);
        }
        content
    }
}

/// Returns the length and the word of the name at the beginning of `bytes`, if it has at most seven letters, all in
/// lower case.
#[inline(always)]
fn short_lower_name(bytes: &[u8]) -> Option<(usize, u64)> {
    let (length, word) = leading_letters(bytes, 0)?;
    let ends = ENDS_TAG_NAME[usize::from(bytes[length])];
    ends.then(|| (length, word & ((1 << (8 * length)) - 1)))
}

/// Returns the length and the word of the name at the beginning of `bytes`.
fn name_of(bytes: &[u8]) -> (usize, u64) {
    let length = bytes.iter().position(|b| ENDS_TAG_NAME[usize::from(*b)]).unwrap_or(bytes.len());
    (length, lower_word(&bytes[..length]))
}

fn lower_word(name: &[u8]) -> u64 {
    let mut lower = [0; NAME_MAX];
    let length = name.len().min(NAME_MAX);
    lower[..length].copy_from_slice(&name[..length]);
    lower.make_ascii_lowercase();
    name_word(&lower[..length])
}

/// Returns the end of the comment whose content begins at `from`; `None` if the page ends before.
fn end_of_comment(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = &bytes[from..];
    if rest.starts_with(b">") {
        return Some(from + 1);
    }
    if rest.starts_with(b"->") {
        return Some(from + 2);
    }
    memchr::memchr_iter(b'>', rest)
        .find(|end| rest[..*end].ends_with(b"--") || rest[..*end].ends_with(b"--!"))
        .map(|end| from + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(page: &str, foreign: bool) -> Vec<String> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut tokens = Tokens::new(page.as_bytes());
        std::iter::from_fn(|| {
            tokens.next(foreign).map(|token| match token {
                Token::Start => format!("<{}>", text(tokens.tag.name)),
                Token::End => format!("</{}>", text(tokens.tag.name)),
                Token::Text(bytes) => text(bytes),
                Token::Space(_) => " ".into(),
                Token::Cdata(bytes) => format!("[{}]", text(bytes)),
                Token::Comment => "!".into(),
                Token::Doctype(bytes) => format!("!{}", text(bytes)),
            })
        })
        .collect()
    }

    #[test]
    fn tags_and_texts_are_told_apart() {
        assert_eq!(cut("a<B c='>'> </b>d", false), ["a", "<B>", " ", "</b>", "d"]);
        assert_eq!(cut("1 < 2 <3 <", false), ["1 ", "< 2 ", "<3 ", "<"]);
        assert_eq!(cut("a</>b", false), ["a", "b"]);
        assert_eq!(cut("a</", false), ["a", "</"]);
        assert_eq!(cut("a<b c", false), ["a"]);
    }

    #[test]
    fn comments_end_where_browsers_end_them() {
        for comment in
            ["<!---->", "<!-- a -->", "<!-->", "<!--->", "<!-- > -- > --!>", "<? x >", "</ x>", "<!x>", "<!--<!-->"]
        {
            assert_eq!(cut(&format!("{comment}b"), false), ["!", "b"], "{comment}");
        }
        for unclosed in ["<!--", "<!-- x", "<!---!>x", "<!--!>", "<!-- -- >", "<!x", "<!-"] {
            assert_eq!(cut(unclosed, false), ["!"], "{unclosed}");
        }
    }

    #[test]
    fn cdata_is_a_comment_in_html_and_text_in_foreign_content() {
        assert_eq!(cut("<![CDATA[a>b]]>c", false), ["!", "b]]>c"]);
        assert_eq!(cut("<![CDATA[a>b]]>c", true), ["[a>b]", "c"]);
        assert_eq!(cut("<![CDATA[a", true), ["[a]"]);
    }

    #[test]
    fn doctypes_are_cut_out() {
        assert_eq!(cut("<!DOCTYPE html><p>", false), ["! html", "<p>"]);
        assert_eq!(cut("<!doctype", false), ["!"]);
        assert_eq!(cut("<!doctype>x", false), ["!", "x"]);
    }
}
