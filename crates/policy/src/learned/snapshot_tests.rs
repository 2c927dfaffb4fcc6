use super::*;
use crate::learned::worth::Worth;
use crate::learned::yields::Yield;
use crate::property_tests::refused;
use harvestman_core::model::{Apath, PatternId};
use harvestman_structure::site::UrlPatternLearner;

fn worth(value: f64) -> Worth {
    Worth { value, wanted: value >= 0.5 }
}

fn class(pattern: u64) -> LinkClass {
    let pattern = UrlPattern { coarse: PatternId::new(pattern << 2, 0), fine: PatternId::new(pattern << 2, 0) };
    LinkClass::at(ClusterId(2), Apath(9)).with_pattern(pattern)
}

fn snapshot(seed: u64) -> LearnedSnapshot {
    LearnedSnapshot {
        links: None,
        version: 1,
        generation: 0,
        patterns_version: 0,
        seed,
        templates: None,
        patterns: Arc::default(),
        clusters: Arc::default(),
        evidence: Evidence::default(),
        yields: Yields::default(),
        tuning: Tuning::default(),
        reads_all: true,
        repeated: Arc::default(),
        recent_yield: RecentYield::default(),
        by_example: false,
        lost: None,
    }
}

#[test]
fn a_known_class_is_scored_by_its_worth_alone() {
    let mut known = snapshot(1);
    for _ in 0..200 {
        known.evidence.add(class(1), worth(0.8), 1_000.0);
    }
    let terms = known.terms(class(1));
    assert_eq!((terms.curiosity, terms.score), (0.0, terms.worth));
    assert!((terms.worth - 0.8).abs() < 0.01, "{terms:?}");
    assert!(known.prospect(class(1)).is_some_and(|prospect| prospect.wanted > 0.98));
}

#[test]
fn the_seed_varies_curiosity_about_what_is_unknown_and_nothing_else() {
    let [one, same, other] = [1, 1, 2].map(|seed| snapshot(seed).terms(class(1)));
    assert!(one.curiosity > 0.0);
    assert_eq!(one, same);
    assert_ne!(one.curiosity, other.curiosity);
    assert_eq!((one.worth, one.rate), (other.worth, other.rate));
}

#[test]
fn a_hub_is_worth_the_rate_at_which_its_links_are_worth_something() {
    let mut hub = snapshot(1);
    for _ in 0..200 {
        hub.evidence.add(class(1), worth(0.0), 1_000.0);
        hub.yields.add(class(1), Yield { links: 19.0, worth: 19.0, wanted: 9.5 });
    }
    let terms = hub.terms(class(1));
    // Twenty fetches for a worth of nineteen.
    assert!((terms.rate - 0.95).abs() < 0.01, "{terms:?}");
    assert!((terms.score - hub.tuning.hub_discount * terms.rate).abs() < 1e-9, "{terms:?}");
    let prospect = hub.prospect(class(1)).unwrap();
    assert!(prospect.wanted < 0.02 && (prospect.links - 19.0).abs() < 0.5, "{prospect:?}");
    assert!((prospect.links_score - 1.0).abs() < 1e-9 && (prospect.links_wanted - 0.5).abs() < 1e-9, "{prospect:?}");
}

/// Whether links of a class are rejected, of which `fetches` pages were seen: none wanted, and each brings `opened`.
fn rejects(fetches: usize, opened: Yield, from: Option<f64>, class: LinkClass) -> bool {
    let mut snapshot = snapshot(1);
    snapshot.tuning.followed_from = from;
    for _ in 0..fetches {
        snapshot.evidence.add(class, worth(0.0), 1_000.0);
        snapshot.yields.add(class, opened);
    }
    let url = "http://h.test/a";
    let asked =
        [Link::Class(class), Link::New { class, url, via: url, context: &[] }, Link::Waiting { class, url, via: None }];
    let [of_class, new, waiting] = asked.map(|link| snapshot.admit(&link).refusal());
    assert_eq!((new, waiting), (of_class, of_class));
    assert!(snapshot.admit(&Link::at_place_of(class)).refusal().is_none(), "a place may have links of several classes");
    assert_eq!(snapshot.rejects_by_pattern(), from.is_some());
    of_class.is_some()
}

