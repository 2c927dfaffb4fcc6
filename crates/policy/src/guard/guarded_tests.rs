use super::*;
use crate::{BreadthFirst, NewLink, Outcome, PageFacts};
use harvestman_core::model::{PatternId, UrlPattern};
use harvestman_core::url::CanonicalUrl;

const VIA: &str = "http://h.test/x/7";

fn class() -> LinkClass {
    let pattern = UrlPattern { coarse: PatternId(5), fine: PatternId(6) };
    LinkClass::at(ClusterId(4), Apath(9)).with_pattern(pattern)
}

/// A fruitless page of `/x/N`; `feeds`: with a new link to another.
fn fruitless(n: usize, feeds: bool, class: LinkClass) -> Observation {
    let url = |n: usize| CanonicalUrl::from_canonical(format!("http://h.test/x/{n}"));
    let outcome = Outcome::Page(Box::new(PageFacts { gist: vec![1], ..PageFacts::default() }));
    let new = feeds.then(|| NewLink { class, url: url(n + 1) }).into_iter().collect();
    Observation { url: url(n), class, via: None, outcome, new }
}

fn after(pages: usize, feeds: bool, inner: impl Policy + 'static) -> Guarded {
    let mut policy = Guarded::new(Box::new(inner));
    (0..pages).for_each(|n| policy.observe(fruitless(n, feeds, class().last())));
    policy
}

/// Learns, and insists on classes without a mark.
#[derive(Clone, Copy)]
struct Learner;

impl ClassOrder for Learner {
    fn score(&self, class: LinkClass) -> f64 {
        assert_eq!(class, class.unmarked());
        f64::from(class.cluster.0)
    }
}

impl PolicySnapshot for Learner {
    fn version(&self) -> u64 {
        17
    }

    fn generation(&self) -> u64 {
        30
    }

    fn class_of(&self, class: LinkClass, _: &str, _: Option<&str>) -> LinkClass {
        assert_eq!(class, class.unmarked());
        class
    }
}

impl Policy for Learner {
    fn observe(&mut self, seen: Observation) {
        assert!(seen.class == class() && seen.new.iter().all(|link| link.class == class()));
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        Arc::new(*self)
    }

    fn needs(&self) -> Needs {
        Needs { units: true, ..Needs::default() }
    }
}

#[test]
fn breadth_first_takes_last_what_brings_nothing_and_a_policy_that_learns_decides_itself() {
    let (url, elsewhere) = ("http://h.test/x/99", "http://h.test/y/");
    let snapshot = after(100, false, BreadthFirst).snapshot();
    let put = snapshot.stand(class(), url, VIA).unwrap();
    assert_eq!(put, class().last());
    assert_eq!(snapshot.class_of(class(), url, Some(VIA)), class().last());
    assert_eq!(snapshot.class_of(class().last(), elsewhere, None), class(), "a mark goes where it has no reason");
    assert!(snapshot.score(put) < snapshot.score(class()));
    assert!(!snapshot.refuses_standing());
    let snapshot = after(100, false, Learner).snapshot();
    assert_eq!(snapshot.stand(class(), url, VIA), Ok(class()));
    assert_eq!((snapshot.version(), snapshot.generation()), (17, 31));
}

#[test]
fn what_feeds_itself_is_refused_on_its_own_pages_and_put_last_elsewhere_by_every_policy() {
    let url = "http://h.test/x/999";
    for snapshot in [after(120, true, BreadthFirst).snapshot(), after(120, true, Learner).snapshot()] {
        assert!(snapshot.refuses_standing());
        assert_eq!(snapshot.stand(class(), url, VIA), Err(PolicyRefusal::StructureTrap));
        assert_eq!(snapshot.stand(class(), url, "http://h.test/y/"), Ok(class().last()));
        assert_eq!(snapshot.class_of(class(), url, Some(VIA)), class().let_go());
        let listed = LinkClass { apath: Apath::SITEMAP, ..class() };
        assert_eq!(snapshot.stand(listed, url, VIA), Ok(listed.last()));
        assert!(snapshot.score(class().let_go()) < snapshot.score(class()));
        assert_eq!(snapshot.curiosity(class().last()), 0.0);
    }
}

#[test]
fn a_guarded_policy_asks_for_what_both_need_and_has_news_when_either_has() {
    let mut policy = after(120, true, BreadthFirst);
    assert!(policy.learns() && !policy.is_explained() && policy.has_news());
    policy.snapshot();
    assert!(!policy.has_news());
    assert_eq!(policy.needs(), Needs { gist: true, ..Needs::default() });
    let mut policy = after(1, true, Learner);
    policy.snapshot();
    assert!(policy.is_explained() && policy.has_news(), "a policy that learns always has");
    assert_eq!(policy.needs(), Needs { gist: true, units: true, ..Needs::default() });
    assert_eq!((policy.traps().len(), policy.afresh().is_none()), (0, true));
}

#[test]
fn scores_of_what_is_put_last_keep_their_order() {
    let scores = [f64::NAN, -1.0, 0.0, 0.5, 2.0, 1e9].map(last);
    assert!(scores.is_sorted() && scores.iter().all(|score| *score < -900.0), "{scores:?}");
}
