//! Addresses of searches: a URL template with a place for the query.

use std::fmt::Write as _;

use super::{CanonicalUrl, Canonicaliser, OutOfScope};

/// The place of the query in a template.
const QUERY: &str = "{query}";
/// The same in an OpenSearch description.
const SEARCH_TERMS: &str = "{searchTerms}";

/// A search that answers at an address with a query in it, such as `https://search.example/?q={query}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchTemplate {
    before: String,
    after: String,
    /// Origin and path of every answer, if the query is not part of the path; otherwise all that is before the query.
    place: String,
    query_in_path: bool,
    /// The name of the parameter whose value is the query; `None` if it is no parameter's.
    parameter: Option<String>,
}

impl SearchTemplate {
    /// Reads a template: an absolute http or https URL with `{query}` (or `{searchTerms}`) once in its path or its
    /// query string.
    ///
    /// # Errors
    /// What is wrong with it, for the user.
    pub fn parse(text: &str, canonicaliser: &Canonicaliser) -> Result<Self, String> {
        let wrong = |why: &str| {
            format!("`{text}` is no address of a search ({why}); write it as https://search.example/?q={QUERY}")
        };
        let marker = [QUERY, SEARCH_TERMS].into_iter().find(|marker| text.contains(marker));
        let Some((before, after)) = marker.and_then(|marker| text.split_once(marker)) else {
            return Err(wrong("it has no {query}"));
        };
        if after.contains(QUERY) || after.contains(SEARCH_TERMS) {
            return Err(wrong("the query is in it more than once"));
        }
        let mut template = Self {
            before: before.to_owned(),
            after: after.to_owned(),
            place: String::new(),
            query_in_path: !before.contains('?'),
            parameter: None,
        };
        let sample = template.url("q", canonicaliser).map_err(|why| wrong(why.label()))?;
        template.place = if template.query_in_path {
            let parsed = canonicaliser.parse(before).map_err(|why| wrong(why.label()))?;
            parsed.as_str().to_owned()
        } else {
            template.parameter = parameter(before).filter(|name| has_parameter(sample.as_str(), name)).map(Into::into);
            place(sample.as_str()).to_owned()
        };
        Ok(template)
    }

    /// Returns the template of a form that is sent by GET: `action`, canonical, with these fields in place of its query
    /// string. The value of the field that the query is written into is `None`.
    ///
    /// # Errors
    /// There is not exactly one such field, or the address is too long.
    pub fn of_form(
        action: &str,
        fields: &[(String, Option<String>)],
        canonicaliser: &Canonicaliser,
    ) -> Result<Self, String> {
        let mut text = place(action).to_owned();
        for (at, (name, value)) in fields.iter().enumerate() {
            text.push(if at == 0 { '?' } else { '&' });
            push_encoded(name, &mut text);
            text.push('=');
            match value {
                Some(value) => push_encoded(value, &mut text),
                None => text.push_str(QUERY),
            }
        }
        Self::parse(&text, canonicaliser)
    }

    /// Returns the text that [`SearchTemplate::parse`] reads.
    pub fn text(&self) -> String {
        format!("{}{QUERY}{}", self.before, self.after)
    }

    /// Returns the address of the answer to a query.
    ///
    /// # Errors
    /// It is too long.
    pub fn url(&self, query: &str, canonicaliser: &Canonicaliser) -> Result<CanonicalUrl, OutOfScope> {
        let mut text = self.before.clone();
        push_encoded(query, &mut text);
        text.push_str(&self.after);
        canonicaliser.parse(&text)
    }

    /// Returns whether a canonical URL is the address of an answer of this search, or of one of its further pages.
    pub fn is_answer(&self, canonical: &str) -> bool {
        if self.query_in_path {
            return canonical.starts_with(&self.place);
        }
        place(canonical) == self.place && self.parameter.iter().all(|name| has_parameter(canonical, name))
    }
}

impl SearchTemplate {
    /// Returns the query of an answer's canonical address, if it is found there.
    pub fn query_of(&self, canonical: &str) -> Option<String> {
        let encoded = if self.query_in_path {
            canonical.strip_prefix(&self.place)?.split(['/', '?']).next()?.to_owned()
        } else {
            let name = self.before.rsplit(['?', '&']).next()?;
            let (_, parameters) = canonical.split_once('?').filter(|_| self.is_answer(canonical))?;
            parameters.split('&').find_map(|parameter| parameter.strip_prefix(name))?.replace('+', " ")
        };
        Some(percent_encoding::percent_decode_str(&encoded).decode_utf8_lossy().into_owned())
    }
}

/// Appends a text, with all bytes but unreserved ones percent-encoded (RFC 3986, section 2.3).
fn push_encoded(part: &str, text: &mut String) {
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
}

/// Returns the name of the parameter that a text with a query string ends in.
fn parameter(before: &str) -> Option<&str> {
    before.rsplit(['?', '&']).next()?.strip_suffix('=').filter(|name| !name.is_empty())
}

