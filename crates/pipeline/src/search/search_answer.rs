//! Reads the answers of searches: HTML, feeds, JSON.

use std::collections::BTreeSet;

use serde_json::Value;

use harvestman_core::model::{MediaType, ParsedPage};
use harvestman_core::url::{CanonicalUrl, Canonicaliser, origin_of};
use harvestman_policy::search::SearchAnswer;
use harvestman_stages::host::sitemap::{self, SitemapLimits};

/// Members of a JSON object that hold the address of a result, the usual one first.
const ADDRESSES: [&str; 4] = ["url", "link", "href", "uri"];
/// Members of a JSON object that hold the number of hits.
const HITS: [&str; 6] =
    ["number_of_results", "totalResults", "total_results", "totalEstimatedMatches", "total", "numFound"];
/// The element of OpenSearch 1.1 that holds the number of hits of a feed.
const TOTAL_RESULTS: &str = "totalResults>";
/// Maximum nesting of JSON that is read.
const NESTING_MAX: usize = 32;

/// What a search answered: the addresses of its results, as written, and how many documents it has found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Results {
    pub(crate) urls: Vec<String>,
    pub(crate) hits: Option<u64>,
}

impl Results {
    /// Returns the answer for the policy, of which `count` results were looked at.
    pub(crate) fn answer(&self, count: usize) -> SearchAnswer {
        SearchAnswer { hits: self.hits, results: u32::try_from(count).unwrap_or(u32::MAX) }
    }
}

/// Reads an answer that is no HTML page: a feed or JSON. `None` if it is neither.
pub(crate) fn structured(body: &[u8], url: &str, content_type: Option<&str>, limits: SitemapLimits) -> Option<Results> {
    let is_json = content_type.is_some_and(|text| text.contains("json"));
    if is_json || body.trim_ascii_start().starts_with(b"{") || body.trim_ascii_start().starts_with(b"[") {
        let mut results = json(body)?;
        results.urls.truncate(limits.urls);
        return Some(results);
    }
    if MediaType::of(content_type) != MediaType::Xml {
        return None;
    }
    let contents = sitemap::parse(body, url, content_type, limits).ok()?;
    Some(Results { urls: contents.urls, hits: feed_hits(body) })
}

/// Reads an HTML page: links to other sites, or, if there are none, all links.
pub(crate) fn page(page: &ParsedPage, url: &CanonicalUrl, canonicaliser: &Canonicaliser) -> Results {
    let own = origin_of(url.as_str());
    let urls = links(page, url, canonicaliser).into_iter().map(|link| link.as_str().to_owned());
    let (inner, outer): (Vec<String>, Vec<String>) = urls.partition(|link| origin_of(link) == own);
    Results { urls: if outer.is_empty() { inner } else { outer }, hits: None }
}

/// Returns the links of a page in the order of the document, each once.
pub(crate) fn links(page: &ParsedPage, url: &CanonicalUrl, canonicaliser: &Canonicaliser) -> Vec<CanonicalUrl> {
    let mut resolver = canonicaliser.document_resolver(url, page.base.as_deref(), page.charset);
    let mut links: Vec<_> = page.groups.iter().flat_map(|group| &group.links).collect();
    links.sort_by_key(|link| link.start);
    let (mut found, mut known) = (Vec::new(), BTreeSet::new());
    for link in links {
        let Ok(target) = resolver.resolve(page.href(link)) else { continue };
        if known.insert(target.fingerprint()) {
            found.push(target.to_url());
        }
    }
    found
}

fn json(body: &[u8]) -> Option<Results> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let mut results = Results::default();
    collect(&value, NESTING_MAX, &mut results);
    Some(results)
}

/// Collects the addresses of results, in the order of the document: of each object in a list its first address.
fn collect(value: &Value, nesting: usize, results: &mut Results) {
    if nesting == 0 {
        return;
    }
    match value {
        Value::Object(members) => {
            let hits = HITS.iter().find_map(|name| members.get(*name)?.as_u64());
            results.hits = results.hits.or(hits);
            members.values().for_each(|member| collect(member, nesting - 1, results));
        }
        Value::Array(entries) => {
            for entry in entries {
                match address(entry) {
                    Some(url) => results.urls.push(url.to_owned()),
                    None => collect(entry, nesting - 1, results),
                }
            }
        }
        _ => {}
    }
}

