//! What policies remember of a million links: the resident memory of a process that shows them to a policy stays within
//! a bound.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::process::Command;

use harvestman_core::config::PolicyKind;
use harvestman_core::model::{Apath, LeafPath, LinkClass, ParsedPage};
use harvestman_core::seed::Seed;
use harvestman_core::url::CanonicalUrl;
use harvestman_papers::xcrawl::{XCrawl, XCrawlOptions};
use harvestman_papers::{APPRENTICE, baseline};
use harvestman_policy::learned::TopicTerms;
use harvestman_policy::{NewLink, Observation, Outcome, PageFacts, PlacedLink, Policy, PolicyInputs, make};

/// Number of links on a page, and of pages until there are a million links.
const LINKS: usize = 100;
const PAGES: usize = 10_000;
/// Number of tokens of a link's context, as it is on forums.
const TOKENS: u32 = 16;
/// The variable that tells the test's other process which policy it measures.
const MEASURED: &str = "MEASURED_POLICY";

/// The policies, and the MiB that each may grow by with a million links.
const POLICIES: [(&str, u64); 4] = [("xcrawl", 480), ("xcrawl paper", 150), ("apprentice", 220), ("topic", 480)];

fn policy(name: &str) -> Box<dyn Policy> {
    let topic = TopicTerms::new(["macro"]);
    let inputs = PolicyInputs { validated: true, topic, ..PolicyInputs::new(Seed(1)) };
    match name {
        "xcrawl paper" => Box::new(XCrawl::new(XCrawlOptions::paper(), Seed(1))),
        "apprentice" => baseline(APPRENTICE, &inputs, None).unwrap(),
        name => make(name.parse::<PolicyKind>().unwrap(), &inputs, Box::new(|_, _, _| ParsedPage::default())),
    }
}

fn address(number: usize) -> CanonicalUrl {
    let section = ["topic", "user", "photo", "list"][number % 4];
    CanonicalUrl::from_canonical(format!("http://forum.h.test/{section}/{number}/title-of-item-{number}"))
}

/// A page with new links: it was the link of this number, and is wanted if that is a multiple of three.
fn page(number: usize) -> Observation {
    let class = |at: usize| LinkClass::unclassified(Apath(at as u64 % 7));
    let link = |at: usize| {
        let tokens = (0..TOKENS).map(|token| (at as u32).wrapping_mul(31).wrapping_add(token * token) % 20_000);
        NewLink { context: tokens.collect(), ..NewLink::new(class(at), address(at)) }
    };
    let new: Vec<_> = (1..=LINKS).map(|at| link(number * LINKS + at)).collect();
    let links = new.iter().map(|link| PlacedLink::new(link.class.apath, link.url.fingerprint())).collect();
    let bag = (0..12).map(|path| LeafPath { path: path + number as u64 % 4 * 20, count: 3, text: None }).collect();
    let facts = PageFacts { bag, links, accepted: Some(number.is_multiple_of(3)), ..PageFacts::default() };
    let via = (number > 0).then(|| address(number / LINKS).as_str().into());
    Observation { url: address(number), class: class(number), via, outcome: Outcome::Page(Box::new(facts)), new }
}

/// Resident memory of this process in MiB.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib >> 10)
}

/// Shows a policy the pages. Returns by how many MiB the process has grown.
fn grown(policy: &mut dyn Policy, before: u64) -> u64 {
    for number in 0..PAGES {
        policy.observe(page(number));
        drop(policy.proposals());
        if number.is_multiple_of(200) {
            drop(policy.snapshot());
        }
    }
    resident().unwrap().saturating_sub(before)
}

#[test]
#[ignore = "the next test runs it in processes of their own"]
fn measured() {
    let Ok(name) = std::env::var(MEASURED) else { return };
    let (_, max) = POLICIES.into_iter().find(|(policy, _)| *policy == name).unwrap();
    let mut policy = policy(&name);
    let before = resident().unwrap();
    let grown = grown(&mut *policy, before);
    eprintln!("{name}: {grown} MiB with a million links");
    assert!(grown <= max, "{grown} MiB are more than {max}");
}

#[test]
fn a_million_links_fit_into_bounded_memory() {
    if resident().is_none() {
        return; // The system does not tell.
    }
    for (name, _) in POLICIES {
        let test = std::env::current_exe().unwrap();
        let run =
            Command::new(test).args(["--exact", "measured", "--ignored", "--nocapture"]).env(MEASURED, name).output();
        let run = run.unwrap();
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(run.status.success() && said.contains(name), "{name}: {said}");
        eprint!("{said}");
    }
}
