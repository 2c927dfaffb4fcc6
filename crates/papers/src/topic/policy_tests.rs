use std::collections::BTreeMap as Map;

use harvestman_core::model::{LeafPath, LinkClass, LinkPosition};
use harvestman_core::url::{CanonicalUrl, Fingerprint};

use super::*;
use crate::observed::failed;
use crate::property_tests::holds_for_any_policy;
use harvestman_policy::{NewLink, PlacedLink};

const HOST: &str = "http://h.test";
const SEED: LinkClass = LinkClass::unclassified(Apath::SEED);
const PLACE: LinkClass = LinkClass::unclassified(Apath(9));

fn url(name: &str) -> CanonicalUrl {
    CanonicalUrl::from_canonical(format!("{HOST}/{name}"))
}

/// Facts of a page of a template, which its first letters show.
fn facts(name: &str) -> PageFacts {
    let template =
        ["list", "q", "user", "tag"].iter().position(|folder| name.starts_with(folder)).map_or(9, |at| at as u64);
    let leaf = |path, count| LeafPath { path, count, text: None };
    PageFacts { bag: vec![leaf(1, 1), leaf(100 + template, 9)], ..PageFacts::default() }
}

fn samples() -> Vec<RoleSample> {
    let roles = [
        ("list/1", PageRole::List),
        ("q/1", PageRole::Detail),
        ("user/1", PageRole::Profile),
        ("tag/x", PageRole::Tag),
    ];
    let sample =
        |(name, role): (&str, PageRole)| RoleSample { role, pages: vec![(url(name).as_str().into(), facts(name))] };
    roles.map(sample).into()
}

fn options(form: TopicForm) -> TopicOptions {
    TopicOptions { form, pictures: 1, ..TopicOptions::paper(vec![url("tag/flowers")]) }
}

fn policy(options: TopicOptions) -> TopicPolicy {
    TopicPolicy::new(options, PageRoles::by_templates(&samples()), &samples())
}

/// A fetch of `name`, whose links are given with the nodes that they are in. An exclamation mark shows an image.
fn page(name: &str, class: LinkClass, links: &[(&str, u32)], known: &mut Map<String, ()>) -> Observation {
    let place = |link: &&(&str, u32)| LinkPosition {
        parent: link.1,
        grandparent: 1000 + link.1,
        image: link.0.starts_with('!'),
    };
    let name_of = |link: &&(&str, u32)| link.0.trim_start_matches('!').to_owned();
    let placed = links.iter().map(|link| PlacedLink {
        place: place(&link),
        ..PlacedLink::new(PLACE.apath, url(&name_of(&link)).fingerprint())
    });
    let new = links.iter().map(|link| name_of(&link)).filter(|name| known.insert(name.clone(), ()).is_none());
    Observation {
        url: url(name),
        class,
        via: None,
        new: new.map(|name| NewLink::new(PLACE, url(&name))).collect(),
        outcome: Outcome::Page(Box::new(PageFacts { links: placed.collect(), ..facts(name) })),
    }
}

/// The scores of waiting URLs after all have been assigned to classes.
fn scores<const N: usize>(policy: &mut TopicPolicy, names: [&str; N]) -> [f64; N] {
    policy.sort_now_and_then(true);
    let snapshot = policy.snapshot();
    names.map(|name| snapshot.score(snapshot.class_of(PLACE, url(name).as_str(), None)))
}

/// A policy that has fetched a list with pictures of users 7 and 8.
fn listed(options: TopicOptions, known: &mut Map<String, ()>) -> TopicPolicy {
    let mut policy = policy(options);
    let links = [("!q/7a", 5), ("user/7", 5), ("!q/7b", 6), ("user/7", 6), ("!q/8a", 7), ("user/8", 7), ("help", 90)];
    policy.observe(page("list/1", SEED, &links, known));
    policy
}

