//! A policy, a filter or a sink that fails ends the crawl, which loses nothing.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::sleep;
use std::time::Duration;

use harvestman_library::{
    Crawl, CrawlBuilder, Error, ExtensionFailure, Link, OnError, Page, Policy, Sink, SinkError, StopReason,
};

use super::crawls::{Forum, Urls, set};

/// A policy that panics when it is asked about this link.
struct PanicsAt(u32, AtomicU32);

impl Policy for PanicsAt {
    fn score(&self, _: &Link<'_>) -> Option<f64> {
        let Self(last, asked) = self;
        assert!(asked.fetch_add(1, Ordering::Relaxed) < *last, "the policy is lost");
        Some(1.0)
    }
}

/// A policy that panics at this page.
struct ShocksAt(u32, AtomicU32);

impl Policy for ShocksAt {
    fn score(&self, _: &Link<'_>) -> Option<f64> {
        Some(1.0)
    }

    fn observe(&self, _: &Page) {
        let Self(last, seen) = self;
        assert!(seen.fetch_add(1, Ordering::Relaxed) < *last, "the policy is shocked");
    }
}

/// A policy that does not return from its first question.
struct Hangs(Sender<()>);

impl Policy for Hangs {
    fn score(&self, _: &Link<'_>) -> Option<f64> {
        let _ = self.0.send(());
        loop {
            std::thread::park();
        }
    }
}

/// A sink that fails once it has this many pages, and collects what it takes.
pub struct Full {
    pub room: usize,
    pub taken: Urls,
}

impl Sink for Full {
    fn write(&mut self, pages: &[Page]) -> Result<(), SinkError> {
        let mut taken = self.taken.lock();
        if taken.len() + pages.len() > self.room {
            return Err("the disk is full".into());
        }
        taken.extend(pages.iter().map(|page| page.url().to_owned()));
        Ok(())
    }
}

/// The failure that ends a crawl.
fn failure(crawl: CrawlBuilder) -> Box<ExtensionFailure> {
    match crawl.start().unwrap().wait() {
        Err(Error::Extension(failure)) => failure,
        other => panic!("the crawl does not fail: {other:?}"),
    }
}

/// Runs a crawl that fails with this message, and resumes it without what failed: it has everything.
fn loses_nothing(crawl: impl FnOnce(CrawlBuilder) -> CrawlBuilder, part: &str, message: &str) {
    let forum = Forum::of(120);
    let failed = failure(crawl(forum.crawl()));
    let errors = failed.report().errors_of_extensions();
    assert_eq!((errors.len(), errors[0].part(), errors[0].message()), (1, part, message));
    assert!(failed.to_string().contains(message), "{failed}");
    assert_eq!(failed.report().stop_reason(), StopReason::Extension);
    assert!(!forum.is_complete());
    let written = std::fs::read_to_string(forum.out().join("report.json")).unwrap();
    assert!(written.contains("\"stop_reason\": \"extension_error\"") && written.contains(message), "{written}");

    let report = forum.resume().start().unwrap().wait().unwrap();
    assert_eq!((report.stop_reason(), report.errors_of_extensions().len()), (StopReason::FrontierEmpty, 0));
    assert!(forum.is_complete(), "{report}");
}

#[test]
fn a_policy_that_panics_at_a_link_ends_the_crawl_and_loses_nothing() {
    for link in [0, 1, 25, 60] {
        let policy = PanicsAt(link, AtomicU32::new(0));
        loses_nothing(|crawl| crawl.policy(policy), "policy", "it panicked: the policy is lost");
    }
}

#[test]
fn a_policy_that_panics_at_a_page_ends_the_crawl_and_loses_nothing() {
    let policy = ShocksAt(10, AtomicU32::new(0));
    loses_nothing(|crawl| crawl.policy(policy), "policy", "it panicked: the policy is shocked");
}

#[test]
fn a_filter_that_panics_ends_the_crawl_and_loses_nothing() {
    let asked = AtomicU32::new(0);
    let filter = move |_: &Link<'_>| {
        assert!(asked.fetch_add(1, Ordering::Relaxed) < 30, "the filter is {}", "torn");
        true
    };
    loses_nothing(|crawl| crawl.filter(filter), "filter", "it panicked: the filter is torn");
}

