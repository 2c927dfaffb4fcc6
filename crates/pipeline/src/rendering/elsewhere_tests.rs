use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::*;
use crate::rendering::RenderClass;
use harvestman_core::config::RenderOptions;
use harvestman_core::model::{Apath, LinkClass};
use harvestman_core::url::CanonicalUrl;
use harvestman_metrics::Metrics;
use harvestman_render::Suspicion;

/// A fleet whose other nodes have a browser, or not.
#[derive(Default)]
struct Others {
    have_one: AtomicBool,
    asked: Mutex<BTreeSet<String>>,
    is_lost: AtomicBool,
}

impl OtherBrowsers for Others {
    fn ask(&self, origin: &str) -> bool {
        self.asked.lock().insert(origin.to_owned());
        self.have_one.load(Ordering::Relaxed)
    }

    fn is_asked(&self, origin: &str) -> bool {
        self.asked.lock().contains(origin)
    }

    fn lose_browser(&self) {
        self.is_lost.store(true, Ordering::Relaxed);
    }
}

fn renders(mode: RenderMode, others: Option<&Arc<Others>>) -> Renders {
    let options = RenderOptions { mode, ..RenderOptions::default() };
    Renders::open(
        &options,
        Path::new("/nonexistent"),
        Metrics::new().render,
        others.map(|others| Arc::clone(others) as _),
        Arc::default(),
    )
}

fn fetched(url: &str) -> ScheduledUrl {
    let class = LinkClass::unclassified(Apath::SEED);
    ScheduledUrl { attempts: 1, ..ScheduledUrl::found(CanonicalUrl::from_canonical(url), class) }
}

fn page(item: &ScheduledUrl, suspicion: Suspicion) -> ToRender {
    ToRender { class: RenderClass::of(&item.url, 7), suspicion }
}

#[test]
fn without_a_browser_a_page_that_needs_one_waits_for_another_node_and_not_forever() {
    let others = Arc::new(Others::default());
    let renders = renders(RenderMode::Auto, Some(&others));
    let (empty, full) = (fetched("http://a.test/app"), fetched("http://b.test/t/1"));
    let place = |item: &ScheduledUrl, suspicion| renders.place(item, page(item, suspicion));
    assert_eq!(place(&empty, Suspicion::Strong), Some(RenderPlace::Here));
    assert!(!others.is_asked("http://a.test"), "whether it needs one is not known yet");
    renders.keep(&fetched("http://c.test/"));
    assert!(others.is_asked("http://c.test"), "a browser brought something");
    renders.turn_off();
    assert_eq!(place(&empty, Suspicion::Strong), None, "no other node has a browser");
    assert!(others.is_asked("http://a.test"), "a node with one may come");
    others.have_one.store(true, Ordering::Relaxed);
    assert_eq!(place(&empty, Suspicion::Strong), Some(RenderPlace::Elsewhere));
    assert_eq!(place(&full, Suspicion::Weak), None);
    assert_eq!(place(&full, Suspicion::None), None);
    assert!(!others.is_asked("http://b.test"));
    for _ in 1..WAITS_MAX {
        assert_eq!(place(&empty, Suspicion::Strong), Some(RenderPlace::Elsewhere));
    }
    assert_eq!(place(&empty, Suspicion::Strong), None, "then the page is taken as it is");
    let counted = renders.put_backs.end(&[PutBackReason::NoBrowser], empty.url.fingerprint());
    assert_eq!(counted, WAITS_MAX, "the log counts these requests");
}

#[test]
fn a_crawl_that_renders_everything_moves_every_host_and_one_without_a_fleet_none() {
    let others = Arc::new(Others { have_one: true.into(), ..Others::default() });
    let item = fetched("http://a.test/");
    for (others, expected) in [(Some(&others), Some(RenderPlace::Elsewhere)), (None, None)] {
        let renders = renders(RenderMode::Always, others);
        renders.turn_off();
        assert_eq!(renders.place(&item, page(&item, Suspicion::None)), expected);
    }
}

#[test]
fn what_waited_for_a_browser_that_does_not_start_goes_elsewhere() {
    let others = Arc::new(Others { have_one: true.into(), ..Others::default() });
    let renders = renders(RenderMode::Auto, Some(&others));
    let item = fetched("http://a.test/app");
    let to_render = page(&item, Suspicion::Strong);
    let failed = RenderOutcome::Failed(RenderFailure::CannotStart(String::new()));
    assert!(renders.wants(to_render));
    assert!(!renders.leaves_unrendered(&item, to_render, &RenderOutcome::Unneeded), "the browser works");
    renders.ended(to_render.class, &failed);
    assert!(others.is_lost.load(Ordering::Relaxed));
    for outcome in [failed, RenderOutcome::Unneeded] {
        assert!(renders.leaves_unrendered(&item, to_render, &outcome), "{:?}", outcome.label());
    }
    assert!(!renders.leaves_unrendered(&item, to_render, &RenderOutcome::Failed(RenderFailure::Hung)));
}
