//! The form of a URL: the URL with numbers, slugs and values replaced by wildcards.

use xxhash_rust::xxh3::xxh3_64;

use harvestman_core::model::{PatternId, UrlPattern};

/// The form of a canonical URL, as a pattern: segments of its path without their digits, with slugs left out as a
/// whole, and the names of its query parameters.
pub(super) fn url_form(url: &str) -> UrlPattern {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let mut form = String::with_capacity(url.len());
    for segment in path.split('/') {
        form.push('/');
        push_segment(&mut form, segment);
    }
    for parameter in query.split('&') {
        form.push('&');
        form.push_str(parameter.split('=').next().unwrap_or_default());
    }
    // 0 is the pattern of URLs that were not looked at.
    let id = PatternId(xxh3_64(form.as_bytes()).max(1));
    UrlPattern { coarse: id, fine: id }
}

/// Number of words that make a segment a slug.
const SLUG_WORDS: usize = 3;

fn push_segment(form: &mut String, segment: &str) {
    if segment.split(['-', '_', '+']).filter(|word| !word.is_empty()).count() > SLUG_WORDS {
        form.push('*');
        return;
    }
    let mut in_digits = false;
    for c in segment.chars() {
        if !(c.is_ascii_digit() && in_digits) {
            form.push(if c.is_ascii_digit() { '$' } else { c });
        }
        in_digits = c.is_ascii_digit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_slugs_and_values_make_no_difference_and_words_do() {
        let same = |one, other| url_form(one) == url_form(other);
        assert!(same("http://h.test/t/12/what-a-long-slug", "http://h.test/t/7/another-one-of-them-here"));
        assert!(same("http://h.test/t/12?page=1", "http://h.test/t/123?page=2"));
        assert!(!same("http://h.test/t/12?page=1", "http://h.test/t/12?sort=1"));
        assert!(!same("http://h.test/t/12", "http://h.test/u/12"));
        assert!(!same("http://h.test/t/12", "http://h.test/t/12/"));
        assert_ne!(url_form("http://h.test/"), UrlPattern::NONE);
    }
}
