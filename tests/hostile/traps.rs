//! Sites without end: paths that deepen, calendars, sessions, log-in pages that nest, pages with too many links.

use std::sync::atomic::{AtomicU64, Ordering};

use super::crawl::Crawl;
use super::site::Site;

#[test]
fn ever_deeper_paths_end_at_the_trap_guard() {
    let site = Site::with_links(&["/a/", "/path/to/page/", "/d/"], |target, peer| {
        if target.starts_with("/a/") {
            return peer.page("<a href=\"a/\">deeper</a>");
        }
        if target.starts_with("/path/") {
            return peer.page("<a href=\"path/to/page/\">deeper</a>");
        }
        let depth = target.matches('/').count();
        peer.page(&format!("<a href=\"{target}d{depth}/\">deeper</a>"))
    });
    let outcome = Crawl::of(&site).finish();
    outcome.assert_healthy(&site);
    assert!(outcome.count("fetched") < 60, "{:#?}", outcome.fates());
    assert!(outcome.count("out_of_scope") >= 3, "{}", outcome.report());
    assert!(outcome.lines().iter().all(|line| line.url.len() < 300));
}

#[test]
fn links_ever_farther_from_the_seed_end_at_the_depth() {
    let site = Site::with_links(&["/n?n=0"], |target, peer| {
        let n: u64 = target.trim_start_matches("/n?n=").parse().unwrap();
        peer.page(&format!("<a href=\"/n?n={}\">next</a>", n + 1))
    });
    let outcome = Crawl::of(&site).arg("--depth").arg("30").finish();
    outcome.assert_healthy(&site);
    assert_eq!(outcome.count_of("over_budget", "depth"), 1);
    assert_eq!(outcome.count("fetched"), 1 + 5 + 30);
}

/// A calendar: every month links to the next, the one before, and its days.
fn calendar() -> Site {
    Site::with_links(&["/calendar?month=1000"], |target, peer| {
        let month: u64 = target.trim_start_matches("/calendar?month=").split('&').next().unwrap().parse().unwrap();
        let mut page = String::new();
        for (name, month) in [("next", month + 1), ("before", month.saturating_sub(1))] {
            page.push_str(&format!("<a href=\"/calendar?month={month}\">{name}</a>"));
        }
        for day in 1..=28 {
            page.push_str(&format!("<a href=\"/calendar?month={month}&amp;day={day}\">{day}</a>"));
        }
        peer.page(&page)
    })
}

#[test]
fn a_calendar_ends_at_the_budget_of_its_host_and_another_host_does_not_notice() {
    let (site, healthy) = (calendar(), Site::with_links(&[], |_, peer| peer.page("")));
    let outcome = Crawl::from([site.url("/"), healthy.url("/")]).set("budget.pages_per_host=200").finish();
    outcome.assert_healthy(&site);
    outcome.assert_healthy(&healthy);
    assert_eq!(outcome.count("fetched"), 200 + 6);
    assert!(outcome.count_of("over_budget", "host_pages") > 0);
}

#[test]
fn a_calendar_ends_at_the_budget_of_pages_to_the_page() {
    let site = calendar();
    let outcome = Crawl::of(&site).arg("--pages").arg("150").run_whole();
    assert_eq!(outcome.code, Some(0));
    assert_eq!(outcome.report()["stop_reason"], "pages_budget");
    assert_eq!(outcome.count("fetched"), 150);
    assert!(outcome.count("queued") > 0);
}

