//! The searches of the seeds' own sites: which fetches are theirs, what seeds' pages and descriptions say about them,
//! and what their answers show.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::RwLock;

use crate::search::search_answer;
use harvestman_core::model::{ParsedPage, ScheduledUrl};
use harvestman_core::url::{CanonicalUrl, Canonicaliser, SearchTemplate};
use harvestman_policy::search::{FoundSearch, OwnSearch, PageSearch};
use harvestman_stages::host::search_description;
use harvestman_validators::{PageView, SearchForm};

/// Maximum length of a description, in bytes. The usual ones have one or two thousand.
pub(crate) const DESCRIPTION_BYTES_MAX: u64 = 256 << 10;
/// Maximum number of links of a seed's page that are remembered.
const LINKS_MAX: usize = 4_096;
/// Stands for the query while the address around it is resolved.
const PLACE: &str = "harvestman-query-place";

/// What is known of the searches of sites.
#[derive(Debug)]
pub(crate) struct OwnSearches {
    /// Number of pages that may still be looked at.
    looks: AtomicU32,
    known: RwLock<Known>,
}

/// What fetches are recognised by. The policy bounds both lists.
#[derive(Debug, Default)]
struct Known {
    descriptions: BTreeSet<Box<str>>,
    searches: Vec<Arc<OwnSearch>>,
}

/// What a request to a site's own search is for.
#[derive(Debug, Clone)]
pub(crate) enum OwnRequest {
    Description,
    Query(Arc<OwnSearch>),
}

impl OwnSearches {
    /// Creates the searches of sites that are looked for on at most this many pages of seeds.
    pub(crate) fn new(pages_max: u32) -> Self {
        Self { looks: AtomicU32::new(pages_max), known: RwLock::default() }
    }

    /// Recognises what was found from now on.
    pub(crate) fn add(&self, found: Vec<FoundSearch>) {
        let mut known = self.known.write();
        for found in found {
            match found {
                FoundSearch::Description(url) => {
                    known.descriptions.insert(url);
                }
                FoundSearch::Search(search) => {
                    tracing::debug!(template = search.template.text(), "the site's own search is used");
                    known.searches.push(Arc::new(search));
                }
            }
        }
    }

    /// Returns what a URL is requested for; `None` if it is requested for itself. Pages may link to addresses of
    /// answers too: only queries are discovered on no page.
    pub(crate) fn request(&self, item: &ScheduledUrl) -> Option<OwnRequest> {
        let url = item.url.as_str();
        let known = self.known.read();
        if known.descriptions.contains(url) {
            return Some(OwnRequest::Description);
        }
        let is_query = item.via.is_none() && item.depth == 0;
        let mut searches = known.searches.iter().filter(|_| is_query);
        searches.find(|search| search.template.is_answer(url)).map(|search| OwnRequest::Query(Arc::clone(search)))
    }

    /// Recognises a description at the address that it redirects to. Returns whether the URL is one of a description.
    pub(crate) fn is_moved_description(&self, item: &ScheduledUrl, target: &CanonicalUrl) -> bool {
        let is_description = matches!(self.request(item), Some(OwnRequest::Description));
        if is_description {
            self.known.write().descriptions.insert(target.as_str().into());
        }
        is_description
    }

    /// Returns whether a URL was discovered in an answer.
    pub(crate) fn is_result(&self, item: &ScheduledUrl) -> bool {
        let Some(via) = item.via.as_deref() else { return false };
        self.known.read().searches.iter().any(|search| search.template.is_answer(via))
    }

    /// Returns whether a search is to be looked for on a page: it is a seed or what a seed redirects to, and not one
    /// too many.
    pub(crate) fn looks_at(&self, item: &ScheduledUrl) -> bool {
        let take = |left: u32| left.checked_sub(1);
        is_seed(item) && self.looks.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }
}

/// Returns whether a URL is a seed, a request to a search, or what one of these redirects to.
pub(crate) const fn is_seed(item: &ScheduledUrl) -> bool {
    item.depth == 0
}

/// A page of a seed.
pub(crate) struct SeedPage<'p> {
    pub(crate) url: &'p CanonicalUrl,
    pub(crate) body: &'p [u8],
    pub(crate) content_type: Option<&'p str>,
    /// The same page, parsed.
    pub(crate) parsed: &'p ParsedPage,
}

