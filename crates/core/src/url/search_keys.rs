//! Keys in the addresses of searches, such as `https://search.example/?key=SECRET&q={query}`.
//!
//! A crawl writes the addresses of its queries in many places: page log, archive, state, reports. Everywhere but in the
//! request itself a stand-in takes the place of a key. A parameter of an address that the user wrote counts as one
//! unless its name says that it only selects the form of the answer.

use super::{CanonicalUrl, Canonicaliser, SearchTemplate};

/// Takes the place of a key.
const STAND_IN: &str = "left-out";

/// Parameters that select what is answered, and in which form. All others may be keys.
const PLAIN: &[&str] = &[
    "action",
    "categories",
    "cc",
    "count",
    "country",
    "engines",
    "format",
    "hl",
    "lang",
    "language",
    "limit",
    "locale",
    "mkt",
    "num",
    "order",
    "output",
    "page",
    "pageno",
    "results",
    "safesearch",
    "size",
    "sort",
    "time_range",
    "title",
    "type",
];

/// A parameter of an address with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
struct KeyParameter {
    /// As the user wrote it: `key=SECRET`.
    given: String,
    /// The same in canonical form, in which links have it.
    canonical: String,
    /// What takes the place of its value.
    stand_in: String,
}

/// A search whose address has keys.
#[derive(Clone, PartialEq, Eq)]
struct KeyedSearch {
    /// Its address with stand-ins.
    template: SearchTemplate,
    /// Its host, in canonical form.
    host: String,
    keys: Vec<KeyParameter>,
}

/// The keys in the addresses of searches.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SearchKeys {
    searches: Vec<KeyedSearch>,
}

impl std::fmt::Debug for SearchKeys {
    /// Without the keys.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SearchKeys").field("searches", &self.searches.len()).finish_non_exhaustive()
    }
}

/// Returns addresses of searches with stand-ins for their keys.
pub fn without_keys(addresses: &[String]) -> impl Iterator<Item = String> {
    let mut of_places = Vec::new();
    addresses.iter().map(move |address| stand_ins(address, &mut of_places).0)
}

/// Returns an address with stand-ins, and for each the parameter as given. Stand-ins of one place are numbered, because
/// two searches may differ in nothing but a parameter. `of_places` holds the parameters so far with their places.
fn stand_ins(address: &str, of_places: &mut Vec<(String, String)>) -> (String, Vec<(String, String)>) {
    let mut keys = Vec::new();
    let Some((place, rest)) = address.split_once('?') else { return (address.to_owned(), keys) };
    let (query, fragment) = rest.split_once('#').map_or((rest, None), |(query, fragment)| (query, Some(fragment)));
    let shown = query.split('&').map(|pair| {
        if !may_be_key(pair) {
            return pair.to_owned();
        }
        let known = (place.to_owned(), pair.to_owned());
        if !of_places.contains(&known) {
            of_places.push(known);
        }
        let number =
            of_places.iter().filter(|(of, _)| of == place).position(|(_, given)| given == pair).unwrap_or_default();
        let stand_in = if number == 0 { STAND_IN.to_owned() } else { format!("{STAND_IN}-{}", number + 1) };
        keys.push((stand_in.clone(), pair.to_owned()));
        pair.split_once('=').map_or_else(|| stand_in.clone(), |(name, _)| format!("{name}={stand_in}"))
    });
    let shown = shown.collect::<Vec<_>>().join("&");
    let fragment = fragment.map(|fragment| format!("#{fragment}")).unwrap_or_default();
    (format!("{place}?{shown}{fragment}"), keys)
}

fn may_be_key(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or(("", pair));
    let is_plain = PLAIN.iter().any(|plain| name.eq_ignore_ascii_case(plain));
    !is_plain && !value.is_empty() && !value.starts_with(STAND_IN) && !pair.contains(['{', '}'])
}

impl SearchKeys {
    /// Returns the keys in the addresses of searches, as the user wrote them. What is no address of a search has none.
    pub fn new(addresses: &[String], canonicaliser: &Canonicaliser) -> Self {
        let mut of_places = Vec::new();
        let mut searches = Vec::new();
        for address in addresses {
            let (shown, keys) = stand_ins(address, &mut of_places);
            let Ok(template) = SearchTemplate::parse(&shown, canonicaliser) else { continue };
            let place = address.split_once('?').map_or("", |(place, _)| place).replace(['{', '}'], "");
            let keys: Vec<KeyParameter> = keys
                .into_iter()
                .map(|(stand_in, given)| {
                    let canonical = canonicaliser.parse(&format!("{place}?{given}"));
                    let canonical = canonical.ok().and_then(|url| Some(url.as_str().split_once('?')?.1.to_owned()));
                    KeyParameter { canonical: canonical.unwrap_or_else(|| given.clone()), given, stand_in }
                })
                .collect();
            let host = canonicaliser.parse(&place).map(|url| url.host_key().host().to_owned()).unwrap_or_default();
            if !keys.is_empty() {
                searches.push(KeyedSearch { template, host, keys });
            }
        }
        Self { searches }
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.searches.is_empty()
    }

