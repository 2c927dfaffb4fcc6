//! What sitemaps and feeds say in a recrawl: the pages that a sitemap states as modified are visited first, and a feed
//! is read again for what is new.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

use super::runs::{Runs, output};
use super::scripted::{Reply, Scripted};

const PAGES: usize = 200;
const CHANGED: [usize; 6] = [3, 41, 77, 120, 158, 199];
const SETTINGS: [&str; 3] = ["host.delay=0s", "host.delay_factor=0", "state.commit_every=5ms"];

/// A site whose pages have versions and, in its sitemap, times of modification; and whose feed lists some of them.
#[derive(Default)]
struct Site {
    versions: BTreeMap<usize, (u32, u64)>,
    posts: usize,
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

fn serve(site: &Arc<Mutex<Site>>, now_is_stated: bool) -> Scripted {
    let (site, started) = (Arc::clone(site), now());
    Scripted::start(move |_, path, _| {
        let site = site.lock();
        match path {
            "/robots.txt" => Reply::text("Sitemap: /sitemap.xml\n"),
            "/sitemap.xml" => Reply::xml(sitemap(&site, |at| if now_is_stated { now() } else { started.max(at) })),
            "/" => {
                let links: String =
                    (0..PAGES).map(|number| format!("<p><a href='/p/{number}'>a page</a></p>")).collect();
                Reply::html(format!("<link rel=alternate type=application/rss+xml href=/feed>{links}"))
            }
            "/feed" => {
                let item = |number| format!("<item><title>Post</title><link>/post/{number}</link></item>");
                let items: String = (0..site.posts).rev().map(item).collect();
                Reply::xml(format!("<rss><channel><lastBuildDate>{}</lastBuildDate>{items}</channel></rss>", now()))
            }
            page => {
                let number = page.rsplit('/').next().unwrap().parse().unwrap_or(0);
                let (version, _) = site.versions.get(&number).copied().unwrap_or_default();
                Reply::html(format!("<p>{}</p>", ["one text", "another text", "a third text"][version as usize]))
            }
        }
    })
}

fn sitemap(site: &Site, stated: impl Fn(u64) -> u64) -> String {
    let entry = |number| {
        let (_, modified) = site.versions.get(&number).copied().unwrap_or_default();
        let stated = jiff::Timestamp::from_second(stated(modified) as i64).unwrap();
        format!("<url><loc>/p/{number}</loc><lastmod>{stated}</lastmod></url>")
    };
    format!("<urlset>{}</urlset>", (0..PAGES).map(entry).collect::<String>())
}

fn run(command: std::process::Command) {
    let output = output(command);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Changes the pages after their visit, and lets a second pass, the unit of lastmod.
fn change(site: &Mutex<Site>) {
    std::thread::sleep(Duration::from_millis(1_100));
    for number in CHANGED {
        let version = site.lock().versions.get(&number).map_or(0, |(version, _)| *version);
        site.lock().versions.insert(number, (version + 1, now()));
    }
    std::thread::sleep(Duration::from_millis(1_100));
}

/// Recrawls. Returns the places of the visits that found a change, among all visits to numbered pages.
fn recrawl(runs: &Runs) -> Vec<usize> {
    let before = runs.lines().len();
    run(runs.recrawl());
    let lines = runs.lines();
    let visits = lines[before..].iter().filter(|line| line.visit.is_some() && line.url.contains("/p/"));
    visits.enumerate().filter(|(_, line)| line.changed == Some(true)).map(|(at, _)| at).collect()
}

#[test]
fn the_pages_that_a_sitemap_states_as_modified_are_visited_before_others() {
    let site: Arc<Mutex<Site>> = Arc::default();
    let server = serve(&site, false);
    let runs = Runs::from(vec![server.url("a", "/")], &SETTINGS);
    run(runs.crawl());
    for round in 0..2 {
        change(&site);
        let found = recrawl(&runs);
        // Some visits are planned before the sitemap is read, and some pages of each type are visited as samples.
        assert!(found.len() == CHANGED.len() && found.iter().all(|at| *at < 44), "round {round}: {found:?}");
    }
}

#[test]
fn a_sitemap_that_states_now_for_every_page_changes_nothing() {
    let site: Arc<Mutex<Site>> = Arc::default();
    let server = serve(&site, true);
    let runs = Runs::from(vec![server.url("a", "/")], &SETTINGS);
    run(runs.crawl());
    std::thread::sleep(Duration::from_millis(1_100));
    let before = server.log().len();
    assert!(recrawl(&runs).is_empty());
    // Nothing has changed, and the recrawl stops as soon as that is likely enough.
    let requests = server.log().len() - before;
    assert!(requests <= PAGES * 2 / 5 + 5, "{requests}");
}

#[test]
fn a_feed_is_read_in_each_recrawl_and_what_is_new_in_it_is_fetched() {
    let site: Arc<Mutex<Site>> = Arc::new(Mutex::new(Site { posts: 3, ..Site::default() }));
    let server = serve(&site, true);
    let runs = Runs::from(vec![server.url("a", "/")], &SETTINGS);
    run(runs.crawl());
    assert_eq!(runs.urls("fetched").iter().filter(|url| url.contains("/post/")).count(), 3);
    for posts in [4, 6] {
        site.lock().posts = posts;
        run(runs.recrawl());
        assert_eq!(runs.urls("fetched").iter().filter(|url| url.contains("/post/")).count(), posts);
        let lines = runs.lines();
        let feed = lines.iter().rev().find(|line| line.url.ends_with("/feed")).unwrap();
        assert_eq!(feed.changed, Some(true), "{:?}", feed.difference);
    }
    // The same entries at another time are no change.
    let before = runs.lines().len();
    run(runs.recrawl());
    let lines = runs.lines();
    let feed = lines[before..].iter().find(|line| line.url.ends_with("/feed")).unwrap();
    assert_ne!(feed.changed, Some(true), "{:?}", feed.difference);
}