#[test]
fn stage_one_takes_pictures_first_and_profiles_last() {
    let mut policy = listed(options(TopicForm::Stages), &mut Map::new());
    let [picture, other, user] = scores(&mut policy, ["q/7a", "help", "user/7"]);
    assert!(picture > other && other > user, "{picture} {other} {user}");
    assert!(policy.note().unwrap().starts_with("collecting tags of pictures: 0 of 0"));
}

#[test]
fn stage_two_takes_profiles_and_then_pictures_of_users_with_the_topic() {
    let known = &mut Map::new();
    let mut policy = listed(options(TopicForm::Stages), known);
    policy.observe(page("q/7a", PLACE, &[("tag/flowers", 3), ("tag/x", 3)], known));
    assert_eq!(policy.crawl().stage(), Stage::Profiles);
    let [user, unranked, other] = scores(&mut policy, ["user/7", "q/7b", "help"]);
    assert!(user > unranked && unranked > other);
    // The pattern of tags is known from the samples.
    policy.observe(page("user/7", PLACE, &[("tag/flowers", 3)], known));
    policy.observe(page("user/8", PLACE, &[("tag/x", 3)], known));
    let [followed, discarded, other] = scores(&mut policy, ["q/7b", "q/8a", "help"]);
    assert!(followed > other && other > discarded, "{followed} {other} {discarded}");
    assert!(policy.note().unwrap().ends_with("1 of 1 detail pages have one of the topic's 1 tags"));
}

#[test]
fn with_cash_ranks_replace_the_scores_of_pictures_and_profiles_alone() {
    let known = &mut Map::new();
    let mut policy = listed(options(TopicForm::Cash), known);
    let equal = scores(&mut policy, ["q/7a", "user/8", "help"]);
    assert!(equal.iter().all(|score| *score == equal[0]), "OPIC gives all links of the page the same: {equal:?}");
    policy.observe(page("user/7", PLACE, &[("tag/flowers", 3), ("list/2", 4)], known));
    let [ranked, opic, list, topic] = scores(&mut policy, ["q/7a", "help", "list/2", "tag/flowers"]);
    // Half of an inner rank of 1 is a level of 62; the maximum is 63.
    assert_eq!([ranked, topic], [62.5, 63.5]);
    assert!(opic < ranked && list < ranked);
}

#[test]
fn a_new_link_waits_by_the_role_of_its_pattern_before_all_are_assigned() {
    let known = &mut Map::new();
    let mut policy = listed(options(TopicForm::Stages), known);
    for n in 0..20 {
        let (picture, user) = (format!("q/{n}00"), format!("user/{n}00"));
        policy.observe(page("list/1", PLACE, &[(&picture, 1), (&user, 2)], known));
        policy.observe(page(&picture, PLACE, &[], known));
        policy.observe(page(&user, PLACE, &[], known));
    }
    let snapshot = policy.snapshot();
    let new = PLACE.with_pattern(snapshot.pattern(url("q/123456").as_str()));
    assert!(snapshot.score(new) > snapshot.score(PLACE.with_pattern(snapshot.pattern(url("user/77").as_str()))));
    assert!(snapshot.has_patterns() && policy.needs().links && !policy.needs().body);
    assert!(snapshot.score(SEED) > snapshot.score(new));
}

#[test]
fn a_failed_fetch_no_longer_waits() {
    let mut policy = listed(options(TopicForm::Stages), &mut Map::new());
    let before = policy.crawl().waiting();
    policy.observe(failed(url("q/7a").as_str(), PLACE));
    assert_eq!((before, policy.crawl().waiting()), (6, 5));
    assert!(!policy.buckets.contains_key(&Fingerprint::of("x").into()));
}

#[test]
fn it_is_a_policy() {
    for form in [TopicForm::Stages, TopicForm::Cash] {
        holds_for_any_policy(|_| Box::new(policy(options(form))));
        let mut small = TopicOptions { form, stage_one_max: 5, ..TopicOptions::new(vec![]) };
        small.limits.urls_max = 3;
        small.limits.pages_max = 3;
        small.limits.sorted_per_fetch = 1;
        holds_for_any_policy(|_| Box::new(policy(small.clone())));
    }
}