#[test]
fn links_are_rejected_if_enough_of_their_pages_are_known_and_neither_these_nor_what_they_open_are_wanted() {
    let nothing = Yield::default();
    let opens = |links: f64, wanted: f64| Yield { links, worth: links, wanted };
    assert!(rejects(30, nothing, Some(0.25), class(1)));
    assert!(!rejects(5, nothing, Some(0.25), class(1)), "few pages say little");
    assert!(!rejects(30, nothing, None, class(1)), "only where links are rejected at all");
    assert!(!rejects(30, opens(1.0, 0.9), Some(0.25), class(1)), "a redirect that leads to a wanted page");
    assert!(!rejects(30, opens(9.0, 5.0), Some(0.25), class(1)), "a list of wanted pages");
    assert!(rejects(30, opens(9.0, 1.0), Some(0.25), class(1)), "a list of pages that are rarely wanted");
    for apath in [Apath::SEED, Apath::REDIRECT] {
        assert!(!rejects(30, nothing, Some(0.25), LinkClass { apath, ..class(1) }));
    }
    assert!(!rejects(30, nothing, Some(0.25), LinkClass { pattern: UrlPattern::NONE, ..class(1) }));
}

#[test]
fn the_text_of_pages_is_read_unless_their_class_is_known_well() {
    let mut one = snapshot(1);
    (0..29).for_each(|_| one.evidence.add(class(1), worth(0.8), 1_000.0));
    one.reads_all = false;
    assert!(one.reads_text(class(1)));
    one.evidence.add(class(1), worth(0.8), 1_000.0);
    assert!(!one.reads_text(class(1)) && one.reads_text(class(2)));
    one.repeated = Arc::new([class(1).pattern.coarse].into_iter().collect());
    assert!(one.reads_text(class(1)), "others repeat its pages");
    (one.repeated, one.reads_all) = (Arc::default(), true);
    assert!(one.reads_text(class(1)));
}

#[test]
fn waiting_urls_are_moved_to_the_current_cluster_and_pattern() {
    let mut learner = UrlPatternLearner::default();
    (0..50).for_each(|number| learner.see(&format!("http://h/tag/name-{number}x/")));
    let clusters = [(Fingerprint::of("http://h/list"), ClusterId(5))].into_iter().collect();
    let now = LearnedSnapshot {
        patterns: Arc::new(learner.patterns()),
        clusters: Arc::new(clusters),
        generation: 1,
        ..snapshot(1)
    };
    let moved = now.class_of(class(1), "http://h/tag/name-7x/", Some("http://h/list"));
    assert_eq!((moved.cluster, moved.apath), (ClusterId(5), Apath(9)));
    assert_eq!(moved.pattern, now.pattern("http://h/tag/name-8x/"));
    let elsewhere = now.class_of(class(1), "http://h/tag/name-7x/", Some("http://h/unknown"));
    assert_eq!(elsewhere.cluster, ClusterId(2), "what is not known anew stays");
}

#[test]
fn before_templates_are_learned_pages_have_no_cluster() {
    let first = snapshot(1);
    assert_eq!((first.cluster(&[]), first.class_tokens("")), (ClusterId::UNKNOWN, None));
    assert_eq!((first.version(), first.generation(), refused(&first, class(1))), (1, 0, None));
}

#[test]
fn of_two_equally_promising_urls_the_one_with_fewer_parameters_comes_first() {
    let snapshot = snapshot(1);
    let with = |parameters| {
        let pattern = UrlPattern { coarse: PatternId::new(4, parameters), fine: PatternId::new(4, 0) };
        snapshot.terms(LinkClass::at(ClusterId(2), Apath(9)).with_pattern(pattern)).score
    };
    assert!(with(0) > with(1) && with(1) > with(2) && with(2) > 0.0);
    assert_eq!(with(3), with(9));
}

#[test]
fn without_an_example_the_order_of_discovery_holds_except_for_urls_like_its_own() {
    let mut lost = snapshot(1);
    lost.evidence.add(class(1), worth(0.1), 1_000.0);
    lost.lost = Some(vec![class(3).pattern.coarse]);
    assert_eq!([1, 2, 3].map(|pattern| lost.score(class(pattern))), [0.0, 0.0, 1.0]);
}
