//! A site is recorded and labelled, and the recording serves the other experiments.

use std::net::SocketAddr;
use std::sync::Arc;

use harvestman::seed::Seed;
use harvestman::sim::{Family, Server, ServerOptions, World, WorldOptions};

use super::recording::Recording;

const RULES: &str = r#"
name = "forum"
software = "Simulated forum"
skip = ['/login']
[[rule]]
url = '^/(?:topic|thread|t)\b'
type = "topic"
ucc = true
[[rule]]
url = ''
type = "any"
"#;

fn server() -> Server {
    let families = vec![Family::Forum];
    let options =
        WorldOptions { pages: 120, hosts: 1, families, page_bytes: 200, links: 12, ..WorldOptions::default() };
    let world = Arc::new(World::new(&options, Seed(11)).unwrap());
    Server::start(world, SocketAddr::from(([127, 0, 0, 1], 0)), ServerOptions::default()).unwrap()
}

#[test]
fn a_recorded_site_is_a_labelled_corpus_for_the_experiments() {
    let (server, directory) = (server(), Recording::empty());
    let site = server.world().seeds().swap_remove(0);
    directory.write("labels.toml", RULES);
    let record = ["lab", "record", "labels.toml", "--site", &site, "--out", "corpora", "--quiet"];
    let recorded = directory.run(&record);
    assert_eq!(recorded.code, Some(0), "{}{}", recorded.out, recorded.err);
    assert!(recorded.out.contains("Simulated forum") && recorded.out.contains("page type"), "{}", recorded.out);
    assert!(!directory.path("corpora/forum.crawl").exists());

    let replay =
        directory.run(&["lab", "ucc", "corpora/forum.warc.gz", "--policies", "bfs", "--seeds", "1", "--quiet"]);
    assert_eq!(replay.code, Some(0), "{}", replay.err);
    assert!(!replay.err.contains("no labels"), "{}", replay.err);

    directory.write("labels.toml", &RULES.replace("url = ''", "url = '^/$'"));
    let again = directory.run(&["lab", "record", "labels.toml", "--relabel", "--out", "corpora"]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(again.err.contains("no rule matches") && again.out.contains("other"), "{}{}", again.out, again.err);
}

#[test]
fn mistakes_in_rules_and_recordings_cut_short_are_reported() {
    let (server, directory) = (server(), Recording::empty());
    let site = server.world().seeds().swap_remove(0);
    directory.write("broken.toml", &RULES.replace("'/login'", "'('"));
    directory.run(&["lab", "record", "broken.toml", "--site", &site, "--out", "x"]).failed(2, &["broken.toml: `(`"]);
    directory.write("labels.toml", RULES);
    directory.run(&["lab", "record", "labels.toml", "--out", "x"]).failed(2, &["--site"]);
    directory.run(&["lab", "record", "labels.toml", "--relabel", "--out", "x"]).failed(1, &["forum.warc.gz"]);
    let short = ["lab", "record", "labels.toml", "--site", &site, "--out", "x", "--pages", "20", "--quiet"];
    directory.run(&short).failed(1, &["ended early", "--pages"]);
    directory.write("x/forum.crawl", "");
    directory.run(&short).failed(2, &["forum.crawl exists"]);
}
