use std::fmt::Write as _;

use bytes::Bytes;
use harvestman_posts::site::Post;
use harvestman_posts::{Correction, PostSource, TaughtField};
use http::HeaderMap;
use http::header::{CONTENT_TYPE, HeaderValue};

use super::*;

const THREADS: usize = 20;

/// Returns the media type and the body of a response whose first header is the media type.
fn decode(message: &Bytes) -> Option<(HeaderMap, Bytes)> {
    let head_end = message.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&message[..head_end]).ok()?;
    let media_type = head.lines().nth(1)?.strip_prefix("Content-Type: ")?;
    Some((
        HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_str(media_type).ok()?)]),
        message.slice(head_end + 4..),
    ))
}

fn record(path: &str, status: &str, (media_type, body): (&str, &str)) -> String {
    let block = format!("HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\n\r\n{body}");
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h{path}\r\nWARC-Date: 2026-05-01T00:00:00Z\r\n\
         Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

fn author(thread: usize, at: usize) -> &'static str {
    ["ann", "bob", "carla", "dora", "emil", "fritz", "gerda"][(thread + 3 * at) % 7]
}

fn text(thread: usize, at: usize) -> String {
    let words =
        ["apple", "bread", "candle", "door", "engine", "forest", "garden", "harbour", "island", "jacket", "kettle"];
    let words = (0..12).map(|word| words[(thread * 5 + at * 3 + word * (1 + at)) % words.len()]);
    format!("{} {thread} {at}.", words.collect::<Vec<_>>().join(" "))
}

/// A thread of two posts with addresses.
fn thread(thread: usize) -> String {
    let mut posts = String::new();
    for at in 0..2 {
        let author = author(thread, at);
        let _ = write!(
            posts,
            "<div class=post id=p{thread}{at}><div class=head><a href=/u/{author}>{author}</a> <a href='/t/{thread}#p{thread}{at}'>\
             <time datetime='2026-01-02T0{at}:{thread:02}:00Z'>2 January</time></a></div><div class=text>{}</div></div>",
            text(thread, at)
        );
    }
    let html =
        format!("<html><head><title>Thread {thread}</title></head><body><h1>Thread {thread}</h1>{posts}</body></html>");
    record(&format!("/t/{thread}"), "200 OK", ("text/html", &html))
}

fn feed() -> String {
    let item = |link: &str, (minute, text): (usize, &str)| {
        let author = author(minute, 0);
        format!(
            "<item><guid isPermaLink='false'>h-{minute}</guid><link>http://h{link}</link><dc:creator>{author}</dc:creator>\
             <pubDate>Fri, 02 Jan 2026 00:{minute:02}:00 GMT</pubDate><description>{text}</description></item>"
        )
    };
    let by_address = item("/t/3#p30", (3, "apple…"));
    let by_text = item("/p/4", (4, &format!("{}…", &text(4, 0)[..60])));
    let new = item("/t/5#p52", (59, "a post that no page shows"));
    format!(
        "<rss version='2.0' xmlns:dc='http://purl.org/dc/elements/1.1/'><channel><title>T</title><link>/</link><description/>\
         {by_address}{by_text}{new}</channel></rss>"
    )
}

#[test]
fn entries_of_feeds_join_the_posts_of_pages() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc");
    let rss = ("application/rss+xml", &*feed());
    let mut records = vec![record("/feed", "200 OK", rss), record("/gone", "410 Gone", rss)];
    records.extend((0..THREADS).map(thread));
    records.push(record("/sitemap.xml", "200 OK", ("text/xml", "<urlset><url><loc>http://h/t/1</loc></url></urlset>")));
    std::fs::write(&path, records.concat()).unwrap();
    let inputs = Inputs {
        files: vec![("a.warc".to_owned(), path)],
        decode,
        visit: &|_, _| Visit::default(),
        directory: directory.path().to_owned(),
        corrections: Corrections::default(),
    };
    let ExtractedSite { mut site, mut posts, totals } = extract(&inputs, &mut |_| {}).unwrap();
    assert_eq!((totals.feeds, totals.pages, totals.pages_with_posts), (1, THREADS as u64, THREADS as u64));
    assert_eq!(totals.sightings, 2 * THREADS as u64 + 3);
    let mut found: Vec<Post> = Vec::new();
    site.posts(&mut posts, &mut |post| {
        found.push(post);
        Ok::<(), io::Error>(())
    })
    .unwrap();
    assert_eq!(found.len(), 2 * THREADS + 1);
    let of_feed: Vec<&Post> = found.iter().filter(|post| post.source == PostSource::Feed).collect();
    assert_eq!(of_feed.len(), 1);
    let thread = found.iter().find(|post| post.text == text(5, 0)).map(|post| &post.thread_id);
    assert_eq!((of_feed[0].text.as_str(), Some(&of_feed[0].thread_id)), ("a post that no page shows", thread));
    assert_eq!((of_feed[0].position, of_feed[0].page_url.as_str()), (3, "http://h/feed"));
    assert_eq!(site.threads().count(), THREADS);
}

#[test]
fn corrections_count_for_all_pages() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc");
    std::fs::write(&path, (0..THREADS).map(thread).collect::<String>()).unwrap();
    let correction = Correction {
        host: "h".to_owned(),
        field: TaughtField::Text,
        path: "div.head > a:first-child".to_owned(),
        is_wrong: false,
    };
    let inputs = Inputs {
        files: vec![("a.warc".to_owned(), path)],
        decode,
        visit: &|_, _| Visit::default(),
        directory: directory.path().to_owned(),
        corrections: Corrections::new(&[correction]).unwrap(),
    };
    let ExtractedSite { mut site, mut posts, .. } = extract(&inputs, &mut |_| {}).unwrap();
    let mut found = 0;
    site.posts(&mut posts, &mut |post: Post| {
        assert_eq!(Some(post.text.as_str()), post.author.as_deref());
        found += 1;
        Ok::<(), io::Error>(())
    })
    .unwrap();
    assert!(found > THREADS, "{found}");
}
