//! Crawls of pages whose scripts fetch the content. Without a browser these tests are skipped, unless
//! `HARVESTMAN_REQUIRE_BROWSER` is set.

use std::collections::BTreeSet;

use harvestman::config::{Config, Period, PolicyKind, RenderMode};
use harvestman::pipeline::{check_browser, runtime};
use harvestman::report::Hooks;

use crate::crawling::{config, crawl, crawl_with};
use crate::scripted::{Reply, Scripted};

const APP: &str = "const app = document.getElementById('app'); const data = path => fetch(path).then(it => it.json()); \
     (async () => { if (location.pathname === '/') { const { threads } = await data('/api/threads'); \
     app.innerHTML = threads.map(it => `<a href='/t/${it}'>Thread ${it}</a>`).join(' '); } else { \
     app.innerHTML = (await data('/api' + location.pathname)).text; } fetch('/private/me'); \
     fetch('/vote', { method: 'POST' }); })();";

/// A site of a list and nine threads, whose pages are empty without their script.
fn site() -> Scripted {
    Scripted::start(|_, path, _| match path {
        "/robots.txt" => Reply::text("User-agent: *\nDisallow: /private/"),
        "/app.js" => Reply { headers: vec![("Content-Type", "text/javascript".to_owned())], ..Reply::text(APP) },
        "/api/threads" => Reply::text(r#"{"threads": [1, 2, 3, 4, 5, 6, 7, 8, 9]}"#),
        "/" => Reply::html("<title>list</title><div id=app></div><script src=/app.js></script>"),
        _ if path.starts_with("/t/") => {
            Reply::html("<title>thread</title><div id=app></div><script src=/app.js></script>")
        }
        _ if path.starts_with("/api/t/") => Reply::text(format!(
            r#"{{"text": "What is said in thread {path} is of some length, <a href='/'>home</a>"}}"#
        )),
        _ => Reply::status(404),
    })
}

/// Settings of a crawl that renders; `None`, with a message, if there is no browser on this machine.
pub fn rendering(site: &Scripted, mode: RenderMode) -> Option<Config> {
    let mut config = config(vec![site.url("app", "/")]);
    (config.crawl.policy, config.render.mode) = (PolicyKind::Bfs, mode);
    config.render.quiet = Period::millis(250);
    match runtime(&config).block_on(check_browser(&config)).result {
        Ok(_) => Some(config),
        Err(why) if std::env::var_os("HARVESTMAN_REQUIRE_BROWSER").is_some() => panic!("{why}"),
        Err(why) => {
            eprintln!("SKIPPED, nothing is tested here: {why}");
            None
        }
    }
}

#[test]
fn content_that_scripts_fetch_is_found_and_their_requests_are_those_of_the_crawl() {
    let site = site();
    let Some(mut config) = rendering(&site, RenderMode::Auto) else { return };
    config.render.replay = false;
    let hooks = Hooks::none();
    let crawled = crawl_with(config, hooks.clone());
    let fetched = crawled.pages.iter().filter(|page| page.fate == "fetched");
    assert_eq!(fetched.filter(|page| page.rendered.as_deref() == Some("rendered")).count(), 10);
    let asked: Vec<String> = site.log().into_iter().map(|asked| asked.path).collect();
    let distinct: BTreeSet<&String> = asked.iter().collect();
    assert_eq!(distinct.len(), asked.len(), "something was requested twice: {asked:?}");
    assert!(!asked.iter().any(|path| path.starts_with("/private") || path == "/vote"), "{asked:?}");
    // robots.txt, the script, the list and the threads with their data.
    assert_eq!(asked.len(), 2 + 2 * 10, "{asked:?}");
    let metrics = &hooks.metrics;
    assert_eq!((metrics.render.pages.by("gain").get(), metrics.render.requests.by("method").get()), (10, 10));
    assert_eq!(metrics.render.requests.by("robots").get(), metrics.host.subrequests_refused.by("robots").get());
    assert!(metrics.host.subrequests_refused.by("robots").get() > 0 && metrics.render.gained_links.get() >= 9);
    assert_eq!(metrics.render.classes.by("open").get() + metrics.render.classes.by("needed").get(), 2);
}

#[test]
fn pages_whose_requests_are_known_need_no_browser() {
    let site = site();
    let Some(config) = rendering(&site, RenderMode::Auto) else { return };
    let hooks = Hooks::none();
    let crawled = crawl_with(config, hooks.clone());
    let count = |how: &str| crawled.pages.iter().filter(|page| page.rendered.as_deref() == Some(how)).count();
    // Of the threads, three teach and three verify. The next may be in the browser before the last of these is read.
    assert!((2..=3).contains(&count("replayed")), "{} are replayed", count("replayed"));
    assert_eq!(count("rendered") + count("replayed"), 10);
    let mut asked: Vec<String> = site.log().into_iter().map(|asked| asked.path).collect();
    let threads = (1..=9).flat_map(|n| [format!("/t/{n}"), format!("/api/t/{n}")]);
    let mut expected: Vec<String> =
        ["/", "/api/threads", "/app.js", "/robots.txt"].map(str::to_owned).into_iter().chain(threads).collect();
    asked.sort();
    expected.sort();
    assert_eq!(asked, expected, "the same requests as with a browser");
    let render = &hooks.metrics.render;
    assert_eq!((render.pages.by("replayed").get(), render.classes.by("replayed").get()), (count("replayed") as u64, 1));
}

#[test]
fn without_rendering_such_a_site_has_one_page() {
    let site = site();
    let crawled = crawl(config(vec![site.url("app", "/")]));
    assert_eq!(crawled.report.pages, 1);
    assert!(crawled.pages.iter().all(|page| page.rendered.is_none()));
}

#[test]
fn pages_without_scripts_are_not_rendered() {
    let site = Scripted::start(|_, path, _| match path {
        "/" => Reply::links(&["/one", "/two"]),
        _ => Reply::html("<p>text"),
    });
    let Some(config) = rendering(&site, RenderMode::Auto) else { return };
    let crawled = crawl(config);
    assert_eq!(crawled.report.pages, 3);
    assert!(crawled.pages.iter().all(|page| page.rendered.is_none()));
}
