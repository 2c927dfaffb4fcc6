//! What sites state about the use of their content, over whole crawls of hosts on loopback: it is read, recorded, and
//! obeyed by the purpose of the crawl, and the account adds up.

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use harvestman::archive::reader::{Limits, WarcReader};
use harvestman::config::{Config, Period, Purpose, SignalMode, TdmrepUse};

use crate::crawling::{Crawled, config, crawl};
use crate::scripted::{Reply, Scripted};

/// The hosts, each with the signal that its name says.
const HOSTS: [&str; 10] =
    ["plain", "signal", "usage", "licensed", "reserved", "headers", "pages", "paid", "contradicting", "huge"];

const RESERVED: &str =
    r#"[{"location":"/open/","tdm-reservation":0},{"location":"/","tdm-reservation":1,"tdm-policy":"https://p/"}]"#;

/// A page of a host, with links to its other pages.
fn page(host: &str, head: &str) -> Reply {
    let links = ["/a", "/open/b", "/moved"].map(|path| format!("<a href=\"{path}\">own</a>"));
    Reply::html(format!("<html><head><title>{host}</title>{head}</head><body>{}</body></html>", links.concat()))
}

fn robots(host: &str) -> Reply {
    match host {
        "signal" => Reply::text("User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n"),
        "usage" => {
            Reply::text("User-agent: *\nContent-Usage: / train-ai=n, search=n\nContent-Usage: /open/ train-ai=y\n")
        }
        "licensed" => Reply::text("License: https://licences.localhost/rsl.xml\nUser-agent: *\nAllow: /\n"),
        "contradicting" => Reply::text(
            "User-agent: *\nContent-Signal: ai-train=yes, search=yes\nContent-Usage: train-ai=n, search=y\n",
        ),
        _ => Reply::status(404),
    }
}

