//! A looser form of URLs for a second comparison, after their canonical forms differ.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// Returns `url` without its scheme and with its escapes decoded. The result is for comparison only and not a URL.
pub(super) fn loose_form(url: &str) -> Cow<'_, str> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or(url);
    percent_decode_str(rest).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scheme_and_escapes_do_not_matter_in_the_loose_form() {
        assert_eq!(loose_form("https://h/a%20b?c=%C3%A9"), loose_form("http://h/a b?c=é"));
        assert_ne!(loose_form("http://h/a"), loose_form("http://h/A"));
    }
}
