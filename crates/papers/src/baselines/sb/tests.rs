//! The bandit on hand-made observations.

use super::*;
use crate::property_tests::holds_for_any_policy;
use harvestman_core::model::{Apath, LeafPath};
use harvestman_core::url::CanonicalUrl;
use harvestman_policy::{NewLink, PageFacts};

const SEED: LinkClass = LinkClass::unclassified(Apath::SEED);
const LISTS: LinkClass = LinkClass::unclassified(Apath(10));
const TOPICS: LinkClass = LinkClass::unclassified(Apath(11));
const USERS: LinkClass = LinkClass::unclassified(Apath(12));

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::from_canonical(format!("http://h.test{path}"))
}

fn bag(template: u64) -> Vec<LeafPath> {
    vec![LeafPath { path: template, count: 5, text: None }]
}

fn bandit() -> SleepingBandit {
    SleepingBandit::new(Wanted::Like(vec![bag(3)]), SbOptions::default(), None, Seed(1))
}

fn page(path: &str, class: LinkClass, via: &str, template: u64, new: &[(LinkClass, &str)]) -> Observation {
    Observation {
        url: url(path),
        class,
        via: Some(url(via).as_str().into()),
        outcome: Outcome::Page(Box::new(PageFacts { bag: bag(template), ..PageFacts::default() })),
        new: new.iter().map(|(class, path)| NewLink::new(*class, url(path))).collect(),
    }
}

#[test]
fn the_arm_whose_pages_lead_to_targets_is_pulled_before_one_whose_pages_do_not() {
    let mut bandit = bandit();
    bandit.observe(page("/", SEED, "/", 1, &[(LISTS, "/l1"), (LISTS, "/l2"), (USERS, "/u1"), (USERS, "/u2")]));
    bandit.observe(page("/l1", LISTS, "/", 2, &[(TOPICS, "/t1"), (TOPICS, "/t2"), (TOPICS, "/t3")]));
    bandit.observe(page("/u1", USERS, "/", 4, &[]));
    let snapshot = bandit.snapshot();
    assert!((snapshot.score(LISTS) - snapshot.score(USERS)).abs() < 1e-3, "both were pulled once, for nothing yet");
    assert!(snapshot.score(TOPICS) > snapshot.score(LISTS) + 100.0, "what was never pulled is tried first");
    for topic in ["/t1", "/t2", "/t3"] {
        bandit.observe(page(topic, TOPICS, "/l1", 3, &[]));
    }
    let rewards: Vec<_> = [LISTS, USERS, TOPICS].map(|class| bandit.arms.of(class.apath)).to_vec();
    let rewards: Vec<_> = rewards.iter().map(|arm| &bandit.arms.arms[usize::from(*arm)]).collect();
    assert_eq!(rewards.iter().map(|arm| (arm.pulls, arm.reward)).collect::<Vec<_>>(), [(1, 3), (1, 0), (3, 0)]);
    let snapshot = bandit.snapshot();
    let gain = snapshot.score(LISTS) - snapshot.score(USERS);
    assert!((gain - 3.0).abs() < 1e-3, "the mean reward of a list is three topics: {gain}");
}

#[test]
fn urls_that_look_like_targets_come_first_and_those_that_are_no_pages_last() {
    let mut bandit = bandit();
    let look = |bandit: &mut SleepingBandit| {
        let snapshot = bandit.snapshot();
        ["/topic/99", "/list/99", "/img/99.png"].map(|path| {
            let class = LISTS.with_pattern(snapshot.pattern(url(path).as_str()));
            (label(class.pattern), snapshot.score(class))
        })
    };
    assert_eq!(look(&mut bandit).map(|(label, _)| label), [Label::Html; 3]);
    let generation = bandit.snapshot().generation();
    for n in 0..40 {
        bandit.observe(page(&format!("/topic/{n}"), TOPICS, "/", 3, &[]));
        bandit.observe(page(&format!("/list/{n}"), LISTS, "/", 2, &[]));
        let document = page(&format!("/img/{n}.png"), USERS, "/", 2, &[]);
        bandit.observe(Observation { outcome: Outcome::Document, ..document });
    }
    let [topic, list, image] = look(&mut bandit);
    assert_eq!([topic.0, list.0, image.0], Label::ALL);
    assert!(topic.1 > FIRST && FIRST > list.1 && list.1 >= 0.0 && image.1 < 0.0);
    let snapshot = bandit.snapshot();
    assert_eq!(snapshot.generation() - generation, 4, "after 1, 2, 4 and 8 batches");
    let waiting = snapshot.class_of(USERS, url("/topic/7").as_str(), None);
    assert_eq!((waiting.apath, label(waiting.pattern)), (USERS.apath, Label::Target));
}

#[test]
fn the_urls_of_an_arm_are_drawn_from_and_never_overtake_a_better_arm() {
    let mut bandit = bandit();
    bandit.observe(page("/", SEED, "/", 1, &[(LISTS, "/l1")]));
    let classes: Vec<LinkClass> = (0..BUCKETS).map(|bucket| LISTS.with_pattern(pattern(Label::Html, bucket))).collect();
    let best = |snapshot: &dyn PolicySnapshot| {
        (0..classes.len()).max_by(|a, b| snapshot.score(classes[*a]).total_cmp(&snapshot.score(classes[*b])))
    };
    let mut drawn = std::collections::BTreeSet::new();
    for _ in 0..40 {
        drawn.insert(best(&*bandit.snapshot()));
        bandit.observe(page("/x", LISTS, "/", 2, &[]));
    }
    assert!(drawn.len() > 5, "{drawn:?}");
}

#[test]
fn it_is_a_policy() {
    holds_for_any_policy(|seed| Box::new(SleepingBandit::new(Wanted::Content, SbOptions::default(), None, seed)));
    holds_for_any_policy(|seed| {
        let spelling: Spelling = Arc::new(|place| Some(format!("/html/body/div/ul/li/a[{}]", place.0).into()));
        Box::new(SleepingBandit::new(Wanted::Like(vec![bag(110)]), SbOptions::default(), Some(spelling), seed))
    });
}