fn has_parameter(canonical: &str, name: &str) -> bool {
    let query = canonical.split_once('?').map_or("", |(_, query)| query);
    query.split('&').any(|pair| pair.split('=').next() == Some(name))
}

/// Returns a URL without its query string.
fn place(canonical: &str) -> &str {
    canonical.split_once('?').map_or(canonical, |(place, _)| place)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::url::UrlOptions;

    fn canonicaliser() -> Canonicaliser {
        Canonicaliser::new(&UrlOptions::default()).unwrap()
    }

    fn template(text: &str) -> Result<SearchTemplate, String> {
        SearchTemplate::parse(text, &canonicaliser())
    }

    #[test]
    fn a_query_is_written_into_the_address_and_its_answer_is_recognised() {
        for text in ["http://S.test/search?q={query}&format=json", "http://s.test/search?q={searchTerms}"] {
            let search = template(text).unwrap();
            let url = search.url("macro \"hot shoe\" ä", &canonicaliser()).unwrap();
            assert!(url.as_str().starts_with("http://s.test/search?"), "{url}");
            assert!(url.as_str().contains("macro%20%22hot%20shoe%22%20%C3%A4"), "{url}");
            assert!(search.is_answer(url.as_str()) && search.is_answer("http://s.test/search?page=2&q=x"));
            assert!(!search.is_answer("http://s.test/about") && !search.is_answer("http://s.test/search/x"));
        }
    }

    #[test]
    fn a_query_may_be_part_of_the_path() {
        let search = template("http://s.test/find/{query}/rss").unwrap();
        assert_eq!(search.url("a/b", &canonicaliser()).unwrap().as_str(), "http://s.test/find/a%2Fb/rss");
        assert!(search.is_answer("http://s.test/find/x/rss") && !search.is_answer("http://s.test/other"));
    }

    #[test]
    fn a_page_beside_the_answers_at_their_path_is_no_answer() {
        let search = template("http://s.test/index.php?title=Special:Search&search={query}").unwrap();
        assert!(search.is_answer("http://s.test/index.php?title=Special:Search&search=x&offset=20"));
        assert!(!search.is_answer("http://s.test/index.php?title=Main_Page"));
        let blog = template("http://s.test/?s={query}").unwrap();
        assert!(blog.is_answer("http://s.test/?s=x") && !blog.is_answer("http://s.test/"));
        assert!(template("http://s.test/find?{query}").unwrap().is_answer("http://s.test/find?x"));
    }

    #[test]
    fn a_form_is_sent_with_its_fields_in_their_order() {
        let field = |name: &str, value: Option<&str>| (name.to_owned(), value.map(ToOwned::to_owned));
        let fields = [field("a&b", Some("{query}=1")), field("q", None), field("go", Some("Los geht’s"))];
        let search = SearchTemplate::of_form("http://s.test/find?old=1", &fields, &canonicaliser()).unwrap();
        assert_eq!(search.text(), "http://s.test/find?a%26b=%7Bquery%7D%3D1&q={query}&go=Los%20geht%E2%80%99s");
        assert!(search.is_answer(search.url("x y", &canonicaliser()).unwrap().as_str()));
        assert!(SearchTemplate::of_form("http://s.test/", &fields[..1], &canonicaliser()).is_err());
        let two = [field("q", None), field("p", None)];
        assert!(SearchTemplate::of_form("http://s.test/", &two, &canonicaliser()).is_err());
    }

    #[test]
    fn what_is_no_template_is_an_error_that_says_what_to_write() {
        for text in ["http://s.test/", "s.test?q={query}", "ftp://s.test/?q={query}", "http://s.test/{query}/{query}"] {
            let error = template(text).unwrap_err();
            assert!(error.contains(text) && error.contains("{query}"), "{error}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_answer_to_any_query_is_recognised(query in "\\PC{1,60}") {
            for text in ["http://s.test/?q={query}", "http://s.test/find?x=1&q={query}", "http://s.test/q-{query}"] {
                let search = template(text).unwrap();
                let url = search.url(&query, &canonicaliser()).unwrap();
                prop_assert!(search.is_answer(url.as_str()), "{}", url);
                prop_assert_eq!(search.query_of(url.as_str()), Some(query.clone()));
            }
        }

        #[test]
        fn the_answers_of_any_form_are_recognised_and_its_text_is_its_template(
            fields in prop::collection::vec(("\\PC{1,8}", "\\PC{0,8}"), 0..4), name in "\\PC{1,8}", query in "\\PC{1,20}",
        ) {
            let fields: Vec<_> = fields.into_iter().map(|(name, value)| (name, Some(value))).chain([(name, None)]).collect();
            let search = SearchTemplate::of_form("http://s.test/find", &fields, &canonicaliser()).unwrap();
            let url = search.url(&query, &canonicaliser()).unwrap();
            prop_assert!(search.is_answer(url.as_str()), "{}", url);
            prop_assert_eq!(template(&search.text()).unwrap(), search);
        }
    }
}
