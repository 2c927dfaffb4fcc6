//! Servers that fail: for a while, for good, or from the start.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use harvestman::report::StopReason;
use harvestman::sim::{Family, ServerOptions, WorldOptions};

use crate::crawling::{config, crawl, crawl_with, giving_up_after, retrying_all, serve};
use crate::scripted::{Reply, Scripted};

/// A world in which one try in ten is answered by 500 or 503, at most twice in a row.
fn failing_world() -> WorldOptions {
    let families = Family::SOCIAL.to_vec();
    WorldOptions {
        pages: 1_000,
        hosts: 12,
        families,
        page_bytes: 200,
        error_rate: 0.1,
        errors_in_a_row: 2,
        ..WorldOptions::default()
    }
}

#[test]
fn errors_that_pass_lose_nothing_and_every_further_try_is_counted() {
    let server = serve(&failing_world(), ServerOptions::default());
    let config = config(server.world().seeds());
    let hooks = retrying_all();
    let crawled = crawl_with(config, hooks.clone());
    crawled.check_complete(&server);
    let statuses = server.log().statuses();
    let errors = statuses.get(&500).unwrap_or(&0) + statuses.get(&503).unwrap_or(&0);
    assert!(errors > 50, "{statuses:?}");
    assert_eq!(hooks.metrics.host.retries.get(), errors);
    let retried: u64 = crawled.pages.iter().map(|page| u64::from(page.attempts.saturating_sub(1))).sum();
    assert_eq!(retried, errors);
    for page in crawled.pages.iter().filter(|page| page.fate != "robots") {
        assert_eq!(u32::from(page.attempts), server.log().requests_of(&page.url), "{}", page.url);
    }
}

#[test]
fn without_further_tries_the_fates_say_what_failed() {
    let server = serve(&failing_world(), ServerOptions::default());
    let mut config = config(server.world().seeds());
    config.host.retries_max = 0;
    // The portal must not be the one that fails.
    config.crawl.seeds.extend(server.world().hosts().map(|host| format!("http://{host}:{}/", server.addr().port())));
    let crawled = crawl(config);
    crawled.check_requests(&server);
    let statuses = server.log().statuses();
    for (status, reason) in [(500, "http_500"), (503, "http_503")] {
        let lines = crawled.pages.iter().filter(|page| page.reason.as_deref() == Some(reason)).count() as u64;
        assert!(lines > 0);
        assert_eq!(statuses.get(&status), Some(&lines), "{reason}");
    }
    assert!(crawled.pages.iter().all(|page| page.attempts <= 1));
}

#[test]
fn what_fails_for_good_is_tried_as_often_as_set_and_then_fails_with_its_status() {
    let server = Scripted::start(|_, path, before| match path {
        "/" => Reply::links(&["/broken", "/late", "/gone", "/teapot", "/fine"]),
        "/late" if before == 2 => Reply::html("at last"),
        "/broken" | "/late" => Reply::status(500),
        "/gone" => Reply::status(410),
        "/teapot" => Reply::status(418),
        "/fine" => Reply::html("fine"),
        _ => Reply::status(404),
    });
    let mut config = config(vec![server.url("a", "/")]);
    config.host.retries_max = 2;
    let crawled = crawl(config);
    let fates = ["/broken", "/late", "/gone", "/teapot", "/fine"].map(|path| crawled.fate_of(&server.url("a", path)));
    assert_eq!(fates, ["failed: http_500", "fetched", "failed: http_410", "failed: http_4xx", "fetched"]);
    let asked = |path: &str| server.paths("a").iter().filter(|asked| *asked == path).count();
    assert_eq!(["/broken", "/late", "/gone", "/teapot"].map(asked), [3, 3, 1, 1]);
    assert_eq!(crawled.report.requests, server.log().len() as u64);
}

/// A port of loopback where nobody listens.
fn dead_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn a_host_that_cannot_be_reached_ends_the_crawl_with_the_reason() {
    let seed = format!("http://dead.localhost:{}/", dead_port());
    let crawled = crawl(config(vec![seed.clone()]));
    assert_eq!(crawled.report.stop_reason, StopReason::FrontierEmpty);
    assert_eq!((crawled.report.pages, crawled.fate_of(&seed)), (0, "failed: connect".to_owned()));
    let trouble = &crawled.report.troubles[0];
    assert_eq!((trouble.reason.as_ref(), trouble.failed), ("connect", trouble.requests));
}

#[test]
fn the_binary_says_why_an_unreachable_seed_brought_nothing_and_exits_with_3() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let started = Instant::now();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_harvestman"))
        .args(["crawl", &format!("http://127.0.0.1:{}/", dead_port()), "--contact", "tests@localhost", "--quiet"])
        .args(["--set", "host.retries_max=1", "--out"])
        .arg(&out)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("connect"), "{text}");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(out.join("report.json")).unwrap()).unwrap();
    assert_eq!(report["fates"]["failed"]["connect"], 1);
    // One pause of a second, and not a minute of waiting for robots.txt; the rest is room for a busy machine.
    assert!(started.elapsed() < Duration::from_secs(40));
}

#[test]
fn a_host_that_breaks_off_every_answer_is_given_up_and_nothing_is_left_waiting() {
    let paths: Vec<String> = (0..40).map(|n| format!("/{n}")).collect();
    let links = paths.iter().map(String::as_str).collect::<Vec<_>>().join("\"></a><a href=\"");
    let server = Scripted::start(move |_, path, _| match path {
        "/robots.txt" => Reply::status(404),
        "/" => Reply::html(format!("<a href=\"{links}\"></a>")),
        // No valid status: the client hangs up.
        _ => Reply::status(1),
    });
    let mut config = config(vec![server.url("a", "/")]);
    config.host.connections_per_host = 1;
    (config.host.breaker_failures, config.host.retries_max) = (3, 0);
    let crawled = crawl_with(config, giving_up_after(1));
    assert_eq!(crawled.report.stop_reason, StopReason::FrontierEmpty);
    let given_up = crawled.pages.iter().filter(|page| page.reason.as_deref() == Some("host_given_up")).count();
    // Twice three failures open the breaker twice, which is once too often.
    assert_eq!((server.paths("a").len(), given_up), (8, 34), "{:?}", crawled.report.fates);
}

#[test]
fn one_trouble_of_many_requests_under_way_together_is_counted_once() {
    // All requests under way break off together, once; a host must not be given up for that.
    let paths: Vec<String> = (0..200).map(|n| format!("/{n}")).collect();
    let links = paths.iter().map(String::as_str).collect::<Vec<_>>().join("\"></a><a href=\"");
    let arrived = AtomicU32::new(0);
    let server = Scripted::start(move |_, path, _| match path {
        "/robots.txt" => Reply::status(404),
        "/" => Reply::html(format!("<a href=\"{links}\"></a>")),
        _ if arrived.fetch_add(1, Ordering::SeqCst) < 64 => {
            std::thread::sleep(Duration::from_millis(500));
            Reply::status(1)
        }
        _ => Reply::html("well again"),
    });
    let mut config = config(vec![server.url("a", "/")]);
    config.host.connections_per_host = 64;
    config.host.breaker_failures = 5;
    let crawled = crawl(config);
    let given_up = crawled.pages.iter().filter(|page| page.reason.as_deref() == Some("host_given_up")).count();
    assert_eq!((given_up, crawled.fate("fetched")), (0, 201 - 64), "{:?}", crawled.report.fates);
}
