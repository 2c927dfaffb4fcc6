//! The policy as a whole, on a generated forum.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::*;
use crate::property_tests::{holds_for_any_policy, refused};
use crate::{Link, NewLink, Observation, Outcome, PageFacts, PlacedLink, Policy, PolicySnapshot};
use harvestman_core::config::ClusterBy;
use harvestman_core::model::{
    Apath, ClusterId, ContentUnit, FormFacts, LeafPath, LinkClass, ParsedPage, PolicyRefusal, UrlPattern,
};
use harvestman_core::seed::Seed;
use harvestman_core::url::CanonicalUrl;

#[path = "gateway_tests.rs"]
mod gateway;
#[path = "mixed_tests.rs"]
mod mixed;
#[path = "stored_tests.rs"]
mod stored;

const TOPICS: u64 = 120;
const LISTS: u64 = 6;

fn url(name: &str) -> CanonicalUrl {
    CanonicalUrl::from_canonical(format!("http://h.test/{name}"))
}

#[derive(Debug, Clone, Default)]
struct Page {
    bag: Vec<LeafPath>,
    units: Vec<ContentUnit>,
    forms: FormFacts,
    links: Vec<(u64, String)>,
    redirects: bool,
    is_document: bool,
}

type Site = BTreeMap<String, Page>;

/// Ten words of running text, or of a link.
fn unit(hash: u64, in_anchor: bool) -> ContentUnit {
    ContentUnit { hash, words: 10, text_words: 20, in_anchor, in_form: false }
}

fn bag(template: u64) -> Vec<LeafPath> {
    [1, template, template + 1, template + 2].map(|path| LeafPath { path, count: 2, text: None }).into()
}

const TOPIC_PLACE: u64 = 100;
const PERMALINK_PLACE: u64 = 201;
const REPLY_PLACE: u64 = 202;
const NAVIGATION: u64 = 300;

