//! Tells pages with the same scripts from others: pure.

use std::collections::BTreeSet;

use harvestman_core::model::path_hash::{fold, step};
use memchr::memmem::Finder;

/// Maximum number of bytes of inline scripts that are read.
const INLINE_BYTES_MAX: usize = 64 << 10;
/// Maximum number of scripts and names.
const NAMES_MAX: usize = 1_000;
/// Words of scripts that are values.
const VALUES: [&str; 4] = ["true", "false", "null", "undefined"];

/// Returns a hash of a page's scripts: of the paths of those that it loads, without digits, and of the names in those that it
/// contains, without numbers and strings. Pages of one template have the same, whatever data they hand to their scripts.
pub fn script_form(source: &[u8]) -> u64 {
    let mut names = BTreeSet::new();
    let mut inline_bytes = 0;
    let mut rest = source;
    let (begin, end) = (Finder::new("<script"), Finder::new("</script"));
    while let Some(at) = begin.find(rest).filter(|_| names.len() < NAMES_MAX) {
        rest = &rest[at + "<script".len()..];
        let Some(tag_end) = rest.iter().position(|byte| *byte == b'>') else { break };
        let (tag, after) = rest.split_at(tag_end);
        let length = end.find(after).unwrap_or(after.len());
        if let Some(path) = attribute(tag, b"src") {
            names.insert(without_digits(path.split(|byte| matches!(byte, b'?' | b'#')).next().unwrap_or_default()));
        } else if is_script(tag) && inline_bytes < INLINE_BYTES_MAX {
            let script = &after[..length.min(INLINE_BYTES_MAX)];
            inline_bytes += script.len();
            names_of(script, &mut names);
        }
        rest = &after[length..];
    }
    names.iter().fold(1, |hash, name| step(hash, fold(name)))
}

/// Returns the value of an attribute in a tag.
fn attribute<'a>(tag: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let at = memchr::memmem::find_iter(tag, name).find(|at| {
        let is_begin = at.checked_sub(1).is_some_and(|before| tag[before].is_ascii_whitespace());
        is_begin && tag.get(at + name.len()) == Some(&b'=')
    })?;
    let value = &tag[at + name.len() + 1..];
    let quote = value.first().copied().filter(|byte| matches!(byte, b'"' | b'\''));
    let value = &value[usize::from(quote.is_some())..];
    let is_end = |byte: &u8| quote.map_or_else(|| byte.is_ascii_whitespace(), |quote| *byte == quote);
    Some(&value[..value.iter().position(is_end).unwrap_or(value.len())])
}

/// Returns whether a script without a source is one, and not data.
fn is_script(tag: &[u8]) -> bool {
    attribute(tag, b"type").is_none_or(|of| of.is_empty() || of == b"module" || of.ends_with(b"javascript"))
}

fn without_digits(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| !byte.is_ascii_digit()).collect()
}

/// Adds the names in a script.
fn names_of(script: &[u8], names: &mut BTreeSet<Vec<u8>>) {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let mut rest = script;
    while let Some(first) = rest.first().copied() {
        let length = match first {
            b'"' | b'\'' | b'`' => string_length(rest, first),
            _ if is_name(&first) => {
                let length = rest.iter().position(|byte| !is_name(byte)).unwrap_or(rest.len());
                let name = &rest[..length];
                let is_value = first.is_ascii_digit() || VALUES.iter().any(|value| value.as_bytes() == name);
                if !is_value && names.len() < NAMES_MAX {
                    names.insert(without_digits(name));
                }
                length
            }
            _ => 1,
        };
        rest = &rest[length..];
    }
}

/// Returns the length of a string with its quotes; one that does not end, ends with its line.
fn string_length(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match *byte {
            b'\\' => at += 1,
            b'\n' if quote != b'`' => return at + 1,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn form(source: &str) -> u64 {
        script_form(source.as_bytes())
    }

    #[test]
    fn data_of_a_page_does_not_matter() {
        let page = |id: u32, name: &str, flag: bool| {
            format!(
                "<p>{name}</p><script src='/v{id}/app{id}.js?v={id}'></script><script type=\"application/json\">{{\"{name}\": 1}}\
                 </script><script>show({{id: {id}, name: \"{name}\", flag: {flag}}})</script>"
            )
        };
        assert_eq!(form(&page(1, "one", true)), form(&page(22, "t'w\\\"o", false)));
    }

    #[test]
    fn pages_with_other_scripts_are_others() {
        let pages = [
            "<p>",
            "<script src=/a.js></script>",
            "<script src=/b.js></script>",
            "<script>a(1)</script>",
            "<script>b(1)</script>",
        ];
        let forms: BTreeSet<u64> = pages.iter().map(|page| form(page)).collect();
        assert_eq!(forms.len(), pages.len());
    }

    proptest! {
        #[test]
        fn any_source_has_a_form(source in "(<script( src=.x)?>|</script>|[a-z'\"`\\\\\n]{0,5}){0,12}") {
            form(&source);
        }

        #[test]
        fn text_around_scripts_does_not_matter(before in "[a-z ]{0,20}", after in "[a-z ]{0,20}") {
            prop_assert_eq!(form(&format!("{before}<script>go(1)</script>{after}")), form("<script>go(2)</script>"));
        }
    }
}
