//! Site models: what a crawl leaves, and crawls that start from what was learned.

use std::path::Path;
use std::process::{Command, Output};

use harvestman::config::{Config, PolicyKind};
use harvestman::pipeline::MODEL_FILE;
use harvestman::policy::learned::SiteModel;
use harvestman::report::Hooks;
use harvestman::sim::{Family, Server, ServerOptions, WorldOptions};

use crate::crawling::{Crawled, added, config, crawl, crawl_with, serve};

fn forum() -> Server {
    let families = vec![Family::Forum];
    let world = WorldOptions { pages: 1_000, hosts: 1, families, page_bytes: 400, ..WorldOptions::default() };
    serve(&world, ServerOptions { keep: 0, ..ServerOptions::default() })
}

fn budgeted(server: &Server, policy: PolicyKind, pages: u64) -> Config {
    let mut config = config(server.world().seeds());
    config.crawl.policy = policy;
    config.budget.pages = pages;
    config.robots.sitemaps = false;
    config.frontier.in_flight_max = 8;
    config
}

fn read(path: &Path) -> SiteModel {
    SiteModel::from_bytes(&std::fs::read(path).unwrap()).unwrap()
}

/// Runs the binary with settings for loopback.
fn run(args: &[&str], dir: &Path) -> Output {
    let settings =
        ["host.delay=0s", "fetch.private_addresses=true", "scope.hosts=*.localhost", "robots.sitemaps=false"];
    let (subcommand, args) = args.split_first().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_harvestman"));
    command.current_dir(dir).env("TMPDIR", dir).args([subcommand, "--contact", "tests@localhost"]);
    command.args(settings.iter().flat_map(|setting| ["--set", setting]));
    command.args(args);
    command.output().unwrap()
}

fn succeeded(output: &Output) -> (String, String) {
    let texts = [&output.stdout, &output.stderr].map(|text| String::from_utf8(text.clone()).unwrap());
    assert!(output.status.success(), "{}", texts[1]);
    texts.into()
}

/// Whether a crawl knew templates with its first page.
fn knew_from_the_start(crawled: &Crawled) -> bool {
    let mut fetched = crawled.pages.iter().filter(|page| page.fate == "fetched");
    fetched.by_ref().take(5).any(|page| page.cluster.is_some())
}

#[test]
fn a_learning_crawl_leaves_a_model_and_the_next_one_starts_from_it() {
    let server = forum();
    let first = crawl(budgeted(&server, PolicyKind::Ucc, 200));
    assert!(!knew_from_the_start(&first));
    let model = read(&first.out().join(MODEL_FILE));
    assert!(model.facts.pages >= 190 && model.facts.clusters.len() > 2, "{:?}", model.facts);
    for policy in [PolicyKind::Ucc, PolicyKind::Target] {
        let mut config = budgeted(&server, policy, 60);
        config.policy.model = first.out().join(MODEL_FILE).display().to_string();
        config.policy.example.0 = vec![first.urls("fetched")[50].to_owned()];
        let hooks = Hooks::none();
        let second = crawl_with(config, hooks.clone());
        assert!(knew_from_the_start(&second), "{}", policy.name());
        assert_eq!(hooks.metrics.policy.model_updates.get(), 0, "its templates stay what they are");
        assert!(second.out().join(MODEL_FILE).exists());
    }
}

#[test]
fn a_crawl_that_learns_no_site_leaves_no_model() {
    let server = forum();
    for policy in [PolicyKind::Bfs, added("opic")] {
        assert!(!crawl(budgeted(&server, policy, 30)).out().join(MODEL_FILE).exists(), "{}", policy.name());
    }
}

/// Crawls a few pages with the binary. Returns the path of the site model, below the directory.
fn learned(seed: &str, policy: &str, pages: &str, directory: &Path) -> String {
    let crawl = ["crawl", seed, "--policy", policy, "--pages", pages, "--quiet", "--out", "learned"];
    succeeded(&run(&crawl, directory));
    format!("learned/{MODEL_FILE}")
}

#[test]
fn a_site_is_crawled_by_the_binary_by_what_an_earlier_crawl_learned() {
    let (server, dir) = (forum(), tempfile::tempdir().unwrap());
    let seed = server.world().seeds().remove(0);
    let model = learned(&seed, "ucc", "150", dir.path());
    assert!(read(&dir.path().join(&model)).facts.pages >= 140);
    let crawl = ["crawl", &seed, "--policy", "ucc", "--model", &model, "--pages", "30", "--out", "posts"];
    let (_, err) = succeeded(&run(&crawl, dir.path()));
    assert!(!err.contains("site model"), "{err}");
    assert!(dir.path().join("posts").join(MODEL_FILE).exists());
}

#[test]
fn every_learning_policy_starts_from_the_model_of_another_one() {
    let (server, dir) = (forum(), tempfile::tempdir().unwrap());
    let seed = server.world().seeds().remove(0);
    let model = learned(&seed, "cluster-graph", "200", dir.path());
    assert!(read(&dir.path().join(&model)).knows_classes());
    for policy in ["cluster-graph", "ucc"] {
        let args = ["crawl", &seed, "--policy", policy, "--model", &model, "--pages", "40", "--out", policy];
        let (_, err) = succeeded(&run(&args, dir.path()));
        assert!(!err.contains("site model"), "{err}");
    }
}

#[test]
fn the_model_of_another_site_is_told_and_the_crawl_learns_anew() {
    let (one, other, dir) = (forum(), forum(), tempfile::tempdir().unwrap());
    let [seed, other_seed] = [&one, &other].map(|server| server.world().seeds().remove(0));
    let model = learned(&seed, "ucc", "60", dir.path());
    let crawl = [
        &["crawl", &other_seed, "--policy", "ucc", "--model", &model, "--pages", "60", "--out", "posts"][..],
        // The names of simulated hosts are the same at both servers' ports.
        &["--set", &format!("scope.hosts=127.0.0.1:{}", other.addr().port())],
    ];
    let (out, err) = succeeded(&run(&crawl.concat(), dir.path()));
    for part in ["is of http://", "the crawl starts at ", "it learns from scratch, without the model"] {
        assert!(err.contains(part), "{part:?} is not in\n{err}{out}");
    }
    let hosts = read(&dir.path().join("posts").join(MODEL_FILE)).facts.hosts;
    let port = format!(":{}", other.addr().port());
    assert!(hosts.iter().all(|host| host.ends_with(&port)) && !hosts.is_empty(), "{hosts:?}");
}
