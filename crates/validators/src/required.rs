//! What the source of a page must contain for a validator to accept the page, to reject most pages before a tree is
//! built.
//!
//! All conditions are necessary, so that no verdict depends on them: the tree of a page without a required name has no
//! element that could match. Names are compared without regard to ASCII case, as in quirks mode.

use memchr::memchr_iter;
use regex::{Regex, RegexBuilder};

/// The elements that the HTML standard (13.2.6) creates without a start tag of their name.
const IMPLIED: &[&str] = &["html", "head", "body", "tbody", "colgroup", "tr", "p", "br", "img"];
/// Named character references for characters of names, without `;` (HTML standard, 13.5).
const NAMED: [&[u8]; 3] = [b"fjlig", b"lowbar", b"UnderBar"];

/// A text that a source must contain.
#[derive(Debug, Clone)]
pub struct Name {
    regex: Regex,
    /// Whether character references may stand for parts of it.
    is_value: bool,
}

impl Name {
    /// The name of an element; `None` for one that exists without a tag.
    pub fn element(name: &str) -> Option<Self> {
        let is_implied = IMPLIED.iter().any(|implied| implied.eq_ignore_ascii_case(name));
        if is_implied { None } else { Self::new(&format!("<{name}"), false) }
    }

    /// The name of an attribute.
    pub fn attribute(name: &str) -> Option<Self> {
        Self::new(name, false)
    }

    /// A part of the value of an attribute; `None` unless it consists of ASCII letters, digits, `-` and `_`.
    pub fn value(value: &str) -> Option<Self> {
        value.bytes().all(is_of_name).then(|| Self::new(value, true)).flatten()
    }

    fn new(text: &str, is_value: bool) -> Option<Self> {
        let mut builder = RegexBuilder::new(&regex::escape(text));
        let regex = builder.case_insensitive(true).unicode(false).build().ok()?;
        Some(Self { regex, is_value })
    }

    /// Returns whether a source may have this name.
    fn may_be_in(&self, source: &str) -> bool {
        self.regex.is_match(source) || self.is_value && has_spelt_out(source.as_bytes(), b'&', reference)
    }

    /// Returns whether a source may have this name in JSON or in HTML.
    pub fn may_be_in_json(&self, source: &str) -> bool {
        self.may_be_in(source) || has_spelt_out(source.as_bytes(), b'\\', escape)
    }
}

/// Returns whether a source has the start tag of an element.
pub fn has_tag(source: &str, name: &str) -> bool {
    let tags = memchr_iter(b'<', source.as_bytes());
    tags.filter_map(|at| source.as_bytes().get(at + 1..=at + name.len()))
        .any(|tag| tag.eq_ignore_ascii_case(name.as_bytes()))
}

const fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// Returns whether a character of names is written in another way: by `sign` and what `read` recognises after it.
fn has_spelt_out(source: &[u8], sign: u8, read: fn(&[u8]) -> bool) -> bool {
    memchr_iter(sign, source).any(|at| read(&source[at + 1..]))
}

/// Whether the character reference that begins with `&` and this text stands for characters of names (13.2.5.72).
fn reference(text: &[u8]) -> bool {
    let Some(number) = text.strip_prefix(b"#") else { return NAMED.iter().any(|name| text.starts_with(name)) };
    let hex = number.strip_prefix(b"x").or_else(|| number.strip_prefix(b"X"));
    let (digits, radix) = hex.map_or((number, 10), |digits| (digits, 16));
    let digits = digits.iter().map_while(|byte| char::from(*byte).to_digit(radix));
    // Larger numbers remain larger than any character of names.
    let code = digits.fold(0_u32, |code, digit| code.saturating_mul(radix).saturating_add(digit));
    u8::try_from(code).is_ok_and(is_of_name)
}

/// Whether the escape of JSON that begins with `\` and this text stands for a character of names (RFC 8259, section 7).
fn escape(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"u00").and_then(|rest| std::str::from_utf8(rest.get(..2)?).ok());
    digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).is_some_and(is_of_name)
}

