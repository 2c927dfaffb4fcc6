use std::fmt::Write as _;

use bytes::Bytes;
use harvestman_core::clock::Instant;
use harvestman_core::config::ParseOptions;
use harvestman_posts::TaughtField;
use harvestman_structure::parse::Parser;
use http::HeaderMap;
use proptest::prelude::*;

use super::*;
use crate::corrections_file::{CORRECTIONS_FILE, write_corrections};
use crate::warc_pages::{WarcInput, read_pages};

const WORDS: [&str; 11] =
    ["apple", "bread", "candle", "door", "engine", "forest", "garden", "harbour", "island", "jacket", "kettle"];

fn decode(message: &Bytes) -> Option<(HeaderMap, Bytes)> {
    let body = message.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some((HeaderMap::new(), message.slice(body + 4..)))
}

/// A crawl of threads of two posts each, on two hosts. Returns the WARC and the page log.
fn crawl(threads: usize) -> (Vec<u8>, Vec<String>) {
    let (mut warc, mut log) = (Vec::new(), Vec::new());
    for thread in 0..threads {
        let host = if thread % 7 == 0 { "few" } else { "many" };
        let mut posts = String::new();
        for at in 0..2 {
            let words = (0..12).map(|word| WORDS[(thread * 5 + at * 3 + word * (1 + at)) % WORDS.len()]);
            let text = words.collect::<Vec<_>>().join(" ");
            let _ = write!(
                posts,
                "<div class=post><div class=head><a href=/u/{at}>user{at}</a> <span class=date>2026-01-02 0{at}:{:02}</span></div>\
                 <div class=text>{text} {thread} {at}.</div></div>",
                thread % 60
            );
        }
        let url = format!("http://{host}/t/{thread}");
        let block = format!(
            "HTTP/1.1 200 OK\r\n\r\n<html><head><title>{thread}</title></head><body><h1>Thread</h1>{posts}</body></html>"
        );
        let line = format!(
            "{{\"url\":\"{url}\",\"time\":\"2026-05-01T00:00:00Z\",\"fate\":\"fetched\",\"status\":200,\"content_type\":\"text/html\",\
             \"warc_file\":\"warc/a.warc\",\"warc_offset\":{}}}\n",
            warc.len()
        );
        let record = format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-05-01T00:00:00Z\r\n\
             Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        );
        warc.extend(record.into_bytes());
        log.push(line);
    }
    (warc, log)
}

fn texts(directory: &Path) -> Vec<String> {
    let lines = std::fs::read_to_string(directory.join(POSTS_FILE)).unwrap();
    let text = |line: &str| serde_json::from_str::<Post>(line).unwrap().text;
    let mut texts: Vec<String> = lines.lines().map(text).collect();
    texts.sort();
    texts
}

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("warc")).unwrap();
    directory
}

/// Follows to the end; a crash after this many steps and saves, if there is one.
fn follow(directory: &Path, crash: Option<(usize, usize)>) {
    let mut follower = Follower::open(directory, decode, RecentTrees::default()).unwrap();
    let (steps, save_every) = crash.unwrap_or((usize::MAX, 10));
    for number in 0..steps {
        if follower.step(true).unwrap() == FollowStep::UpToDate {
            follower.write_waiting().unwrap();
            follower.save().unwrap();
            return;
        }
        if number % save_every == save_every - 1 {
            follower.save().unwrap();
        }
    }
}

#[test]
fn posts_are_written_behind_the_crawl_and_hosts_wait_until_enough_is_learned() {
    let directory = directory();
    let (warc, log) = crawl(260);
    let path = directory.path().join("warc/a.warc.open");
    std::fs::write(directory.path().join(PAGE_LOG), log[..40].concat()).unwrap();
    std::fs::write(&path, &warc[..100]).unwrap();
    let mut follower = Follower::open(directory.path(), decode, RecentTrees::default()).unwrap();
    assert_eq!(follower.step(false).unwrap(), FollowStep::UpToDate, "its record is not complete yet");
    std::fs::write(&path, &warc).unwrap();
    while follower.step(false).unwrap() == FollowStep::Page {}
    assert_eq!((follower.done().pages, follower.done().posts), (40, 0), "too little is learned");
    std::fs::rename(&path, directory.path().join("warc/a.warc")).unwrap();
    std::fs::write(directory.path().join(PAGE_LOG), log.concat() + "{\"url\":").unwrap();
    while follower.step(false).unwrap() == FollowStep::Page {}
    assert_eq!(follower.done().posts, 2 * 222, "of the host with many pages");
    follower.write_waiting().unwrap();
    let done = follower.done();
    assert_eq!((done.posts, done.unreadable, done.behind), (520, 0, 7));
}

