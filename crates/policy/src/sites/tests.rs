use std::collections::HashSet;

use super::*;
use crate::learned::{Goal, Tuning};
use crate::{Link, NewLink, Outcome, PageFacts};
use harvestman_core::model::{Apath, LinkClass, PageText, ParsedPage};
use harvestman_core::url::CanonicalUrl;

fn learner() -> LearnedPolicy {
    LearnedPolicy::new(Goal::Content, Tuning::default(), 1, Box::new(|_, _, _| ParsedPage::default()))
}

fn sites() -> SitesPolicy {
    SitesPolicy::new(vec![(learner(), Vec::new())], Box::new(learner))
}

/// A page of `program` on `host` with a text of its own, and links at the places of this program.
fn page(policy: &mut SitesPolicy, host: &str, program: u64, number: u64) -> Observation {
    let snapshot = policy.snapshot();
    let url = |path: String| CanonicalUrl::from_canonical(format!("http://{host}/{path}"));
    let new = (0..8).map(|place| {
        let url = url(format!("p{program}/{place}/{}", number * 8 + place));
        let class = LinkClass::unclassified(Apath(program * 100 + place)).with_pattern(snapshot.pattern(url.as_str()));
        NewLink::new(class, url)
    });
    let new = new.collect();
    let mut text = PageText::default();
    let words: Vec<u32> = (0..40).map(|word| (program * 1_000_000 + number * 100 + word) as u32).collect();
    text.push(&words, false, false);
    let url = url(format!("p{program}/0/{number}"));
    let class = LinkClass::unclassified(Apath(program * 100)).with_pattern(snapshot.pattern(url.as_str()));
    let outcome = Outcome::Page(Box::new(PageFacts { text: Some(text), ..PageFacts::default() }));
    Observation { url, class, via: None, outcome, new }
}

fn show(policy: &mut SitesPolicy, host: &str, program: u64, number: u64) {
    let seen = page(policy, host, program, number);
    policy.observe(seen);
}

fn model_at(policy: &mut SitesPolicy, host: &str) -> u16 {
    policy.snapshot().pattern(&format!("http://{host}/a")).coarse.model()
}

#[test]
fn sites_of_one_program_share_a_model_and_others_have_their_own() {
    let mut policy = sites();
    for number in 0..20 {
        for (host, program) in [("one.test", 1), ("two.test:81", 2), ("www.three.test", 1), ("four.test", 3)] {
            show(&mut policy, host, program, number);
        }
    }
    let models: Vec<_> =
        ["one.test", "two.test:81", "three.test", "four.test"].map(|host| model_at(&mut policy, host)).into();
    assert_eq!(models, [0, 1, 0, 2]);
    assert_eq!(policy.facts().wanted, Some(60), "two sites show the same texts");
    assert_eq!(policy.site_facts(None).unwrap().hosts.len(), 4);
}

#[test]
fn what_one_site_teaches_says_nothing_of_another() {
    let mut policy = sites();
    for number in 0..30 {
        show(&mut policy, "rich.test", 1, number);
        let mut empty = page(&mut policy, "poor.test", 2, number);
        empty.outcome = if number == 0 { empty.outcome } else { Outcome::Failed };
        // At the same places and addresses as those of the other site.
        for link in &mut empty.new {
            link.class.apath = Apath(link.class.apath.0 + if number == 0 { 0 } else { 100 });
        }
        policy.observe(empty);
    }
    let snapshot = policy.snapshot();
    let score = |host: &str, program: u64| {
        let url = format!("http://{host}/p{program}/0/99");
        let class = LinkClass::unclassified(Apath(program * 100)).with_pattern(snapshot.pattern(&url));
        assert_eq!(snapshot.class_of(class, &url, None), class);
        snapshot.score(class)
    };
    assert!(score("rich.test", 1) > 2.0 * score("poor.test", 2), "{} {}", score("rich.test", 1), score("poor.test", 2));
    assert_eq!(
        policy.facts().model_updates,
        snapshot.generation() - 1,
        "one site got another model than it waited under"
    );
}

#[test]
fn a_site_is_undecided_until_its_first_page_and_only_its_own_urls_change_their_classes() {
    let mut policy = sites();
    show(&mut policy, "one.test", 1, 0);
    let mut redirect = page(&mut policy, "two.test", 2, 0);
    redirect.outcome = Outcome::Redirected;
    policy.observe(redirect);
    assert_eq!(model_at(&mut policy, "two.test"), 0);
    let before = policy.snapshot();
    show(&mut policy, "two.test", 2, 1);
    assert_eq!(model_at(&mut policy, "two.test"), 1);
    let after = policy.snapshot();
    assert!(after.generation() > before.generation());
    assert_ne!(after.generation_at("http://two.test"), before.generation_at("http://two.test"));
    assert_eq!(after.generation_at("http://one.test"), before.generation_at("http://one.test"));
}