/// What a source must contain for an element to match a CSS selector: all names of at least one of its alternatives.
#[derive(Debug, Clone)]
pub struct RequiredNames {
    alternatives: Vec<Vec<Name>>,
}

impl RequiredNames {
    /// Returns whether an element of a page with this source may match.
    pub fn may_match(&self, source: &str) -> bool {
        self.alternatives.iter().any(|names| names.iter().all(|name| name.may_be_in(source)))
    }
}

/// A compound of names: an element with this name, these classes, ids and attributes.
#[derive(Debug, Clone, Default)]
pub struct Compound {
    /// The name of the element; any if `None`.
    pub element: Option<String>,
    /// Its classes.
    pub classes: Vec<String>,
    /// Its ids; with several no element matches.
    pub ids: Vec<String>,
    /// Its attributes, whatever their values.
    pub attributes: Vec<String>,
}

impl Compound {
    /// Whether all elements that match have a tag of their own in the source.
    fn has_tag(&self) -> bool {
        let is_plain = self.classes.is_empty() && self.ids.is_empty() && self.attributes.is_empty();
        let is_implied = |name: &String| IMPLIED.iter().any(|implied| implied.eq_ignore_ascii_case(name));
        !is_plain || self.element.as_ref().is_some_and(|name| !is_implied(name))
    }
}

/// What can be told of a selector from its text.
#[derive(Debug, Clone)]
pub struct SelectorNames {
    /// The alternatives, where each is a compound of names, and all elements that match have tags.
    pub compounds: Option<Vec<Compound>>,
    /// What a source must contain.
    pub required: RequiredNames,
    /// Whether each alternative is a compound of a type, classes, ids and attributes: whether an element matches
    /// depends on its own name and attributes only.
    pub are_compounds: bool,
}

/// Reads a valid selector. Returns `None` where it is written with escapes, comments, namespaces or other than ASCII.
pub fn names_of(selector: &str) -> Option<SelectorNames> {
    if !selector.is_ascii() || selector.contains('\\') || selector.contains("/*") {
        return None;
    }
    let mut reader = Reader { rest: selector.trim() };
    let (mut alternatives, mut names, mut are_compounds) = (Vec::new(), Vec::new(), true);
    let (mut compounds, mut compound, mut compares) = (Vec::new(), Compound::default(), false);
    while let Some(sign) = reader.rest.chars().next() {
        match sign {
            ',' => {
                alternatives.push(std::mem::take(&mut names));
                compounds.push(std::mem::take(&mut compound));
                reader.skip(1);
                reader.spaces();
            }
            '.' | '#' => {
                reader.skip(1);
                let word = reader.word()?;
                names.extend(Name::value(word));
                (if sign == '.' { &mut compound.classes } else { &mut compound.ids }).push(word.to_owned());
            }
            '[' => {
                let (name, has_value) = reader.attribute()?;
                names.extend(Name::attribute(name));
                compound.attributes.push(name.to_owned());
                compares |= has_value;
            }
            '*' => reader.skip(1),
            ':' => {
                are_compounds = false;
                reader.pseudo()?;
            }
            _ if sign.is_ascii_whitespace() || matches!(sign, '>' | '+' | '~') => {
                reader.spaces();
                // White space before a comma is none between elements.
                are_compounds &= reader.rest.starts_with(',');
                reader.rest = reader.rest.trim_start_matches(['>', '+', '~']);
                reader.spaces();
            }
            _ => {
                let word = reader.word()?;
                names.extend(Name::element(word));
                compound.element = Some(word.to_owned());
            }
        }
    }
    alternatives.push(names);
    compounds.push(compound);
    let have_tags = are_compounds && !compares && compounds.iter().all(Compound::has_tag);
    let required = RequiredNames { alternatives };
    Some(SelectorNames { required, are_compounds, compounds: have_tags.then_some(compounds) })
}

/// Reads the text of a selector.
struct Reader<'s> {
    rest: &'s str,
}

