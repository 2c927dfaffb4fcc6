//! The policy as a whole, on a generated forum.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::property_tests::{holds_for_any_policy, refused};
use harvestman_core::model::{Apath, LinkClass, PolicyRefusal, UrlPattern};
use harvestman_core::seed::Seed;
use harvestman_core::url::CanonicalUrl;
use harvestman_policy::{Link, Needs, NewLink, Observation, Outcome, PageFacts, PlacedLink, Policy, PolicySnapshot};

const TOPICS: u64 = 120;
const LISTS: u64 = 6;

fn url(name: &str) -> CanonicalUrl {
    CanonicalUrl::from_canonical(format!("http://h.test/{name}"))
}

#[derive(Debug, Clone, Default)]
struct Page {
    links: Vec<(u64, String)>,
    redirects: bool,
}

type Site = BTreeMap<String, Page>;

const TOPIC_PLACE: u64 = 100;
const PERMALINK_PLACE: u64 = 201;
const NAVIGATION: u64 = 300;

/// Lists of topics; topics, each with two permalinks, a form for an answer and a log-in form under its own address; old
/// addresses that redirect to topics.
fn forum() -> Site {
    let mut site = Site::new();
    let topic = |i: u64| format!("topic/{i}");
    let navigation = || [(NAVIGATION, "list/0".to_owned()), (NAVIGATION, "list/1".to_owned())];
    for list in 0..LISTS {
        let on_it = (0..TOPICS).filter(|i| i % LISTS == list);
        let mut links: Vec<_> = on_it.clone().map(|i| (TOPIC_PLACE, topic(i))).collect();
        links.push((101, format!("list/{}", (list + 1) % LISTS)));
        links.extend(on_it.map(|i| (102, format!("old/{i}"))));
        links.extend(navigation());
        site.insert(format!("list/{list}"), Page { links, redirects: false });
    }
    for i in 0..TOPICS {
        let permalinks = [0, 1].map(|post| format!("topic/{i}?post={}", i * 2 + post));
        let mut links: Vec<_> = permalinks.iter().map(|to| (PERMALINK_PLACE, to.clone())).collect();
        links.extend([(202, format!("topic/{i}/reply")), (203, format!("login?next={i}"))]);
        links.extend(navigation());
        let page = Page { links, redirects: false };
        permalinks.into_iter().for_each(|to| drop(site.insert(to, page.clone())));
        site.insert(topic(i), page);
        site.insert(format!("topic/{i}/reply"), Page::default());
        site.insert(format!("login?next={i}"), Page::default());
        site.insert(format!("old/{i}"), Page { links: vec![(0, topic(i))], redirects: true });
    }
    site
}

/// The record of a crawl.
#[derive(Debug, PartialEq)]
struct Crawled {
    order: Vec<String>,
    /// The number of pages that were fetched for the sample.
    sampled: usize,
}

/// Crawls a site as the pipeline does: links are judged by class, then by pattern; waiting URLs are moved to their new
/// class in a new generation, and dropped if they are rejected.
fn crawl(site: &Site, policy: &mut dyn Policy) -> Crawled {
    let mut waiting = vec![(LinkClass::unclassified(Apath::SEED), "list/0".to_owned(), None::<String>)];
    let mut seen = BTreeSet::from(["list/0".to_owned()]);
    let (mut order, mut sampled) = (Vec::new(), 0);
    let mut snapshot = policy.snapshot();
    while !waiting.is_empty() {
        let score = |at: usize| snapshot.score(waiting[at].0);
        let best = (0..waiting.len()).reduce(|a, b| if score(b) > score(a) { b } else { a }).unwrap();
        let (class, name, via) = waiting.remove(best);
        sampled += usize::from(policy.is_sampling());
        order.push(name.clone());
        let page = &site[&name];
        let mut new = Vec::new();
        let mut placed = Vec::new();
        let cluster = snapshot.page_cluster(class, url(&name).as_str(), &[]);
        for (apath, to) in &page.links {
            let place = cluster.links_at(if page.redirects { Apath::REDIRECT } else { Apath(*apath) });
            if refused(&*snapshot, place).is_some() {
                continue;
            }
            let class = place.with_pattern(snapshot.pattern(url(to).as_str()));
            placed.push(PlacedLink::new(place.apath, url(to).fingerprint()));
            if refused(&*snapshot, class).is_none() && seen.insert(to.clone()) {
                waiting.push((class, to.clone(), Some(name.clone())));
                new.push(NewLink::new(class, url(to)));
            }
        }
        let links = if policy.needs().links { placed } else { Vec::new() };
        let facts = PageFacts { links, ..PageFacts::default() };
        let outcome = if page.redirects { Outcome::Redirected } else { Outcome::Page(Box::new(facts)) };
        let via = via.map(|via| url(&via).as_str().into());
        policy.observe(Observation { url: url(&name), class, via, outcome, new });
        let next = policy.snapshot();
        if next.generation() != snapshot.generation() {
            for (class, name, via) in &mut waiting {
                let via = via.as_ref().map(|via| url(via));
                *class = next.class_of(*class, url(name).as_str(), via.as_ref().map(CanonicalUrl::as_str));
            }
            waiting.retain(|(class, ..)| is_kept(&*next, *class));
        }
        snapshot = next;
    }
    Crawled { order, sampled }
}