#[test]
fn clusters_of_different_models_have_different_numbers() {
    let mut policy = sites();
    for number in 0..40 {
        show(&mut policy, "one.test", 1, number);
        show(&mut policy, "two.test", 2, number);
    }
    let facts = policy.site_facts(None).unwrap();
    let numbers: Vec<_> = facts.clusters.iter().map(|facts| facts.cluster.0).collect();
    assert_eq!(numbers.iter().collect::<HashSet<_>>().len(), numbers.len(), "{numbers:?}");
    assert_eq!(facts.clusters.iter().map(|facts| facts.pages).sum::<u64>(), 80, "each page is in one cluster");
}

#[test]
fn the_models_together_remember_a_bounded_number_of_pages_and_keep_what_these_taught() {
    let mut policy = sites();
    for number in 0..120 {
        show(&mut policy, "old.test", 1, number);
    }
    let snapshot = policy.snapshot();
    let class = LinkClass::unclassified(Apath(100)).with_pattern(snapshot.pattern("http://old.test/p1/0/9999"));
    let known = snapshot.score(class);
    for number in 0..REMEMBERED_MAX as u64 / 2 + 10 {
        show(&mut policy, "new.test", 2, number);
        show(&mut policy, "other.test", 3, number);
        let all: usize = policy.models.iter().map(|model| model.learner.remembered()).sum();
        assert!(policy.remembered == all && all <= REMEMBERED_MAX, "{all}");
    }
    assert_eq!(policy.models[0].learner.remembered(), 0);
    assert_eq!(policy.snapshot().score(class), known);
    show(&mut policy, "old.test", 1, 10_000);
    assert_eq!(policy.models[0].learner.remembered(), 1);
    assert!(policy.models.iter().filter(|model| model.learner.remembered() > 1_000).count() >= 1);
}

#[test]
fn another_node_decides_as_the_one_that_learns() {
    let mut policy = sites();
    for number in 0..30 {
        show(&mut policy, "one.test", 1, number);
        show(&mut policy, "two.test", 2, number);
    }
    let own = policy.snapshot();
    let stored = own.stored().unwrap();
    let models = ClassModels::read(&stored.class_model).unwrap();
    let theirs = models.with(&stored.counts, own.version(), own.generation()).unwrap();
    for (host, program) in [("one.test", 1), ("two.test", 2), ("unknown.test", 1)] {
        for number in 0..40 {
            let url = format!("http://{host}/p{program}/{}/{number}", number % 8);
            let class = LinkClass::unclassified(Apath(program * 100 + number % 8)).with_pattern(own.pattern(&url));
            assert_eq!(theirs.pattern(&url), own.pattern(&url));
            assert_eq!(theirs.score(class).to_bits(), own.score(class).to_bits());
            assert_eq!(theirs.admit(&Link::Class(class)), own.admit(&Link::Class(class)));
        }
    }
    assert_eq!(theirs.stored(), Some(stored.clone()));
    assert!(ClassModels::read(&stored.class_model[..stored.class_model.len() / 2]).is_err());
    assert!(models.with(&stored.counts[..stored.counts.len() / 2], 1, 1).is_err());
}

#[test]
fn a_later_crawl_recognises_the_programs_of_the_sites_of_an_earlier_one() {
    let mut policy = sites();
    for number in 0..30 {
        show(&mut policy, "one.test", 1, number);
        show(&mut policy, "two.test", 2, number);
    }
    let model = policy.site_model(&mut |_: &[u8], _: Option<&str>, _: Option<&Arc<_>>| ParsedPage::default()).unwrap();
    let model = SiteModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(model.facts.hosts.len(), 2);
    let known = model.split().into_iter().map(|(model, places)| {
        let read = Box::new(|_: &[u8], _: Option<&str>, _: Option<&Arc<_>>| ParsedPage::default());
        (LearnedPolicy::from_model(Goal::Content, Tuning::default(), 1, read, model), places)
    });
    let mut later = SitesPolicy::new(known.collect(), Box::new(learner));
    for (host, program) in [("new.test", 2), ("other.test", 1), ("unlike.test", 3)] {
        show(&mut later, host, program, 0);
    }
    let models: Vec<_> = ["new.test", "other.test", "unlike.test"].map(|host| model_at(&mut later, host)).into();
    assert_eq!(models, [1, 0, 2]);
    let score = |policy: &mut SitesPolicy, host: &str| {
        let snapshot = policy.snapshot();
        let pattern = snapshot.pattern(&format!("http://{host}/p2/0/99"));
        snapshot.score(LinkClass::unclassified(Apath(200)).with_pattern(pattern))
    };
    let (before, after) = (score(&mut policy, "two.test"), score(&mut later, "new.test"));
    assert!((before - after).abs() < 0.1, "{before} {after}");
}
