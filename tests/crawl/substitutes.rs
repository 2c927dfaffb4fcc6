//! Crawls of a site that sends other pages than those that are asked for: they count as nothing, and nothing is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use harvestman::config::{Config, Period};
use harvestman::host::HostLimits;
use harvestman::report::Hooks;
use harvestman::sim::{Family, ServerOptions, WorldOptions};

use super::crawling::{self, Crawled};
use super::scripted::{Reply, Scripted};

const TOPICS: usize = 60;
/// Requests before the wall, and requests that get it; as many pauses as that need.
const WALL: std::ops::Range<usize> = 25..31;

fn frame(title: &str, body: &str) -> Reply {
    let navigation = "<header><div><a href='/'>home</a></div><nav><ul><li><b>menu</b></li></ul></nav></header>";
    let footer = "<footer><p><i>all rights</i></p></footer>";
    Reply::html(format!("<html><head><title>{title}</title></head><body>{navigation}{body}{footer}</body></html>"))
}

/// Words that only this number has.
fn words(number: usize, many: usize) -> String {
    let letters =
        |number: usize| number.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect::<String>();
    (0..many).map(|word| format!("{}x{} ", letters(number), letters(word))).collect()
}

fn topic(number: usize) -> Reply {
    let post = format!(
        "<article><h2>by <a href='/user/{}'>somebody</a></h2><p>{}</p></article>",
        number % 9,
        words(number, 40)
    );
    frame(&format!("Topic {number}"), &format!("<main><h1>topic</h1><section>{post}</section></main>"))
}

fn site(path: &str) -> Reply {
    let number = |prefix| path.strip_prefix(prefix).and_then(|number: &str| number.parse::<usize>().ok());
    if path == "/robots.txt" {
        Reply::status(404)
    } else if let Some(number) = number("/topic/").filter(|number| *number < TOPICS) {
        topic(number)
    } else if let Some(number) = number("/user/") {
        frame("Profile", &format!("<aside><dl><dt>name</dt><dd>{}</dd></dl></aside>", words(number, 1)))
    } else if path == "/" {
        let links = (0..TOPICS).map(|number| format!("<li><a href='/topic/{number}'>{}</a></li>", words(number, 2)));
        frame("Topics", &format!("<ol>{}</ol>", links.collect::<String>()))
    } else {
        Reply::status(404)
    }
}

/// Crawls the site, whose answers `wall` replaces for the requests in [`WALL`]; it gets the path.
fn crawl_with_wall(wall: impl Fn(&str) -> Reply + Send + Sync + 'static) -> (Crawled, Scripted, usize) {
    let requests = Arc::new(AtomicUsize::new(0));
    let walled = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&walled);
    let server = Scripted::start(move |_, path, _| {
        if path == "/robots.txt" || path.starts_with("/trap") || path.starts_with("/login") {
            return site(path);
        }
        if WALL.contains(&requests.fetch_add(1, Ordering::SeqCst)) {
            counted.fetch_add(1, Ordering::SeqCst);
            return wall(path);
        }
        site(path)
    });
    let hooks = Hooks::none();
    let crawled = crawling::crawl_with(config(&server), hooks.clone());
    let counted = &hooks.metrics.parse.substitutes;
    assert!(counted.by("suspect").get() >= 2 && counted.by("block_page").get() >= 1, "{counted:?}");
    (crawled, server, walled.load(Ordering::SeqCst))
}

fn config(server: &Scripted) -> Config {
    let mut config = crawling::config(vec![server.url("one", "/")]);
    config.filter.substitutes = true;
    config.host.block_pause = Period::millis(30);
    // Otherwise retries alone get over a wall of errors.
    config.host.retries_max = 0;
    config.host.connections_per_host = 1;
    config
}

/// Every topic was fetched and led to its author; the wall was met, and nothing of it counts.
fn check(what: &str, (crawled, server, walled): &(Crawled, Scripted, usize)) {
    assert_eq!(*walled, WALL.len(), "{what}: the wall was met");
    for number in 0..TOPICS {
        assert_eq!(crawled.fate_of(&server.url("one", &format!("/topic/{number}"))), "fetched", "{what}: {number}");
    }
    let pages = || crawled.pages.iter().filter(|page| page.fate == "fetched");
    let wrong: Vec<_> =
        pages().filter(|page| page.title.as_deref().is_none_or(|title| title.contains("moment"))).collect();
    assert!(wrong.is_empty(), "{what}: {wrong:?}");
    let topics = pages().filter(|page| page.url.contains("/topic/"));
    assert!(topics.into_iter().all(|page| page.links == Some(2)), "{what}: links of the wall count");
    assert!(
        !server.paths("one").iter().any(|path| path.starts_with("/trap")),
        "{what}: a link of the wall was followed"
    );
    assert_eq!(crawled.fate("queued"), 0, "{what}");
    // What was put back counts as an attempt: the log has every request.
    let attempts: u64 = crawled.pages.iter().map(|page| u64::from(page.attempts)).sum();
    let asked = server.paths("one").iter().filter(|path| *path != "/robots.txt").count() as u64;
    assert_eq!(attempts, asked, "{what}: requests");
}

