//! Whether a page has an element with a name and attributes, decided by its tags alone, without a tree.
//!
//! Follows the tokenizer of the HTML standard (13.2.5) through a page. Which tags become elements is told by the tree
//! construction (13.2.6); this module decides only where that is certain: outside `select`, `template`, `frameset` and
//! foreign content, each start tag of [`INSERTED`] becomes an element in every insertion mode. Whatever else it meets
//! that would need the tree leaves the question open. O(length).

use memchr::{memchr, memmem};

use crate::required::Compound;

/// Elements that are inserted for each of their start tags.
const INSERTED: &[&str] = &[
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "b",
    "bdi",
    "blockquote",
    "cite",
    "code",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "i",
    "img",
    "ins",
    "kbd",
    "label",
    "li",
    "main",
    "mark",
    "nav",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "samp",
    "section",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "time",
    "u",
    "ul",
    "var",
];
/// Elements after which the tree decides what tags mean, and one that becomes another.
const UNCERTAIN: &[&str] = &["select", "template", "frameset", "svg", "math", "plaintext", "image"];
/// Elements whose content is text.
const RAW: &[&str] = &["script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript"];
/// Maximum number of attributes of a tag: each is compared with those before it.
const ATTRIBUTES_MAX: usize = 64;

/// Returns whether an element of a page matches one of these compounds; `None` where the tags do not tell.
pub fn has_match(source: &str, compounds: &[Compound]) -> Option<bool> {
    let mut page = Page { source: source.as_bytes(), at: 0 };
    let (mut roots, mut bodies) = (0, 0);
    while let Some(tag) = page.next_tag()? {
        if compounds.iter().any(|compound| tag.matches(compound)) {
            return tag.is_one_of(INSERTED).then_some(true);
        }
        roots += usize::from(tag.is("html"));
        bodies += usize::from(tag.is("body"));
        // The attributes of several such tags are those of one element.
        if roots > 1 || bodies > 1 || tag.is_one_of(UNCERTAIN) || tag.has_references() {
            return None;
        }
        if let Some(raw) = RAW.iter().find(|name| tag.is(name)) {
            page.skip_raw(raw)?;
        }
    }
    Some(false)
}

/// A start tag.
struct Tag<'s> {
    name: &'s [u8],
    /// Names and values as they are written; of several with the same name the first.
    attributes: Vec<(&'s [u8], &'s [u8])>,
}

impl Tag<'_> {
    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }

    fn is_one_of(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.is(name))
    }

    /// Whether its classes or its id may be others than they seem, for they contain character references.
    fn has_references(&self) -> bool {
        ["class", "id"].iter().any(|name| self.value(name).is_some_and(|value| memchr(b'&', value).is_some()))
    }

    fn value(&self, name: &str) -> Option<&[u8]> {
        let found = self.attributes.iter().find(|(own, _)| own.eq_ignore_ascii_case(name.as_bytes()));
        found.map(|(_, value)| *value)
    }

    fn matches(&self, compound: &Compound) -> bool {
        let has_class = |class: &String| {
            let classes = self.value("class").unwrap_or_default();
            classes.split(|byte| is_space(*byte)).any(|own| own == class.as_bytes())
        };
        compound.element.as_ref().is_none_or(|name| self.is(name))
            && compound.classes.iter().all(has_class)
            && compound.ids.iter().all(|id| self.value("id") == Some(id.as_bytes()))
            && compound.attributes.iter().all(|name| self.value(name).is_some())
    }
}

/// The rest of a page.
struct Page<'s> {
    source: &'s [u8],
    at: usize,
}

