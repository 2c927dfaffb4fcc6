//! The parameters of a header's value (RFC 9110, section 5.6.6), also where servers write them in other ways.

use std::borrow::Cow;

/// Returns the value of the first parameter of this name in a header's value, without quotes.
///
/// Separators in quoted text separate nothing. Parameters may also be separated by commas or blanks, as servers write
/// them (`text/html charset=utf-8`, `text/html; charset=utf-8, text/html`), and quoted in single quotes.
pub fn parameter<'v>(value: &'v str, name: &str) -> Option<Cow<'v, str>> {
    let mut rest = value;
    loop {
        rest = rest.trim_start_matches(is_separator);
        if rest.is_empty() {
            return None;
        }
        let (word, behind) = rest.split_at(end_of_word(rest));
        let (found, written) = match behind.trim_start().strip_prefix('=') {
            Some(written) => (word, written.trim_start()),
            None => {
                rest = behind;
                continue;
            }
        };
        let (text, behind) = value_of(written);
        if found.eq_ignore_ascii_case(name) {
            return Some(text);
        }
        rest = behind;
    }
}

fn is_separator(c: char) -> bool {
    matches!(c, ';' | ',' | '=') || c.is_whitespace()
}

fn end_of_word(text: &str) -> usize {
    text.find(is_separator).unwrap_or(text.len())
}

/// Splits a value from what follows it.
fn value_of(text: &str) -> (Cow<'_, str>, &str) {
    let Some(quote @ ('"' | '\'')) = text.chars().next() else {
        let (value, behind) = text.split_at(end_of_word(text));
        return (Cow::Borrowed(value), behind);
    };
    let (mut value, mut is_escaped) = (String::new(), false);
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => {
                is_escaped = true;
                continue;
            }
            c if c == quote => return (Cow::Owned(value), &text[at + 1..]),
            _ => {}
        }
        value.push(c);
    }
    (Cow::Owned(value), "")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_parameter_is_found_in_the_forms_that_servers_write() {
        for (value, charset) in [
            ("text/html; charset=utf-8", Some("utf-8")),
            ("text/html;Charset = \"UTF-8\" ; x=y", Some("UTF-8")),
            ("text/html; charset='utf-8'", Some("utf-8")),
            ("text/html charset=utf-8", Some("utf-8")),
            ("text/html; charset=utf-8, text/html; charset=x", Some("utf-8")),
            ("text/html; charset=\"a\\\"b\"", Some("a\"b")),
            ("text/html; charset=\"open", Some("open")),
            ("text/html; title=\"; charset=x, charset=x\"; charset=y", Some("y")),
            ("text/html; xcharset=x; charset", None),
            ("charset=x", Some("x")),
            ("text/html", None),
            ("", None),
        ] {
            assert_eq!(parameter(value, "charset").as_deref(), charset, "{value}");
        }
    }

    proptest! {
        #[test]
        fn any_value_is_read(value in "[a=;, \"'\\\\]{0,30}", other in "\\PC{0,30}") {
            let _ = (parameter(&value, "a"), parameter(&other, "a"));
        }

        #[test]
        fn what_is_written_in_quotes_is_read(text in "[ -~]{0,20}") {
            let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
            let value = format!("text/html; other=\"; name=no\"; name=\"{quoted}\"");
            let read = parameter(&value, "name");
            prop_assert_eq!(read.as_deref(), Some(&*text));
        }
    }
}
