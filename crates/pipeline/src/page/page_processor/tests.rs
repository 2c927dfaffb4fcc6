//! What a page leads to, from its answer's head and body.

use arc_swap::ArcSwap;
use bytes::Bytes;
use harvestman_core::clock::Instant;
use harvestman_core::config::url::ScopeMode;
use harvestman_core::config::{Config, ParseOptions, PolicyKind};
use harvestman_core::model::{ClassOrder, Exchange, Lease, LeaseId, RequestSignature, Timings};
use harvestman_core::seed::Seed;
use harvestman_policy::{Outcome, PolicyInputs};
use harvestman_structure::link_context::{image_token, sibling_token, word_token};
use harvestman_structure::parse::word_hash;
use http::header::{HeaderMap, HeaderName, HeaderValue};

use super::*;
use crate::bounds::SITEMAP_PART_URLS;
use crate::handles::job::Sitemap;
use crate::page::gate::Gate;
use crate::page::page_in_work::Arrival;
use crate::page::page_result::observation;
use crate::page::rules::{Acceptance, AcceptsPage};
use crate::page::stations::Stations;
use crate::page::validator::ValidatorGate;
use crate::run::offline::RecordedSite;

const PAGE: &str = "http://h.test/dir/page";

fn processor(change: impl FnOnce(&mut Config)) -> PageProcessor {
    let mut config = Config::default();
    config.scope.mode = ScopeMode::Any;
    change(&mut config);
    let read = crate::policy_thread::example::reader(&ParseOptions::default());
    let policy = harvestman_policy::make(PolicyKind::Bfs, &PolicyInputs::new(Seed(0)), read).snapshot();
    let (current, needs) = (Arc::new(ArcSwap::from_pointee(policy)), Arc::default());
    let rules = crate::run::offline::rules(
        &config,
        &[],
        &current,
        &needs,
        crate::run::offline::RecordedSite::new(|_| true).exists,
    )
    .unwrap();
    PageProcessor::new(Arc::new(rules), || Parser::new(&ParseOptions::default()))
}

