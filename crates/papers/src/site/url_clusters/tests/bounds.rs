//! URLs that are made to be expensive.

use super::*;

fn with_limits(limits: UrlClusterLimits) -> UrlClusterOptions {
    UrlClusterOptions { limits, ..UrlClusterOptions::paper() }
}

/// Returns URLs each of which lacks one of `items` names, so that all combinations of the others are frequent.
fn mixtures(items: usize) -> Vec<String> {
    let names = |url: usize| (0..items).filter(move |item| url % items != *item).map(name).collect::<Vec<_>>();
    (0..items * 60).map(|url| format!("http://a.org/{}", names(url).join("/"))).collect()
}

#[test]
fn urls_of_thousands_of_items_belong_nowhere_and_are_counted() {
    let long = |separator: &str| format!("http://a.org/{}", vec!["x"; 5_000].join(separator));
    let mut urls = sixty(|number| format!("http://a.org/topic/{number}"));
    urls.extend([long("/"), long("."), format!("http://a.org/?{}", "a&".repeat(5_000)), "http://a.org/".repeat(900)]);
    let clusters = learn(&urls, &UrlClusterOptions::paper());
    assert_eq!(patterns(&clusters), [("a.org/topic/$", 60)]);
    assert_eq!(clusters.placements[60..], [UrlPlacement::TooLong; 4]);
    assert_eq!(clusters.limits_hit, [UrlLimitHit::LongUrls { urls: 4 }]);
    assert_eq!(clusters.matcher.find(&urls[60]), None);
    assert_eq!(clusters.matcher.spell(&urls[60]), None);
    assert_eq!(
        UrlClusters::learn(&urls[60..], &UrlClusterOptions::paper(), &mut Seed(7).rng()).err(),
        Some(TooFewUrls { urls: 0, needed: 30 })
    );
}

#[test]
fn sixty_four_pieces_are_looked_at_and_one_more_is_too_long() {
    let url = |pieces: usize| format!("http://a.org/{}", vec!["x"; pieces].join("/"));
    let clusters = learn(&vec![url(64); 30], &UrlClusterOptions::paper());
    assert_eq!(clusters.matcher.find(&url(64)), Some(UrlClusterId(0)));
    assert_eq!(clusters.matcher.spell(&url(65)), None);
}

#[test]
fn items_that_always_stand_together_cost_no_more_than_one() {
    let form: String = (0..31).map(|field| format!("&{}=", name(field))).collect();
    let urls = sixty(|number| format!("http://a.org/search?q={number}{form}"));
    let clusters = learn(&urls, &UrlClusterOptions::paper());
    assert_eq!(patterns(&clusters), [(&*format!("a.org/search?q=${form}"), 60)]);
    assert_eq!(clusters.limits_hit, []);
    assert_eq!(clusters.matcher.find("http://a.org/search?q=1"), None, "a form with one field is another");
}

#[test]
fn too_many_itemsets_raise_the_support_and_it_is_told() {
    let urls = mixtures(12);
    let limits = UrlClusterLimits { itemsets_max: 500, ..UrlClusterLimits::default() };
    let clusters = learn(&urls, &with_limits(limits));
    let [UrlLimitHit::Itemsets { part: UrlPart::Path, support }] = clusters.limits_hit[..] else {
        panic!("{:?}", clusters.limits_hit)
    };
    assert!(support > 5 && support.is_multiple_of(5), "{support}");
    assert_eq!(learn(&urls, &UrlClusterOptions::paper()).limits_hit, [], "4,095 itemsets are not too many");
    let hurried = UrlClusterLimits { steps_per_url_max: 1, ..UrlClusterLimits::default() };
    let hurried = learn(&urls, &with_limits(hurried));
    assert!(matches!(hurried.limits_hit[..], [UrlLimitHit::Itemsets { part: UrlPart::Path, .. }]));
}

#[test]
fn dozens_of_items_in_all_mixtures_are_clustered_somehow() {
    let clusters = learn(&mixtures(20), &UrlClusterOptions::paper());
    assert!(matches!(clusters.limits_hit[..], [UrlLimitHit::Itemsets { part: UrlPart::Path, .. }]));
    assert!(!clusters.clusters.is_empty());
}

#[test]
fn of_too_many_keywords_the_most_frequent_are_taken() {
    let mut urls = sixty(|number| format!("http://a.org/rare/{number}"));
    urls.extend((0..120).map(|number| format!("http://a.org/common/{number}")));
    let limits = UrlClusterLimits { keywords_max: 2, ..UrlClusterLimits::default() };
    let clusters = learn(&urls, &with_limits(limits));
    assert_eq!(patterns(&clusters), [("a.org/common/$", 120), ("a.org/rare/$", 60)]);
    let limits = UrlClusterLimits { keywords_max: 1, ..UrlClusterLimits::default() };
    let clusters = learn(&urls, &with_limits(limits));
    assert_eq!(patterns(&clusters), [("a.*/common/$", 120), ("a.*/*/$", 60)]);
    let hit = |part| UrlLimitHit::Keywords { part, kept: 1, candidates: 2 };
    assert_eq!(clusters.limits_hit, [hit(UrlPart::Authority), hit(UrlPart::Path)]);
}

#[test]
fn of_too_many_clusters_the_largest_are_kept() {
    let mut urls = sixty(|number| format!("http://a.org/topic/{number}"));
    urls.extend(sixty(|number| format!("http://a.org/user/{number}")));
    urls.pop();
    let limits = UrlClusterLimits { clusters_max: 1, ..UrlClusterLimits::default() };
    let clusters = learn(&urls, &with_limits(limits));
    assert_eq!(patterns(&clusters), [("a.org/topic/$", 60)]);
    assert_eq!((clusters.dropped.len(), &*clusters.limits_hit), (1, &[UrlLimitHit::Clusters { dropped: 1 }][..]));
}
