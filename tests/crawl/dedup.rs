//! The stores of URLs seen in whole crawls: the same pages, and the right figures.

use harvestman::config::{ByteSize, DedupStore};
use harvestman::dedup::{DedupStats, Estimate};
use harvestman::report::{Hooks, StopReason};
use harvestman::sim::{Family, ServerOptions, WorldOptions};

use crate::crawling::{Crawled, config, crawl, crawl_in, serve};
use crate::scripted::{Reply, Scripted};

fn world() -> WorldOptions {
    let families = vec![Family::Forum, Family::Blogs];
    WorldOptions { pages: 600, hosts: 6, families, page_bytes: 300, links: 20, ..WorldOptions::default() }
}

/// What the report says of the set; it says the same in its file and on the terminal.
fn figures(crawled: &Crawled) -> DedupStats {
    let figures = crawled.report.dedup.unwrap();
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(crawled.out().join("report.json")).unwrap()).unwrap();
    assert_eq!(json["dedup"], serde_json::to_value(figures).unwrap());
    assert!(crawled.report.to_string().contains(figures.store.name()));
    figures
}

#[test]
fn every_store_leads_to_the_same_pages_in_memory_and_on_disk() {
    let server = serve(&world(), ServerOptions { keep: 0, ..ServerOptions::default() });
    let mut first: Option<Vec<String>> = None;
    for (store, memory) in DedupStore::ALL.into_iter().flat_map(|store| [(store, 1 << 20), (store, 16_000)]) {
        let mut config = config(server.world().seeds());
        (config.dedup.store, config.dedup.memory) = (store, ByteSize(memory));
        let hooks = Hooks::none();
        let crawled = crawl_in(tempfile::tempdir().unwrap(), config, hooks.clone());
        let fetched = crawled.urls("fetched").into_iter().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(&fetched, first.get_or_insert_with(|| fetched.clone()), "{}", store.name());
        assert!(fetched.len() >= 600);

        let figures = figures(&crawled);
        let refused = ["duplicate", "out_of_scope", "policy"].map(|fate| crawled.fate(fate));
        assert_eq!(figures.urls, crawled.report.discovered - refused.iter().sum::<u64>());
        assert_eq!(figures.store, store);
        assert_eq!(figures.wrongly_dropped.measured, Estimate::exact(0));
        assert!(figures.wrongly_dropped.expected < 0.01);
        assert_eq!(figures.disk_bytes > 0, memory == 16_000 && store != DedupStore::BloomOnly, "{figures:?}");
        let metrics = &hooks.metrics.dedup;
        assert_eq!(metrics.entries.get(), figures.urls as i64);
        assert_eq!((metrics.memory_bytes.get() > 0, metrics.wrongly_dropped.get()), (true, 0));
        assert!(!crawled.out().join("seen").exists(), "nothing is left of what is of no more use");
    }
}

#[test]
fn a_filter_that_is_often_wrong_loses_pages_alone_and_none_before_an_exact_set() {
    let server = serve(&world(), ServerOptions { keep: 0, ..ServerOptions::default() });
    let crawled = |store| {
        let mut config = config(server.world().seeds());
        config.dedup.store = store;
        (config.dedup.planned, config.dedup.false_positives) = (100, 0.5);
        // The filter is asked only once there is something on disk.
        config.dedup.memory = ByteSize(4_000);
        crawl(config)
    };
    let (exact, both, only) =
        (crawled(DedupStore::ExactOnly), crawled(DedupStore::BloomExact), crawled(DedupStore::BloomOnly));
    assert_eq!(both.urls("fetched"), exact.urls("fetched"));
    let positives = figures(&both).false_positives.unwrap();
    assert!(positives.measured.count > 10.0 && positives.expected > 10.0, "{positives:?}");
    let (lost, fewer) = (figures(&only).wrongly_dropped, only.urls("fetched"));
    assert!(lost.measured.count > 0.0 && lost.measured.low == lost.measured.high, "{lost:?}");
    let all = exact.urls("fetched");
    assert!(fewer.len() < all.len() && fewer.iter().all(|url| all.binary_search(url).is_ok()));
}

