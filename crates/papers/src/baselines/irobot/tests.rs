//! iRobot on a small hand-made forum.

use super::*;
use crate::property_tests::{holds_for_any_policy, refused};
use harvestman_core::model::{Apath, ContentUnit};
use harvestman_core::url::CanonicalUrl;
use harvestman_policy::PlacedLink;

const TOPICS: Apath = Apath(10);
const AUTHORS: Apath = Apath(11);
const BOARDS: Apath = Apath(12);

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::from_canonical(format!("http://h.test{path}"))
}

fn bag(template: u64, repeats: u32) -> Vec<LeafPath> {
    let leaf = |path, count| LeafPath { path, count, text: None };
    vec![leaf(1, 1), leaf(template * 100, repeats), leaf(template * 100 + 1, repeats)]
}

/// A page with its template (1: the home page, 2: boards, 3: topics, 4: profiles with equal texts), and links.
fn page(path: &str, template: u64, words: u16, links: &[(Apath, &str)]) -> Observation {
    let text = if template == 4 { 4 } else { url(path).fingerprint().0 as u64 };
    let facts = PageFacts {
        bag: bag(template, 4 + u32::from(words) / 5),
        units: vec![ContentUnit { hash: text, words, text_words: words, in_anchor: false, in_form: false }],
        links: links.iter().map(|(apath, to)| PlacedLink::new(*apath, url(to).fingerprint())).collect(),
        ..PageFacts::default()
    };
    let class = LinkClass::unclassified(Apath::SEED);
    Observation { url: url(path), class, via: None, outcome: Outcome::Page(Box::new(facts)), new: Vec::new() }
}

/// Eleven pages: a home page that lists two boards, which list three topics each and their authors' profiles.
fn forum() -> Vec<Observation> {
    let home = page("/", 1, 40, &[(BOARDS, "/board/1"), (BOARDS, "/board/2")]);
    let board = |n: u32| {
        let (topics, authors): (Vec<String>, Vec<String>) =
            (1..=3).map(|topic| (format!("/topic/{n}{topic}"), format!("/user/{n}"))).unzip();
        let listed = topics.iter().map(|to| (TOPICS, to.as_str()));
        let links: Vec<(Apath, &str)> = listed.chain(authors.iter().map(|to| (AUTHORS, to.as_str()))).collect();
        page(&format!("/board/{n}"), 2, 5, &links)
    };
    let topics = [11, 12, 13, 21, 22, 23].map(|n| page(&format!("/topic/{n}"), 3, 60, &[]));
    let users = [1, 2].map(|n| page(&format!("/user/{n}"), 4, 0, &[]));
    [home, board(1), board(2)].into_iter().chain(topics).chain(users).collect()
}

fn after_the_sample(wanted: Wanted) -> Arc<dyn PolicySnapshot> {
    let options = IRobotOptions { sample_pages: 11, regions: RegionOptions::default() };
    let mut policy = IRobot::new(wanted, options, Seed(1));
    assert!(policy.needs().links && policy.snapshot().generation() == 0);
    forum().into_iter().for_each(|seen| policy.observe(seen));
    assert!(!policy.needs().links, "the sitemap is made");
    policy.snapshot()
}

fn link(snapshot: &dyn PolicySnapshot, from: u64, place: Apath, to: &str) -> LinkClass {
    LinkClass::at(snapshot.cluster(&bag(from, 7)), place).with_pattern(snapshot.pattern(url(to).as_str()))
}

#[test]
fn pages_of_one_layout_are_of_one_cluster_and_unknown_layouts_of_none() {
    let snapshot = after_the_sample(Wanted::Content);
    let clusters = [1, 2, 3, 4].map(|template| snapshot.cluster(&bag(template, 9)));
    assert!(clusters.iter().all(|cluster| *cluster != ClusterId::UNKNOWN));
    assert!((0..4).all(|one| (0..one).all(|other| clusters[one] != clusters[other])));
    assert_eq!(snapshot.cluster(&bag(5, 9)), ClusterId::UNKNOWN);
}

#[test]
fn only_links_on_the_path_to_pages_like_the_example_are_followed() {
    let snapshot = after_the_sample(Wanted::Like(vec![bag(3, 16)]));
    let [boards, topics, authors] = [
        link(&*snapshot, 1, BOARDS, "/board/9"),
        link(&*snapshot, 2, TOPICS, "/topic/99"),
        link(&*snapshot, 2, AUTHORS, "/user/9"),
    ];
    assert_eq!([boards, topics, authors].map(|class| snapshot.score(class)), [0.5, 1.0, -1.0]);
    assert_eq!([boards, topics].map(|class| refused(&*snapshot, class)), [None, None]);
    assert_eq!(refused(&*snapshot, authors), Some(PolicyRefusal::LinkClass));
    assert_eq!(
        refused(&*snapshot, LinkClass::at(authors.cluster, AUTHORS)),
        Some(PolicyRefusal::LinkClass),
        "as a whole"
    );
    assert_eq!(refused(&*snapshot, LinkClass::at(topics.cluster, TOPICS)), None);
    let form = snapshot.pattern("http://h.test/other/1");
    assert!(refused(&*snapshot, topics.with_pattern(form)).is_some(), "another form of URL at the same place");
    assert_eq!(refused(&*snapshot, LinkClass::unclassified(Apath::SEED)), None);
}

#[test]
fn a_crawl_for_content_leaves_out_the_cluster_that_says_least() {
    let snapshot = after_the_sample(Wanted::Content);
    assert_eq!(snapshot.score(link(&*snapshot, 2, TOPICS, "/topic/99")), 1.0);
    assert!(
        refused(&*snapshot, link(&*snapshot, 2, AUTHORS, "/user/9")).is_some(),
        "profiles are few, small and all the same"
    );
}

#[test]
fn waiting_urls_are_moved_to_the_cluster_of_their_page_when_the_sitemap_is_made() {
    let snapshot = after_the_sample(Wanted::Like(vec![bag(3, 16)]));
    assert_eq!(snapshot.generation(), 1);
    let waiting = LinkClass::unclassified(TOPICS).with_pattern(random_bucket(Seed(1), "http://h.test/topic/31"));
    let class = snapshot.class_of(waiting, "http://h.test/topic/31", Some("http://h.test/board/2"));
    assert_eq!(class, link(&*snapshot, 2, TOPICS, "/topic/31"));
    assert_eq!(snapshot.score(snapshot.class_of(waiting, "http://h.test/topic/31", None)), -1.0);
}

#[test]
fn a_sample_without_a_wanted_page_is_doubled_a_few_times_and_then_given_up() {
    let options = IRobotOptions { sample_pages: 1, regions: RegionOptions::default() };
    let mut policy = IRobot::new(Wanted::Like(vec![bag(9, 9)]), options, Seed(1));
    for (at, seen) in forum().into_iter().enumerate() {
        policy.observe(seen);
        assert_eq!(policy.needs().links, at + 1 < 8, "after page {at}");
    }
    assert!(policy.sample.is_empty());
    assert_eq!(refused(&*policy.snapshot(), LinkClass::unclassified(TOPICS)), None);
}

#[test]
fn it_is_a_policy() {
    let options = |sample_pages| IRobotOptions { sample_pages, ..IRobotOptions::default() };
    holds_for_any_policy(|seed| Box::new(IRobot::new(Wanted::Content, options(8), seed)));
    holds_for_any_policy(|seed| Box::new(IRobot::new(Wanted::Like(vec![bag(1, 3)]), options(3), seed)));
    holds_for_any_policy(|seed| Box::new(IRobot::new(Wanted::Content, options(0), seed)));
}