/// Lists of topics; topics, each with two permalinks that show the same and a form for an answer that quotes it; old
/// addresses that redirect to topics; a log-in form under many addresses.
fn forum() -> Site {
    let mut site = Site::new();
    let topic = |i: u64| format!("topic/{i}");
    for list in 0..LISTS {
        let on_it = (0..TOPICS).filter(|i| i % LISTS == list);
        let mut links: Vec<_> = on_it.clone().map(|i| (TOPIC_PLACE, topic(i))).collect();
        links.push((101, format!("list/{}", (list + 1) % LISTS)));
        links.extend(on_it.clone().map(|i| (102, format!("old/{i}"))));
        links.extend([(NAVIGATION, "list/0".to_owned()), (NAVIGATION, "list/1".to_owned())]);
        let units = on_it.map(|i| unit(1_000 + i, true)).collect();
        site.insert(format!("list/{list}"), Page { bag: bag(10), units, links, ..Page::default() });
    }
    for i in 0..TOPICS {
        let text: Vec<_> = (0..6).map(|k| unit(10_000 + i * 10 + k, false)).collect();
        let permalinks = [0, 1].map(|post| format!("topic/{i}?post={}", i * 2 + post));
        let mut links: Vec<_> = permalinks.iter().map(|to| (PERMALINK_PLACE, to.clone())).collect();
        links.push((REPLY_PLACE, format!("topic/{i}/reply")));
        links.push((203, format!("login?next={i}")));
        links.extend([(NAVIGATION, "list/0".to_owned()), (NAVIGATION, "list/1".to_owned())]);
        let page = Page { bag: bag(20), units: text.clone(), links, ..Page::default() };
        permalinks.into_iter().for_each(|to| drop(site.insert(to, page.clone())));
        site.insert(topic(i), page);
        let forms = FormFacts { text_areas: 1, post_forms: 1, password_fields: 0 };
        let quoted = text.into_iter().chain((0..3).map(|k| unit(50_000 + i * 10 + k, false))).collect();
        site.insert(format!("topic/{i}/reply"), Page { bag: bag(30), units: quoted, forms, ..Page::default() });
        let forms = FormFacts { text_areas: 0, post_forms: 1, password_fields: 1 };
        site.insert(format!("login?next={i}"), Page { bag: bag(40), forms, ..Page::default() });
        let links = vec![(0, topic(i))];
        site.insert(format!("old/{i}"), Page { links, redirects: true, ..Page::default() });
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

impl Crawled {
    fn fetched(&self, which: impl Fn(&str) -> bool) -> usize {
        self.order.iter().filter(|name| which(name)).count()
    }
}

fn is_topic(name: &str) -> bool {
    name.strip_prefix("topic/").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The class of a page without any other.
const SEED: LinkClass = LinkClass::unclassified(Apath::SEED);

/// Crawls a site as the pipeline does: links are judged by class, then by pattern; waiting URLs are moved to their new
/// class in a new generation, and dropped if they are rejected.
fn crawl(site: &Site, policy: &mut dyn Policy) -> Crawled {
    crawl_listed(site, &[], policy)
}

/// The same where a sitemap has listed URLs before the first page.
fn crawl_listed(site: &Site, listed: &[String], policy: &mut dyn Policy) -> Crawled {
    let mut waiting = vec![(LinkClass::unclassified(Apath::SEED), "list/0".to_owned(), None::<String>)];
    let mut seen = BTreeSet::from(["list/0".to_owned()]);
    for name in listed.iter().filter(|name| seen.insert((*name).clone())) {
        waiting.push((LinkClass::unclassified(Apath::SITEMAP), name.clone(), None));
    }
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
        let cluster = snapshot.page_cluster(class, url(&name).as_str(), &page.bag);
        for (apath, to) in &page.links {
            let place = cluster.links_at(if page.redirects { Apath::REDIRECT } else { Apath(*apath) });
            if refused(&*snapshot, place).is_some() {
                continue;
            }
            let class = place.with_pattern(snapshot.pattern(url(to).as_str()));
            let (pattern, refused) = (class.pattern.fine, refused(&*snapshot, class));
            let link = PlacedLink::new(place.apath, url(to).fingerprint());
            placed.push(PlacedLink { pattern, refused, ..link });
            if refused.is_none() && seen.insert(to.clone()) {
                waiting.push((class, to.clone(), Some(name.clone())));
                new.push(NewLink::new(class, url(to)));
            }
        }
        let facts = PageFacts {
            bag: page.bag.clone(),
            units: page.units.clone(),
            forms: page.forms,
            links: placed,
            body: Some((name.clone().into_bytes().into(), None)).filter(|_| policy.needs().body),
            ..PageFacts::default()
        };
        let outcome = match page {
            Page { redirects: true, .. } => Outcome::Redirected,
            Page { is_document: true, .. } => Outcome::Document,
            _ => Outcome::Page(Box::new(facts)),
        };
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

fn policy(options: ClusterGraphOptions, seed: u64) -> ClusterGraphPolicy {
    policy_for(forum(), options, seed)
}

/// A policy that parses the site's pages again by their names.
fn policy_for(site: Site, options: ClusterGraphOptions, seed: u64) -> ClusterGraphPolicy {
    let read = move |body: &[u8], _: Option<&str>, _: Option<&Arc<harvestman_core::model::ClassTokens>>| {
        let name = std::str::from_utf8(body).unwrap();
        ParsedPage { leaf_paths: site[name].bag.clone(), ..ParsedPage::default() }
    };
    ClusterGraphPolicy::new(options, Seed(seed), Box::new(read))
}

/// Whether a URL that waits under this class continues to wait.
fn is_kept(snapshot: &dyn PolicySnapshot, class: LinkClass) -> bool {
    snapshot.admit(&Link::Waiting { class, url: "http://h.test/", via: None }).refusal().is_none()
}

fn class_of(snapshot: &dyn PolicySnapshot, on: &str, place: u64, to: &str) -> LinkClass {
    let cluster = snapshot.page_cluster(SEED, url(on).as_str(), &forum()[on].bag);
    cluster.links_at(Apath(place)).with_pattern(snapshot.pattern(url(to).as_str()))
}

#[test]
fn repetitions_forms_and_redirects_are_refused_with_their_reasons_and_all_else_is_fetched() {
    for by in ClusterBy::ALL {
        let mut policy = policy(ClusterGraphOptions::default_form(by, 200), 1);
        let done = crawl(&forum(), &mut policy);
        assert!(!policy.is_sampling() && done.sampled >= 20 && done.sampled <= 200, "{by:?}: {}", done.sampled);
        assert_eq!(done.fetched(is_topic), TOPICS as usize, "{by:?}");
        assert_eq!(done.fetched(|name| name.starts_with("list/")), LISTS as usize, "{by:?}");
        if by == ClusterBy::Structure {
            continue;
        }
        let rest = done.fetched(|name| !is_topic(name) && !name.starts_with("list/"));
        assert!(rest < 150, "{by:?}: {rest} of {}", 5 * TOPICS);
        let snapshot = policy.snapshot();
        let why = |place, to: &str| refused(&*snapshot, class_of(&*snapshot, "topic/5", place, to));
        assert_eq!(why(PERMALINK_PLACE, "topic/5?post=99"), Some(PolicyRefusal::DuplicateContent), "{by:?}");
        assert_eq!(why(REPLY_PLACE, "topic/99/reply"), Some(PolicyRefusal::Uninformative), "{by:?}");
        assert_eq!(why(TOPIC_PLACE, "topic/777"), None, "{by:?}");
    }
}

#[test]
fn links_are_refused_by_their_place_before_they_are_resolved_but_for_some_pages() {
    let mut policy = policy(ClusterGraphOptions::default_form(ClusterBy::Url, 200), 1);
    crawl(&forum(), &mut policy);
    let snapshot = policy.snapshot();
    let refusals = (0..TOPICS).map(|i| {
        let name = format!("topic/{i}");
        let cluster = snapshot.page_cluster(SEED, url(&name).as_str(), &forum()[&name].bag);
        let at = |place| refused(&*snapshot, cluster.links_at(Apath(place)));
        assert_eq!(at(TOPIC_PLACE), None, "nothing is known of such a place on a topic");
        (at(PERMALINK_PLACE), at(NAVIGATION))
    });
    let refusals: BTreeSet<_> = refusals.collect();
    let closed = (Some(PolicyRefusal::DuplicateContent), Some(PolicyRefusal::HeaderFooter));
    assert_eq!(refusals, BTreeSet::from([(None, None), closed]), "one of sixteen looks");
    assert_eq!(refused(&*snapshot, LinkClass::at(ClusterId::UNKNOWN, Apath::SEED)), None);
}

#[test]
fn as_printed_the_sample_alone_decides() {
    let mut policy = policy(ClusterGraphOptions::paper(150), 1);
    let done = crawl(&forum(), &mut policy);
    assert_eq!(done.sampled, 150);
    assert!(policy.note().unwrap().starts_with("learned from 150 fetches"), "{:?}", policy.note());
    assert!(!policy.needs().links && !policy.needs().units, "it learns no more");
    let snapshot = policy.snapshot();
    let stranger = LinkClass::unclassified(Apath(1)).with_pattern(snapshot.pattern("http://h.test/some/strange/one"));
    assert_eq!(refused(&*snapshot, stranger), Some(PolicyRefusal::NoCluster));
}

#[test]
fn a_crawl_may_start_again_with_what_its_sample_taught() {
    let site = forum();
    let mut anew = policy(ClusterGraphOptions::default_form(ClusterBy::Both, 150), 1);
    let counted = crawl(&site, &mut anew);
    let mut fresh = anew.restarted().unwrap();
    assert!(!fresh.is_sampling());
    let free = crawl(&site, &mut *fresh);
    assert_eq!((free.sampled, &*free.order[0]), (0, "list/0"));
    assert_eq!(free.fetched(is_topic), TOPICS as usize);
    assert!(free.order.len() < counted.order.len(), "{} and {}", free.order.len(), counted.order.len());
}

#[test]
fn the_site_is_learned_too_where_a_sitemap_named_all_that_the_first_page_links_to() {
    let site = forum();
    let listed: Vec<String> = site.keys().filter(|name| is_topic(name) || name.starts_with("list/")).cloned().collect();
    for by in ClusterBy::ALL {
        let mut policy = policy(ClusterGraphOptions::default_form(by, 60), 1);
        let done = crawl_listed(&site, &listed, &mut policy);
        assert!((20..=60).contains(&done.sampled), "{by:?}: {}", done.sampled);
        assert!(policy.note().unwrap().starts_with("learned from "), "{by:?}: {:?}", policy.note());
        assert_eq!(done.fetched(is_topic), TOPICS as usize, "{by:?}");
    }
}

#[test]
fn a_small_site_and_one_with_a_single_cluster_are_crawled_breadth_first_and_the_note_says_why() {
    let page = |links: &[&str]| Page {
        bag: bag(20),
        links: links.iter().map(|to| (TOPIC_PLACE, (*to).to_owned())).collect(),
        ..Page::default()
    };
    let small = Site::from([("list/0".to_owned(), page(&["list/1"])), ("list/1".to_owned(), page(&[]))]);
    let names: Vec<String> = (0..30).map(|i| format!("list/{i}")).collect();
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let alike: Site = names.iter().map(|name| (name.clone(), page(&all))).collect();
    for (site, said) in
        [(small, "the sample has only 2 fetches"), (alike, "all pages of the sample are of one cluster")]
    {
        let mut policy = policy(ClusterGraphOptions::default_form(ClusterBy::Url, 100), 1);
        assert_eq!(crawl(&site, &mut policy).order.len(), site.len());
        assert!(policy.site_model(&mut |_, _, _| ParsedPage::default()).is_none());
        assert!(policy.note().unwrap().starts_with(said), "{:?}", policy.note());
        assert_eq!(policy.needs(), crate::Needs::default());
    }
    let mut paper = policy(ClusterGraphOptions::paper(20), 1);
    crawl(&forum(), &mut paper);
    assert!(paper.note().unwrap().contains("too few to cluster"), "{:?}", paper.note());
}

#[test]
fn the_same_seed_gives_the_same_crawl_and_another_one_another() {
    let done = |seed| crawl(&forum(), &mut policy(ClusterGraphOptions::default_form(ClusterBy::Both, 100), seed));
    assert_eq!(done(3), done(3));
    assert_ne!(done(3).order, done(4).order);
}

#[test]
fn chosen_urls_come_first_and_the_number_per_pattern_is_bounded() {
    let mut options = ClusterGraphOptions::default_form(ClusterBy::Url, 400);
    options.sample.per_pattern = Some(5);
    let done = crawl(&forum(), &mut policy(options, 1));
    let sample = &done.order[..done.sampled];
    let of = |which: fn(&str) -> bool| sample.iter().filter(|name| which(name)).count();
    // Before anything was counted each address is its own pattern.
    assert!(of(is_topic) < 25 && of(|name| name.contains("?post=")) < 25, "{sample:?}");
    assert!(of(|name| name.ends_with("/reply")) >= 3 && of(|name| name.starts_with("login")) >= 3, "{sample:?}");
}

#[test]
fn it_is_a_policy() {
    let read = || {
        Box::new(|_: &[u8], _: Option<&str>, _: Option<&Arc<harvestman_core::model::ClassTokens>>| {
            ParsedPage::default()
        })
    };
    for fetches in [1, 6, 20, 1_000] {
        for by in ClusterBy::ALL {
            let options = ClusterGraphOptions::default_form(by, fetches);
            holds_for_any_policy(|seed| Box::new(ClusterGraphPolicy::new(options.clone(), seed, read())));
        }
        let options = ClusterGraphOptions::paper(fetches);
        holds_for_any_policy(|seed| Box::new(ClusterGraphPolicy::new(options.clone(), seed, read())));
    }
}

#[test]
fn what_waits_under_a_class_without_a_pattern_is_never_dropped() {
    let mut policy = policy(ClusterGraphOptions::default_form(ClusterBy::Url, 200), 1);
    crawl(&forum(), &mut policy);
    let snapshot = policy.snapshot();
    let cluster = snapshot.page_cluster(SEED, url("topic/5").as_str(), &[]);
    let place = cluster.links_at(Apath(PERMALINK_PLACE));
    assert_eq!(place.pattern, UrlPattern::NONE);
    assert!(is_kept(&*snapshot, place));
}