    /// Returns the address of an answer with its keys, as it is requested; `None` if it has none.
    pub fn revealed(&self, url: &CanonicalUrl) -> Option<CanonicalUrl> {
        let keys = || self.searches.iter().filter(|of| of.template.is_answer(url.as_str())).flat_map(|of| &of.keys);
        let replaced = replaced(url.as_str(), |pair| {
            let key = keys().find(|key| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                value == key.stand_in || (value.is_empty() && name == key.stand_in)
            });
            key.map(|key| key.given.clone())
        });
        replaced.map(CanonicalUrl::from_canonical)
    }

    /// Returns a canonical URL with stand-ins, if it is a link to a search's own host, or of one of its answers, that
    /// holds a key.
    pub fn concealed(&self, url: &str, via: &str) -> Option<String> {
        let host = CanonicalUrl::from_canonical(url).host_key();
        let may_hold = |of: &&KeyedSearch| of.template.is_answer(via) || of.host == host.host();
        let keys = || self.searches.iter().filter(may_hold).flat_map(|of| &of.keys);
        replaced(url, |pair| {
            let key = keys().find(|key| pair == key.given || pair == key.canonical)?;
            Some(
                pair.split_once('=')
                    .map_or_else(|| key.stand_in.clone(), |(name, _)| format!("{name}={}", key.stand_in)),
            )
        })
    }
}

/// Returns a URL with other parameters, where `by` has one; `None` if it has none.
fn replaced(url: &str, by: impl Fn(&str) -> Option<String>) -> Option<String> {
    let (place, query) = url.split_once('?')?;
    let mut is_replaced = false;
    let pairs = query.split('&').map(|pair| match by(pair) {
        Some(other) => {
            is_replaced = true;
            other
        }
        None => pair.to_owned(),
    });
    let query = pairs.collect::<Vec<_>>().join("&");
    is_replaced.then(|| format!("{place}?{query}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::url::UrlOptions;

    fn canonicaliser() -> Canonicaliser {
        Canonicaliser::new(&UrlOptions::default()).unwrap()
    }

    fn owned(addresses: &[&str]) -> Vec<String> {
        addresses.iter().map(|address| (*address).to_owned()).collect()
    }

    fn shown(addresses: &[&str]) -> Vec<String> {
        without_keys(&owned(addresses)).collect()
    }

    #[test]
    fn what_is_no_selection_is_left_out() {
        for (address, without) in [
            ("http://s.test/?key=k%20y&q={query}&format=json#x", "http://s.test/?key=left-out&q={query}&format=json#x"),
            ("http://s.test/?q={query}&user=u&key=k", "http://s.test/?q={query}&user=left-out&key=left-out-2"),
            ("http://s.test/?k3y&q={searchTerms}", "http://s.test/?left-out&q={searchTerms}"),
            ("http://s.test/{query}?Format=rss&empty=", "http://s.test/{query}?Format=rss&empty="),
            ("site", "site"),
        ] {
            assert_eq!(shown(&[address]), [without]);
        }
    }

    #[test]
    fn searches_that_differ_in_a_key_stay_apart_and_what_is_left_out_stays_as_it_is() {
        let addresses = [
            "http://s.test/?key=a&q={query}",
            "http://s.test/?key=b&q={query}",
            "http://s.test/?key=a&num=5&q={query}",
        ];
        let without = shown(&addresses);
        let expected = [
            "http://s.test/?key=left-out&q={query}",
            "http://s.test/?key=left-out-2&q={query}",
            "http://s.test/?key=left-out&num=5&q={query}",
        ];
        assert_eq!(without, expected);
        assert_eq!(without_keys(&without).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_query_is_requested_with_its_key_and_written_without_it() {
        let canonicaliser = canonicaliser();
        for address in [
            "http://S.test:80/find?key=%61b/c+d&q={query}",
            "http://s.test/find?q={query}&k3y",
            "http://s.test/find/{query}/?key=abc&user=me",
        ] {
            let addresses = owned(&[address]);
            let keys = SearchKeys::new(&addresses, &canonicaliser);
            let written = without_keys(&addresses).next().unwrap();
            let template = SearchTemplate::parse(&written, &canonicaliser).unwrap();
            let url = template.url("green tea", &canonicaliser).unwrap();
            assert!(url.as_str().contains("left-out"), "{url}");
            let sent = keys.revealed(&url).unwrap();
            let plain =
                SearchTemplate::parse(address, &canonicaliser).unwrap().url("green tea", &canonicaliser).unwrap();
            assert_eq!(canonicaliser.parse(sent.as_str()).unwrap(), plain);
            assert_eq!(keys.concealed(plain.as_str(), "").as_deref(), Some(url.as_str()));
            assert_eq!(keys.concealed(url.as_str(), ""), None);
        }
    }

    #[test]
    fn a_key_goes_to_no_other_place_and_is_recognised_where_its_search_leads() {
        let addresses = owned(&["http://s.test/find?key=abc&q={query}"]);
        let keys = SearchKeys::new(&addresses, &canonicaliser());
        for other in [
            "http://s.test:8080/find?key=left-out&q=x",
            "http://s.test/x?key=left-out&q=x",
            "https://s.test/find?key=left-out&q=x",
        ] {
            assert_eq!(keys.revealed(&CanonicalUrl::from_canonical(other)), None, "{other}");
        }
        let answer = "http://s.test/find?key=left-out&q=x";
        let moved = keys.concealed("https://other.test/?q=x&key=abc", answer);
        assert_eq!(moved.as_deref(), Some("https://other.test/?q=x&key=left-out"));
        assert_eq!(keys.concealed("https://other.test/?q=x&key=abc", "http://a.test/"), None);
        assert_eq!(keys.concealed("http://s.test/?key=abcd", answer), None);
    }
}
