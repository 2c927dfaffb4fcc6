//! Cuts a page into tags, texts and comments (HTML standard, section 13.2.5). It looks at each byte once and copies none.

use memchr::memchr;

use super::attributes::end_of_tag;
use super::bytes::{ENDS_TAG_NAME, is_space};
use super::element::Tag;
use super::path::name_word;
use super::raw::{Raw, end_of_content};

/// The part of a longer element name that tells it from others.
const NAME_MAX: usize = 128;

#[derive(Debug, Clone, Copy)]
pub(super) struct TagToken<'b> {
    pub name: &'b [u8],
    /// The word of its name.
    pub word: u64,
    pub tag: Tag,
    /// Where its attributes begin, and where the tag ends.
    pub attributes: (usize, usize),
    pub self_closing: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Token<'b> {
    Start(TagToken<'b>),
    End(TagToken<'b>),
    /// Text with entities as written. A text may come in pieces.
    Text(&'b [u8]),
    /// White space only.
    Space,
    /// Text without entities.
    Cdata(&'b [u8]),
    Comment,
    /// What stands between `<!doctype` and `>`.
    Doctype(&'b [u8]),
}

pub(super) struct Tokens<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Tokens<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next token. In SVG and MathML (`foreign`) there are CDATA sections.
    #[inline]
    pub fn next(&mut self, foreign: bool) -> Option<Token<'b>> {
        loop {
            let rest = self.bytes.get(self.at..)?;
            match *rest {
                [] => return None,
                [b'<', first, ..] if first.is_ascii_alphabetic() => {
                    return self.tag(self.at + 1).map(Token::Start);
                }
                [b'<', b'/', first, ..] if first.is_ascii_alphabetic() => {
                    return self.tag(self.at + 2).map(Token::End);
                }
                // An empty end tag does not even part the texts around it.
                [b'<', b'/', b'>', ..] => self.at += 3,
                [b'<', b'/', _, ..] | [b'<', b'?', ..] => return Some(self.bogus_comment()),
                [b'<', b'!', ..] => return Some(self.declaration(foreign)),
                _ => return Some(self.text(rest)),
            }
        }
    }

    #[inline]
    fn text(&mut self, rest: &'b [u8]) -> Token<'b> {
        let solid = rest.iter().position(|b| !is_space(*b)).unwrap_or(rest.len());
        if solid == rest.len() || (solid > 0 && rest[solid] == b'<') {
            self.at += solid;
            return Token::Space;
        }
        // Here the first byte may be a `<` that begins no markup.
        let length = memchr(b'<', &rest[solid + 1..]).map_or(rest.len(), |end| solid + 1 + end);
        self.at += length;
        Token::Text(&rest[..length])
    }

    /// Reads the tag whose name begins at `start`. A tag that the page ends in is none.
    #[inline]
    fn tag(&mut self, start: usize) -> Option<TagToken<'b>> {
        let rest = &self.bytes[start..];
        let mut word = 0;
        let mut length = 0;
        for &b in rest {
            if ENDS_TAG_NAME[usize::from(b)] {
                break;
            }
            if length < 8 {
                word |= u64::from(b.to_ascii_lowercase()) << (8 * length);
            }
            length += 1;
        }
        let name = &rest[..length];
        if length > 8 {
            word = long_word(name);
        }
        let attributes = start + length;
        let Some((behind, self_closing)) = end_of_tag(self.bytes, attributes) else {
            self.at = self.bytes.len();
            return None;
        };
        self.at = behind;
        Some(TagToken { name, word, tag: Tag::of(word), attributes: (attributes, behind), self_closing })
    }

    fn bogus_comment(&mut self) -> Token<'b> {
        self.at = memchr(b'>', &self.bytes[self.at..]).map_or(self.bytes.len(), |end| self.at + end + 1);
        Token::Comment
    }

    fn declaration(&mut self, foreign: bool) -> Token<'b> {
        let rest = &self.bytes[self.at + 2..];
        if rest.starts_with(b"--") {
            self.at = end_of_comment(self.bytes, self.at + 4);
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

    /// The content of the element `name` whose start tag was read last, and whose content is text; skips its end tag.
    pub fn content(&mut self, raw: Raw, name: &str) -> &'b [u8] {
        let end = end_of_content(self.bytes, self.at, raw, name);
        let content = &self.bytes[self.at..end];
        self.at = end;
        if end < self.bytes.len() {
            // The end tag: where it is torn, the page ends here.
            self.tag(end + 2);
        }
        content
    }
}

fn long_word(name: &[u8]) -> u64 {
    let mut lower = [0; NAME_MAX];
    let length = name.len().min(NAME_MAX);
    lower[..length].copy_from_slice(&name[..length]);
    lower.make_ascii_lowercase();
    name_word(&lower[..length])
}

/// Where the comment ends whose content begins at `from`.
fn end_of_comment(bytes: &[u8], from: usize) -> usize {
    let rest = &bytes[from..];
    if rest.starts_with(b">") {
        return from + 1;
    }
    if rest.starts_with(b"->") {
        return from + 2;
    }
    memchr::memchr_iter(b'>', rest)
        .find(|end| rest[..*end].ends_with(b"--") || rest[..*end].ends_with(b"--!"))
        .map_or(bytes.len(), |end| from + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(page: &str, foreign: bool) -> Vec<String> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut tokens = Tokens::new(page.as_bytes());
        std::iter::from_fn(|| tokens.next(foreign))
            .map(|token| match token {
                Token::Start(tag) => format!("<{}>", text(tag.name)),
                Token::End(tag) => format!("</{}>", text(tag.name)),
                Token::Text(bytes) => text(bytes),
                Token::Space => " ".into(),
                Token::Cdata(bytes) => format!("[{}]", text(bytes)),
                Token::Comment => "!".into(),
                Token::Doctype(bytes) => format!("!{}", text(bytes)),
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