impl<'s> Reader<'s> {
    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn spaces(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    /// The next word; `None` if there is none.
    fn word(&mut self) -> Option<&'s str> {
        let end = self.rest.bytes().position(|byte| !is_of_name(byte)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// The name of an attribute in brackets, and whether its value matters. `None`: it has a namespace.
    fn attribute(&mut self) -> Option<(&'s str, bool)> {
        let inside = self.bracketed()?.trim_ascii_start();
        let mut reader = Reader { rest: inside };
        let name = reader.word()?;
        reader.spaces();
        let operators = ["=", "~=", "|=", "^=", "$=", "*="];
        let has_value = operators.iter().any(|operator| reader.rest.starts_with(operator));
        (has_value || reader.rest.is_empty()).then_some((name, has_value))
    }

    /// Skips a pseudo-class with its arguments.
    fn pseudo(&mut self) -> Option<()> {
        self.rest = self.rest.trim_start_matches(':');
        self.word()?;
        if self.rest.starts_with('(') {
            self.bracketed()?;
        }
        Some(())
    }

    /// What is between the bracket that comes next and the one that closes it.
    fn bracketed(&mut self) -> Option<&'s str> {
        let (mut depth, mut quote) = (0_usize, None);
        for (at, sign) in self.rest.char_indices() {
            match (quote, sign) {
                (Some(open), _) if open == sign => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(sign),
                (None, '(' | '[') => depth += 1,
                (None, ')' | ']') => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        let inside = &self.rest[1..at];
                        self.skip(at + 1);
                        return Some(inside);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the names of a selector are in a source, and whether it consists of compounds.
    fn read(selector: &str, source: &str) -> (bool, bool) {
        let names = names_of(selector).unwrap();
        (names.required.may_match(source), names.are_compounds)
    }

    #[test]
    fn all_names_of_one_alternative_must_be_in_the_source() {
        assert_eq!(read("article.post", "<ARTICLE class='a POST'>"), (true, true));
        assert_eq!(read("article.post", "<p class=post>article"), (false, true));
        assert_eq!(read("h1 , #x[data-k ~= 'a ] b']", "<p id=x data-k>"), (true, true));
        assert_eq!(read("h1,#x[data-k='h1']", "<p id=x>h1"), (false, true));
        assert_eq!(read("ul > li.last + li", "<ul><li class=last><li>"), (true, false));
        assert_eq!(read("ul li.last", "<ul><li>"), (false, false));
        assert_eq!(read("p:not(.x, [y=')']):has(> i).z", "<p>"), (false, false));
        assert_eq!(read("p:not(.x, [y=')']):has(> i).z", "<p class=z>"), (true, false));
        assert_eq!(read("tr, *", ""), (true, true));
    }

    #[test]
    fn what_is_written_in_an_unusual_way_requires_nothing() {
        for selector in [r"\31 a", "svg|a", "*|*", "[x|href]", ".größe", "p/* b */"] {
            assert!(names_of(selector).is_none(), "{selector}");
        }
    }

    #[test]
    fn characters_of_names_may_be_written_as_references() {
        let name = Name::value("post").unwrap();
        for source in ["p&#111;st", "&#x0000006f;", "&#X6Fst", "&fjlig;", "&lowbar", "POST"] {
            assert!(name.may_be_in(source), "{source}");
        }
        for source in ["&#39;&#8217;&#x27; &amp;&lt;&nbsp; & &#;", "&#4294967407;", r"\u006f", "pos t"] {
            assert!(!name.may_be_in(source), "{source}");
        }
        assert!(name.may_be_in_json(r"p\u006fst") && !name.may_be_in_json(r"\u003c \n \u00 \u2019"));
        assert!(!Name::element("article").unwrap().may_be_in("&#111;"), "tags have no references");
        assert!(Name::element("TBODY").is_none() && Name::value("a b").is_none());
    }

    #[test]
    fn a_tag_is_found_in_any_case() {
        assert!(has_tag("a < b <TaBle>", "table") && !has_tag("</table><tabl", "table"));
    }
}