fn policy(fetches: usize, seed: u64) -> ClusterGraphPolicy {
    ClusterGraphPolicy::new(ClusterGraphOptions::paper(fetches), Seed(seed))
}

/// Whether a URL that waits under this class continues to wait.
fn is_kept(snapshot: &dyn PolicySnapshot, class: LinkClass) -> bool {
    snapshot.admit(&Link::Waiting { class, url: "http://h.test/", via: None }).refusal().is_none()
}

#[test]
fn as_printed_the_sample_alone_decides() {
    let mut policy = policy(150, 1);
    assert_eq!(policy.needs(), Needs { links: true, ..Needs::default() });
    let done = crawl(&forum(), &mut policy);
    assert_eq!(done.sampled, 150);
    assert!(policy.note().unwrap().starts_with("learned from 150 fetches"), "{:?}", policy.note());
    assert_eq!((policy.facts().model_updates, policy.needs()), (1, Needs::default()), "it learns no more");
    let snapshot = policy.snapshot();
    let stranger = LinkClass::unclassified(Apath(1)).with_pattern(snapshot.pattern("http://h.test/some/strange/one"));
    assert_eq!(refused(&*snapshot, stranger), Some(PolicyRefusal::NoCluster));
}

#[test]
fn a_crawl_may_start_again_with_what_its_sample_taught() {
    let site = forum();
    let mut anew = policy(150, 1);
    let counted = crawl(&site, &mut anew);
    let mut fresh = anew.restarted().unwrap();
    assert!(!fresh.is_sampling());
    assert_eq!((fresh.note(), fresh.facts()), (anew.note(), anew.facts()));
    let free = crawl(&site, &mut *fresh);
    assert_eq!((free.sampled, &*free.order[0]), (0, "list/0"));
    assert!((2..counted.order.len()).contains(&free.order.len()), "{} and {}", free.order.len(), counted.order.len());
}

#[test]
fn an_incomplete_sample_is_learned_from_as_it_is() {
    let mut cut = policy(10_000, 1);
    let done = crawl(&forum(), &mut cut);
    assert_eq!((done.sampled, done.order.len()), (forum().len(), forum().len()));
    assert!(cut.is_sampling() && cut.note().is_none());
    let said = cut.restarted().unwrap().note().unwrap();
    assert!(said.starts_with(&format!("learned from {} fetches", forum().len())), "{said}");
}

#[test]
fn a_small_site_and_one_with_a_single_cluster_are_crawled_breadth_first_and_the_note_says_why() {
    let page = |links: &[&str]| Page {
        links: links.iter().map(|to| (TOPIC_PLACE, (*to).to_owned())).collect(),
        redirects: false,
    };
    let small = Site::from([("list/0".to_owned(), page(&["list/1"])), ("list/1".to_owned(), page(&[]))]);
    let names: Vec<String> = (0..40).map(|i| format!("list/{i}")).collect();
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let alike: Site = names.iter().map(|name| (name.clone(), page(&all))).collect();
    let sites = [
        (small, 2, "the sample has only 2 fetches"),
        (alike, 35, "all pages of the sample are of one cluster"),
        (forum(), 20, "20 URLs are too few to cluster"),
    ];
    for (site, fetches, said) in sites {
        let mut policy = policy(fetches, 1);
        assert_eq!(crawl(&site, &mut policy).order.len(), site.len());
        assert!(policy.note().unwrap().starts_with(said), "{:?}", policy.note());
        assert_eq!(policy.needs(), Needs::default());
        assert_eq!(policy.restarted().unwrap().note(), policy.note());
    }
}

#[test]
fn the_same_seed_gives_the_same_crawl_and_another_one_another() {
    let done = |seed| crawl(&forum(), &mut policy(100, seed));
    assert_eq!(done(3), done(3));
    assert_ne!(done(3).order, done(4).order);
}

#[test]
fn it_is_a_policy() {
    for fetches in [1, 6, 20, 1_000] {
        holds_for_any_policy(|seed| Box::new(ClusterGraphPolicy::new(ClusterGraphOptions::paper(fetches), seed)));
    }
}

#[test]
fn what_waits_under_a_class_without_a_pattern_is_never_dropped() {
    let mut policy = policy(200, 1);
    crawl(&forum(), &mut policy);
    let snapshot = policy.snapshot();
    let seed = LinkClass::unclassified(Apath::SEED);
    let cluster = snapshot.page_cluster(seed, url("topic/5").as_str(), &[]);
    let place = cluster.links_at(Apath(PERMALINK_PLACE));
    assert_eq!(place.pattern, UrlPattern::NONE);
    assert!(is_kept(&*snapshot, place));
}
