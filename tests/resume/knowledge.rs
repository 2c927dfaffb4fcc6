//! What a policy has learned survives a SIGKILL.

use std::collections::HashSet;

use harvestman::sim::{Family, Server, ServerOptions, TruthRow, WorldOptions};

use super::runs::{Runs, serve_with};

/// Pages of each crawl, and those after which it is killed.
const BUDGET: usize = 360;

fn forum() -> Server {
    let families = vec![Family::Forum];
    let world = WorldOptions { pages: 2_400, hosts: 1, families, page_bytes: 700, ..WorldOptions::default() };
    serve_with(&WorldOptions { duplicates: 0.7, redirects: 0.35, ..world }, ServerOptions::default())
}

fn is_wanted(row: &TruthRow) -> bool {
    row.ucc && row.status == 200 && row.duplicate_of.is_none()
}

/// Crawls by a policy, killed after each of these numbers of pages, and does `between` before it goes on. Says which
/// share of what it fetched is wanted.
fn harvest(policy: &[&str], kills: &[usize], between: impl Fn(&Runs)) -> f64 {
    let server = forum();
    let budget = format!("budget.pages={BUDGET}");
    let mut settings =
        vec!["host.delay=0s", "robots.sitemaps=false", "frontier.in_flight_max=8", "crawl.seed=7", &budget];
    settings.extend(policy);
    let runs = Runs::of(&server, &settings);
    let mut child = runs.start(runs.crawl());
    for pages in kills {
        while runs.lines().len() < *pages {
            assert!(child.try_wait().unwrap().is_none(), "it ended too soon: {}", runs.stderr());
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        between(&runs);
        child = runs.start(runs.resume());
    }
    assert_eq!(child.wait().unwrap().code(), Some(0), "{}", runs.stderr());
    let wanted: HashSet<String> = server.world().truth().filter(is_wanted).map(|row| row.url).collect();
    let lines = runs.lines();
    let fetched: HashSet<&str> =
        lines.iter().filter(|line| line.fate == "fetched").map(|line| line.url.as_str()).collect();
    fetched.iter().filter(|url| wanted.contains(**url)).count() as f64 / fetched.len() as f64
}

fn forget(runs: &Runs) {
    std::fs::remove_dir_all(runs.out().join("observations")).unwrap();
}

#[test]
fn a_learning_crawl_that_is_killed_harvests_about_as_well_as_one_that_is_not() {
    for policy in ["crawl.policy=ucc", "crawl.policy=cluster-graph"] {
        // Which page comes before which differs from crawl to crawl, and with it the harvest, by more than a tenth now
        // and then.
        let mean = |kills: &[usize]| (0..3).map(|_| harvest(&[policy], kills, |_| {})).sum::<f64>() / 3.0;
        let whole = mean(&[]);
        let killed = mean(&[BUDGET / 2]);
        let thrice = mean(&[BUDGET / 8, BUDGET / 3, BUDGET / 2]);
        let forgetful = harvest(&[policy], &[BUDGET / 8, BUDGET / 3, BUDGET / 2], forget);
        eprintln!(
            "{policy}: {whole:.3} whole, {killed:.3} killed once, {thrice:.3} three times, {forgetful:.3} without memory"
        );
        assert!(killed.min(thrice) > whole - 0.15, "{policy}: {killed:.3} and {thrice:.3} of {whole:.3}");
    }
}

#[test]
fn a_crawl_for_posts_that_is_killed_harvests_about_as_well_as_one_that_is_not() {
    let mean = |kills: &[usize]| {
        let crawls = (0..2).map(|_| harvest(&["crawl.policy=ucc", "policy.worth=posts"], kills, |_| {}));
        crawls.sum::<f64>() / 2.0
    };
    let (whole, killed) = (mean(&[]), mean(&[BUDGET / 8, BUDGET / 2]));
    eprintln!("{whole:.3} whole, {killed:.3} killed twice");
    assert!(whole > 0.3, "posts are found: {whole:.3}");
    assert!(killed > whole - 0.15, "{killed:.3} of {whole:.3}");
}

#[test]
fn after_a_kill_pages_are_told_apart_from_the_first_one_on_and_other_policies_begin_anew() {
    let server = forum();
    let runs =
        Runs::of(&server, &["host.delay=5ms", "host.delay_factor=0", "robots.sitemaps=false", "crawl.policy=ucc"]);
    let pages = |more: usize| {
        let before = runs.lines().len();
        let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
        let fetched = || runs.lines().iter().skip(before).filter(|line| line.fate == "fetched").count();
        while fetched() < more {
            assert!(std::time::Instant::now() < until, "no pages in time: {}", runs.stderr());
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        before
    };
    let kill = |mut child: std::process::Child| {
        child.kill().unwrap();
        child.wait().unwrap();
    };
    let child = runs.start(runs.crawl());
    pages(120);
    kill(child);
    let resumed = runs.start(runs.resume());
    let since = pages(10);
    kill(resumed);
    let lines = runs.lines();
    let fetched: Vec<_> = lines.iter().skip(since).filter(|line| line.fate == "fetched").collect();
    assert!(fetched.len() >= 10 && fetched.iter().all(|line| line.cluster.is_some()), "{fetched:#?}");
    assert!(runs.stderr().contains("the policy is restored from its observations"), "{}", runs.stderr());
    let mut other = runs.resume();
    other.args(["--policy", "cluster-graph"]);
    let other = runs.start(other);
    pages(10);
    kill(other);
    assert!(runs.stderr().contains("are of other settings or another version"), "{}", runs.stderr());
}
