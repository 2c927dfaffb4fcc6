//! No page takes its readers long, whatever it is made of. `benches/hostile_pages.rs` reads larger ones of the same
//! kinds.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::crawl::Crawl;
use super::pages::{KINDS, Kind, READERS, Reader, taken};
use super::site::Site;

/// The size of the pages.
const KILOBYTES: usize = 32;
/// The budget of a reader of a page, in processor time of a build without optimisation. Most take a fifth of it.
const BUDGET: Duration = Duration::from_millis(80 * KILOBYTES as u64);
/// A reader whose time grows with the length takes twice the time for twice the length, and four times if its time
/// grows with the square. A busy machine slows both pages.
const GROWTH_MAX: u32 = 3;
/// No reader may take so many budgets, however its time grows.
const BUDGETS_MAX: u32 = 4;
/// How often a page is read that seems to take too long. A virtual machine counts as used the time for which its host
/// does not run it.
const TRIES: usize = 3;

/// Returns whether the time for a page is too long, given a function that takes the time for half of the page.
fn is_too_long(whole: Duration, half: impl FnOnce() -> Duration) -> bool {
    whole > BUDGET && (whole > BUDGET * BUDGETS_MAX || whole > half() * GROWTH_MAX)
}

/// Returns the last time that a reader took for a page, if each was too long.
fn time_that_is_too_long(reader: &Reader, page: &str, half: &str) -> Option<Duration> {
    let mut last = None;
    for _ in 0..TRIES {
        let time = taken(reader, page);
        if !is_too_long(time, || taken(reader, half)) {
            return None;
        }
        last = Some(time);
    }
    last
}

#[test]
fn a_time_is_too_long_if_it_grows_with_the_square_of_the_length() {
    assert!(is_too_long(BUDGET * 2, || BUDGET / 2), "grows with the square");
    assert!(is_too_long(BUDGET * 5, || BUDGET * 4), "too long for any page");
    assert!(!is_too_long(BUDGET * 2, || BUDGET), "grows with the length, on a slow machine");
    assert!(!is_too_long(BUDGET / 2, || Duration::ZERO), "within the budget");
}

#[test]
fn no_reader_takes_longer_than_its_budget_on_any_hostile_page() {
    let kinds: Vec<&Kind> = KINDS.into_iter().flatten().collect();
    let (next, slow) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(kind) = kinds.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (page, half) = (kind.page(1_000 * KILOBYTES), kind.page(500 * KILOBYTES));
                    for reader in &READERS {
                        if let Some(time) = time_that_is_too_long(reader, &page, &half) {
                            slow.lock().unwrap().push(format!("{} by {}: {time:?}", kind.name, reader.name));
                        }
                    }
                }
            });
        }
    });
    let slow = slow.into_inner().unwrap();
    assert!(slow.is_empty(), "readers of {KILOBYTES} KB take longer than {BUDGET:?}: {slow:#?}");
}

#[test]
fn pages_are_the_same_in_each_run_and_of_the_size_that_is_asked_for() {
    for kind in KINDS.into_iter().flatten() {
        let page = kind.page(20_000);
        assert_eq!(page, kind.page(20_000), "{}", kind.name);
        assert!((10_000..40_000).contains(&page.len()), "{}: {} bytes", kind.name, page.len());
    }
}

/// A page whose posts take too long to find.
fn page_to_give_up() -> String {
    let kind = KINDS.into_iter().flatten().find(|kind| kind.name == "dates of one class each, twice").unwrap();
    kind.page(12_000)
}

#[test]
fn a_page_whose_posts_take_too_long_is_named_and_the_crawl_goes_on() {
    let page = page_to_give_up();
    let site = Site::with_links(&["/made"], move |_, peer| peer.page(&page));
    let outcome = Crawl::of(&site).arg("--policy").arg("target").arg("--want").arg("posts:1").run_whole();
    outcome.assert_healthy(&site);
    let given_up = outcome.lines().into_iter().filter_map(|line| Some((line.url, line.given_up?)));
    assert_eq!(given_up.collect::<Vec<_>>(), [(site.url("/made"), "posts".to_owned())]);
    assert!(outcome.stderr.contains("the posts of the page are given up"), "{}", outcome.stderr);
}

#[test]
fn a_signal_ends_the_reading_of_posts_behind_a_crawl() {
    let page = page_to_give_up();
    let links: Vec<String> = (0..40).map(|number| format!("/made/{number}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let site = Site::with_links(&links, move |_, peer| peer.page(&page));
    let running = Crawl::of(&site).arg("--posts").start();
    let until = Instant::now() + Duration::from_secs(30);
    while !running.out().join("report.json").exists() {
        assert!(Instant::now() < until, "the crawl itself does not end");
        thread::sleep(Duration::from_millis(20));
    }
    let signalled = Instant::now();
    running.signal("INT");
    let outcome = running.wait();
    assert!(signalled.elapsed() < Duration::from_secs(15), "{:?}: {}", signalled.elapsed(), outcome.stderr);
    outcome.assert_whole();
}
