use super::*;
use crate::learned::{Goal, TopicTerms, Tuning};
use crate::{NewLink, PageFacts, PlacedLink};
use harvestman_core::model::{Apath, LeafPath, LinkClass, ParsedPage};

const HOST: &str = "http://h.test";

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::from_canonical(format!("{HOST}{path}"))
}

fn tracer(path: &str) -> TextTracer {
    let read = Box::new(|_: &[u8], _: Option<&str>, _: Option<&_>| ParsedPage::default());
    TextTracer::new(LearnedPolicy::new(Goal::Content, Tuning::default(), 1, read), url(path))
}

/// The fetch of a page of one template that shows a text of successive words for each pair of bounds.
fn page(path: &str, texts: &[(u32, u32)]) -> Observation {
    let mut text = PageText::default();
    texts.iter().for_each(|(from, to)| text.push(&(*from..*to).collect::<Vec<_>>(), false, false));
    let facts =
        PageFacts { bag: vec![LeafPath { path: 1, count: 1, text: None }], text: Some(text), ..PageFacts::default() };
    fetch(path, Outcome::Page(Box::new(facts)))
}

fn fetch(path: &str, outcome: Outcome) -> Observation {
    let new: Vec<NewLink> = Vec::new();
    Observation { url: url(path), class: LinkClass::unclassified(Apath(7)), via: None, outcome, new }
}

/// A learner that is shown a site of items, every other one with the tag `macro`, whose links say which these are.
fn judged(goal: Goal, path: &str) -> TextTracer {
    let read = Box::new(|_: &[u8], _: Option<&str>, _: Option<&_>| ParsedPage::default());
    let mut tracer = TextTracer::new(LearnedPolicy::new(goal, Tuning::default(), 1, read), url(path));
    let class = LinkClass::unclassified(Apath(3));
    let item = |number: u32| NewLink {
        context: Box::new([number % 2, 9]),
        ..NewLink::new(class, url(&format!("/item/{number}")))
    };
    let mut list = fetch("/", Outcome::Page(Box::default()));
    list.new = (0..62).map(item).chain([NewLink::new(class, url("/tag/macro"))]).collect();
    tracer.observe(list);
    for number in 0..60_u32 {
        let tag = ["/tag/cars", "/tag/macro"][number as usize % 2];
        let own = PlacedLink::new(Apath(50), url(tag).fingerprint());
        let mut seen = page(&format!("/item/{number}"), &[(1_000 * number, 1_000 * number + 80)]);
        seen.class = tracer.learner.snapshot().class_of(class, seen.url.as_str(), Some(url("/").as_str()));
        if let Outcome::Page(facts) = &mut seen.outcome {
            (facts.links, facts.accepted) = (vec![own], Some(number % 2 == 1));
        }
        tracer.observe(seen);
    }
    tracer
}

#[test]
fn an_item_of_a_topic_is_told_with_its_tag_and_what_stood_around_its_link() {
    let goal = || Goal::Topic { terms: TopicTerms::new(["macro"]), duplicate_worth: 0.0 };
    let of = |path: &str| judged(goal(), path).judgement().cloned().unwrap();
    let (item, other) = (of("/item/55"), of("/item/56"));
    let topic = |judged: &Judgement| {
        let topic = judged.topic.as_ref().unwrap();
        (topic.is_item, topic.recognised_by, topic.tags.clone())
    };
    assert_eq!(topic(&item), (true, "tags", vec![format!("{HOST}/tag/macro")]));
    assert_eq!(topic(&other), (false, "tags", Vec::new()));
    assert!(item.wanted && !other.wanted && item.accepted.is_none());
    assert!(item.expected.log_odds > Some(0.0) && other.expected.log_odds < Some(0.0), "{item:?} {other:?}");
    assert!(item.expected.lessons >= 40 && other.expected.lessons >= 40, "{item:?} {other:?}");
}

