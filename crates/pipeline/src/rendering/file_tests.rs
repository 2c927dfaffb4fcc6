//! Tests of the file, and of when it is written.

use super::*;
use crate::rendering::{RenderClass, ToRender};
use harvestman_core::config::{RenderMode, RenderOptions};
use harvestman_core::url::CanonicalUrl;
use harvestman_metrics::Metrics;
use harvestman_render::{RenderedPage, Suspicion};

fn renders(directory: &Path) -> Arc<Renders> {
    let options = RenderOptions { mode: RenderMode::Auto, ..RenderOptions::default() };
    Arc::new(Renders::open(&options, directory, Metrics::new().render))
}

fn class() -> RenderClass {
    RenderClass::of(&CanonicalUrl::from_canonical("http://h.test/t/1"), 1)
}

/// Meets a page, and returns whether it waits for its turn.
fn wants(renders: &Renders, page: ToRender, url: &str) -> bool {
    renders.meet(page, url);
    renders.wants(page)
}

/// Renders three pages without a gain, which decides that their class needs no browser.
fn decide(renders: &Renders) {
    for page in 0..3 {
        let to_render = ToRender { class: class(), suspicion: Suspicion::Strong };
        assert!(wants(renders, to_render, &format!("http://h.test/t/{page}")));
        let shown = crate::rendering::Shown::default();
        renders.learn(class(), &RenderedPage::default(), &shown, &shown);
    }
}

#[test]
fn a_decision_is_written_soon_and_is_known_to_the_next_run() {
    let dir = tempfile::tempdir().unwrap();
    let clock = Clock::starting_at(Instant::from_micros(1_790_000_000_000_000));
    let renders = renders(dir.path());
    let mut writer = RenderWriter::new(Arc::clone(&renders), dir.path(), clock);
    assert!(!writer.step(), "there is nothing to write");
    decide(&renders);
    writer.written.0 = writer.clock.now() - PAUSE;
    assert!(writer.step());
    decide_nothing_more(dir.path());
    let summary = read_rendering(dir.path(), 9).unwrap().unwrap();
    assert_eq!((summary.known, &*summary.classes[0].need), (1, "unneeded"));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing else is left");
}

/// The next run has nothing to find out.
fn decide_nothing_more(directory: &Path) {
    let next = renders(directory);
    assert!(!wants(&next, ToRender { class: class(), suspicion: Suspicion::Strong }, "http://h.test/t/9"));
}

#[test]
fn counts_are_written_seldom_and_at_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let clock = Clock::starting_at(Instant::from_micros(1_790_000_000_000_000));
    let renders = renders(dir.path());
    let meet = || wants(&renders, ToRender { class: class(), suspicion: Suspicion::Strong }, "http://h.test/t/1");
    let mut writer = RenderWriter::new(Arc::clone(&renders), dir.path(), clock);
    meet();
    writer.written.0 = writer.clock.now() - PAUSE;
    assert!(!writer.step());
    writer.written.0 = writer.clock.now() - COUNTS_AFTER;
    assert!(writer.step());
    meet();
    writer.finish();
    assert_eq!(read_rendering(dir.path(), 1).unwrap().unwrap().classes[0].pages, 2);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_to_readers_and_none_to_the_crawl() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(read_rendering(dir.path(), 9), Ok(None));
    for broken in ["", "{\"format\":1,\"classes\":[", "{\"format\":7}", "no JSON"] {
        std::fs::write(dir.path().join(RENDER_FILE), broken).unwrap();
        let error = read_rendering(dir.path(), 9).unwrap_err();
        assert!(error.contains(RENDER_FILE), "{error}");
        let renders = renders(dir.path());
        assert_eq!(renders.summary(9), RenderingSummary::default());
        decide(&renders);
        RenderWriter::new(renders, dir.path(), Clock::starting_at(Instant::EPOCH)).finish();
        decide_nothing_more(dir.path());
    }
}

#[test]
fn a_file_that_cannot_be_written_does_not_matter() {
    let dir = tempfile::tempdir().unwrap();
    let renders = renders(dir.path());
    decide(&renders);
    RenderWriter::new(renders, &dir.path().join("missing"), Clock::starting_at(Instant::EPOCH)).finish();
}
