//! Policies that learn while the crawl runs: over real sockets, by the ground truth of the simulated site.

use std::collections::{BTreeSet, HashMap};
use std::process::Command;

use harvestman::config::archive::LineCompression;
use harvestman::config::{Config, PolicyKind};
use harvestman::model::{PageRecord, PolicyRecord};
use harvestman::report::{Hooks, StopReason};
use harvestman::sim::{Family, Server, ServerOptions, TruthRow, WorldOptions};

use crate::crawling::{Crawled, added, config, crawl, crawl_with, serve};

/// Requests of each crawl.
const BUDGET: u64 = 400;

/// A forum; `duplicates` is the share of its threads that have further addresses.
fn forum(duplicates: f64) -> Server {
    let families = vec![Family::Forum];
    let world = WorldOptions { pages: 2_400, hosts: 1, families, page_bytes: 700, ..WorldOptions::default() };
    let world = WorldOptions { duplicates, redirects: duplicates / 2.0, ..world };
    serve(&world, ServerOptions { keep: 0, ..ServerOptions::default() })
}

fn budgeted(server: &Server, policy: PolicyKind) -> Config {
    let mut config = config(server.world().seeds());
    config.crawl.policy = policy;
    config.budget.pages = BUDGET;
    // What the sitemaps list would hide where the links lead.
    config.robots.sitemaps = false;
    // A server on loopback answers faster than anything can be learned; this keeps the crawl from running ahead.
    config.frontier.in_flight_max = 8;
    config
}

/// The share of the fetched pages that satisfy `valid`.
fn share(server: &Server, crawled: &Crawled, valid: impl Fn(&TruthRow) -> bool) -> f64 {
    let valid: BTreeSet<String> = server.world().truth().filter(valid).map(|row| row.url).collect();
    let fetched = crawled.urls("fetched");
    fetched.iter().filter(|url| valid.contains(**url)).count() as f64 / fetched.len() as f64
}

#[test]
fn a_crawl_stops_where_little_is_left_to_expect_and_reports_the_estimate() {
    let server = forum(0.7);
    let mut config = budgeted(&server, PolicyKind::Ucc);
    config.budget.pages = 0;
    config.budget.early_stop = 0.2;
    let hooks = Hooks::none();
    let crawled = crawl_with(config, hooks.clone());
    assert_eq!(crawled.report.stop_reason, StopReason::LowYield);
    let outlook = crawled.report.outlook.unwrap();
    assert!(outlook.expected_yield < 0.2 && outlook.requests > 0.0, "{outlook:?}");
    assert!((hooks.metrics.frontier.expected_yield.get() - outlook.expected_yield).abs() < 1e-6);
    assert!(crawled.report.to_string().contains("were expected to return a wanted, new page"));
    // What it had not fetched by then is still counted.
    assert!(crawled.report.fates.named("queued") > 0, "{:?}", crawled.report.fates);
    assert_eq!(crawled.report.fates.total(), crawled.report.discovered);
    let wanted = server.world().truth().filter(|row| row.ucc && row.status == 200 && row.duplicate_of.is_none());
    let (fetched, wanted) = (crawled.urls("fetched"), wanted.map(|row| row.url).collect::<Vec<_>>());
    let had = wanted.iter().filter(|url| fetched.contains(&url.as_str())).count();
    let share = had as f64 / wanted.len() as f64;
    assert!(share > 0.9, "{share:.3} of {} when it stopped after {}", wanted.len(), crawled.report.requests);
}