#[test]
fn session_ids_make_no_new_pages_and_unknown_ones_end_at_the_budget() {
    let serial = AtomicU64::new(1);
    let site = Site::with_links(&["/list"], move |target, peer| {
        let n = serial.fetch_add(1, Ordering::SeqCst);
        let random = u128::from(n).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        let known = format!("PHPSESSID={random:032x}");
        let mut page = String::new();
        for k in 0..5 {
            page.push_str(&format!(
                "<a href=\"/page{k}?{known}\">x</a><a href=\"/page{k};jsessionid={random:032X}\">x</a>"
            ));
            page.push_str(&format!("<a href=\"/page{k}?sid={random:032x}\">x</a>"));
        }
        if target.starts_with("/list") {
            page.push_str(&format!("<a href=\"/list?visit={n}\">x</a><a href=\"/list?visit={n}x\">x</a>"));
        }
        peer.page(&page)
    });
    let outcome = Crawl::of(&site).set("budget.pages_per_host=100").finish();
    outcome.assert_healthy(&site);
    let pages = outcome.fates().keys().filter(|url| url.contains("/page")).count();
    assert_eq!(pages, 5, "one for each page, whatever the session: {:#?}", outcome.fates());
    assert_eq!(outcome.count("fetched"), 100);
}

#[test]
fn addresses_that_nest_in_themselves_end() {
    let site = Site::with_links(&["/login?next=/x", "/escape?u=%2541", "/tag?t=a"], |target, peer| {
        let escaped: String = target.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let once_more = target.replace('%', "%25");
        let path = target.split('?').next().unwrap();
        match path {
            "/login" => peer.page(&format!(
                "<a href=\"/login?next={escaped}\">a</a><a href=\"/login?next={}\">b</a>",
                target.replace('%', "%25").replace('/', "%2F").replace('?', "%3F").replace('=', "%3D")
            )),
            "/escape" => peer.page(&format!("<a href=\"{once_more}\">x</a>")),
            _ => peer.page(&format!("<a href=\"{target}&amp;t=a\">more</a>")),
        }
    });
    let outcome = Crawl::of(&site).finish();
    outcome.assert_healthy(&site);
    assert!(outcome.count("fetched") < 60, "{:#?}", outcome.fates());
    assert!(outcome.count_of("out_of_scope", "trap") >= 3, "{}", outcome.report());
}

#[test]
fn a_page_of_100_000_links_fills_no_more_than_the_frontier_may_hold() {
    let site = Site::with_links(&["/many"], |target, peer| {
        if target != "/many" {
            return peer.page("<p>one of many");
        }
        let links: String = (0..100_000).map(|n| format!("<a href=/n{n}>x</a>")).collect();
        peer.page(&links)
    });
    // The start page is crawled first, with its healthy links: those wait already when the many come.
    let crawl = Crawl::of(&site).set("frontier.queued_max=100").set("fetch.body_max=4MiB");
    let outcome = crawl.finish();
    outcome.assert_healthy(&site);
    let parsed = outcome.lines().into_iter().find(|line| line.url.ends_with("/many")).unwrap();
    assert_eq!(parsed.links, Some(20_000), "no more than the parser takes of a page");
    assert!((100..150).contains(&outcome.count("fetched")), "{}", outcome.report());
    assert!(outcome.count_of("over_budget", "frontier") > 19_000);
}

#[test]
fn links_to_10_000_hosts_cost_no_more_than_the_frontier_may_hold() {
    let site = Site::scripted(|target, peer| match target {
        "/robots.txt" => peer.answer("404 Not Found", "", b""),
        "/" if peer.head.contains("127.0.0.1") => {
            let port = peer.head.split("127.0.0.1:").nth(1).unwrap().split('\r').next().unwrap().to_owned();
            let links: String =
                (0..10_000).map(|n| format!("<a href=http://h{n}.many.example:{port}/>x</a>")).collect();
            peer.page(&links)
        }
        _ => peer.page("<p>one of many"),
    });
    let crawl = Crawl::of(&site).set("frontier.queued_max=300").set("scope.mode=any");
    let crawl = crawl.set("fetch.private_addresses=true").set("fetch.resolve=*.many.example:127.0.0.1");
    let outcome = crawl.finish();
    assert!((300..350).contains(&outcome.count("fetched")), "{}", outcome.report());
    assert!(outcome.count_of("over_budget", "frontier") > 9_600);
    assert_eq!(outcome.count("failed"), 0, "{}", outcome.report());
}
