//! Pages and their links, posts, log-in forms, and answers of searches.

use harvestman::config::ParseOptions;
use harvestman::config::url::UrlOptions;
use harvestman::parse::{Parser, Spelling};
use harvestman::pipeline::fuzzing;
use harvestman::url::Canonicaliser;
use harvestman_login::{Credentials, Page as LogInPage, PasswordOrigins, find_form};
use harvestman_posts::{Extractor, Page, PageRecords, ParentRef, read_feed};

const PAGE: &str = "https://e.example/log-in";
const RESULTS_MAX: usize = 100;

/// Any text as a link: the short way agrees with the parser, and the canonical form is a fixed point. The first line is
/// the page.
pub fn canonicalise(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (base, href) = text.split_once('\n').unwrap_or(("http://example.org/a/b?c", text));
    let canonicaliser = Canonicaliser::new(&UrlOptions::default()).expect("the defaults are right");
    let Ok(page) = canonicaliser.parse(base) else { return };
    assert_eq!(canonicaliser.parse(page.as_str()).as_ref(), Ok(&page), "a fixed point");
    let long = canonicaliser.resolver(&page, None).resolve_by_parser(href).map(|url| url.to_url());
    let short = canonicaliser.resolver(&page, None).resolve(href).map(|url| url.to_url());
    assert_eq!(short, long);
    if let Ok(url) = short {
        assert_eq!(canonicaliser.parse(url.as_str()), Ok(url));
    }
}

/// Any bytes as a page: the parser ends, its links lie within its arena, and spelling changes nothing but the spelling.
pub fn html_parse(bytes: &[u8]) {
    let options = ParseOptions::default();
    let hashed = Parser::new(&options).parse(bytes, Some("text/html"));
    for link in hashed.groups.iter().flat_map(|group| &group.links) {
        assert!(link.start <= link.end && link.end as usize <= hashed.hrefs.len());
        let _ = hashed.href(link);
    }
    let spelt = Parser::with_spelling(&options, Spelling::On).parse(bytes, Some("text/html"));
    assert_eq!(hashed.hrefs, spelt.hrefs);
    for xml in ["application/xhtml+xml", "text/xml"] {
        let _ = Parser::new(&options).parse(bytes, Some(xml));
    }
    let paths = |page: &harvestman::model::ParsedPage| {
        page.leaf_paths.iter().map(|path| (path.path, path.count)).collect::<Vec<_>>()
    };
    assert_eq!(paths(&hashed), paths(&spelt));
}

/// Any page: the password is in no request to another origin.
pub fn log_in_form(bytes: &[u8]) {
    let Ok(page) = LogInPage::read(PAGE, bytes, Some("text/html")) else { return };
    let _ = page.avoided_links();
    let Ok(form) = find_form(&page, "") else { return };
    let credentials = Credentials::new("ann".to_owned(), "correct horse".to_owned());
    let Ok(filled) = form.fill(&credentials, &PasswordOrigins::new(page.url(), [])) else { return };
    assert_eq!(filled.url.origin(), page.url().origin());
}

/// Any text as a page and as a feed: reading ends, the same each time, and what posts answer to are other posts of the
/// page.
pub fn posts(bytes: &[u8]) {
    let Ok(source) = std::str::from_utf8(bytes) else { return };
    let url = "https://e.example/t/1?page=2".parse().expect("it is an address");
    let fetched = jiff::civil::date(2020, 4, 25).at(12, 0, 0, 0);
    if let Some(feed) = read_feed(&url, source, fetched) {
        check_records(&feed);
    }
    let Some(page) = Page::parse(&url, source, fetched) else { return };
    let mut extractor = Extractor::default();
    extractor.learn(&page);
    let records = extractor.extract(&page);
    check_records(&records);
    assert_eq!(records, extractor.extract(&page));
}

fn check_records(records: &PageRecords) {
    for (number, post) in records.posts.iter().enumerate() {
        assert!((0.0..=1.0).contains(&post.confidence));
        if let Some(ParentRef::Index(index)) = post.parent {
            assert!(index < records.posts.len() && index != number);
        }
    }
}

/// Any answer of a search: no more results than the limit allows. The first line is the media type, the rest the
/// answer.
pub fn search_answer(input: &[u8]) {
    let (media_type, body) = input.split_at(input.iter().position(|&byte| byte == b'\n').unwrap_or(0));
    let urls = fuzzing::search_results(body, &String::from_utf8_lossy(media_type), RESULTS_MAX);
    assert!(urls.len() <= RESULTS_MAX, "{}", urls.len());
}
