use proptest::prelude::*;

use super::*;
use harvestman_core::config::Config;

const RSS: &str = "<?xml version='1.0'?><rss version='2.0'><channel><title>T</title><link>http://h.test/</link><description/>\
    <item><title>A &lt;b&gt; &amp; \"c\"</title><link>http://h.test/1?a=1&amp;b=2</link></item>\
    <item><guid>http://h.test/2</guid></item></channel></rss>";
const JSON: &str = r#"{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[
    {"id":"1","url":"http://h.test/1","title":"One"},{"id":"2","external_url":"http://h.test/2","content_text":"Two"},
    {"id":"3","title":"without a URL"}]}"#;

fn read(body: &str, content_type: &str, wants_titles: bool) -> Option<Vec<FeedEntry>> {
    let limits = SitemapLimits::from(&Config::default().robots);
    let (url, content_type) = ("http://h.test/feed", Some(content_type));
    FeedDocument { url, body: body.as_bytes(), content_type, fetched: Instant::EPOCH }.entries(limits, wants_titles)
}

fn entry(url: &str, title: Option<&str>) -> FeedEntry {
    FeedEntry { url: url.to_owned(), title: title.map(str::to_owned) }
}

#[test]
fn entries_of_all_kinds_of_feeds_are_read() {
    let rss = [entry("http://h.test/1?a=1&b=2", Some("A & \"c\"")), entry("http://h.test/2", None)];
    assert_eq!(read(RSS, "application/rss+xml", true).unwrap(), rss);
    assert_eq!(read(RSS, "text/xml", false).unwrap()[0], entry("http://h.test/1?a=1&b=2", None));
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><id>t</id><updated>2025-01-01T00:00:00Z</updated>\
        <entry><title>One</title><id>1</id><updated>2025-01-01T00:00:00Z</updated><link href='/1'/></entry></feed>";
    assert_eq!(read(atom, "application/atom+xml", true).unwrap(), [entry("http://h.test/1", Some("One"))]);
    let json = [entry("http://h.test/1", Some("One")), entry("http://h.test/2", None)];
    assert_eq!(read(JSON, "application/feed+json", false).unwrap(), json);
}

#[test]
fn other_documents_are_no_feeds() {
    for (body, content_type) in [
        ("<html><p>There is no such page.", "application/rss+xml"),
        ("<svg/>", "text/xml"),
        (r#"{"items":[{"url":"http://h.test/1","title":"One"}]}"#, "application/json"),
        ("", "application/feed+json"),
    ] {
        assert_eq!(read(body, content_type, true), None, "{body}");
    }
}

#[test]
fn of_a_broken_feed_what_precedes_the_break_is_read() {
    let broken = &RSS[..RSS.find("<guid>").unwrap()];
    assert_eq!(read(broken, "application/rss+xml", true).unwrap()[0].url, "http://h.test/1?a=1&b=2");
    let unknown = RSS.replace("A &lt;b&gt;", "A &nbsp;");
    assert_eq!(read(&unknown, "application/rss+xml", true).unwrap().len(), 2);
}

#[test]
fn entities_that_a_feed_defines_are_not_expanded() {
    let levels: String =
        (1..10).map(|n| format!("<!ENTITY e{n} \"{}\">", format!("&e{};", n - 1).repeat(10))).collect();
    let bomb = format!("<!DOCTYPE rss [<!ENTITY e0 \"ha\">{levels}]>");
    let document = RSS.replace("<rss", &format!("{bomb}<rss")).replace("A &lt;b&gt;", "&e9;");
    let entries = read(&document, "application/rss+xml", true).unwrap();
    assert_eq!(entries.len(), 2);
    assert!(entries.iter().all(|entry| entry.title.as_ref().is_none_or(|title| title.len() < 100)));
}

#[test]
fn a_feed_of_a_hundred_thousand_entries_is_read_up_to_the_limit() {
    let item = |n: u32| {
        format!(
            "<item><title>T</title><link>http://h.test/{n}</link><description>{}</description></item>",
            "x".repeat(40)
        )
    };
    let items: String = (0..100_000).map(item).collect();
    let feed = format!("<rss version='2.0'><channel><title/><link/><description/>{items}</channel></rss>");
    assert!(feed.len() > 10_000_000);
    assert_eq!(read(&feed, "application/rss+xml", true).unwrap().len(), 50_000);
    let items: Vec<String> =
        (0..100_000).map(|n| format!(r#"{{"id":"{n}","url":"http://h.test/{n}","title":"T"}}"#)).collect();
    let feed = format!(r#"{{"version":"https://jsonfeed.org/version/1","items":[{}]}}"#, items.join(","));
    assert_eq!(read(&feed, "application/feed+json", true).unwrap().len(), 10_000);
}

#[test]
fn a_page_of_entries_has_their_titles_as_texts() {
    let page = as_page(&[entry("http://h.test/?a=\"&b", Some("1 < 2 & 3")), entry("http://h.test/2", None)]);
    assert_eq!(
        page,
        "<!doctype html><ul><li><a href=\"http://h.test/?a=&quot;&amp;b\">1 &lt; 2 &amp; 3</a></li>\
         <li><a href=\"http://h.test/2\">http://h.test/2</a></li>"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_document_makes_it_panic(body in "\\PC{0,300}", kind in "(application/feed.json|text/xml|application/rss.xml)") {
        let _ = read(&body, &kind, true);
    }

    #[test]
    fn any_entries_come_back_from_their_page(entries in prop::collection::vec(("http://h[.]test/[ -~é]{0,20}", "[a-z<>&\"';#é]{1,20}"), 0..20)) {
        let entries: Vec<FeedEntry> = entries.iter().map(|(url, title)| entry(url.trim(), Some(title))).collect();
        let options = harvestman_core::config::ParseOptions::default();
        let page = harvestman_structure::parse::Parser::new(&options).parse(as_page(&entries).as_bytes(), None);
        let urls: Vec<&str> = page.groups.iter().flat_map(|group| &group.links).map(|link| page.href(link)).collect();
        prop_assert_eq!(urls, entries.iter().map(|entry| entry.url.as_str()).collect::<Vec<_>>());
    }
}
