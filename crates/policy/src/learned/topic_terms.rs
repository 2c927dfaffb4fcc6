//! A topic as its user names it, and the addresses that name it.

use serde::{Deserialize, Serialize};

use harvestman_core::model::PageText;
use harvestman_structure::link_context::address_words;
use harvestman_structure::parse::word_hash;

/// Maximum number of terms of a topic.
pub const TERMS_MAX: usize = 10_000;
/// Minimum number of occurrences of a term in the text of a page about it.
const OCCURRENCES_MIN: usize = 2;

/// The terms of a topic: tags or words. A term of several words is a phrase.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicTerms {
    /// The letters and digits of each term in lower case, in order, each once.
    terms: Vec<Box<str>>,
    /// The words of each term as texts may show them ([`word_hash`]): in lower case, capitalised and in upper case.
    words: Vec<Box<[[u32; 3]]>>,
}

impl TopicTerms {
    /// Reads terms; what has neither letters nor digits is left out. Terms beyond [`TERMS_MAX`] are left out too.
    pub fn new<'t>(terms: impl IntoIterator<Item = &'t str>) -> Self {
        let folded = terms.into_iter().map(|term| (fold(term).into_boxed_str(), spellings(term)));
        let mut all: Vec<_> = folded.filter(|(term, _)| !term.is_empty()).take(TERMS_MAX).collect();
        all.sort_unstable();
        all.dedup_by(|one, other| one.0 == other.0);
        let (terms, words) = all.into_iter().unzip();
        Self { terms, words }
    }

    /// Whether these are terms as [`Self::new`] makes them: after they were read from bytes.
    pub fn is_sound(&self) -> bool {
        let is_sorted = self.terms.is_sorted_by(|one, other| one < other);
        is_sorted && self.terms.len() <= TERMS_MAX && self.terms.len() == self.words.len()
    }

    /// The letters and digits of each term in lower case, in order.
    pub fn terms(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().map(|term| &**term)
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether an address is that of the page of a term: a whole segment of its path, or a value in a segment or in its
    /// query, is a term (`/tag/macro/`, `/tags/macro+photography`, `/questions/tags:macro/page:2`, `?tag=macro`). The
    /// address of a page about a term usually has further words in the segment.
    pub fn names(&self, url: &str) -> bool {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let Some((_, path)) = rest.split_once('/') else { return false };
        parts(path).any(|part| self.contains(part))
    }

    /// Whether this text is a term.
    fn contains(&self, text: &str) -> bool {
        !text.is_empty() && self.terms.binary_search_by(|term| (**term).cmp(fold(text).as_str())).is_ok()
    }

    /// Whether a text has a term at least `OCCURRENCES_MIN` times outside links and forms. A link leads to a page about
    /// it. O(words · terms).
    pub fn are_in(&self, text: &PageText) -> bool {
        let runs = || text.runs().filter(|(run, _)| !run.in_anchor && !run.in_form);
        let occurs = |term: &[[u32; 3]], at: &[u32]| term.iter().zip(at).all(|(word, shown)| word.contains(shown));
        self.words.iter().filter(|term| !term.is_empty()).any(|term| {
            let found = runs().flat_map(|(_, words)| words.windows(term.len()).filter(|at| occurs(term, at)));
            found.take(OCCURRENCES_MIN).count() == OCCURRENCES_MIN
        })
    }

    /// Whether an address has a term among its words.
    pub fn mentions(&self, url: &str) -> bool {
        let path = url.split_once("://").map_or(url, |(_, rest)| rest);
        address_words(path).any(|word| self.contains(word))
    }
}

/// The segments of a path, and the values in segments and queries.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split(['/', '?', '&', '#', ':', '=', ';'])
}

/// Whether a text is a part of an address behind the first part of its path, as the name of a tag is of the address of
/// its page.
pub(super) fn names_itself(url: &str, text: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let Some((_, path)) = rest.split_once('/') else { return false };
    let text = fold(text);
    !text.is_empty() && parts(path).filter(|part| !part.is_empty()).skip(1).any(|part| fold(part) == text)
}

/// The words of a term, as texts may show each. Words with a digit are all one in a text, so a term with one has none.
fn spellings(term: &str) -> Box<[[u32; 3]]> {
    let words = || term.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    if words().any(|word| word.bytes().any(|byte| byte.is_ascii_digit())) {
        return Box::default();
    }
    let spelt = |word: &str| {
        let (lower, upper) = (word.to_lowercase(), word.to_uppercase());
        let mut rest = lower.chars();
        let first: String = rest.next().into_iter().flat_map(char::to_uppercase).collect();
        [word_hash(&lower), word_hash(&(first + rest.as_str())), word_hash(&upper)]
    };
    words().map(spelt).collect()
}

/// The letters and digits of a text in lower case; `%20` and `+` are separators, like all other signs.
fn fold(text: &str) -> String {
    let decoded = percent_decoded(text);
    decoded.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let value = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        decoded.push(value.unwrap_or(bytes[at]));
        at += if value.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_page_of_a_tag_names_it_and_a_page_about_it_mentions_it() {
        let topic = TopicTerms::new(["Macro photography", "bokeh", " - "]);
        for url in [
            "http://h/tag/bokeh/",
            "http://h/tags/Macro+Photography?page=2",
            "http://h/questions/scope:all/sort:new/tags:bokeh/page:3/",
            "http://h/list?tag=macro%20photography",
            "http://h/t/macro-photography",
        ] {
            assert!(topic.names(url), "{url}");
        }
        for url in ["http://h/p/17-bokeh-at-night", "http://bokeh/", "http://h/tag/macro/", "http://h/"] {
            assert!(!topic.names(url), "{url}");
        }
        assert!(topic.mentions("http://h/p/17-bokeh-at-night") && !topic.mentions("http://h/p/17-night"));
        assert!(TopicTerms::new(["", "--"]).is_empty());
    }

    #[test]
    fn the_text_of_a_tag_names_a_part_of_its_address_behind_the_first() {
        for (url, text) in [
            ("http://h/tags/macro-photography/", "Macro photography"),
            ("http://h/list?tag=bokeh&page=2", "Bokeh"),
            ("http://h/questions/tags:two%20words/", "two words"),
        ] {
            assert!(names_itself(url, text), "{url}");
        }
        for (url, text) in
            [("http://h/questions", "Questions"), ("http://tags/", "tags"), ("http://h/a/b", "--"), ("x", "x")]
        {
            assert!(!names_itself(url, text), "{url}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_read_as_terms_and_as_an_address(terms in prop::collection::vec(".{0,12}", 0..6), url in ".{0,40}") {
            let topic = TopicTerms::new(terms.iter().map(String::as_str));
            let named = format!("http://h/tag/{}", terms.first().map_or("", String::as_str).replace(['/', '?', '&', '#', ':', '=', ';', '%'], ""));
            let is_term = terms.first().is_some_and(|term| {
                term.chars().any(char::is_alphanumeric) && !term.contains(['/', '?', '&', '#', ':', '=', ';', '%'])
            });
            prop_assert!(!is_term || topic.names(&named));
            topic.names(&url);
            topic.mentions(&url);
        }
    }
}
