//! Directories that are no crawl, are in use, or are of another kind.

use std::fs;
use std::time::Duration;

use harvestman::sim::WorldOptions;

use super::runs::{Runs, names, output, serve};

fn told(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn what_is_no_crawl_is_refused_and_left_as_it_is() {
    let server = serve(&WorldOptions { pages: 20, ..WorldOptions::default() }, Duration::ZERO);
    let runs = Runs::of(&server, &[]);
    let missing = output(runs.resume());
    assert_eq!(missing.status.code(), Some(2));
    assert!(told(&missing).contains("is not a crawl directory"), "{}", told(&missing));
    fs::create_dir(runs.out()).unwrap();
    fs::write(runs.out().join("config.toml"), "").unwrap();
    let other = output(runs.resume());
    assert_eq!(other.status.code(), Some(2), "{}", told(&other));
    assert_eq!(names(&runs.out()), ["config.toml"]);
}

#[test]
fn a_crawl_that_has_ended_ends_again_at_once_and_goes_on_with_a_larger_budget() {
    let server = serve(&WorldOptions { pages: 60, ..WorldOptions::default() }, Duration::ZERO);
    let runs = Runs::of(&server, &["host.delay=0s", "budget.pages=20"]);
    assert_eq!(output(runs.crawl()).status.code(), Some(0));
    assert_eq!(runs.report()["pages"], 20);
    let requests = server.log().requests();
    let again = output(runs.resume());
    assert_eq!((again.status.code(), runs.report()["pages"].as_u64()), (Some(0), Some(20)), "{}", told(&again));
    assert_eq!(server.log().requests(), requests, "nothing more was asked for");
    let goes_on = format!("resume    harvestman resume {} --pages 40 ", runs.out().display());
    assert!(String::from_utf8_lossy(&again.stdout).contains(&goes_on), "{}", String::from_utf8_lossy(&again.stdout));
    let mut more = runs.resume();
    more.args(["--pages", "0"]);
    let more = output(more);
    assert_eq!(more.status.code(), Some(0), "{}", told(&more));
    assert_eq!(runs.check_complete(&server), 0);
    let over = output(runs.resume());
    assert_eq!(over.status.code(), Some(0), "{}", told(&over));
    assert_eq!(runs.report()["stop_reason"], "frontier_empty");
}

#[test]
fn a_directory_in_use_is_refused_and_a_new_crawl_is_not_mixed_into_an_old_one() {
    let server = serve(&WorldOptions { pages: 400, ..WorldOptions::default() }, Duration::from_millis(20));
    let runs = Runs::of(&server, &["host.delay=50ms"]);
    let mut running = runs.start(runs.crawl());
    runs.await_pages();
    for second in [output(runs.resume()), output(runs.recrawl())] {
        assert_eq!(second.status.code(), Some(2));
        assert!(told(&second).contains("another process"), "{}", told(&second));
        assert!(told(&second).contains("harvestman ctl"), "{}", told(&second));
    }
    running.kill().unwrap();
    running.wait().unwrap();
    let anew = output(runs.crawl());
    assert_eq!(anew.status.code(), Some(2));
    assert!(told(&anew).contains("harvestman resume"), "{}", told(&anew));
}

#[test]
fn a_crawl_of_an_earlier_version_goes_on_without_its_settings_that_are_none_any_more() {
    let server = serve(&WorldOptions { pages: 30, ..WorldOptions::default() }, Duration::ZERO);
    let runs = Runs::of(&server, &["host.delay=0s", "budget.pages=10"]);
    assert_eq!(output(runs.crawl()).status.code(), Some(0));
    let (file, new) = (runs.out().join("config.toml"), "[robots]\nsitemap_max_nesting = 9\nsitemap_max_depth = 3\n");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("[robots]\n"));
    fs::write(&file, text.replace("[robots]\n", new)).unwrap();
    let mut more = runs.resume();
    more.args(["--pages", "0"]);
    let more = output(more);
    assert_eq!(more.status.code(), Some(0), "{}", told(&more));
    assert!(
        told(&more).contains("`robots.sitemap_max_nesting` is no longer a setting: its value is fixed at 64, not 9")
    );
    assert!(!told(&more).contains("sitemap_max_depth"), "{}", told(&more));
    assert_eq!(runs.check_complete(&server), 0);
    let mut refused = runs.resume();
    refused.args(["--set", "robots.sitemap_max_nesting=9"]);
    let refused = output(refused);
    assert_eq!(refused.status.code(), Some(2));
    assert!(told(&refused).contains("--set robots.sitemap_max_nesting: "), "{}", told(&refused));
}

#[test]
fn the_configuration_is_that_of_the_crawl() {
    let server = serve(&WorldOptions { pages: 20, ..WorldOptions::default() }, Duration::ZERO);
    let runs = Runs::of(&server, &["host.delay=0s"]);
    let mut crawl = runs.crawl();
    crawl.args(["--header", "X-Secret: 1"]);
    assert_eq!(output(crawl).status.code(), Some(0));
    let without = output(runs.resume());
    assert!(told(&without).contains("fetch.headers was set"), "{}", told(&without));
    let mut other = runs.resume();
    other.args(["--config", "other.toml"]);
    let other = output(other);
    assert_eq!(other.status.code(), Some(2));
    assert!(told(&other).contains("cannot read other.toml"), "{}", told(&other));
}