impl SeedPage<'_> {
    /// Returns what the page says about a search of its site. Addresses that are not `within` the crawl are left out.
    pub(crate) fn search(&self, canonicaliser: &Canonicaliser, within: impl Fn(&str) -> bool) -> PageSearch {
        let view = PageView::new(self.url.as_str(), self.body).with_content_type(self.content_type);
        let hints = view.search_hints();
        let base = hints.base.as_deref();
        let mut resolver = canonicaliser.document_resolver(self.url, base, self.parsed.charset);
        let href = hints.description.as_deref();
        let description: Option<Box<str>> =
            href.and_then(|href| Some(resolver.resolve(href.trim()).ok()?.as_str().into()));
        let template = hints.form.as_ref().and_then(|form| {
            let action = match form.action.trim() {
                "" => self.url.as_str().to_owned(),
                action => resolver.resolve(action).ok()?.as_str().to_owned(),
            };
            of_form(form, &action, canonicaliser)
        });
        let reachable =
            |template: &SearchTemplate| template.url("q", canonicaliser).is_ok_and(|url| within(url.as_str()));
        let mut links = BTreeSet::new();
        for link in self.parsed.groups.iter().flat_map(|group| &group.links).take(LINKS_MAX) {
            links.extend(resolver.resolve(self.parsed.href(link)).ok().map(|url| url.fingerprint()));
        }
        PageSearch {
            description: description.filter(|url| within(url)),
            form: template.filter(reachable).map(|template| template.text().into()),
            links: links.into_iter().collect(),
        }
    }
}

fn of_form(form: &SearchForm, action: &str, canonicaliser: &Canonicaliser) -> Option<SearchTemplate> {
    SearchTemplate::of_form(action, &form.fields, canonicaliser).ok()
}

/// Returns the template that a description of a search gives.
///
/// # Errors
/// Why it cannot be used, for the user.
pub(crate) fn described(
    url: &CanonicalUrl,
    body: &[u8],
    content_type: Option<&str>,
    canonicaliser: &Canonicaliser,
) -> Result<SearchTemplate, String> {
    let text = search_description::template(body, content_type).map_err(|error| error.to_string())?;
    let mut resolver = canonicaliser.resolver(url, None);
    let absolute = resolver.resolve(&text.replace("{query}", PLACE)).map_err(|why| why.label().to_owned())?;
    SearchTemplate::parse(&absolute.as_str().replace(PLACE, "{query}"), canonicaliser)
}