fn serve() -> Scripted {
    let huge = format!("[{}{}]", r#"{"location":"/no/","tdm-reservation":1},"#.repeat(250_000), RESERVED);
    Scripted::start(move |host, path, _| match (host, path) {
        (_, "/robots.txt") => robots(host),
        ("reserved", "/.well-known/tdmrep.json") => Reply::redirect(302, "/other/tdmrep.json"),
        ("reserved", "/other/tdmrep.json") => Reply::text(RESERVED),
        ("huge", "/.well-known/tdmrep.json") => Reply::text(huge.clone()),
        (_, "/.well-known/tdmrep.json") => Reply::status(404),
        (_, "/moved") => Reply::redirect(301, "/a").with("X-Robots-Tag", "noarchive"),
        ("paid", "/a") => Reply::status(402),
        ("headers", "/a") => page(host, "").with("Content-Usage", "train-ai=n").with("tdm-reservation", "1"),
        ("headers", "/open/b") => page(host, "").with("X-Robots-Tag", "otherbot: none, harvestman: noai, noarchive"),
        ("pages", "/a") => {
            page(host, "<meta name=robots content='noarchive, noindex, nosnippet'><body><a href=/linked>x</a>")
        }
        ("pages", "/open/b") => page(host, "<meta name=tdm-reservation content=1><link rel=license href=/l.xml>"),
        _ => page(host, ""),
    })
}

/// Crawls all hosts for a purpose.
fn crawled(change: impl FnOnce(&mut Config)) -> (Scripted, Crawled) {
    let server = serve();
    let seeds = HOSTS.iter().flat_map(|host| ["/", "/open/b"].map(|path| server.url(host, path))).collect();
    let mut config = config(seeds);
    change(&mut config);
    let crawled = crawl(config);
    (server, crawled)
}

/// The fates of the pages of a host: `/`, `/a`, `/open/b`, `/moved`.
fn fates(server: &Scripted, crawled: &Crawled, host: &str) -> [String; 4] {
    ["/", "/a", "/open/b", "/moved"].map(|path| crawled.fate_of(&server.url(host, path)))
}

/// The records of a WARC by the URL that they are about: their types, and the text of the metadata.
fn records(crawled: &Crawled) -> BTreeMap<String, (Vec<String>, String)> {
    let mut found: BTreeMap<String, (Vec<String>, String)> = BTreeMap::new();
    for name in &crawled.report.warc_files {
        let mut reader = WarcReader::new(File::open(crawled.out().join(name)).unwrap(), Limits::default());
        while let Some(mut record) = reader.next_record().unwrap() {
            let kind = record.record_type().to_owned();
            let url = record.target_uri().unwrap_or_default().to_owned();
            let mut block = Vec::new();
            record.read_block(&mut block, u64::MAX).unwrap();
            let entry = found.entry(url).or_default();
            if kind == "metadata" {
                entry.1.push_str(&String::from_utf8(block).unwrap());
            }
            entry.0.push(kind);
        }
    }
    found
}

#[test]
fn an_archive_leaves_out_what_asks_for_no_copies_and_records_the_rest() {
    let (server, crawled) = crawled(|_| {});
    for host in ["plain", "signal", "usage", "licensed", "reserved", "contradicting", "huge"] {
        assert_eq!(fates(&server, &crawled, host), ["fetched", "fetched", "fetched", "redirected"], "{host}");
    }
    assert_eq!(fates(&server, &crawled, "pages")[1..3], ["not_kept: noarchive", "fetched"]);
    assert_eq!(fates(&server, &crawled, "headers")[1..3], ["fetched", "not_kept: noarchive"]);
    assert_eq!(fates(&server, &crawled, "paid")[1], "payment_required");
    assert!(!server.log().iter().any(|asked| asked.path.ends_with("tdmrep.json")), "nothing depends on it");
    let records = records(&crawled);
    let of = |host: &str, path: &str| records.get(&server.url(host, path)).cloned().unwrap_or_default();
    assert_eq!(of("pages", "/a").0, ["metadata"]);
    let (kinds, metadata) = of("headers", "/a");
    assert_eq!(kinds, ["response", "request", "metadata"]);
    assert!(metadata.contains("statement: content_usage; in=header; says=train-ai=n\r\n"), "{metadata}");
    let unkept = of("pages", "/a").1;
    assert!(unkept.contains("notKept: noarchive") && !unkept.contains("title"), "{unkept}");
    assert!(unkept.contains("statement: noarchive; in=page; says=; effect=not_kept"), "{unkept}");
    assert_eq!(of("plain", "/moved").0, ["metadata"], "a redirect has headers too");
    assert_eq!(
        crawled.fate_of(&server.url("pages", "/linked")),
        "fetched",
        "links of a page that is not kept are followed"
    );
}

#[test]
fn a_crawl_for_training_fetches_and_keeps_only_what_no_signal_refuses() {
    let (server, crawled) = crawled(|config| config.fetch.purpose = Purpose::TrainAi);
    let expect = |host: &str, expected: [&str; 4]| assert_eq!(fates(&server, &crawled, host), expected, "{host}");
    expect("plain", ["fetched", "fetched", "fetched", "redirected"]);
    expect("licensed", ["fetched", "fetched", "fetched", "redirected"]);
    // Both seeds are refused, so that nothing else is found.
    let [signal, usage, reserved] =
        ["content_signal", "content_usage", "tdm_reservation"].map(|signal| format!("refused_by_site: {signal}"));
    expect("signal", [&signal, "no line", &signal, "no line"]);
    expect("contradicting", [&usage, "no line", &usage, "no line"]);
    // What is below `/open/` is allowed, and links to the rest.
    expect("usage", [&usage, &usage, "fetched", &usage]);
    expect("reserved", [&reserved, &reserved, "fetched", &reserved]);
    expect("headers", ["fetched", "not_kept: content_usage", "not_kept: noarchive", "redirected"]);
    expect("pages", ["fetched", "not_kept: noarchive", "not_kept: tdm_reservation", "redirected"]);
    expect("huge", ["fetched", "fetched", "fetched", "redirected"]);
    for host in HOSTS {
        let paths = server.paths(host);
        let asked = |path: &str| paths.iter().filter(|asked| *asked == path).count();
        assert_eq!(asked("/.well-known/tdmrep.json"), 1, "{host}: {paths:?}");
        assert_eq!(paths[..2], ["/robots.txt", "/.well-known/tdmrep.json"], "{host}");
    }
    assert_eq!(server.paths("signal").len(), 2, "nothing else is asked of it");
    // Both of two contradicting statements are recorded, and the stricter one has an effect.
    let line = crawled.pages.iter().find(|page| page.url == server.url("contradicting", "/")).unwrap();
    let said: Vec<_> = line.signals.iter().map(|said| (said.says.as_str(), said.effect.as_deref())).collect();
    let expected =
        [("ai-train=yes", None), ("search=yes", None), ("train-ai=n", Some("not_fetched")), ("search=y", None)];
    assert!(expected.iter().all(|expected| said.contains(expected)) && said.len() == 4, "{said:?}");
    let text = crawled.report.to_string();
    assert!(text.contains("refused_by_site"), "{text}");
}

#[test]
fn a_search_obeys_what_is_about_searches_only() {
    let (server, crawled) = crawled(|config| config.fetch.purpose = Purpose::Search);
    assert_eq!(fates(&server, &crawled, "signal"), ["fetched", "fetched", "fetched", "redirected"]);
    assert_eq!(fates(&server, &crawled, "usage")[0], "refused_by_site: content_usage");
    assert_eq!(fates(&server, &crawled, "pages")[1], "not_kept: noindex");
    assert_eq!(fates(&server, &crawled, "headers")[1..3], ["fetched", "fetched"]);
}

#[test]
fn signals_are_only_recorded_or_ignored_where_the_user_says_so() {
    for (mode, is_recorded) in [(SignalMode::Record, true), (SignalMode::Off, false)] {
        let (server, crawled) = crawled(|config| {
            (config.fetch.purpose, config.signals.mode) = (Purpose::TrainAi, mode);
            config.signals.tdmrep = TdmrepUse::Always;
        });
        assert_eq!((crawled.fate("refused_by_site"), crawled.fate("not_kept")), (0, 0));
        let recorded = crawled.pages.iter().filter(|page| !page.signals.is_empty()).count();
        assert_eq!(recorded > 0, is_recorded, "{mode:?}");
        let asked = server.log().iter().filter(|asked| asked.path == "/.well-known/tdmrep.json").count();
        assert_eq!(asked, if is_recorded { HOSTS.len() } else { 0 });
    }
}

#[test]
fn signals_that_change_in_mid_crawl_apply_to_later_pages() {
    let is_changed = Arc::new(AtomicBool::new(false));
    let changes = Arc::clone(&is_changed);
    let server = Scripted::start(move |_, path, before| match path {
        "/robots.txt" if before == 0 => Reply::text("User-agent: *\nContent-Usage: search=y\n"),
        "/robots.txt" => {
            changes.store(true, Ordering::SeqCst);
            Reply::text("User-agent: *\nContent-Usage: search=n\n")
        }
        "/" => Reply::links(
            &(0..130).map(|n| format!("/{n}")).collect::<Vec<_>>().iter().map(String::as_str).collect::<Vec<_>>(),
        ),
        _ => {
            // The smallest time for which a robots.txt is taken as fresh is a minute, which some answers take.
            std::thread::sleep(std::time::Duration::from_millis(1_200));
            Reply::html("a page")
        }
    });
    let mut config = config(vec![server.url("a", "/")]);
    config.fetch.purpose = Purpose::Search;
    config.robots.cache = Period::secs(60);
    (config.host.connections_per_host, config.host.delay_factor) = (2, 0.0);
    let crawled = crawl(config);
    assert!(is_changed.load(Ordering::SeqCst), "robots.txt was asked for again");
    let (fetched, refused) = (crawled.fate("fetched"), crawled.fate("refused_by_site"));
    assert_eq!(fetched + refused, 131);
    assert!(fetched > 10 && refused > 0, "{fetched} fetched, {refused} refused");
    for page in &crawled.pages {
        let says = if page.fate == "fetched" { "search=y" } else { "search=n" };
        assert_eq!(page.signals.iter().map(|said| said.says.as_str()).collect::<Vec<_>>(), [says], "{}", page.url);
    }
}