fn policy_log(crawled: &Crawled) -> Vec<PolicyRecord> {
    let text = std::fs::read_to_string(crawled.out().join("policy.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_crawl_for_what_users_wrote_learns_the_forum_and_finds_more_of_it_than_breadth_first() {
    let server = forum(0.7);
    let users_text = |row: &TruthRow| row.ucc && row.status == 200 && row.duplicate_of.is_none();
    let breadth_first = share(&server, &crawl(budgeted(&server, PolicyKind::Bfs)), users_text);
    let hooks = Hooks::none();
    let crawled = crawl_with(budgeted(&server, PolicyKind::Ucc), hooks.clone());
    assert_eq!((crawled.report.stop_reason, crawled.report.pages), (StopReason::PagesBudget, BUDGET));
    let policy = &hooks.metrics.policy;
    assert!(policy.model_updates.get() >= 1 && policy.clusters.get() > 1, "{policy:?}");
    assert_eq!(policy.panics.get(), 0);
    let learned = share(&server, &crawled, users_text);
    assert!(learned > breadth_first + 0.1, "learned: {learned:.3}, breadth first: {breadth_first:.3}");
}

#[test]
fn every_decision_of_a_learning_crawl_can_be_traced_to_a_snapshot() {
    let server = forum(0.7);
    let hooks = Hooks::none();
    let crawled = crawl_with(budgeted(&server, PolicyKind::Ucc), hooks.clone());
    let log = policy_log(&crawled);
    assert!(log.is_sorted_by(|a, b| a.snapshot < b.snapshot && a.generation <= b.generation));
    assert_eq!(hooks.metrics.policy.snapshots.get() + 1, log.len() as u64, "and the first, which knows nothing");
    assert!(log.iter().all(|line| line.classes.len() <= 500));
    let versions: HashMap<u64, &PolicyRecord> = log.iter().map(|line| (line.snapshot, line)).collect();
    for page in &crawled.pages {
        let snapshot = page.snapshot.unwrap_or_else(|| panic!("{} names no snapshot", page.url));
        assert!(versions.contains_key(&snapshot), "{} names snapshot {snapshot}", page.url);
        assert!(page.class.is_some() && page.score.is_some(), "{page:?}");
    }
    let clustered = crawled.pages.iter().filter(|page| page.cluster.is_some()).count();
    assert!(clustered > 200, "{clustered} pages have a cluster");
    let last = log.iter().rev().find_map(|line| line.model_update.as_ref()).unwrap();
    assert!(last.patterns.len() > 2 && last.site.is_some(), "{last:?}");
    // All observations but those of the last moments are in the last snapshot, and these too.
    let ended = crawled.pages.iter().filter(|page| page.time.is_some()).count() as u64;
    assert_eq!(log.last().unwrap().observations, ended);
}

fn explain(crawled: &Crawled, url: &str, more: &[&str]) -> String {
    let out = crawled.out();
    let command = Command::new(env!("CARGO_BIN_EXE_harvestman")).arg("explain").arg(out).arg(url).args(more).output();
    let output = command.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_crawl_can_be_asked_why_a_page_was_fetched() {
    let server = forum(0.3);
    let mut config = budgeted(&server, PolicyKind::Ucc);
    config.budget.pages = 80;
    config.archive.pages_compress = LineCompression::Gzip;
    let crawled = crawl(config);
    let story = |page: &PageRecord| -> serde_json::Value {
        serde_json::from_str(&explain(&crawled, &page.url, &["--json"])).unwrap()
    };
    let deep = crawled.pages.iter().rev().filter(|page| page.depth > 1 && page.fate == "fetched");
    // A class that came into being with a lesson is named when it is met; the lesson after it may come first.
    let mut told = deep.map(|page| (page, story(page)));
    let (page, story) = told.find(|(_, story)| story["policy"]["class"].is_object()).unwrap();
    assert_eq!(serde_json::from_value::<PageRecord>(story["page"].clone()).unwrap(), *page);
    let chain = story["chain"].as_array().unwrap();
    assert_eq!((&chain[0]["url"], &chain.last().unwrap()["depth"]), (&page.via.clone().into(), &0.into()));
    assert_eq!(story["policy"]["snapshot"], page.snapshot.unwrap());
    let terms = &story["policy"]["class"]["terms"];
    assert!(terms["worth"].is_number() && terms["score"].is_number(), "{story:#}");
    let text = explain(&crawled, &page.url, &[]);
    for part in ["fate       fetched, status 200", "a seed)", "pattern", "worth", "clusters"] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let outside = explain(&crawled, "http://elsewhere.test/", &[]);
    assert!(outside.contains("outside the scope of this crawl (host)"), "{outside}");
    let unknown = explain(&crawled, &format!("{}nothing/here", server.world().seeds()[0]), &[]);
    assert!(unknown.contains("is not in the page log") && unknown.contains("still queued"), "{unknown}");
}

#[test]
fn a_crawl_can_be_asked_what_the_text_of_a_page_added() {
    let server = forum(1.0);
    let mut config = budgeted(&server, PolicyKind::Ucc);
    config.budget.pages = 150;
    let crawled = crawl(config);
    let fetched = crawled.urls("fetched");
    let text = |url: &str| -> serde_json::Value {
        let story: serde_json::Value = serde_json::from_str(&explain(&crawled, url, &["--json"])).unwrap();
        story["text"].clone()
    };
    // A permalink shows the page of its thread. Where few threads have views yet, the text of one may count as
    // template.
    let views = server.world().truth().filter(|row| fetched.contains(&row.url.as_str()));
    let views = views.filter_map(|row| Some((row.url, row.duplicate_of.filter(|of| fetched.contains(&of.as_str()))?)));
    let views: Vec<_> = views.filter(|(_, of)| of.contains("/threads/")).collect();
    let is_view = |said: &serde_json::Value, thread: &str| {
        let repeats = &said["repeats"];
        (&repeats["url"], &repeats["relation"]) == (&thread.into(), &"alike".into())
    };
    let mut told = views.iter().map(|(view, thread)| (text(view), view, thread));
    let (said, view, thread) =
        told.find(|(said, _, thread)| is_view(said, thread)).expect("no view is told from others");
    let latest = &said["latest"];
    let count = |name: &str| latest[name].as_u64().unwrap();
    assert_eq!(
        count("shingles"),
        count("template") + count("uncompared") + count("own") + count("elsewhere") + count("forgotten"),
        "{said:#}"
    );
    let told = explain(&crawled, view, &[]);
    assert!(told.contains(&format!("another view of {thread}")), "{told}");
    // What a page shows of others is quoted, and what it alone shows.
    let first_words = |url: &&str, of: fn(&serde_json::Value) -> &serde_json::Value| {
        Some((of(&text(url)).as_str()?.to_owned(), explain(&crawled, url, &[])))
    };
    let others = fetched.iter().find_map(|url| first_words(url, |said| &said["said_elsewhere"][0]["words"]));
    let own = fetched.iter().find_map(|url| first_words(url, |said| &said["new_words"]["words"]));
    for (words, told) in [others.expect("no page shows text of others"), own.expect("no page shows text of its own")] {
        assert!(words.split(' ').count() > 1 && told.contains(&words), "{words:?} is not in\n{told}");
    }
}

#[test]
fn why_nothing_is_known_of_a_text_is_said() {
    let server = forum(0.3);
    let asked = |change: fn(&mut Config)| {
        let mut config = budgeted(&server, PolicyKind::Ucc);
        config.budget.pages = 20;
        change(&mut config);
        let crawled = crawl(config);
        let page = crawled.urls("fetched")[0].to_owned();
        explain(&crawled, &page, &[])
    };
    let by_links = asked(|config| config.crawl.policy = PolicyKind::Bfs);
    assert!(by_links.contains("(bfs) does not learn from texts"), "{by_links}");
    let unkept = asked(|config| config.state.enabled = false);
    assert!(unkept.contains("(state.enabled = false)"), "{unkept}");
}

#[test]
fn a_crawl_for_pages_like_an_example_fetches_it_as_a_seed_and_finds_more_of_them_than_breadth_first() {
    let server = forum(0.3);
    let member = |row: &TruthRow| row.page_type == "forum:member" && row.status == 200;
    let example = server.world().truth().find(|row| member(row) && row.robots_allowed).expect("a member's page").url;
    let few = |policy| {
        let mut config = budgeted(&server, policy);
        // There are few members: a longer crawl finds them all in any order.
        config.budget.pages = 150;
        config.policy.example.0 = vec![example.clone()];
        config
    };
    let breadth_first = share(&server, &crawl(few(PolicyKind::Bfs)), member);
    let crawled = crawl(few(PolicyKind::Target));
    assert_eq!(crawled.fate_of(&example), "fetched");
    let first = crawled.pages.iter().position(|page| page.url == example);
    assert!(first.is_some_and(|at| at < 20), "the example came as page {first:?}");
    let learned = share(&server, &crawled, member);
    assert!(learned > breadth_first + 0.1, "learned: {learned:.3}, breadth first: {breadth_first:.3}");
}

#[test]
fn a_crawl_for_pages_like_two_examples_finds_both_types_though_a_third_example_is_gone() {
    let server = forum(0.3);
    let of_type = |name: &'static str| move |row: &TruthRow| row.page_type == name && row.status == 200;
    let (member, board) = (of_type("forum:member"), of_type("forum:board"));
    let first = |wanted: &dyn Fn(&TruthRow) -> bool| {
        server.world().truth().find(|row| wanted(row) && row.robots_allowed).expect("a page of the type").url
    };
    let gone = format!("{}no/such/page/", server.world().seeds()[0].as_str());
    let examples = vec![first(&member), gone.clone(), first(&board)];
    let few = |policy| {
        let mut config = budgeted(&server, policy);
        config.budget.pages = 150;
        config.policy.example.0.clone_from(&examples);
        config
    };
    let either = |row: &TruthRow| member(row) || board(row);
    let breadth_first = share(&server, &crawl(few(PolicyKind::Bfs)), either);
    for policy in [added("apprentice"), PolicyKind::Target, PolicyKind::Xcrawl] {
        let crawled = crawl(few(policy));
        for example in [&examples[0], &examples[2]] {
            assert_eq!(crawled.fate_of(example), "fetched", "{}", policy.name());
        }
        let found = [share(&server, &crawled, member), share(&server, &crawled, board)];
        assert!(found.iter().all(|share| *share > 0.0), "{}: {found:?}", policy.name());
        // In so few fetches, the words around links tell the apprentice little.
        if policy != added("apprentice") {
            let learned = share(&server, &crawled, either);
            assert!(
                learned > breadth_first + 0.1,
                "{}: {learned:.3}, breadth first: {breadth_first:.3}",
                policy.name()
            );
        }
        assert_ne!(crawled.fate_of(&gone), "fetched", "{}", policy.name());
    }
}

#[test]
fn a_crawl_for_pages_that_a_test_accepts_finds_more_of_them_than_breadth_first() {
    let server = forum(0.3);
    let member = |row: &TruthRow| row.page_type == "forum:member" && row.status == 200;
    let crawled = |policy| {
        let mut config = budgeted(&server, policy);
        config.budget.pages = 150;
        config.policy.want = vec!["selector:body.profile".to_owned()];
        crawl(config)
    };
    let breadth_first = share(&server, &crawled(PolicyKind::Bfs), member);
    for policy in [PolicyKind::Xcrawl, PolicyKind::Target] {
        let learned = share(&server, &crawled(policy), member);
        assert!(learned > breadth_first + 0.1, "{}: {learned:.3}, breadth first: {breadth_first:.3}", policy.name());
    }
}

#[test]
fn a_learning_crawl_of_everything_finds_everything_each_once() {
    let families = vec![Family::Forum];
    let world = WorldOptions { pages: 500, hosts: 1, families, page_bytes: 300, links: 20, ..WorldOptions::default() };
    let others = ["ucc:paper", "source", "random", "opic", "sb", "apprentice"].map(added);
    for policy in [PolicyKind::Ucc, PolicyKind::Xcrawl].into_iter().chain(others) {
        let server = serve(&world, ServerOptions { keep: 0, ..ServerOptions::default() });
        let mut config = config(server.world().seeds());
        config.policy.want = vec!["selector:body.showthread".to_owned()];
        config.crawl.policy = policy;
        // An address that is derived need not exist, and what is complete here is what links lead to.
        config.policy.derive = false;
        let crawled = crawl(config);
        assert_eq!(crawled.report.stop_reason, StopReason::FrontierEmpty, "{}", policy.name());
        crawled.check_complete(&server);
    }
}

#[test]
fn a_crawl_by_a_cluster_graph_ends_by_itself_and_accounts_for_what_it_let_go() {
    // The learner needs more pages: often all 500 are fetched before it refuses any link. For the printed policy, the
    // sample is larger than its site and so contains all of it: nothing need be refused.
    for (policy, pages) in [(PolicyKind::ClusterGraph, 2_500), (added("cluster-graph:paper"), 500)] {
        let families = vec![Family::Forum];
        let world = WorldOptions { pages, hosts: 1, families, page_bytes: 300, links: 20, ..WorldOptions::default() };
        let server = serve(&world, ServerOptions { keep: 0, ..ServerOptions::default() });
        let mut config = config(server.world().seeds());
        config.crawl.policy = policy;
        let crawled = crawl(config);
        assert_eq!(crawled.report.stop_reason, StopReason::FrontierEmpty, "{policy}");
        assert!(crawled.pages.len() >= 300, "{policy}: {}", crawled.pages.len());
        let is_printed = policy != PolicyKind::ClusterGraph;
        assert!(crawled.fate("policy") > 0 || is_printed, "{policy}: {:?}", crawled.report.fates);
    }
}

#[test]
fn breadth_first_neither_learns_nor_logs() {
    let server = forum(0.7);
    let hooks = Hooks::none();
    let mut config = budgeted(&server, PolicyKind::Bfs);
    config.budget.pages = 50;
    let crawled = crawl_with(config, hooks.clone());
    assert_eq!(hooks.metrics.policy.model_updates.get(), 0);
    assert!(!crawled.out().join("policy.jsonl").exists());
    let unsaid =
        |page: &harvestman::model::PageRecord| page.class.is_none() && page.score.is_none() && page.snapshot.is_none();
    assert!(crawled.pages.iter().all(unsaid));
    // What it is shown is for the guard against traps.
    let hooks = Hooks::none();
    let mut config = budgeted(&server, PolicyKind::Bfs);
    (config.budget.pages, config.filter.trap_guard) = (50, false);
    crawl_with(config, hooks.clone());
    assert_eq!(hooks.metrics.policy.observations.get(), 0);
}
