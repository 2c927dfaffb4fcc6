use super::*;
use crate::{BreadthFirst, NewLink, Outcome, PageFacts};
use harvestman_core::model::{ClassOrder, ClusterId, PatternId, UrlPattern};
use harvestman_core::url::CanonicalUrl;

const VIA: &str = "http://h.test/x/7";

const fn class() -> LinkClass {
    let pattern = UrlPattern { coarse: PatternId(5), fine: PatternId(6) };
    LinkClass::at(ClusterId(4), Apath(9)).with_pattern(pattern)
}

/// A fruitless page of `/x/N`; `feeds`: with a new link to another one.
fn fruitless(n: usize, feeds: bool, class: LinkClass) -> Observation {
    let url = |n: usize| CanonicalUrl::from_canonical(format!("http://h.test/x/{n}"));
    let outcome = Outcome::Page(Box::new(PageFacts { gist: vec![1], ..PageFacts::default() }));
    let new = feeds.then(|| NewLink::new(class, url(n + 1))).into_iter().collect();
    Observation { url: url(n), class, via: None, outcome, new }
}

fn after(pages: usize, feeds: bool, inner: impl Policy + 'static) -> GuardedPolicy {
    let mut policy = GuardedPolicy::new(Box::new(inner));
    (0..pages).for_each(|n| policy.observe(fruitless(n, feeds, class())));
    policy
}

/// A policy that learns.
#[derive(Clone, Copy)]
struct Learner;

impl ClassOrder for Learner {
    fn score(&self, class: LinkClass) -> f64 {
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

const LAST: Admission = Admission::Queue(class(), Priority::Last);

fn admit(snapshot: &dyn PolicySnapshot, class: LinkClass, url: &str, via: &str) -> Admission {
    snapshot.admit(&Link::New { class, url, via, context: &[] })
}

fn readmit(snapshot: &dyn PolicySnapshot, url: &str, via: Option<&str>) -> Admission {
    crate::readmit(snapshot, class(), url, via)
}

#[test]
fn breadth_first_takes_last_what_brings_nothing_and_a_policy_that_learns_decides_itself() {
    let (url, elsewhere) = ("http://h.test/x/99", "http://h.test/y/");
    let snapshot = after(100, false, BreadthFirst).snapshot();
    assert_eq!(admit(&*snapshot, class(), url, VIA), LAST);
    assert_eq!(readmit(&*snapshot, url, Some(VIA)), LAST);
    assert_eq!(readmit(&*snapshot, elsewhere, None), class().into(), "a priority goes where it has no reason");
    assert_eq!(snapshot.admit(&Link::Class(class())), class().into());
    let snapshot = after(100, false, Learner).snapshot();
    assert_eq!(admit(&*snapshot, class(), url, VIA), class().into());
    assert_eq!((snapshot.version(), snapshot.generation()), (17, 31));
}

#[test]
fn what_feeds_itself_is_rejected_on_its_own_pages_and_put_last_elsewhere_by_every_policy() {
    let url = "http://h.test/x/999";
    let trap = Admission::Reject(PolicyRefusal::StructureTrap);
    for snapshot in [after(120, true, BreadthFirst).snapshot(), after(120, true, Learner).snapshot()] {
        assert_eq!(admit(&*snapshot, class(), url, VIA), trap);
        assert_eq!(admit(&*snapshot, class(), url, "http://h.test/y/"), LAST);
        assert_eq!(readmit(&*snapshot, url, Some(VIA)), trap);
        let listed = LinkClass { apath: Apath::SITEMAP, ..class() };
        assert_eq!(admit(&*snapshot, listed, url, VIA), Admission::Queue(listed, Priority::Last));
    }
}

/// A policy that rejects everything, waiting URLs included.
struct RejectsAll;

impl ClassOrder for RejectsAll {
    fn score(&self, _: LinkClass) -> f64 {
        0.0
    }
}

impl PolicySnapshot for RejectsAll {
    fn version(&self) -> u64 {
        0
    }

    fn admit(&self, link: &Link<'_>) -> Admission {
        link.unless(Some(PolicyRefusal::Uninformative))
    }
}

#[test]
fn the_policys_reason_comes_first_for_a_new_link_and_the_traps_for_one_that_waits() {
    let measures = TrapMeasures {
        verdicts: {
            let mut policy = after(120, true, BreadthFirst);
            policy.snapshot();
            policy.guard.verdicts()
        },
        generation: 1,
        policy_learns: false,
    };
    let snapshot = AdjustedSnapshot::new(&(Arc::new(RejectsAll) as _), Arc::new(measures));
    let url = "http://h.test/x/999";
    assert_eq!(admit(&snapshot, class(), url, VIA), Admission::Reject(PolicyRefusal::Uninformative));
    assert_eq!(readmit(&snapshot, url, Some(VIA)), Admission::Reject(PolicyRefusal::StructureTrap));
    assert_eq!(readmit(&snapshot, url, None), Admission::Reject(PolicyRefusal::Uninformative));
}

#[test]
fn a_guarded_policy_needs_what_both_need_and_has_news_when_either_has() {
    let mut policy = after(120, true, BreadthFirst);
    assert!(policy.learns() && !policy.is_explained() && policy.has_news());
    policy.snapshot();
    assert!(!policy.has_news());
    assert_eq!(policy.needs(), Needs { gist: true, ..Needs::default() });
    let mut policy = after(1, true, Learner);
    policy.snapshot();
    assert!(policy.is_explained() && policy.has_news(), "a policy that learns always has");
    assert_eq!(policy.needs(), Needs { gist: true, units: true, ..Needs::default() });
    assert_eq!((policy.traps().len(), policy.restarted().is_none()), (0, true));
}
