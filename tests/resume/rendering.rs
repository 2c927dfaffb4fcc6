//! What was learned of rendering survives a SIGKILL. Without a browser these tests are skipped, unless
//! `HARVESTMAN_REQUIRE_BROWSER` is set.

use std::time::{Duration, Instant};

use harvestman::config::Config;
use harvestman::model::RenderClassSummary;
use harvestman::pipeline::{RENDER_FILE, check_browser, read_rendering, runtime};

use super::runs::Runs;
use super::scripted::{Reply, Scripted};

const APP: &str = "fetch('/api' + location.pathname).then(it => it.json()).then(it => { \
     document.getElementById('app').innerHTML = it.text; });";
const THREADS: usize = 40;

/// A site of a list and threads, whose pages are empty without their script.
fn site() -> Scripted {
    Scripted::start(|_, path, _| match path {
        "/robots.txt" => Reply::status(404),
        "/app.js" => Reply { headers: vec![("Content-Type", "text/javascript".to_owned())], ..Reply::text(APP) },
        "/" => Reply::html((0..THREADS).map(|n| format!("<a href=/t/{n}>a thread</a> ")).collect::<String>()),
        _ if path.starts_with("/api/t/") => Reply::text(format!(
            r#"{{"text": "What is said in thread {path} is of some length, <a href='/'>home</a>"}}"#
        )),
        _ if path.starts_with("/t/") => {
            Reply::html("<title>thread</title><div id=app></div><script src=/app.js></script>")
        }
        _ => Reply::status(404),
    })
}

/// A crawl of the site that renders; `None`, with a message, if there is no browser on this machine.
fn crawl(site: &Scripted) -> Option<Runs> {
    let config = Config::default();
    match runtime(&config).block_on(check_browser(&config)).result {
        Ok(_) => {}
        Err(why) if std::env::var_os("HARVESTMAN_REQUIRE_BROWSER").is_some() => panic!("{why}"),
        Err(why) => {
            eprintln!("SKIPPED, nothing is tested here: {why}");
            return None;
        }
    }
    let settings =
        ["crawl.policy=bfs", "render.mode=auto", "render.quiet=250ms", "host.delay=150ms", "host.delay_factor=0"];
    Some(Runs::from(vec![site.url("app", "/")], &settings))
}

/// Returns what is stored of the threads.
fn threads(runs: &Runs) -> Option<RenderClassSummary> {
    let stored = read_rendering(&runs.out(), 9).unwrap()?;
    stored.classes.into_iter().find(|class| class.example.contains("/t/"))
}

/// Crawls until the threads are replayed, and kills.
fn crawl_until_replayed(runs: &Runs) {
    let mut child = runs.start(runs.crawl());
    let until = Instant::now() + Duration::from_secs(120);
    while threads(runs).is_none_or(|class| class.replay.as_deref() != Some("ready")) {
        assert!(Instant::now() < until, "nothing was learned in time: {}", runs.stderr());
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Resumes to the end, and returns how many pages were rendered meanwhile.
fn resume(runs: &Runs) -> usize {
    let rendered = || runs.lines().iter().filter(|line| line.rendered.as_deref() == Some("rendered")).count();
    let before = rendered();
    assert_eq!(runs.start(runs.resume()).wait().unwrap().code(), Some(0), "{}", runs.stderr());
    assert_eq!(runs.urls("fetched").len(), 1 + THREADS);
    rendered() - before
}

#[test]
fn a_killed_crawl_goes_on_with_what_it_learned_of_rendering() {
    let site = site();
    let Some(runs) = crawl(&site) else { return };
    crawl_until_replayed(&runs);
    let before = threads(&runs).unwrap();
    assert!(runs.lines().len() < THREADS, "it was killed too late to show anything");
    assert_eq!(resume(&runs), 0, "the threads are replayed from the first on: {}", runs.stderr());
    let after = threads(&runs).unwrap();
    assert_eq!((after.rendered, &after.requests), (before.rendered, &before.requests));
    assert!(after.replayed > before.replayed && after.pages >= THREADS as u64, "{after:?}");
}

#[test]
fn a_broken_file_is_a_warning_and_is_learned_again() {
    let site = site();
    let Some(runs) = crawl(&site) else { return };
    crawl_until_replayed(&runs);
    let file = runs.out().join(RENDER_FILE);
    let torn = std::fs::read(&file).unwrap();
    std::fs::write(&file, &torn[..torn.len() / 2]).unwrap();
    assert!(resume(&runs) >= 3, "nothing was known");
    assert!(runs.stderr().contains("what was learned of rendering cannot be read"), "{}", runs.stderr());
    assert!(threads(&runs).is_some(), "the file is whole again");
}