fn address(entry: &Value) -> Option<&str> {
    let text = match entry {
        Value::String(text) => text,
        Value::Object(members) => ADDRESSES.iter().find_map(|name| members.get(*name)?.as_str())?,
        _ => return None,
    };
    (text.starts_with("http://") || text.starts_with("https://")).then_some(text)
}

/// Returns the number of hits in an OpenSearch feed.
fn feed_hits(body: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(body);
    let (_, rest) = text.split_once(TOTAL_RESULTS)?;
    rest.split('<').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use harvestman_core::config::{Config, ParseOptions};
    use harvestman_structure::parse::Parser;

    fn read(body: &str, content_type: &str) -> Option<Results> {
        let limits = SitemapLimits::from(&Config::default().robots);
        structured(body.as_bytes(), "http://s.test/?q=x", Some(content_type), limits)
    }

    #[test]
    fn json_of_several_search_engines_is_read() {
        let searxng = r#"{"query":"x","number_of_results":120,"results":[{"url":"http://a.test/1","title":"http://no.test/",
            "engines":["http"]},{"url":"http://b.test/2"}],"suggestions":["y"]}"#;
        let results = read(searxng, "application/json").unwrap();
        assert_eq!((results.urls.join(" "), results.hits), ("http://a.test/1 http://b.test/2".to_owned(), Some(120)));
        let nested = r#"{"web":{"total":7,"value":[{"link":"https://a.test/"}]}}"#;
        assert_eq!(
            read(nested, "text/plain").unwrap(),
            Results { urls: vec!["https://a.test/".into()], hits: Some(7) }
        );
        let list = r#"["x",["t1"],["about"],["http://a.test/"]]"#;
        assert_eq!(read(list, "application/x-suggestions+json").unwrap().urls, ["http://a.test/"]);
    }

    #[test]
    fn a_feed_is_read_with_its_number_of_hits() {
        let rss = "<?xml version='1.0'?><rss version='2.0' xmlns:opensearch='http://a9.com/-/spec/opensearch/1.1/'><channel>\
            <opensearch:totalResults>42</opensearch:totalResults><item><link>http://a.test/1</link></item></channel></rss>";
        let results = read(rss, "application/rss+xml").unwrap();
        assert_eq!((results.urls, results.hits), (vec!["http://a.test/1".to_owned()], Some(42)));
    }

    #[test]
    fn of_a_page_links_to_other_sites_are_results_and_without_any_its_own() {
        let canonicaliser = Canonicaliser::new(&Config::default().url).unwrap();
        let of = |html: &str| {
            let parsed = Parser::new(&ParseOptions::default()).parse(html.as_bytes(), Some("text/html"));
            page(&parsed, &CanonicalUrl::from_canonical("http://s.test/?q=x"), &canonicaliser).urls
        };
        assert_eq!(
            of(
                "<nav><a href=/about>about</a></nav><a href='http://a.test/1'>1</a><p><a href='http://a.test/1'>again</a>"
            ),
            ["http://a.test/1"]
        );
        assert_eq!(of("<a href=/about>about</a><a href='/t/1'>1</a>"), ["http://s.test/about", "http://s.test/t/1"]);
        assert!(of("<p>no results").is_empty());
    }

    #[test]
    fn what_is_no_answer_is_none_and_deep_nesting_is_bounded() {
        assert_eq!(read("<html><p>captcha", "text/html"), None);
        assert_eq!(read("{broken", "application/json"), None);
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(read(&deep, "application/json").unwrap(), Results::default());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_answer_makes_it_panic(body in "\\PC{0,200}", kind in "(application/json|text/xml|text/html|)") {
            let _ = read(&body, &kind);
        }
    }
}
