//! The pages of a crawl as a stream: complete, bounded, and stopped early.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use futures_util::StreamExt;
use harvestman_library::{Error, Page, Sink, SinkError, StopReason};

use super::crawls::Forum;

#[tokio::test]
async fn the_stream_has_one_page_for_each_line_of_the_page_log() {
    let forum = Forum::of(60);
    let mut crawl = forum.crawl().start().unwrap();
    let mut pages = crawl.pages();
    let mut urls = Vec::new();
    while let Some(page) = pages.next().await {
        urls.push(page.url().to_owned());
    }
    let report = crawl.join().await.unwrap();
    let all: BTreeSet<String> = urls.iter().cloned().collect();
    assert_eq!((all.len(), all), (urls.len(), forum.logged()));
    assert_eq!(report.stop_reason(), StopReason::FrontierEmpty);
    assert!(forum.is_complete());
}

#[test]
fn a_page_has_what_the_server_sent_and_what_the_crawl_made_of_it() {
    let forum = Forum::of(60);
    let mut crawl = forum.crawl().start().unwrap();
    let mut pages = crawl.pages();
    let mut first = None;
    while let Some(page) = pages.next_blocking() {
        first.get_or_insert(page);
    }
    let (page, report) = (first.unwrap(), crawl.wait().unwrap());
    assert_eq!((page.url(), page.status(), page.fate(), page.depth()), (&*forum.seed(), Some(200), "fetched", 0));
    assert!(page.is_fetched() && !page.is_truncated() && page.found_on().is_none() && page.reason().is_none());
    assert!(page.content_type().unwrap().starts_with("text/html") && page.header("Content-Type").is_some());
    assert!(page.headers().any(|(name, value)| name == "content-type" && value.starts_with(b"text/html")));
    assert!(page.body().starts_with(b"<!") && !page.title().unwrap().is_empty());
    assert!(page.time().unwrap() > SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000));
    assert!(page.links().iter().any(|link| link.is_new() && link.url().contains("/boards/")), "{:?}", page.links());
    assert!(report.pages() > 0 && report.to_json().contains("\"stop_reason\": \"frontier_empty\""));
}

#[test]
fn a_crawl_stops_early_and_can_be_resumed() {
    let forum = Forum::of(120);
    let mut crawl = forum.crawl().start().unwrap();
    let mut pages = crawl.pages();
    let mut read = 0;
    while pages.next_blocking().is_some() {
        read += 1;
        if read == 10 {
            crawl.stopper().stop();
        }
    }
    let report = crawl.wait().unwrap();
    assert_eq!(report.stop_reason(), StopReason::Stopped);
    assert!(report.pages() >= 5 && report.fate("queued") > 0 && !forum.is_complete(), "{report}");
    forum.resume().start().unwrap().wait().unwrap();
    assert!(forum.is_complete());
}

#[test]
fn a_stopped_crawl_does_not_wait_for_a_stream_that_nobody_reads_and_loses_nothing() {
    let forum = Forum::of(120);
    let mut crawl = forum.crawl().queue(2).set("frontier.in_flight_max", 8).start().unwrap();
    let mut pages = crawl.pages();
    let mut read = BTreeSet::from([pages.next_blocking().unwrap().url().to_owned()]);
    // All leases are out, and their pages wait for the stream.
    while forum.requests() < 10 {
        std::thread::sleep(Duration::from_millis(5));
    }
    crawl.stop();
    let report = crawl.wait().unwrap();
    assert_eq!(report.stop_reason(), StopReason::Stopped);
    // Two wait in the stream; the others were put back.
    read.extend(std::iter::from_fn(|| pages.next_blocking()).map(|page| page.url().to_owned()));
    assert!(read.len() >= 3 && read.len() as u64 <= report.discovered(), "{read:?}");
    assert_eq!(read, forum.logged(), "what was not read is not in the page log");

    let mut crawl = forum.resume().start().unwrap();
    let mut pages = crawl.pages();
    read.extend(std::iter::from_fn(|| pages.next_blocking()).map(|page| page.url().to_owned()));
    crawl.wait().unwrap();
    assert_eq!(read, forum.logged());
    assert!(forum.is_complete());
}

#[test]
fn a_stream_that_is_dropped_lets_the_crawl_continue() {
    let forum = Forum::of(120);
    let mut crawl = forum.crawl().queue(1).start().unwrap();
    let mut pages = crawl.pages();
    assert!(pages.next_blocking().is_some());
    drop(pages);
    assert!(crawl.pages().next_blocking().is_none(), "the pages are taken once");
    crawl.wait().unwrap();
    assert!(forum.is_complete());
}

#[test]
fn a_crawl_that_is_dropped_stops_and_closes_its_files() {
    let forum = Forum::of(120);
    let mut crawl = forum.crawl().queue(1).start().unwrap();
    let mut pages = crawl.pages();
    assert!(pages.next_blocking().is_some());
    drop(crawl);
    while pages.next_blocking().is_some() {}
    // The directory is released once the files are closed.
    let resumed = std::iter::repeat_with(|| forum.resume().start()).take(200).find_map(|resumed| match resumed {
        Err(Error::Usage(_)) => {
            std::thread::sleep(Duration::from_millis(50));
            None
        }
        other => Some(other.unwrap()),
    });
    resumed.unwrap().wait().unwrap();
    assert!(forum.is_complete());
}

/// A sink that takes everything.
struct Takes;

impl Sink for Takes {
    fn write(&mut self, _: &[Page]) -> Result<(), SinkError> {
        Ok(())
    }
}

#[test]
fn a_crawl_with_sinks_has_a_stream_only_if_it_is_asked_for() {
    let forum = Forum::of(60);
    let mut crawl = forum.crawl().queue(1).sink(Takes).start().unwrap();
    assert!(crawl.pages().next_blocking().is_none());
    // Nothing waits for a reader.
    while !forum.out().join("report.json").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    crawl.wait().unwrap();
    assert!(forum.is_complete());

    let forum = Forum::of(60);
    let mut crawl = forum.crawl().sink(Takes).stream().start().unwrap();
    let mut pages = crawl.pages();
    assert_eq!(std::iter::from_fn(|| pages.next_blocking()).count(), forum.logged().len());
    crawl.wait().unwrap();
}