impl<'s> Page<'s> {
    fn rest(&self) -> &'s [u8] {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// The next start tag; `Some(None)` at the end, `None` where the tags do not tell.
    fn next_tag(&mut self) -> Option<Option<Tag<'s>>> {
        while let Some(at) = memchr(b'<', self.rest()) {
            self.at += at + 1;
            match self.rest() {
                [b'/', first, ..] if first.is_ascii_alphabetic() => {
                    self.at += 1;
                    if self.tag()?.is_none() {
                        break;
                    }
                }
                [first, ..] if first.is_ascii_alphabetic() => match self.tag()? {
                    Some(tag) => return Some(Some(tag)),
                    None => break,
                },
                [b'!', b'-', b'-', text @ ..] => {
                    // Comments that end at once, and the other ways to end one.
                    if text.starts_with(b">") || text.starts_with(b"->") {
                        return None;
                    }
                    let end = memmem::find(text, b"-->");
                    if memmem::find(&text[..end.unwrap_or(text.len())], b"--!>").is_some() {
                        return None;
                    }
                    let Some(end) = end else { break };
                    self.at += 3 + end + 3;
                }
                [b'!' | b'?' | b'/', text @ ..] => match memchr(b'>', text) {
                    Some(end) => self.at += 1 + end + 1,
                    None => break,
                },
                _ => {}
            }
        }
        Some(None)
    }

    /// Reads a tag from its name to its `>`. `Some(None)`: the page ends before; `None`: it has too many attributes.
    fn tag(&mut self) -> Option<Option<Tag<'s>>> {
        let name = self.until(|byte| is_space(byte) || matches!(byte, b'/' | b'>'));
        let mut attributes: Vec<(&[u8], &[u8])> = Vec::new();
        loop {
            self.until(|byte| !is_space(byte) && byte != b'/');
            match self.rest().first() {
                None => return Some(None),
                Some(b'>') => {
                    self.at += 1;
                    return Some(Some(Tag { name, attributes }));
                }
                Some(_) => {}
            }
            let Some((name, value)) = self.attribute() else { return Some(None) };
            if attributes.len() == ATTRIBUTES_MAX {
                return None;
            }
            attributes.push((name, value));
        }
    }

    /// Reads an attribute; `None`: the page ends before its end.
    fn attribute(&mut self) -> Option<(&'s [u8], &'s [u8])> {
        let from = self.at;
        // A name may begin with `=`.
        self.at += 1;
        self.until(|byte| is_space(byte) || matches!(byte, b'/' | b'>' | b'='));
        let name = &self.source[from..self.at];
        self.until(|byte| !is_space(byte));
        if *self.rest().first()? != b'=' {
            return Some((name, b""));
        }
        self.at += 1;
        self.until(|byte| !is_space(byte));
        let value = match *self.rest().first()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                let end = memchr(quote, self.rest())?;
                let value = &self.rest()[..end];
                self.at += end + 1;
                value
            }
            _ => self.until(|byte| is_space(byte) || byte == b'>'),
        };
        Some((name, value))
    }

    /// Moves to the first byte that `ends` the current part, or to the end. Returns the part.
    fn until(&mut self, ends: impl Fn(u8) -> bool) -> &'s [u8] {
        let rest = self.rest();
        let length = rest.iter().position(|byte| ends(*byte)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Moves to the end tag of an element whose content is text, or to the end. `None`: what is text is uncertain.
    fn skip_raw(&mut self, name: &str) -> Option<()> {
        let from = self.at;
        while let Some(at) = memmem::find(self.rest(), b"</") {
            self.at += at;
            let after = self.rest().get(2..2 + name.len()).filter(|tag| tag.eq_ignore_ascii_case(name.as_bytes()));
            let ends = |byte: &u8| is_space(*byte) || matches!(byte, b'/' | b'>');
            if after.is_some() && self.rest().get(2 + name.len()).is_some_and(ends) {
                break;
            }
            self.at += 2;
        }
        if memmem::find(self.rest(), b"</").is_none() {
            self.at = self.source.len();
        }
        // A comment in a script may contain its end tag.
        let is_script = name == "script";
        (!is_script || memmem::find(&self.source[from..self.at], b"<!--").is_none()).then_some(())
    }
}

/// White space of the tokenizer, which replaces carriage returns by line feeds first.
const fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::required::names_of;

    fn has(selector: &str, source: &str) -> Option<bool> {
        has_match(source, &names_of(selector).unwrap().compounds.unwrap())
    }

    #[test]
    fn tags_with_all_names_are_found_and_text_is_none() {
        let page =
            "<!doctype html><title><p class=post></title><!-- <p class=post> --><script>'<p class=post>'</script>";
        assert_eq!(has("p.post", page), Some(false));
        assert_eq!(has("p.post", &format!("{page}<P title='>' CLASS=\"a\npost\">")), Some(true));
        assert_eq!(has("p.post[id]", &format!("{page}<p class=post id>")), Some(true));
        assert_eq!(has("p.post#x, i", &format!("{page}<p class=post id=y>")), Some(false));
        assert_eq!(has("p.post", "<p class=x class=post>"), Some(false), "the first attribute counts");
    }

    #[test]
    fn where_the_tree_decides_the_tags_do_not_tell() {
        for source in [
            "<select><p class=post>",
            "<svg><p class=post>",
            "<tr class=post>",
            "<p class=p&#111;st>",
            "<body class=x><body id=y>",
            "<script><!--</script><p class=post>",
            "<!--><p class=post>",
            "<!-- --!><p class=post>",
        ] {
            assert_eq!(has(".post", source), None, "{source}");
        }
        assert!(names_of("tr").unwrap().compounds.is_none() && names_of("p").unwrap().compounds.is_none());
        assert!(names_of("a[href='x']").unwrap().compounds.is_none());
    }

    #[test]
    fn a_tag_of_many_attributes_is_left_to_the_tree() {
        let tag = |count: usize| format!("<i {}>", (0..count).map(|at| format!("a{at} ")).collect::<String>());
        assert_eq!(has(".post", &tag(ATTRIBUTES_MAX)), Some(false));
        assert_eq!(has(".post", &tag(ATTRIBUTES_MAX + 1)), None);
    }
}
