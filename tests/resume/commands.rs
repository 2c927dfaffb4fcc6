//! Crawls that are told something while they run: it holds at once, and after a SIGKILL too.

use std::collections::BTreeMap;
use std::process::Child;
use std::time::{Duration, Instant};

use harvestman::model::PageRecord;
use harvestman::sim::{Family, Server, WorldOptions};
use serde_json::Value;

use super::runs::{Runs, harvestman, output, serve};

fn world(pages: u64, hosts: u64) -> WorldOptions {
    let families = vec![Family::Forum];
    WorldOptions { pages, hosts, families, page_bytes: 400, links: 20, ..WorldOptions::default() }
}

/// A running crawl that can be told something.
fn running(runs: &Runs) -> Child {
    let child = runs.start(runs.crawl());
    runs.await_pages();
    runs.await_control();
    child
}

/// Tells it something; what it says to that, or why not.
fn tell(runs: &Runs, command: &str, arguments: &[&str]) -> Result<String, String> {
    let mut told = runs.tell(command);
    told.args(arguments);
    let told = output(told);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if told.status.success() { Ok(text(&told.stdout)) } else { Err(text(&told.stderr)) }
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

fn status(runs: &Runs) -> Value {
    serde_json::from_str(&tell(runs, "status", &["--json"]).unwrap()).unwrap()
}

/// Waits for something to come true.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < until, "{what} did not come true");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Requests for pages of this form since so many entries of the server's log.
fn asked(server: &Server, since: usize, wanted: impl Fn(&str) -> bool) -> usize {
    server.log().entries().iter().skip(since).filter(|entry| wanted(&format!("//{}{}", entry.host, entry.path))).count()
}

#[test]
fn a_delay_that_is_set_holds_at_once_and_after_a_kill() {
    let server = serve(&world(300, 1), Duration::ZERO);
    let runs = Runs::of(&server, &["host.delay=1h", "host.delay_factor=0", "robots.obey=false"]);
    let child = running(&runs);
    let before = server.log().requests();
    let told = tell(&runs, "set", &["host.delay=20ms", "budget.pages=250"]).unwrap();
    assert!(told.contains("host.delay: 1h -> 20ms") && told.contains("budget.pages: 0 -> 250"), "{told}");
    let since = Instant::now();
    wait_until("more requests", || server.log().requests() > before + 10);
    assert!(since.elapsed() < Duration::from_secs(10), "nobody waits for the delay of before");
    let slower = tell(&runs, "set", &["host.delay=30s"]).unwrap();
    assert!(slower.contains("20ms -> 30s"), "{slower}");
    let settled = server.log().requests();
    std::thread::sleep(Duration::from_millis(600));
    assert!(server.log().requests() <= settled + 1, "one may have been under way");
    assert_eq!(status(&runs)["in_force"]["set"]["host.delay"], "30s");
    tell(&runs, "set", &["host.delay=5ms"]).unwrap();
    kill(child);
    let resumed = output(runs.resume());
    assert_eq!(resumed.status.code(), Some(0), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert_eq!((runs.report()["pages"].as_u64(), &runs.report()["stop_reason"]), (Some(250), &"pages_budget".into()));
}

#[test]
fn what_cannot_be_set_banned_or_blocked_is_refused_with_what_can() {
    let server = serve(&world(300, 1), Duration::ZERO);
    let runs = Runs::of(&server, &["host.delay=1h", "robots.obey=false"]);
    let child = running(&runs);
    let refused = |command: &str, argument: &str, part: &str| {
        let why = tell(&runs, command, &[argument]).unwrap_err();
        assert!(why.contains(part), "{command} {argument}: {why}");
    };
    refused("set", "crawl.policy=ucc", "Settings that can be changed: budget.pages, ");
    refused("set", "host.delay=soon", "write it as 250ms");
    refused("set", "host.dely=1s", "did you mean `host.delay`?");
    refused("ban", "5", "the policy `bfs` has not found any");
    refused("ban", "everything", "neither the number of a cluster");
    refused("unban", "/tag/*", "is empty");
    refused("block", "no host", "is not a host");
    refused("unblock", "a.test", "no host is");
    assert!(!runs.out().join("in-force.json").exists(), "nothing was done");
    kill(child);
}

#[test]
fn a_blocked_host_gets_nothing_from_then_on_until_it_is_unblocked_across_a_kill() {
    let server = serve(&world(200, 3), Duration::from_millis(3));
    let runs = Runs::of(&server, &["host.delay=40ms", "host.delay_factor=0"]);
    let mut child = running(&runs);
    let host_of = |url: &str| url.split('/').nth(2).unwrap().to_owned();
    let portal = host_of(&runs.lines()[0].url);
    let another = || runs.lines().iter().map(|line| host_of(&line.url)).find(|host| *host != portal);
    wait_until("a page of another host", || another().is_some());
    let host = another().unwrap();
    let of_host = |url: &str| url.contains(&format!("//{host}/"));
    let told = tell(&runs, "block", &[&host]).unwrap();
    assert!(told.contains("its URLs wait (the crawl knows it)"), "{told}");
    // What was under way may still come.
    std::thread::sleep(Duration::from_millis(30));
    let since = server.log().entries().len();
    std::thread::sleep(Duration::from_millis(300));
    kill(child);
    child = runs.start(runs.resume());
    runs.await_control();
    wait_until("the others are done", || {
        status(&runs)["stall"].as_str().is_some_and(|stall| stall.contains("are blocked"))
    });
    assert!(server.log().entries().len() > since, "the others went on");
    assert_eq!(asked(&server, since, of_host), 0, "{host} got a request");
    assert_eq!(status(&runs)["in_force"]["blocked"][0], host.as_str());
    tell(&runs, "unblock", &[&host]).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{}", runs.stderr());
    assert!(asked(&server, since, of_host) > 0);
    runs.check_complete(&server);
}

#[test]
fn what_is_banned_by_form_is_let_go_and_refused_and_a_kill_right_after_the_answer_loses_no_ban() {
    let server = serve(&world(400, 1), Duration::from_millis(3));
    let runs = Runs::of(&server, &["host.delay=30ms", "host.delay_factor=0", "robots.sitemaps=false"]);
    let child = running(&runs);
    let told = tell(&runs, "ban", &["*/threads/*"]).unwrap();
    let since = server.log().entries().len();
    kill(child);
    assert!(told.contains("waiting URLs were discarded"), "{told}");
    let resumed = output(runs.resume());
    assert_eq!(resumed.status.code(), Some(0), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert!(asked(&server, since + 1, |url| url.contains("/threads/")) <= 1, "one may have been under way");
    let report = runs.report();
    assert!(report["fates"]["policy"]["banned"].as_u64().unwrap() > 0, "{}", report["fates"]);
    assert!(report["fates"].get("queued").is_none() && report["stop_reason"] == "frontier_empty");
    let journal = std::fs::read_to_string(runs.out().join("control.jsonl")).unwrap();
    let line: Value = serde_json::from_str(journal.lines().last().unwrap()).unwrap();
    assert_eq!((&line["command"], &line["arguments"][0]), (&"ban".into(), &"*/threads/*".into()));
    assert!(line["effect"].as_str().unwrap().contains("discarded"));
}

/// The clusters that have a few pages, the largest first.
fn large(lines: &[PageRecord]) -> Vec<u32> {
    let mut pages = BTreeMap::new();
    lines.iter().filter_map(|line| line.cluster).for_each(|cluster| *pages.entry(cluster).or_insert(0) += 1);
    let mut large: Vec<_> = pages.into_iter().filter(|(cluster, pages)| *cluster > 1 && *pages >= 20).collect();
    large.sort_by_key(|(_, pages)| std::cmp::Reverse(*pages));
    large.into_iter().map(|(cluster, _)| cluster).collect()
}

/// Bans the largest cluster that links are known to lead to; which that is, and what the crawl said to it.
fn ban_one_that_can_be_reached(runs: &Runs) -> Option<(u32, String)> {
    for cluster in large(&runs.lines()) {
        let number = cluster.to_string();
        match tell(runs, "ban", &[&number]) {
            Ok(told) if !told.contains("it reaches") => return Some((cluster, told)),
            Ok(_) => drop(tell(runs, "unban", &[&number]).unwrap()),
            // A lesson may have done away with it.
            Err(why) => assert!(why.contains("there is no cluster"), "{why}"),
        }
    }
    None
}

#[test]
fn clusters_are_banned_and_pinned_by_the_number_that_the_policy_gave_them() {
    let server = serve(&world(2_000, 1), Duration::from_millis(2));
    let settings = ["host.delay=15ms", "host.delay_factor=0", "robots.sitemaps=false", "crawl.policy=ucc"];
    let runs = Runs::of(&server, &settings);
    let mut child = running(&runs);
    wait_until("clusters", || runs.lines().iter().filter(|line| line.cluster.is_some_and(|at| at > 1)).count() > 120);
    let unknown = tell(&runs, "ban", &["99999"]).unwrap_err();
    assert!(
        unknown.contains("there is no cluster 99999; the known clusters are:")
            && unknown.contains(" pages, such as http"),
        "{unknown}"
    );
    // A cluster whose pages have URLs like those of other clusters is not reached by what is known before pages are
    // fetched.
    let mut banned = None;
    wait_until("a cluster that can be banned", || {
        banned = ban_one_that_can_be_reached(&runs);
        banned.is_some()
    });
    let (most, told) = &banned.unwrap();
    assert!(told.contains("discarded"), "{told}");
    let since = runs.lines().len();
    // Patterns of which few pages were fetched have to show first that they lead there.
    wait_until("more pages or the end", || runs.lines().len() > since + 100 || child.try_wait().unwrap().is_some());
    kill(child);
    let after = runs.lines();
    let share = |lines: &[PageRecord]| {
        lines.iter().filter(|line| line.cluster == Some(*most)).count() as f64 / lines.len().max(1) as f64
    };
    let (before, after) = (share(&after[..since]), share(&after[after.len().min(since + 40)..]));
    eprintln!("{told}\n{before:.2} of the pages were of the cluster before the ban, {after:.2} after it");
    assert!(after < before / 2.0, "{before} before, {after} after");
    let in_force = std::fs::read_to_string(runs.out().join("in-force.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&in_force).unwrap()["banned"][0], most.to_string());
}

#[test]
fn what_is_pinned_is_fetched_before_all_else() {
    let server = serve(&world(600, 1), Duration::from_millis(1));
    let runs =
        Runs::of(&server, &["host.delay=20ms", "host.delay_factor=0", "robots.sitemaps=false", "crawl.policy=ucc"]);
    let child = running(&runs);
    let is_pinned = |url: &str| url.contains("/members/");
    wait_until("links to members", || runs.lines().len() > 40);
    tell(&runs, "pin", &["/members/*"]).unwrap();
    std::thread::sleep(Duration::from_millis(60));
    let since = server.log().entries().len();
    wait_until("more pages", || server.log().entries().len() >= since + 20);
    let first: Vec<_> = server.log().entries()[since..since + 20].iter().map(|entry| entry.path.to_string()).collect();
    let pinned =
        || runs.lines().into_iter().find(|line| line.class.as_ref().is_some_and(|class| class.starts_with("pinned:")));
    wait_until("a line of a pinned page", || pinned().is_some());
    kill(child);
    let mut explain = harvestman("explain");
    explain.arg(runs.out()).arg(pinned().unwrap().url);
    let why = String::from_utf8_lossy(&output(explain).stdout).into_owned();
    assert!(why.contains("such links were pinned"), "{why}");
    assert!(first.iter().filter(|path| is_pinned(path)).count() >= 15, "{first:?}");
}