#[test]
fn a_crawl_whose_urls_cannot_be_kept_on_disk_stops_and_accounts_for_all_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let in_the_way = dir.path().join("out/seen");
    let server = Scripted::start(move |_, path, _| match path {
        "/robots.txt" => Reply::status(404),
        "/" => {
            std::fs::write(&in_the_way, "a file where the directory is to be").unwrap();
            Reply::links(&["/1"])
        }
        // A long chain of slow pages: the crawl would go on for a minute.
        _ => {
            std::thread::sleep(std::time::Duration::from_millis(30));
            let at: u32 = path.trim_start_matches('/').split('/').next().unwrap().parse().unwrap();
            let further: Vec<String> =
                if at > 2_000 { Vec::new() } else { (1..=3).map(|next| format!("/{}", at + next)).collect() };
            Reply::links(&further.iter().map(String::as_str).collect::<Vec<_>>())
        }
    });
    let mut config = config(vec![server.url("a", "/")]);
    config.dedup.memory = ByteSize(200);
    config.robots.sitemaps = false;
    let crawled = crawl_in(dir, config, Hooks::none());
    assert_eq!(crawled.report.stop_reason, StopReason::DedupError);
    assert!(crawled.report.pages < 2_000 && crawled.fate("queued") > 0, "{:?}", crawled.report.fates);
    assert!(crawled.report.to_string().contains("raise dedup.memory"));
}

#[test]
fn a_page_behind_redirects_that_only_set_a_cookie_is_requested_again_with_it() {
    let server = Scripted::answering(|asked| {
        let has = |cookie: &str| asked.headers.get("cookie").is_some_and(|sent| sent.contains(cookie));
        let set = |to: &str, cookie: &str| Reply::redirect(302, to).with("Set-Cookie", format!("{cookie}; Path=/"));
        match &*asked.path {
            "/" => Reply::links(&["/self", "/trip", "/three", "/never", "/home"]),
            "/self" if !has("self=1") => set("/self", "self=1"),
            "/trip" if !has("trip=1") => Reply::redirect(302, "/check?back=trip"),
            "/check?back=trip" => set("/trip", "trip=1"),
            "/three" if !has("three=1") => set("/three/1", "three=1"),
            "/three/1" => Reply::redirect(302, "/three/2"),
            "/three/2" => Reply::redirect(302, "/three"),
            "/never" => set("/never", "never=1"),
            // It sets a cookie and leads to a page that did not lead to it.
            "/home" => set("/", "home=1"),
            "/robots.txt" | "/sitemap.xml" => Reply::status(404),
            path => Reply::html(format!("the page {path}")),
        }
    });
    let mut config = config(vec![server.url("a", "/")]);
    config.fetch.cookie_jar = true;
    let crawled = crawl(config);
    let pages = ["/", "/self", "/three", "/trip"].map(|path| server.url("a", path));
    assert_eq!(crawled.urls("fetched"), pages);
    let times = |path: &str| server.paths("a").iter().filter(|asked| *asked == path).count();
    assert_eq!(
        [times("/"), times("/self"), times("/trip"), times("/three"), times("/check?back=trip")],
        [1, 2, 2, 2, 1]
    );
    assert!(times("/never") <= 11, "{}", times("/never"));
    assert_eq!(crawled.report.requests, server.log().len() as u64);
}

#[test]
fn a_page_behind_refreshes_that_only_set_a_cookie_is_requested_again_with_it() {
    let server = Scripted::answering(|asked| {
        let has = |cookie: &str| asked.headers.get("cookie").is_some_and(|sent| sent.contains(cookie));
        let wait = |refresh: &str| Reply::html(format!("<meta http-equiv=refresh content='{refresh}'>Please wait"));
        let set = |reply: Reply, cookie: &str| reply.with("Set-Cookie", format!("{cookie}; Path=/"));
        match &*asked.path {
            "/" => Reply::links(&["/self", "/itself", "/head", "/trip", "/news", "/plain"]),
            "/self" if !has("self=1") => set(wait("1; url=/self"), "self=1"),
            "/itself" if !has("itself=1") => set(wait("0"), "itself=1"),
            "/head" if !has("head=1") => {
                set(Reply::html("Please wait").with("Refresh", "0; url=/head".to_owned()), "head=1")
            }
            "/trip" if !has("trip=1") => Reply::redirect(302, "/check"),
            "/check" => set(wait("0; url=/trip"), "trip=1"),
            "/news" => set(Reply::html("<meta http-equiv=refresh content=60>News"), "news=1"),
            "/plain" => wait("60"),
            "/robots.txt" | "/sitemap.xml" => Reply::status(404),
            path => Reply::html(format!("<title>the page</title>{path}")),
        }
    });
    let mut config = config(vec![server.url("a", "/")]);
    config.fetch.cookie_jar = true;
    let crawled = crawl(config);
    let pages = ["/", "/head", "/itself", "/news", "/plain", "/self", "/trip"].map(|path| server.url("a", path));
    assert_eq!(crawled.urls("fetched"), pages);
    let times = |path: &str| server.paths("a").iter().filter(|asked| *asked == path).count();
    assert_eq!(["/self", "/itself", "/head", "/trip", "/news", "/plain"].map(times), [2, 2, 2, 2, 2, 1]);
    assert_eq!(crawled.report.requests, server.log().len() as u64);
}