fn exchange(headers: &[(&'static str, &str)], body: &[u8]) -> Exchange {
    let url = CanonicalUrl::from_canonical(PAGE);
    let header = |(name, value): &(&'static str, &str)| {
        (HeaderName::from_static(name), HeaderValue::from_bytes(value.as_bytes()).unwrap())
    };
    let answer = Answer {
        status: 200,
        version: http::Version::HTTP_11,
        headers: headers.iter().map(header).collect(),
        body: Bytes::copy_from_slice(body),
        truncated: None,
        remote: None,
        reservation: None,
    };
    let timings = Timings { started: Instant::EPOCH, first_byte: None, ended: Instant::EPOCH };
    Exchange {
        url,
        request_headers: HeaderMap::new(),
        signature: RequestSignature::default(),
        result: Ok(answer),
        timings,
    }
}

impl PageProcessor {
    /// Leads a page past the stations that read it, and past the gates of these features.
    fn read(&mut self, item: &ScheduledUrl, exchange: &Exchange, gates: Vec<Box<dyn Gate>>) -> PageResult {
        let lease = Lease { id: LeaseId(0), item: item.clone(), decision: None, statements: Vec::new() };
        let fetched = FetchedPage { lease, exchange: exchange.clone() };
        let mut page = PageInWork::new(fetched, Arrival::Host, Instant::EPOCH);
        Stations::new(gates).read(self, &mut page);
        page.result
    }

    fn page(&mut self, item: &ScheduledUrl, exchange: &Exchange) -> PageResult {
        self.read(item, exchange, Vec::new())
    }
}

fn page(processor: &mut PageProcessor, exchange: &Exchange) -> PageResult {
    processor.page(&ScheduledUrl::errand(CanonicalUrl::from_canonical(PAGE)), exchange)
}

/// Reads the text of pages found at places with an even number.
struct ReadsEven;

impl ClassOrder for ReadsEven {
    fn score(&self, _: LinkClass) -> f64 {
        0.0
    }
}

impl PolicySnapshot for ReadsEven {
    fn version(&self) -> u64 {
        0
    }

    fn reads_text(&self, class: LinkClass) -> bool {
        class.apath.0.is_multiple_of(2)
    }
}

#[test]
fn text_is_read_where_the_policy_asks_for_it() {
    let config = Config::default();
    let policy: Arc<dyn PolicySnapshot> = Arc::new(ReadsEven);
    let needs = Arc::new(crate::policy_thread::needs::SharedNeeds::new(Needs { words: true, ..Needs::default() }));
    let current = Arc::new(ArcSwap::from_pointee(policy));
    let rules = crate::run::offline::rules(
        &config,
        &[],
        &current,
        &needs,
        crate::run::offline::RecordedSite::new(|_| true).exists,
    )
    .unwrap();
    let mut processor = PageProcessor::new(Arc::new(rules), || Parser::new(&ParseOptions::default()));
    let exchange = exchange(&[("content-type", "text/html")], b"<p>one two three four");
    let mut words = |place| {
        let url = CanonicalUrl::from_canonical(PAGE);
        let item = ScheduledUrl::found(url, LinkClass::unclassified(Apath(place)));
        processor.page(&item, &exchange).policy.facts.unwrap().text.map(|text| text.len())
    };
    assert_eq!([2, 3, 4].map(&mut words), [Some(4), None, Some(4)]);
    needs.set(Needs::default());
    assert_eq!(words(6), None);
}

#[test]
fn what_stands_around_new_links_is_told_where_the_policy_asks_for_it() {
    let config = Config::default();
    let policy: Arc<dyn PolicySnapshot> = Arc::new(ReadsEven);
    let needs = Needs { words: true, contexts: true, links: true, ..Needs::default() };
    let needs = Arc::new(crate::policy_thread::needs::SharedNeeds::new(needs));
    let current = Arc::new(ArcSwap::from_pointee(policy));
    let known = |url: &str, body: &[u8], _: Option<&str>| Acceptance {
        accepted: Some(url == PAGE && body.starts_with(b"<ul>")),
        is_given_up: false,
    };
    let (seeds, exists) = ([CanonicalUrl::from_canonical(PAGE)], RecordedSite::new(|_| true).exists);
    let rules = crate::run::offline::rules(&config, &seeds, &current, &needs, exists).unwrap();
    let validator: Arc<AcceptsPage> = Arc::new(known);
    let mut processor = PageProcessor::new(Arc::new(rules), || Parser::new(&ParseOptions::default()));
    let body = "<ul><li><a href=/p/1><img src=1.png></a> by <a href=/ann>Ann</a><li><a href=/p/1>again</a>";
    let exchange = exchange(&[("content-type", "text/html")], body.as_bytes());
    let item = ScheduledUrl::found(CanonicalUrl::from_canonical(PAGE), LinkClass::unclassified(Apath(2)));
    let mut observed = || {
        let gates: Vec<Box<dyn Gate>> = vec![Box::new(ValidatorGate(Arc::clone(&validator)))];
        observation(&item, &mut processor.read(&item, &exchange, gates))
    };
    let seen = observed();
    assert_eq!(seen.new.len(), 2);
    assert!(seen.new[0].context.contains(&image_token()) && seen.new[0].context.contains(&sibling_token("/ann")));
    assert!(seen.new[1].context.contains(&sibling_token("/p/1")) && !seen.new[1].context.contains(&image_token()));
    let Outcome::Page(page) = seen.outcome else { panic!("{:?}", seen.outcome) };
    assert_eq!(page.accepted, Some(true));
    let places: Vec<_> = page.links.iter().map(|link| (link.place.parent, link.place.image)).collect();
    assert!(places[0].0 == places[1].0 && places[1].0 != places[2].0, "{places:?}");
    assert_eq!(places.iter().map(|place| place.1).collect::<Vec<_>>(), [true, false, false]);
    assert!(observed().new.is_empty(), "only new links are of interest");
    needs.set(Needs::default());
    assert_eq!(observed().new.len(), 0);
}

#[test]
fn links_have_their_words_where_the_text_itself_is_not_asked_for() {
    let body = "<ul><li>one <a href=/p/1>two</a> three four</ul>";
    let exchange = exchange(&[("content-type", "text/html")], body.as_bytes());
    let observed = |place| {
        let policy: Arc<dyn PolicySnapshot> = Arc::new(ReadsEven);
        let needs = Needs { words: true, contexts: true, ..Needs::default() };
        let (current, needs) =
            (Arc::new(ArcSwap::from_pointee(policy)), Arc::new(crate::policy_thread::needs::SharedNeeds::new(needs)));
        let seeds = [CanonicalUrl::from_canonical(PAGE)];
        let rules = crate::run::offline::rules(
            &Config::default(),
            &seeds,
            &current,
            &needs,
            RecordedSite::new(|_| true).exists,
        )
        .unwrap();
        let mut processor = PageProcessor::new(Arc::new(rules), || Parser::new(&ParseOptions::default()));
        let item = ScheduledUrl::found(CanonicalUrl::from_canonical(PAGE), LinkClass::unclassified(Apath(place)));
        let mut seen = observation(&item, &mut processor.page(&item, &exchange));
        let Outcome::Page(page) = seen.outcome else { panic!("{:?}", seen.outcome) };
        (page.text.map(|text| text.len()), seen.new.remove(0).context)
    };
    let (read, unread) = (observed(2), observed(3));
    assert_eq!((read.0, unread.0), (Some(4), None));
    let words = ["one", "two", "three", "four"].map(word_hash);
    let tokens = [word_token(words[0], -1), word_token(words[1], 0), word_token(words[2], 1), word_token(words[3], 1)];
    assert!(tokens.iter().all(|token| unread.1.contains(token)) && read.1 == unread.1, "{unread:?}");
}

/// The URLs that a page leads to.
fn urls(result: &PageResult) -> Vec<&str> {
    result.links.found.accepted.iter().map(|item| item.url.as_str()).collect()
}

/// The links that are followed on a page with these headers and this body, by a crawler whose product token is
/// `SomeBot`.
fn followed(headers: &[(&'static str, &str)], body: &str) -> Vec<String> {
    let mut processor = processor(|config| config.robots.agent = "SomeBot".to_owned());
    let result = page(&mut processor, &exchange(headers, body.as_bytes()));
    urls(&result).into_iter().map(str::to_owned).collect()
}

#[test]
fn directives_to_all_robots_and_to_the_configured_product_token_are_obeyed() {
    const LINK: &str = "<a href=/x>x</a>";
    let meta = |name: &str, content: &str| followed(&[], &format!("<meta name='{name}' content='{content}'>{LINK}"));
    let header = |value: &str| followed(&[("x-robots-tag", value)], LINK);
    for (name, content) in [("robots", "nofollow"), ("somebot", "nofollow"), (" SOMEBOT ", "none")] {
        assert_eq!(meta(name, content), [""; 0], "{name}: {content}");
    }
    for (name, content) in [("somebot", "noindex, noarchive"), ("harvestman", "none"), ("somebots", "none")] {
        assert_eq!(meta(name, content), ["http://h.test/x"], "{name}: {content}");
    }
    for value in ["nofollow", "somebot: nofollow", "unavailable_after: Friday, 25-Jun-30 15:00:00 PST, nofollow"] {
        assert_eq!(header(value), [""; 0], "{value}");
    }
    for value in ["harvestman: nofollow", "otherbot: noindex, nofollow"] {
        assert_eq!(header(value), ["http://h.test/x"], "{value}");
    }
}

#[test]
fn a_refresh_header_is_a_link_from_every_answer_that_is_a_document() {
    const HTML: (&str, &str) = ("content-type", "text/html");
    let refresh = |value| ("refresh", value);
    // The header is read as the element's content is, and resolved against the page's address whatever its base.
    for value in ["0; url=next", "5;URL='./next'", ".5 , url=\"http://h.test/dir/next\""] {
        assert_eq!(followed(&[HTML, refresh(value)], "<base href=/other/>"), ["http://h.test/dir/next"], "{value}");
    }
    for itself in ["5", "5; url="] {
        assert_eq!(followed(&[HTML, refresh(itself)], "<base href=/other/>"), [PAGE], "{itself}");
    }
    for value in ["url=/x", "0; url=mailto:x@h.test", "0; url=//["] {
        assert_eq!(followed(&[HTML, refresh(value)], "<base href=/other/>"), [""; 0], "{value}");
    }
    assert_eq!(followed(&[refresh("0; url=/straße")], ""), ["http://h.test/stra%C3%9Fe"]);
    for media in ["text/plain", "application/pdf", "image/png", "application/xml"] {
        assert_eq!(
            followed(&[("content-type", media), refresh("1; url=/x")], "<a href=/y>")[0],
            "http://h.test/x",
            "{media}"
        );
    }
    let feed =
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>http://h.test/y</loc></url></urlset>";
    let xml = ("content-type", "application/xml");
    assert_eq!(followed(&[xml, refresh("1; url=/x")], feed), ["http://h.test/x", "http://h.test/y"]);
    for media in ["text/html", "text/plain"] {
        let headers = [("content-type", media), refresh("1; url=/x"), ("x-robots-tag", "nofollow")];
        assert_eq!(followed(&headers, ""), [""; 0], "{media}");
    }
}

#[test]
fn a_refresh_header_counts_as_the_element_does() {
    let headers = [("content-type", "text/html"), ("refresh", "1; url=/x")];
    let both = exchange(&headers, b"<meta http-equiv=refresh content='0; url=/y'><a href=/z>z</a>");
    let result = page(&mut processor(|_| {}), &both);
    assert_eq!((result.fate, result.notes.links), (Fate::Fetched, Some(3)));
    let apaths: Vec<_> = result.links.found.accepted.iter().map(|item| item.class.apath == Apath::REFRESH).collect();
    assert_eq!(
        (urls(&result), apaths),
        (vec!["http://h.test/x", "http://h.test/y", "http://h.test/z"], vec![true, true, false])
    );

    let mut unwanted = exchange(&[("content-type", "image/png"), ("refresh", "1; url=/x")], b"");
    let answer = unwanted.result.as_mut().unwrap();
    answer.truncated = Some(Truncation::UnwantedType);
    let result = page(&mut processor(|_| {}), &unwanted);
    assert_eq!((result.fate, urls(&result)), (Fate::UnwantedType, vec!["http://h.test/x"]));

    let mut missing = exchange(&headers, b"");
    missing.result.as_mut().unwrap().status = 404;
    assert_eq!(urls(&page(&mut processor(|_| {}), &missing)), [""; 0]);
}

#[test]
fn queries_are_encoded_in_the_charset_of_their_page() {
    let (html, _, _) =
        encoding_rs::GBK.encode("<base href=/b/?中><a href='s中?q=中文'>x</a><a href='?ж😀'>y</a><a href=''>z</a>");
    let answer = exchange(&[("content-type", "text/html; charset=gbk"), ("refresh", "0; url=/é?é")], &html);
    let result = page(&mut processor(|_| {}), &answer);
    let wanted = [
        "http://h.test/%C3%A9?%C3%A9",
        "http://h.test/b/s%E4%B8%AD?q=%D6%D0%CE%C4",
        "http://h.test/b/?%A7%D8%26%23128512%3B",
        "http://h.test/b/?%D6%D0",
    ];
    assert_eq!(urls(&result), wanted);
}

#[test]
fn a_large_sitemap_comes_in_parts_with_every_url_once_in_order() {
    let expected: Vec<String> = (0..2_500).map(|number| format!("http://h.test/{number}")).collect();
    let entries: String = expected.iter().map(|url| format!("<url><loc>{url}</loc></url>")).collect();
    let body = format!("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</urlset>");
    let exchange = exchange(&[("content-type", "application/xml")], b"");
    let url = CanonicalUrl::from_canonical("http://h.test/sitemap.xml");
    let mut parts = Vec::new();
    let sitemap = Sitemap { url, nesting: 0, exchange, body: body.into() };
    let last = processor(|_| ()).sitemap(&sitemap, |part| parts.push(part));
    assert!(last.sitemaps.is_empty() && last.moved_to.is_none());
    parts.push(last.links);
    let lengths: Vec<usize> = parts.iter().map(|part| part.accepted.len()).collect();
    assert_eq!(lengths, [SITEMAP_PART_URLS, SITEMAP_PART_URLS, 2_500 - 2 * SITEMAP_PART_URLS]);
    let found = parts.iter().flat_map(|part| &part.accepted).map(|item| item.url.as_str());
    assert!(found.eq(expected.iter().map(String::as_str)));
}

#[path = "feeds_tests.rs"]
mod feeds;
