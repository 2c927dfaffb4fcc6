use std::sync::Arc;

use super::*;
use crate::{AdjustedSnapshot, Link, PolicySnapshot, consulted, readmit};
use harvestman_core::config::FilterOrder;
use harvestman_core::model::{Admission, Apath, ClassOrder, PatternId, PolicyRefusal, Priority};

/// A policy whose pattern of a URL is its last digit, which rejects URLs that end in 9, and scores by place.
struct ByDigit;

impl ClassOrder for ByDigit {
    fn score(&self, class: LinkClass) -> f64 {
        class.apath.0 as f64
    }
}

impl PolicySnapshot for ByDigit {
    fn version(&self) -> u64 {
        1
    }

    fn pattern(&self, url: &str) -> UrlPattern {
        digit(url)
    }

    fn admit(&self, link: &Link<'_>) -> Admission {
        link.unless((link.class().pattern == digit("9")).then_some(PolicyRefusal::Uninformative))
    }
}

fn digit(url: &str) -> UrlPattern {
    let digit = url.bytes().last().map_or(0, |last| u64::from(last - b'0'));
    UrlPattern { coarse: PatternId(100 + digit / 5), fine: PatternId(10 + digit) }
}

fn steered(
    banned: &[&str],
    pinned: &[&str],
    pattern_clusters: PatternClusters,
    filter: FilterOrder,
) -> Arc<dyn PolicySnapshot> {
    let targets = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
    let steering = Steering { banned: targets(banned), pinned: targets(pinned) };
    let adjustment = BansAndPins::new(Arc::new(steering), Arc::new(pattern_clusters), 3);
    let policy: Arc<dyn PolicySnapshot> = Arc::new(ByDigit);
    consulted(Arc::new(AdjustedSnapshot::new(&policy, Arc::new(adjustment))), filter)
}

fn admit(snapshot: &dyn PolicySnapshot, class: LinkClass, url: &str) -> Admission {
    snapshot.admit(&Link::New { class, url, via: "http://h.test/", context: &[] })
}

fn class(url: &str) -> LinkClass {
    LinkClass::at(ClusterId(2), Apath(50)).with_pattern(digit(url))
}

/// Destinations by pages whose URLs end in these digits and which are of these clusters.
fn led(pages: &[(u64, u32)]) -> Destinations {
    let mut destinations = Destinations::default();
    for (at, (digit_of, cluster)) in pages.iter().enumerate() {
        destinations.see(&format!("http://h.test/{at}{digit_of}"), ClusterId(*cluster), 0, digit);
    }
    destinations
}

#[test]
fn links_lead_to_the_cluster_of_most_pages_of_the_finest_pattern_that_has_enough() {
    let pattern_clusters = led(&[(1, 7), (1, 7), (1, 8), (2, 8), (3, 9), (3, 9), (3, 7), (3, 8)]).pattern_clusters();
    let to = |last: &str| pattern_clusters.cluster(digit(last)).map(|cluster| cluster.0);
    assert_eq!(to("1"), Some(7), "two of three");
    assert_eq!(to("3"), None, "half of them is no majority, and the coarser pattern is not asked");
    assert_eq!(to("2"), None, "one page is too few, and of the coarser pattern's pages no cluster has most");
    let pattern_clusters = led(&[(1, 7), (1, 7), (1, 7), (2, 7)]).pattern_clusters();
    assert_eq!(pattern_clusters.cluster(digit("4")), Some(ClusterId(7)), "by the coarser pattern");
    assert_eq!(pattern_clusters.cluster(digit("6")), None);
    let only = pattern_clusters.clone().only(&[ClusterId(8)]);
    assert_eq!((only.cluster(digit("1")), only.cluster(digit("4"))), (None, None));
    assert_eq!(pattern_clusters.clone().only(&[ClusterId(7)]), pattern_clusters);
}

#[test]
fn the_pages_of_a_cluster_whose_pattern_mostly_led_there_are_predicted() {
    let destinations = led(&[(1, 7), (1, 7), (1, 8), (2, 7), (6, 7), (6, 8), (6, 8), (9, 7)]);
    assert_eq!(
        destinations.predicted_pages(ClusterId(7), digit),
        (3, 5),
        "two, one by the coarser pattern; not the odd one"
    );
    assert_eq!(destinations.predicted_pages(ClusterId(8), digit), (2, 3));
    assert_eq!(destinations.predicted_pages(ClusterId(9), digit), (0, 0));
}