const CHALLENGE: &str = "<html><head><title>Just a moment</title><script src='/trap.js'></script></head>\
    <body><div><noscript>enable</noscript><p>checking</p><a href='/trap'>more</a></div></body></html>";

#[test]
fn a_challenge_with_success_counts_as_nothing_and_nothing_is_lost() {
    check("200", &crawl_with_wall(|_| Reply::html(CHALLENGE)));
}

#[test]
fn refusals_with_403_count_as_nothing_and_nothing_is_lost() {
    check("403", &crawl_with_wall(|_| Reply { status: 403, ..Reply::html(CHALLENGE) }));
}

#[test]
fn refusals_with_503_and_a_time_count_as_nothing_and_nothing_is_lost() {
    check("503", &crawl_with_wall(|_| Reply { status: 503, ..Reply::html(CHALLENGE) }.with("Retry-After", "0")));
}

#[test]
fn an_interstitial_with_the_title_of_the_page_counts_as_nothing_and_nothing_is_lost() {
    check(
        "interstitial",
        &crawl_with_wall(|path| {
            let title = format!("{} of the site", path.replace('/', " "));
            let body = format!("<div id=wall><h1>{title}</h1><p>Are you human?</p><a href='/trap'>continue</a></div>");
            Reply::html(format!("<html><head><title>{title} moment</title></head><body>{body}</body></html>"))
        }),
    );
}

#[test]
fn a_log_in_page_in_place_of_pages_counts_as_nothing_and_nothing_is_lost() {
    check(
        "log-in page",
        &crawl_with_wall(|path| {
            let form =
                format!("<form action='/trap'><input name=user><input name=next value='{path}'><b>log in</b></form>");
            frame("One moment, log in", &form)
        }),
    );
}

#[test]
fn redirects_to_the_log_in_page_count_as_nothing_and_nothing_is_lost() {
    check("redirects", &crawl_with_wall(|path| Reply::redirect(302, format!("/login?next={path}"))));
}

#[test]
fn a_soft_404_fails_and_does_not_stop_the_crawl() {
    // What the pages of a form have in common is known from the fourth on.
    let is_absent = |number: usize| number > 6 && number % 4 == 3;
    let absent = || frame("Nothing here", "<div><p>There is no such topic.</p><a href='/trap'>x</a></div>");
    let server = Scripted::start(move |_, path, _| {
        let number = path.strip_prefix("/topic/").and_then(|number| number.parse().ok());
        if number.is_some_and(is_absent) { absent() } else { site(path) }
    });
    let crawled = crawling::crawl(config(&server));
    for number in 0..TOPICS {
        let expected = if is_absent(number) { "failed: soft_404" } else { "fetched" };
        assert_eq!(crawled.fate_of(&server.url("one", &format!("/topic/{number}"))), expected, "{number}");
    }
    assert!(!server.paths("one").iter().any(|path| path.starts_with("/trap")));
}

#[test]
fn a_host_that_never_stops_to_block_is_given_up_and_its_urls_have_a_fate() {
    let requests = AtomicUsize::new(0);
    let server = Scripted::start(move |_, path, _| match requests.fetch_add(1, Ordering::SeqCst) {
        0..=20 => site(path),
        _ => Reply::html(CHALLENGE),
    });
    let config = config(&server);
    let hosts = HostLimits { block_pauses_max: 3, ..HostLimits::default() };
    let crawled = crawling::crawl_with(config, crawling::hooks_within(hosts));
    let given_up = crawled.pages.iter().filter(|page| page.reason.as_deref() == Some("host_given_up")).count();
    assert!(given_up > 30, "{given_up}");
    // Three that were found out, one after each pause, and each time what was on its way on four connections.
    assert!(server.paths("one").len() <= 21 + 3 + 4 * (1 + 4), "{}", server.paths("one").len());
}

#[test]
fn of_whole_worlds_nothing_is_lost_and_few_pages_are_asked_for_again() {
    for family in Family::SOCIAL {
        let pages =
            WorldOptions { pages: 2_000, hosts: 4, families: vec![family], page_bytes: 500, ..WorldOptions::default() };
        let server = crawling::serve(&pages, ServerOptions::default());
        let mut config = crawling::config(server.world().seeds());
        config.filter.substitutes = true;
        let crawled = crawling::crawl(config);
        crawled.check_complete(&server);
        let again: Vec<&str> =
            crawled.pages.iter().filter(|page| page.attempts > 1).map(|page| page.url.as_str()).collect();
        eprintln!(
            "{family:?}: of {} pages {} are asked for again: {:?}",
            crawled.pages.len(),
            again.len(),
            &again[..again.len().min(12)]
        );
        assert!(again.len() * 100 <= crawled.pages.len(), "{family:?}: {again:?}");
    }
}

#[test]
fn without_the_setting_every_answer_counts() {
    let requests = AtomicUsize::new(0);
    let server = Scripted::start(move |_, path, _| {
        let is_wall = path != "/trap" && WALL.contains(&requests.fetch_add(1, Ordering::SeqCst));
        if is_wall { Reply::html(CHALLENGE) } else { site(path) }
    });
    let mut config = config(&server);
    config.filter.substitutes = false;
    let crawled = crawling::crawl(config);
    assert!(crawled.pages.iter().all(|page| page.attempts == 1));
    assert!(server.paths("one").iter().any(|path| path == "/trap"));
}