/// Reads an HTML answer of a site's own search. Returns its links in the order of the document, each once, without
/// those of the page that the search was found on, which are the site's navigation, and without addresses of the search
/// itself.
pub(crate) fn results(
    page: &ParsedPage,
    url: &CanonicalUrl,
    own: &OwnSearch,
    canonicaliser: &Canonicaliser,
) -> Vec<CanonicalUrl> {
    let mut links = search_answer::links(page, url, canonicaliser);
    links.retain(|link| !own.links.contains(&link.fingerprint()) && !own.template.is_answer(link.as_str()));
    links
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use harvestman_core::config::{Config, ParseOptions};
    use harvestman_core::model::{Apath, LinkClass};
    use harvestman_core::url::Fingerprint;
    use harvestman_structure::parse::Parser;

    fn canonicaliser() -> Canonicaliser {
        Canonicaliser::new(&Config::default().url).unwrap()
    }

    fn parse(html: &[u8]) -> ParsedPage {
        Parser::new(&ParseOptions::default()).parse(html, Some("text/html"))
    }

    fn look(html: &[u8]) -> PageSearch {
        let url = CanonicalUrl::from_canonical("http://h.test/a/b");
        let page = SeedPage { url: &url, body: html, content_type: Some("text/html"), parsed: &parse(html) };
        page.search(&canonicaliser(), |url| url.starts_with("http://h.test/"))
    }

    fn own(template: &str, links: &[&str]) -> OwnSearch {
        let links = links.iter().map(|url| Fingerprint::of(url)).collect();
        OwnSearch { template: SearchTemplate::parse(template, &canonicaliser()).unwrap(), links }
    }

    #[test]
    fn addresses_are_those_of_the_page_and_its_base() {
        let page = look(
            b"<base href='/c/'><link rel=search type='application/opensearchdescription+xml' href=os.xml>\
              <form action='find?x=1'><input name=q></form><a href=one>1</a><a href='/two'>2</a>",
        );
        assert_eq!(page.description.as_deref(), Some("http://h.test/c/os.xml"));
        assert_eq!(page.form.as_deref(), Some("http://h.test/c/find?q={query}"));
        let links: BTreeSet<Fingerprint> = page.links.iter().copied().collect();
        assert_eq!(links, own("http://h.test/?q={query}", &["http://h.test/c/one", "http://h.test/two"]).links);
        assert_eq!(look(b"<form><input name=q></form>").form.as_deref(), Some("http://h.test/a/b?q={query}"));
    }

    #[test]
    fn searches_beyond_the_crawl_are_left_out() {
        let page = look(
            b"<link rel=search type='application/opensearchdescription+xml' href='//o.test/os.xml'>\
              <form action='https://search.test/'><input name=q></form>",
        );
        assert_eq!((page.description, page.form), (None, None));
        assert_eq!(look(b"<form action='javascript:go()'><input name=q></form>").form, None);
    }

    #[test]
    fn the_template_of_a_description_may_be_relative() {
        let url = CanonicalUrl::from_canonical("http://h.test/x/os.xml");
        let read = |template: &str| {
            let text =
                format!("<OpenSearchDescription><Url type='text/html' template='{template}'/></OpenSearchDescription>");
            described(&url, text.as_bytes(), None, &canonicaliser()).map(|found| found.text())
        };
        assert_eq!(read("find?q={searchTerms}").unwrap(), "http://h.test/x/find?q={query}");
        assert_eq!(read("https://s.test/{searchTerms}/?p={startPage?}").unwrap(), "https://s.test/{query}/");
        assert!(read("mailto:{searchTerms}").is_err());
        assert!(described(&url, b"<html>", None, &canonicaliser()).unwrap_err().contains("OpenSearch"));
    }

    #[test]
    fn results_are_the_links_that_the_seeds_page_does_not_have() {
        let search = own("http://h.test/find?q={query}", &["http://h.test/", "http://h.test/about"]);
        let answer = parse(
            b"<nav><a href=/>home</a><a href=/about>about</a></nav><ol><li><a href=/t/2>2</a><li><a href='/t/1#p'>1</a>\
              <li><a href=/t/2>again</a></ol><a href='/find?q=x&page=2'>next</a><a href='#top'>top</a>",
        );
        let url = CanonicalUrl::from_canonical("http://h.test/find?q=x");
        let found = results(&answer, &url, &search, &canonicaliser());
        assert_eq!(
            found.iter().map(CanonicalUrl::as_str).collect::<Vec<_>>(),
            ["http://h.test/t/2", "http://h.test/t/1"]
        );
    }

    #[test]
    fn queries_and_descriptions_are_told_from_pages_and_seeds_are_counted() {
        let searches = OwnSearches::new(2);
        let item = |url: &str, via: Option<&str>, depth| {
            let found = ScheduledUrl::found(CanonicalUrl::from_canonical(url), LinkClass::unclassified(Apath::SEED));
            ScheduledUrl { via: via.map(Into::into), depth, ..found }
        };
        let query = item("http://h.test/?s=x", None, 0);
        assert!(searches.request(&query).is_none());
        searches.add(vec![
            FoundSearch::Description("http://h.test/os".into()),
            FoundSearch::Search(own("http://h.test/?s={query}", &[])),
        ]);
        assert!(matches!(searches.request(&query), Some(OwnRequest::Query(_))));
        assert!(matches!(searches.request(&item("http://h.test/os", None, 0)), Some(OwnRequest::Description)));
        assert!(searches.request(&item("http://h.test/?s=x", Some("http://h.test/"), 1)).is_none(), "it is a link");
        assert!(searches.request(&item("http://h.test/", None, 0)).is_none(), "it is a seed");
        assert!(searches.is_result(&item("http://h.test/t", Some("http://h.test/?s=x"), 1)));
        assert!(!searches.is_result(&item("http://h.test/t", Some("http://h.test/"), 1)));
        assert!(!searches.looks_at(&item("http://h.test/t", Some("http://h.test/"), 1)));
        let seed = item("http://h.test/", None, 0);
        assert_eq!([0; 3].map(|_| searches.looks_at(&seed)), [true, true, false]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_page_and_any_description_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300), form in "[<>a-z '=/{}?&:]{0,80}") {
            look(&bytes);
            let page = look(format!("<form action='{form}'><input name=q>{form}</form>").as_bytes());
            if let Some(text) = page.form {
                prop_assert!(SearchTemplate::parse(&text, &canonicaliser()).is_ok(), "{}", text);
            }
            let url = CanonicalUrl::from_canonical("http://h.test/");
            let text = format!("<OpenSearchDescription><Url type='text/html' template='{form}{{searchTerms}}'/>");
            let _ = described(&url, text.as_bytes(), None, &canonicaliser());
            let _ = described(&url, &bytes, None, &canonicaliser());
        }
    }
}
