//! The orders of filter and dedup: crawls of many hosts by one cluster graph, which refuses links in either order, and
//! none without the filter.

use std::collections::BTreeSet;

use harvestman::config::{Config, FilterOrder, PolicyKind};
use harvestman::pipeline::MODEL_FILE;
use harvestman::sim::{Family, Server, ServerOptions, WorldOptions};

use crate::crawling::{Crawled, config, crawl, serve};

fn blogs() -> Server {
    let families = vec![Family::Blogs];
    let world = WorldOptions { pages: 3_000, hosts: 500, families, page_bytes: 100, ..WorldOptions::default() };
    serve(&world, ServerOptions { keep: 0, ..ServerOptions::default() })
}

fn by_graph(server: &Server) -> Config {
    let mut config = config(server.world().seeds());
    config.crawl.policy = PolicyKind::ClusterGraph;
    config.robots.sitemaps = false;
    // What it refuses depends on what was met before, and so on who answered first.
    config.filter.trap_guard = false;
    config
}

/// Links that the graph refused.
fn refused(crawled: &Crawled) -> u64 {
    let report = serde_json::to_value(&crawled.report.fates).unwrap();
    report["policy"]["link_class"].as_u64().unwrap_or(0)
}

/// All URLs that were let in: each has a line in the page log, whatever came of it.
fn admitted(crawled: &Crawled) -> BTreeSet<&str> {
    crawled.pages.iter().map(|page| page.url.as_str()).collect()
}

#[test]
fn the_filter_refuses_links_before_the_dedup_and_after_it_and_without_it_none() {
    let server = blogs();
    let mut learning = by_graph(&server);
    learning.budget.pages = 800;
    let learned = crawl(learning);
    let model = learned.out().join(MODEL_FILE).display().to_string();
    let [before, after, without] = FilterOrder::ALL.map(|order| {
        let mut config = by_graph(&server);
        (config.filter.order, config.policy.model) = (order, model.clone());
        let crawled = crawl(config);
        assert_eq!((crawled.fate("queued"), crawled.report.hosts), (0, 500), "{order:?}");
        crawled
    });
    let all = admitted(&without);
    assert_eq!(refused(&without), 0, "{:?}", without.report.fates);
    for crawled in [&before, &after] {
        let same = admitted(crawled);
        assert!(refused(crawled) > 0, "{:?}", crawled.report.fates);
        assert!(same.is_subset(&all), "{:?}", same.difference(&all).take(9).collect::<Vec<_>>());
        // How much is left out depends on what was met first.
        assert!(same.len() * 2 > all.len() && same.len() < all.len(), "{} of {}", same.len(), all.len());
    }
}