#[test]
fn pages_are_counted_again_by_other_patterns_and_pages_of_no_cluster_do_not_count() {
    let mut destinations = led(&[(1, 7), (1, 7), (2, 7)]);
    assert_eq!(destinations.pattern_clusters().cluster(digit("1")), Some(ClusterId(7)));
    let one = |_: &str| UrlPattern { coarse: PatternId(1), fine: PatternId(2) };
    destinations.see("http://h.test/0", ClusterId::UNKNOWN, 1, one);
    assert_eq!(destinations.pattern_clusters().cluster(one("")), None);
    destinations.see("http://h.test/1", ClusterId(8), 1, one);
    assert_eq!(destinations.pattern_clusters().cluster(one("")), Some(ClusterId(7)));
    let known: Vec<_> = destinations.clusters().iter().map(|(cluster, known)| (cluster.0, known.pages)).collect();
    assert_eq!(known, [(7, 3), (8, 1)]);
}

const BANNED: Admission = Admission::Reject(PolicyRefusal::Banned);
const REFUSED: Admission = Admission::Reject(PolicyRefusal::Uninformative);

#[test]
fn what_is_banned_by_cluster_class_or_form_is_rejected_new_or_waiting_and_the_rest_is_as_before() {
    let pattern_clusters = led(&[(1, 7), (1, 7), (1, 7)]).pattern_clusters();
    let url = "http://h.test/a1";
    let class_name = class(url).to_string();
    for target in ["7", class_name.as_str(), "/a*"] {
        let snapshot = steered(&[target], &[], pattern_clusters.clone(), FilterOrder::GraphDup);
        assert_eq!(admit(&*snapshot, class(url), url), BANNED, "{target}");
        // Where patterns were not looked up before, they are looked up now.
        let bare = class(url).with_pattern(UrlPattern::NONE);
        assert_eq!(admit(&*snapshot, bare, url), BANNED, "{target}");
        assert_eq!(readmit(&*snapshot, class(url), url, None), BANNED);
        let other = "http://h.test/b6";
        assert_eq!(admit(&*snapshot, class(other), other), class(other).into());
        assert_eq!(readmit(&*snapshot, class(other), other, None), class(other).into());
        assert_eq!(snapshot.admit(&Link::Class(class("9"))), REFUSED);
        assert_eq!(snapshot.generation(), 3);
    }
}

#[test]
fn what_is_pinned_comes_before_all_else_though_the_policy_rejects_it() {
    let snapshot = steered(&["/a1"], &["/a*"], PatternClusters::default(), FilterOrder::GraphDup);
    let (pinned, other) = ("http://h.test/a9", "http://h.test/b9");
    assert_eq!(admit(&*snapshot, class(pinned), pinned), Admission::Queue(class(pinned), Priority::Pinned));
    assert_eq!(snapshot.admit(&Link::Class(class(pinned))), class(pinned).into(), "it may be pinned");
    assert_eq!(admit(&*snapshot, class(other), other), REFUSED);
    assert_eq!(readmit(&*snapshot, class("1"), "http://h.test/a1", None), BANNED, "a ban is stronger");
    // A redirect stands for a page that was wanted.
    let redirect = LinkClass { apath: Apath::REDIRECT, ..class(other) };
    assert_eq!(admit(&*snapshot, redirect, other), redirect.into());
}

#[test]
fn a_policy_that_is_not_consulted_rejects_nothing_and_bans_and_pins_hold() {
    let snapshot = steered(&["/a1"], &["/a*"], PatternClusters::default(), FilterOrder::DupOnly);
    let (banned, pinned, other) = ("http://h.test/a1", "http://h.test/a9", "http://h.test/b9");
    assert_eq!(admit(&*snapshot, class(banned), banned), BANNED);
    assert_eq!(admit(&*snapshot, class(pinned), pinned), Admission::Queue(class(pinned), Priority::Pinned));
    assert_eq!(admit(&*snapshot, class(other), other), class(other).into());
    assert_eq!(readmit(&*snapshot, class(other), other, None), class(other).into());
    assert_eq!(snapshot.admit(&Link::Class(class(other))), class(other).into());
}