#[test]
fn the_validators_verdict_and_what_is_expected_of_a_waiting_link_are_told() {
    let goal = || Goal::Accepted { examples: Vec::new(), duplicate_worth: 0.5 };
    let accepted = |path: &str| judged(goal(), path).judgement().map(|judged| (judged.accepted, judged.wanted));
    assert_eq!(accepted("/item/55"), Some((Some(true), true)));
    assert_eq!(accepted("/item/56"), Some((Some(false), false)));
    assert_eq!(accepted("/item/61"), None);
    let waiting = |path: &str| judged(goal(), path).waiting();
    let (good, poor) = (waiting("/item/61").unwrap(), waiting("/item/60").unwrap());
    assert!(good.score > poor.score && good.expected.log_odds > Some(0.0), "{good:?} {poor:?}");
    assert_eq!(good.found_on, format!("{HOST}/"));
    assert!(waiting("/item/55").is_none() && waiting("/nowhere").is_none());
}

fn history(tracer: TextTracer) -> TextHistory {
    let TextTrace::Page(history) = tracer.finish() else { panic!("the page was observed") };
    *history
}

#[test]
fn a_page_is_told_with_the_pages_that_said_some_of_it_before_and_since() {
    let mut tracer = tracer("/c");
    for seen in [page("/a", &[(0, 102)]), page("/c", &[(0, 52), (200, 302)]), page("/d", &[(200, 212), (900, 1_000)])] {
        tracer.observe(seen);
    }
    let history = history(tracer);
    let TextShare { shingles, only_here, own, elsewhere, .. } = history.arrival;
    assert_eq!((history.words, shingles, only_here, own, elsewhere), (154, 150, 100, 100, 50));
    let latest = history.latest_share();
    assert_eq!((latest.only_here, latest.own, latest.elsewhere), (90, 90, 60));
    let said: Vec<_> = latest.said_by.iter().map(|page| (page.url.as_str(), page.shingles, page.earlier)).collect();
    // Text of two kinds of pages counts for the smaller ones.
    assert_eq!(said, [("http://h.test/a", 50, true), ("http://h.test/d", 10, false)]);
    assert!(history.repeats.is_none() && history.worth.is_some_and(|worth| worth > 0.7), "{history:?}");
}

#[test]
fn a_duplicate_is_told_with_the_page_that_it_repeats_and_when_that_was_found() {
    let repeats = |first: &str, second: &str, traced: &str| {
        let mut tracer = tracer(traced);
        tracer.observe(page(first, &[(0, 102)]));
        tracer.observe(page(second, &[(0, 102), (500, 506)]));
        history(tracer)
    };
    // The address with a query is the less canonical one, whichever is fetched first.
    let later = repeats("/a", "/a?post=1", "/a?post=1").repeats.unwrap();
    let overlap = later.overlap.unwrap();
    assert_eq!((later.url.as_deref(), later.when), (Some("http://h.test/a"), RepeatedAt::Arrival));
    assert_eq!(
        (overlap.relation, overlap.compared, overlap.both, overlap.share_of_other),
        ("alike", "shingles", 100, 1.0)
    );
    assert!((overlap.share - 100.0 / 104.0).abs() < 1e-9);
    assert_eq!(repeats("/a", "/a?post=1", "/a").repeats, None);
    let before = repeats("/a?post=1", "/a", "/a?post=1");
    assert_eq!(before.repeats.as_ref().unwrap().when, RepeatedAt::Later);
    assert_eq!((before.arrival.own, before.latest.unwrap().own), (100, 0));
    assert_eq!(before.worth, Some(0.0));
}

#[test]
fn what_was_not_observed_or_is_no_page_is_told_apart() {
    let mut unseen = tracer("/nowhere");
    unseen.observe(page("/a", &[(0, 102)]));
    assert_eq!(unseen.finish(), TextTrace::NotObserved);
    let mut moved = tracer("/moved");
    moved.observe(fetch("/moved", Outcome::Redirected));
    assert_eq!(moved.finish(), TextTrace::NoPage);
}

#[test]
fn a_page_that_is_forgotten_is_told_as_it_was_when_it_came() {
    let mut tracer = tracer("/a");
    tracer.observe(page("/a", &[(0, 102)]));
    for number in 1..=20_000_u32 {
        tracer.observe(fetch(&format!("/{number}"), Outcome::Failed));
    }
    let history = history(tracer);
    assert_eq!((history.arrival.own, history.worth), (100, None));
}