#[test]
fn a_sink_that_fails_ends_the_crawl_and_loses_nothing() {
    let sink = Full { room: 30, taken: Urls::default() };
    loses_nothing(|crawl| crawl.queue(4).sink(sink), "sink 1", "the disk is full");
}

#[test]
fn a_sink_has_every_page_although_another_one_failed_before() {
    let forum = Forum::of(120);
    let (first, second) = (Urls::default(), Urls::default());
    failure(forum.crawl().queue(4).sink(Full { room: 40, taken: first.clone() }));
    let sink = Full { room: usize::MAX, taken: second.clone() };
    forum.resume().sink(sink).start().unwrap().wait().unwrap();
    let both: BTreeSet<String> = set(&first).union(&set(&second)).cloned().collect();
    assert!(!first.lock().is_empty());
    assert_eq!(both, forum.logged());
}

#[test]
fn a_sink_that_may_fail_is_counted_and_the_crawl_continues() {
    let forum = Forum::of(120);
    let sink = Full { room: 30, taken: Urls::default() };
    let report = forum.crawl().queue(4).sink_with(sink, OnError::Continue).start().unwrap().wait().unwrap();
    let errors = report.errors_of_extensions();
    assert_eq!((errors.len(), errors[0].part(), errors[0].message()), (1, "sink 1", "the disk is full"));
    assert!(errors[0].count() > 1 && report.stop_reason() == StopReason::FrontierEmpty, "{errors:?}");
    assert!(forum.is_complete());
}

/// A sink that cannot finish.
struct NeverDone;

impl Sink for NeverDone {
    fn write(&mut self, _: &[Page]) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        Err("the last pages are not on the disk".into())
    }
}

#[test]
fn a_sink_that_cannot_finish_is_an_error_of_a_complete_crawl() {
    let forum = Forum::of(60);
    let failed = failure(forum.crawl().sink(NeverDone));
    assert!(failed.to_string().contains("sink 1 failed: the last pages are not on the disk"), "{failed}");
    assert!(forum.is_complete());
}

/// A sink that takes its time.
struct Slow(Urls);

impl Sink for Slow {
    fn write(&mut self, pages: &[Page]) -> Result<(), SinkError> {
        sleep(Duration::from_millis(30));
        self.0.lock().extend(pages.iter().map(|page| page.url().to_owned()));
        Ok(())
    }
}

#[test]
fn a_slow_sink_slows_the_crawl_down() {
    let forum = Forum::of(120);
    let taken = Urls::default();
    let crawl = forum.crawl().queue(1).sink(Slow(taken.clone())).set("frontier.in_flight_max", 8);
    let crawl = crawl.set("robots.sitemaps", false).start().unwrap();
    let mut most_ahead = 0;
    while taken.lock().len() < 60 {
        sleep(Duration::from_millis(5));
        // Taken first: what the server receives in between only makes the difference larger.
        let taken = taken.lock().len() as u64;
        most_ahead = most_ahead.max(forum.requests().saturating_sub(taken));
    }
    // The leases, robots.txt, and one that ended in between.
    assert!((2..=8 + 2).contains(&most_ahead), "{most_ahead} requests ahead of the sink");
    crawl.wait().unwrap();
    assert_eq!(set(&taken), forum.logged());
}

#[test]
fn a_program_of_its_own_code_and_a_fleet_do_not_go_together() {
    let crawl = Crawl::builder().seed("http://127.0.0.1:1/").set("fleet.servers", "nats://127.0.0.1:1");
    let error = crawl.out("/nonexistent/x").start().unwrap_err();
    assert!(matches!(&error, Error::Usage(text) if text.contains("`fleet.servers`")), "{error}");
}

#[test]
fn a_crawl_that_is_stopped_does_not_wait_for_a_page_whose_reading_does_not_end() {
    let forum = Forum::of(120);
    let (asked, is_asked) = channel();
    let crawl = forum.crawl().policy(Hangs(asked)).start().unwrap();
    is_asked.recv().unwrap();
    crawl.stop();
    match crawl.wait() {
        Err(Error::Internal(text)) => assert!(text.contains("does not end"), "{text}"),
        other => panic!("the crawl ends as if nothing were wrong: {other:?}"),
    }
}
