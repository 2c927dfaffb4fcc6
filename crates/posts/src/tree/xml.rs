//! Pages that are written as XML: `<div/>` is an empty element there, and one that is never closed in HTML.

use std::borrow::Cow;
use std::collections::HashMap;

/// Elements that are always empty.
const VOID: [&str; 16] = [
    "area", "base", "basefont", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];
/// Elements of other languages, in which HTML knows empty elements too.
const FOREIGN: [&str; 2] = ["svg", "math"];
/// Maximum length of a name, in bytes.
const NAME_MAX: usize = 16;

/// A tag of a page.
struct Tag<'s> {
    name: &'s str,
    is_end: bool,
    /// Where its end is: that of `/>` if it is empty.
    empty_at: Option<usize>,
}

/// Returns the page as HTML: with an end tag for each empty element, if the page balances only with them.
pub(super) fn as_html(source: &str) -> Cow<'_, str> {
    if !source.contains("/>") {
        return Cow::Borrowed(source);
    }
    let mut balance: HashMap<&str, Balance> = HashMap::new();
    let mut empty = Vec::new();
    for tag in tags(source).filter(|tag| !VOID.contains(&tag.name)) {
        if FOREIGN.contains(&tag.name) {
            return Cow::Borrowed(source);
        }
        let of_name = balance.entry(tag.name).or_default();
        match (tag.is_end, tag.empty_at) {
            (true, _) => of_name.ends += 1,
            (false, None) => of_name.begins += 1,
            (false, Some(at)) => {
                of_name.empty += 1;
                empty.push((at, tag.name));
            }
        }
    }
    let of_empty = balance.values().filter(|balance| balance.empty > 0);
    let (as_xml, as_html) = of_empty.fold((0, 0), |(xml, html), Balance { begins, ends, empty }| {
        (xml + begins.abs_diff(*ends), html + (begins + empty).abs_diff(*ends))
    });
    if as_xml >= as_html { Cow::Borrowed(source) } else { Cow::Owned(with_ends(source, &empty)) }
}

/// The tags of one name.
#[derive(Debug, Default)]
struct Balance {
    begins: u32,
    ends: u32,
    empty: u32,
}

fn with_ends(source: &str, empty: &[(usize, &str)]) -> String {
    let (mut text, mut from) = (String::with_capacity(source.len() + empty.len() * NAME_MAX), 0);
    for (at, name) in empty {
        text.push_str(&source[from..*at]);
        text.push_str("></");
        text.push_str(name);
        // The `>` of the tag ends its end tag.
        from = at + 1;
    }
    text.push_str(&source[from..]);
    text
}

/// Returns the tags, but for those in quoted attributes.
fn tags(source: &str) -> impl Iterator<Item = Tag<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + memchr::memchr(b'<', source.as_bytes().get(at..)?)? + 1;
            at = start;
            let is_end = source.as_bytes().get(start) == Some(&b'/');
            let rest = source.get(start + usize::from(is_end)..)?;
            let length = rest.bytes().take(NAME_MAX).take_while(u8::is_ascii_alphanumeric).count();
            if length == 0 {
                continue;
            }
            let end = start + tag_length(&source.as_bytes()[start..])?;
            at = end;
            let is_empty = !is_end && source.as_bytes()[end - 1] == b'/';
            return Some(Tag { name: &rest[..length], is_end, empty_at: is_empty.then(|| end - 1) });
        }
    })
}

/// Returns the length of a tag up to its `>`.
fn tag_length(tag: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr3(b'>', b'"', b'\'', &tag[at..])?;
        match tag[at] {
            b'>' => return Some(at),
            quote if at > 0 && tag[at - 1] == b'=' => at += 2 + memchr::memchr(quote, &tag[at + 1..])?,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn empty_elements_end_where_the_page_balances_only_with_them() {
        assert_eq!(
            as_html("<div><p a='/>'>x<i class=\"y\"/></p><a/></div><br/>"),
            "<div><p a='/>'>x<i class=\"y\"></i></p><a></a></div><br/>"
        );
        for html in
            ["<div/>x</div>", "<p>x<br/>", "<div><svg><path/></svg><div/></div>", "<div x='<a/>'>", "<div/", "a < b/>"]
        {
            assert_eq!(as_html(html), html);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[<>/a-c='\" é]{0,60}") {
            let html = as_html(&text);
            prop_assert!(html.len() >= text.len());
        }
    }
}