#[test]
fn pages_that_the_crawl_has_just_parsed_are_not_read_again() {
    let (warc, log) = crawl(260);
    let [archived, parsed] = [directory(), directory()];
    for directory in [&archived, &parsed] {
        std::fs::write(directory.path().join(PAGE_LOG), log.concat()).unwrap();
    }
    std::fs::write(archived.path().join("warc/a.warc"), &warc).unwrap();
    follow(archived.path(), None);

    let trees = RecentTrees::new(1 << 30);
    let mut parser = Parser::new(&ParseOptions::default()).with_tree();
    let input = WarcInput { name: "warc/a.warc".to_owned(), reader: &warc[..] };
    read_pages(input, &mut |page| -> Result<(), ()> {
        let (_, body) = decode(page.message.as_ref().unwrap()).unwrap();
        let requested = Instant::from_micros(page.time.as_microsecond() as u64);
        trees.put(page.url.as_str(), requested, parser.parse(&body, Some("text/html")).tree.unwrap());
        Ok(())
    })
    .unwrap();
    let mut follower = Follower::open(parsed.path(), decode, trees).unwrap();
    while follower.step(true).unwrap() == FollowStep::Page {}
    follower.write_waiting().unwrap();
    assert_eq!(follower.done().unreadable, 0);
    let posts = |directory: &tempfile::TempDir| std::fs::read_to_string(directory.path().join(POSTS_FILE)).unwrap();
    assert_eq!(posts(&parsed), posts(&archived));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn each_post_is_written_once_however_often_it_is_killed(
        crashes in prop::collection::vec((0_usize..300, 1_usize..20, 0_usize..2_000), 0..5),
    ) {
        let (warc, log) = crawl(260);
        let whole = directory();
        let killed = directory();
        for directory in [&whole, &killed] {
            std::fs::write(directory.path().join("warc/a.warc"), &warc).unwrap();
            std::fs::write(directory.path().join(PAGE_LOG), log.concat()).unwrap();
        }
        follow(whole.path(), None);
        for (steps, save_every, lost) in crashes {
            follow(killed.path(), Some((steps, save_every)));
            // What was not synced may be torn.
            let path = killed.path().join(POSTS_FILE);
            let kept = complete_bytes(&File::open(&path).unwrap(), u64::MAX).unwrap();
            let state = read_state(killed.path(), &File::open(killed.path().join(PAGE_LOG)).unwrap()).unwrap();
            let cut = kept.saturating_sub(lost as u64).max(state.posts_bytes);
            OpenOptions::new().write(true).open(&path).unwrap().set_len(cut).unwrap();
        }
        follow(killed.path(), None);
        prop_assert_eq!(texts(killed.path()), texts(whole.path()));
        prop_assert_eq!(texts(whole.path()).len(), 520);
    }
}

#[test]
fn corrections_count_for_the_pages_that_are_read_after_them() {
    let directory = directory();
    let (warc, log) = crawl(20);
    std::fs::write(directory.path().join("warc/a.warc"), &warc).unwrap();
    std::fs::write(directory.path().join(PAGE_LOG), log.concat()).unwrap();
    let mut follower = Follower::open(directory.path(), decode, RecentTrees::default()).unwrap();
    let correction = |host: &str| Correction {
        host: host.to_owned(),
        field: TaughtField::Text,
        path: ".head a".to_owned(),
        is_wrong: false,
    };
    write_corrections(directory.path(), &["few", "many"].map(correction)).unwrap();
    follower.take_corrections().unwrap();
    std::fs::write(directory.path().join(CORRECTIONS_FILE), "broken").unwrap();
    assert!(follower.take_corrections().is_err() && follower.take_corrections().is_ok(), "it is told once");
    while follower.step(true).unwrap() == FollowStep::Page {}
    follower.write_waiting().unwrap();
    let texts = texts(directory.path());
    assert!(texts.len() >= 20 && texts.iter().all(|text| text.starts_with("user")), "{texts:?}");
}
