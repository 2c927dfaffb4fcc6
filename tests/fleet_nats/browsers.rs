//! A fleet in which one node has a browser: pages that need one are rendered by it, whoever fetched them first.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use harvestman::config::{Config, Period, PolicyKind, RenderMode};
use harvestman::model::PageRecord;
use harvestman::pipeline;
use harvestman::report::StopReason;

use super::PATIENCE;
use super::metrics::{Node, config, holds, until};
use super::policy::pages;
use super::scripted::{Reply, Scripted};
use super::server::Servers;

const HOSTS: usize = 10;
const THREADS: usize = 2;

const APP: &str = "fetch('/api' + location.pathname).then(it => it.json()).then(it => { \
     document.getElementById('app').innerHTML = `${it.text} <a href='/end${location.pathname}'>on</a>`; });";

/// Hosts whose pages lead on and on, and to threads that a script fills once `is_open`.
fn site(is_open: Arc<AtomicBool>) -> Scripted {
    Scripted::start(move |_, path, _| match path {
        "/app.js" => Reply { headers: vec![("Content-Type", "text/javascript".to_owned())], ..Reply::text(APP) },
        _ if path.starts_with("/t/") => {
            Reply::html("<title>thread</title><div id=app></div><script src=/app.js></script>")
        }
        _ if path.starts_with("/api/") => Reply::text(format!(
            r#"{{"text": "What is said in {path} is long enough to be worth the time that a browser takes for it"}}"#
        )),
        _ if path.starts_with("/end/") => Reply::html("<p>This is the end"),
        _ if path == "/" || path.starts_with("/more/") => {
            let number = path.rsplit('/').next().and_then(|number| number.parse().ok()).unwrap_or(0_u32);
            if is_open.load(Ordering::SeqCst) {
                let links: Vec<String> = (0..THREADS).map(|thread| format!("/t/{thread}")).collect();
                Reply::links(&links.iter().map(String::as_str).collect::<Vec<_>>())
            } else {
                Reply::links(&[&format!("/more/{}", number + 1)])
            }
        }
        _ => Reply::status(404),
    })
}

/// Whether this machine has a browser; otherwise says so.
async fn has_browser(config: &Config) -> bool {
    let result = pipeline::check_browser(config).await.result;
    assert!(result.is_ok() || std::env::var_os("HARVESTMAN_REQUIRE_BROWSER").is_none(), "{result:?}");
    if let Err(why) = &result {
        eprintln!("SKIPPED, nothing is tested here: {why}");
    }
    result.is_ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn pages_that_need_a_browser_are_rendered_by_the_node_that_has_one() {
    let Some(servers) = Servers::one("").await else { return };
    let is_open = Arc::new(AtomicBool::new(false));
    let site = site(Arc::clone(&is_open));
    let dir = tempfile::tempdir().unwrap();
    let of = |node, browser: &str| {
        let seeds = (0..HOSTS).map(|host| site.url(&format!("h{host}"), "/")).collect();
        let mut config = config(seeds, &servers, dir.path(), node);
        (config.crawl.policy, config.filter.trap_guard) = (PolicyKind::Bfs, false);
        (config.host.delay, config.robots.sitemaps) = (Period::millis(200), false);
        (config.render.mode, config.render.replay) = (RenderMode::Auto, false);
        (config.render.quiet, config.render.browser) = (Period::millis(250), browser.to_owned());
        config
    };
    let (able, bare) = (of("able", ""), of("bare", "/nowhere/chromium"));
    if !has_browser(&able).await {
        return;
    }
    let mut able = Node::start("able", able);
    until("a node with a browser holds everything", &mut [&mut able], |nodes| holds(nodes[0]) > 0).await;
    let mut bare = Node::start("bare", bare);
    until("a node without a browser takes part", &mut [&mut able, &mut bare], |nodes| holds(nodes[1]) > 0).await;
    let status = pipeline::fleet_status(&of("onlooker", "")).await.unwrap();
    let browsers: BTreeMap<&str, Option<bool>> = status.nodes.iter().map(|node| (&*node.node, node.browser)).collect();
    assert_eq!(browsers, BTreeMap::from([("able", Some(true)), ("bare", Some(false))]));
    is_open.store(true, Ordering::SeqCst);
    for node in [&able, &bare] {
        assert_eq!(node.ended.recv_timeout(2 * PATIENCE).unwrap(), StopReason::FrontierEmpty);
    }
    let (by_able, by_bare) = (pages(dir.path(), "able"), pages(dir.path(), "bare"));
    let is_thread = |page: &&PageRecord| page.url.contains("/t/") && !page.url.contains("/end/");
    let how: Vec<_> = by_able.iter().filter(is_thread).map(|page| page.rendered.as_deref()).collect();
    assert_eq!(how, vec![Some("rendered"); HOSTS * THREADS], "each thread once");
    assert_eq!(by_bare.iter().filter(is_thread).count(), 0, "a thread was taken as it is");
    let ends = by_able.iter().chain(&by_bare).filter(|page| page.url.contains("/end/") && page.fate == "fetched");
    assert_eq!(ends.count(), HOSTS * THREADS, "links that only a browser shows");
    assert!(bare.hooks.metrics.render.pages.by("elsewhere").get() > 0, "no page had to move");
}
