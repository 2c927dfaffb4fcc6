//! Attributes of a tag, as the tokeniser of the HTML standard reads them (sections 13.2.5.32 ff.).

use super::bytes::{ENDS_ATTRIBUTE_NAME, ENDS_UNQUOTED, find, is_space, leading_letters};

/// The next item in a tag.
enum Next<'b> {
    Attribute { name: &'b [u8], value: &'b [u8], behind: usize },
    End { behind: usize, self_closing: bool },
    EndOfPage,
}

/// Reads the item at `at`, the position behind the tag's name or an attribute.
#[inline(always)]
fn next(bytes: &[u8], mut at: usize) -> Next<'_> {
    let mut slash = false;
    loop {
        match bytes.get(at) {
            None => return Next::EndOfPage,
            Some(b'>') => return Next::End { behind: at + 1, self_closing: slash },
            Some(b'/') => slash = true,
            Some(b) if is_space(*b) => slash = false,
            Some(_) => break,
        }
        at += 1;
    }
    // The first byte belongs to the name even where it is `=`.
    let start = at;
    at = match leading_letters(bytes, start) {
        Some((length, _)) if length > 0 && bytes[start + length] == b'=' => start + length,
        _ => run(bytes, at + 1, &ENDS_ATTRIBUTE_NAME),
    };
    let name = &bytes[start..at];
    at = skip_space(bytes, at);
    if bytes.get(at) != Some(&b'=') {
        return Next::Attribute { name, value: &[], behind: at };
    }
    at = skip_space(bytes, at + 1);
    match bytes.get(at) {
        Some(&quote @ (b'"' | b'\'')) => match find(quote, &bytes[at + 1..]) {
            Some(length) => Next::Attribute { name, value: &bytes[at + 1..at + 1 + length], behind: at + length + 2 },
            None => Next::EndOfPage,
        },
        Some(_) => {
            let behind = run(bytes, at, &ENDS_UNQUOTED);
            Next::Attribute { name, value: &bytes[at..behind], behind }
        }
        None => Next::EndOfPage,
    }
}

#[inline(always)]
fn run(bytes: &[u8], from: usize, ends: &[bool; 256]) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(|b| ends[usize::from(*b)]).unwrap_or(rest.len())
}

#[inline(always)]
fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|b| is_space(*b)) {
        at += 1;
    }
    at
}

/// Returns the position of the end of the tag whose name ends at `at` (the first byte behind it), and whether the tag
/// closes itself; `None` if the page ends first.
#[inline]
pub(super) fn end_of_tag(bytes: &[u8], mut at: usize) -> Option<(usize, bool)> {
    // Most tags have no attributes.
    if bytes.get(at) == Some(&b'>') {
        return Some((at + 1, false));
    }
    loop {
        match next(bytes, at) {
            Next::Attribute { behind, .. } => at = behind,
            Next::End { behind, self_closing } => return Some((behind, self_closing)),
            Next::EndOfPage => return None,
        }
    }
}

/// The attributes that describe the link of an `a`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Linked<'b> {
    pub href: Option<&'b [u8]>,
    pub class: Option<&'b [u8]>,
    pub rel: Option<&'b [u8]>,
}

/// Does the same as [`end_of_tag`] and stores the attributes that describe the link of an `a`, so that they are read
/// only once.
#[inline]
pub(super) fn end_of_anchor<'b>(bytes: &'b [u8], mut at: usize, linked: &mut Linked<'b>) -> Option<(usize, bool)> {
    *linked = Linked::default();
    loop {
        match next(bytes, at) {
            Next::Attribute { name, value, behind } => {
                at = behind;
                let slot = match name.len() {
                    4 if name.eq_ignore_ascii_case(b"href") => &mut linked.href,
                    5 if name.eq_ignore_ascii_case(b"class") => &mut linked.class,
                    3 if name.eq_ignore_ascii_case(b"rel") => &mut linked.rel,
                    _ => continue,
                };
                slot.get_or_insert(value);
            }
            Next::End { behind, self_closing } => return Some((behind, self_closing)),
            Next::EndOfPage => return None,
        }
    }
}

/// The attributes of a tag that is known to end, in order: names as written, values as written but without quotes.
#[derive(Debug, Clone)]
pub(super) struct Attributes<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Attributes<'b> {
    /// Creates an iterator over the attributes that begin at `at`.
    pub fn new(bytes: &'b [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Returns the values of the attributes `names`, the first of each name; `None` for a name that is missing.
    #[inline]
    pub fn pick<const N: usize>(self, names: [&str; N]) -> [Option<&'b [u8]>; N] {
        let mut values = [None; N];
        for (name, value) in self {
            for (slot, wanted) in values.iter_mut().zip(names) {
                if name.len() == wanted.len() && slot.is_none() && name.eq_ignore_ascii_case(wanted.as_bytes()) {
                    *slot = Some(value);
                }
            }
        }
        values
    }
}

impl<'b> Iterator for Attributes<'b> {
    type Item = (&'b [u8], &'b [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match next(self.bytes, self.at) {
            Next::Attribute { name, value, behind } => {
                self.at = behind;
                Some((name, value))
            }
            Next::End { .. } | Next::EndOfPage => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Read<'t> = (Vec<(&'t str, &'t str)>, Option<(usize, bool)>);

    fn read(tag: &str) -> Read<'_> {
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        let attributes = Attributes::new(tag.as_bytes(), 0).map(|(name, value)| (text(name), text(value))).collect();
        (attributes, end_of_tag(tag.as_bytes(), 0))
    }

    #[test]
    fn attributes_are_read_in_all_their_spellings() {
        assert_eq!(
            read(" a=1 B = 'x>y' c=\"'\" d e=/f/ >rest"),
            (vec![("a", "1"), ("B", "x>y"), ("c", "'"), ("d", ""), ("e", "/f/")], Some((30, false)))
        );
        assert_eq!(read("/a/>"), (vec![("a", "")], Some((4, true))));
        assert_eq!(read(" a=/>"), (vec![("a", "/")], Some((5, false))));
        assert_eq!(read(" a='1'b='2'/>"), (vec![("a", "1"), ("b", "2")], Some((13, true))));
        assert_eq!(read(" ==1 =\"x>"), (vec![("=", "1"), ("=\"x", "")], Some((9, false))));
        assert_eq!(read(" a=>"), (vec![("a", "")], Some((4, false))));
        assert_eq!(read("/ >"), (vec![], Some((3, false))));
    }

    #[test]
    fn a_tag_that_the_page_ends_in_has_no_end() {
        for torn in ["", " ", " a", " a=", " a='", " a=\"x>", " a=x", "/"] {
            assert_eq!(read(torn).1, None, "{torn}");
        }
    }

    #[test]
    fn the_first_of_two_attributes_of_one_name_wins() {
        let picked = Attributes::new(b" href=1 HREF=2 x>", 0).pick(["href", "class", "x"]);
        assert_eq!(picked, [Some(&b"1"[..]), None, Some(&b""[..])]);
    }
}
