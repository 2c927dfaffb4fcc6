//! Feeds that pages announce: their entries are found, and whatever a site announces costs little.

use harvestman::config::{ByteSize, FeedsMode};

use crate::crawling::{Crawled, config, crawl};
use crate::scripted::{Reply, Scripted};

const RSS: &str = "application/rss+xml";

/// A page that announces feeds and links to pages.
fn page(feeds: &[(&str, &str)], hrefs: &[String]) -> Reply {
    let feed = |(media, href): &(&str, &str)| format!("<link rel=alternate type='{media}' href='{href}'>");
    let link = |href: &String| format!("<p><a href='{href}'>a link</a></p>");
    Reply::html(feeds.iter().map(feed).chain(hrefs.iter().map(link)).collect::<String>())
}

fn rss(links: impl IntoIterator<Item = String>) -> Reply {
    let item = |url: String| format!("<item><title>T</title><link>{url}</link></item>");
    let items: String = links.into_iter().map(item).collect();
    let feed = format!("<rss version='2.0'><channel><title/><link/><description/>{items}</channel></rss>");
    Reply { headers: vec![("Content-Type", RSS.to_owned())], ..Reply::xml(feed) }
}

fn crawled(server: &Scripted, feeds: FeedsMode) -> Crawled {
    let mut config = config(vec![server.url("a", "/")]);
    config.crawl.feeds = feeds;
    let crawled = crawl(config);
    assert_eq!(crawled.report.requests, server.log().len() as u64);
    crawled
}

fn requests_of_feeds(server: &Scripted) -> usize {
    server.paths("a").iter().filter(|path| path.contains("feed")).count()
}

/// Pages that only feeds of three kinds name, one of which is on another host.
fn blog() -> Scripted {
    Scripted::start(|host, path, _| match (host, path) {
        (_, "/robots.txt") => Reply::status(404),
        ("a", "/") => page(
            &[(RSS, "/feed.rss"), ("application/atom+xml", "feed.atom"), ("application/feed+json", "/feed.json")],
            &["/known".to_owned()],
        ),
        ("a", "/feed.rss") => rss(["/1", "/known", "http://elsewhere.test/2"].map(str::to_owned)),
        ("a", "/feed.atom") => Reply::xml("<feed><title>T</title><entry><link href='/3'/></entry></feed>"),
        ("a", "/feed.json") => Reply {
            headers: vec![("Content-Type", "application/json".to_owned())],
            ..Reply::text(
                r#"{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"4","url":"/4","title":"4"}]}"#,
            )
        },
        _ => Reply::html("a page without links"),
    })
}

#[test]
fn what_only_feeds_name_is_found_within_the_scope() {
    let server = blog();
    let crawled = crawled(&server, FeedsMode::Always);
    for path in ["/1", "/3", "/4", "/known"] {
        assert_eq!(crawled.fate_of(&server.url("a", path)), "fetched", "{path}");
    }
    assert_eq!((crawled.fate("out_of_scope"), requests_of_feeds(&server)), (1, 3));
    let line = crawled.pages.iter().find(|page| page.url == server.url("a", "/1")).unwrap();
    assert_eq!(line.via.as_deref(), Some(server.url("a", "/feed.rss").as_str()));
}

#[test]
fn feeds_are_left_alone_where_they_are_not_wanted() {
    let server = blog();
    let crawled = crawled(&server, FeedsMode::Never);
    assert_eq!((crawled.report.pages, requests_of_feeds(&server)), (2, 0));
}

/// A forum each of whose threads has a feed of its posts.
fn forum(threads: usize) -> Scripted {
    Scripted::start(move |_, path, _| {
        let number = path.trim_start_matches("/t/").trim_end_matches("/feed");
        match path {
            "/robots.txt" => Reply::status(404),
            "/" => page(&[], &(0..threads).map(|number| format!("/t/{number}")).collect::<Vec<_>>()),
            path if path.ends_with("/feed") => rss([format!("/t/{number}"), format!("/t/{number}#post-2")]),
            _ => page(&[(RSS, &format!("{path}/feed"))], &[]),
        }
    })
}

#[test]
fn a_feed_per_thread_costs_a_few_requests() {
    let server = forum(400);
    let crawled = crawled(&server, FeedsMode::Auto);
    assert_eq!(crawled.report.pages, 401 + requests_of_feeds(&server) as u64);
    // Several workers may let in one each before the first is read.
    let feeds = requests_of_feeds(&server);
    assert!((2..=5).contains(&feeds), "{feeds}");
    assert_eq!(crawled.fate("policy"), 400 - feeds as u64);
}

#[test]
fn hostile_feeds_cost_their_request_and_nothing_else() {
    let bomb: String = (1..12).map(|n| format!("<!ENTITY e{n} \"{}\">", format!("&e{};", n - 1).repeat(10))).collect();
    let bomb = format!("<!DOCTYPE rss [<!ENTITY e0 \"/\">{bomb}]><rss><channel><item><link>&e11;</link></item>");
    let deep = format!("<rss><channel>{}", "<item>".repeat(100_000));
    let cut = "<rss><channel><item><link>/found</link></item><item><link>/cut".to_owned();
    let html = "<html><link rel=alternate type=application/rss+xml href=/feed-2>".to_owned();
    for (body, found) in [(bomb, 0), (deep, 0), (cut, 1), (html, 0), (String::new(), 0)] {
        let (start, text) = (body.chars().take(40).collect::<String>(), body.clone());
        let server = Scripted::start(move |_, path, _| match path {
            "/" => page(&[(RSS, "/feed")], &[]),
            "/feed" => Reply { headers: vec![("Content-Type", RSS.to_owned())], ..Reply::xml(text.clone()) },
            "/feed-2" => Reply::status(404),
            _ => Reply::text(""),
        });
        let crawled = crawled(&server, FeedsMode::Auto);
        let pages = crawled.urls("fetched").len() as u64;
        assert!((2 + found..=3 + found).contains(&pages), "{start}: {:?}", crawled.urls("fetched"));
        assert_eq!(crawled.fate_of(&server.url("a", "/found")) == "fetched", found == 1, "{start}");
    }
}

#[test]
fn a_feed_of_ten_megabytes_and_a_hundred_thousand_entries_is_taken_in_up_to_the_limit() {
    let server = Scripted::start(|_, path, _| match path {
        "/" => page(&[(RSS, "/feed")], &[]),
        "/feed" => rss((0..100_000).map(|number| format!("/p/{number}/{}", "x".repeat(50)))),
        _ => Reply::text("User-agent: *\nDisallow: /p/\n"),
    });
    let mut config = config(vec![server.url("a", "/")]);
    config.fetch.body_max = ByteSize::mib(20);
    let crawled = crawl(config);
    // Each of the links is refused by robots.txt in the end.
    assert_eq!((crawled.report.pages, crawled.fate("robots")), (2, 50_000));
}
