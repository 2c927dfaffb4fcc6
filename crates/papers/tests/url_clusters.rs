//! Clusters of URLs on recorded forums, compared with page types.

#[path = "../../../tests/corpora/mod.rs"]
mod corpora;

use std::collections::BTreeMap;

use harvestman_core::seed::Seed;
use harvestman_papers::site::{UrlClusterOptions, UrlClusters};
use rand::seq::SliceRandom;

/// One in four URLs is sampled.
const SAMPLED: usize = 4;

/// Returns the URLs of a corpus with their page types, in random order.
fn urls(name: &str) -> Option<Vec<(String, String)>> {
    let labels = corpora::labels(name)?;
    let mut urls: Vec<_> = labels.into_iter().map(|(url, label)| (url, label.page_type)).collect();
    urls.shuffle(&mut Seed(1).child(name).rng());
    Some(urls)
}

fn learn(urls: &[(String, String)], options: &UrlClusterOptions) -> UrlClusters {
    let sample: Vec<&str> = urls[..urls.len() / SAMPLED].iter().map(|(url, _)| url.as_str()).collect();
    let clusters = UrlClusters::learn(&sample, options, &mut Seed(2).rng()).expect("enough URLs");
    assert_eq!(clusters.limits_hit, [], "a forum reaches no limit");
    clusters
}

/// The matching of URLs outside the sample.
struct Matched {
    /// The share of URLs in any cluster.
    found: f64,
    /// The share of these with the most frequent type of their cluster.
    pure: f64,
}

fn matched(urls: &[(String, String)], clusters: &UrlClusters) -> Matched {
    let others = &urls[urls.len() / SAMPLED..];
    let mut kinds: BTreeMap<_, BTreeMap<&str, usize>> = BTreeMap::new();
    for (url, kind) in others {
        if let Some(cluster) = clusters.matcher.find(url) {
            *kinds.entry(cluster).or_default().entry(kind).or_default() += 1;
        }
    }
    let found: usize = kinds.values().flat_map(BTreeMap::values).sum();
    let most: usize = kinds.values().filter_map(|kinds| kinds.values().max()).sum();
    Matched { found: found as f64 / others.len() as f64, pure: most as f64 / found.max(1) as f64 }
}

/// Learns the clusters, prints the results, and checks properties that hold for every forum.
fn tried(name: &str, options: &UrlClusterOptions) -> Option<Vec<String>> {
    let urls = urls(name)?;
    let clusters = learn(&urls, options);
    let Matched { found, pure } = matched(&urls, &clusters);
    let sampled = clusters.placements.len();
    eprintln!(
        "{name}: {} clusters of {sampled} URLs; of others {found:.3} found, {pure:.3} pure",
        clusters.clusters.len()
    );
    clusters.clusters.iter().take(20).for_each(|cluster| eprintln!("  {:5} {}", cluster.urls, cluster.pattern));
    let covered: u32 = clusters.clusters.iter().map(|cluster| cluster.urls).sum();
    assert!(f64::from(covered) >= (1.0 - options.delta) * sampled as f64, "{name}: {covered} of {sampled} are covered");
    assert!(found >= 0.9, "{name}: only {found} of other URLs are in a cluster");
    assert!(pure >= 0.9, "{name}: only {pure} are of their cluster's kind");
    Some(clusters.clusters.into_iter().map(|cluster| cluster.pattern).collect())
}

#[test]
fn the_url_patterns_of_a_small_forum_are_its_clusters() {
    for options in [UrlClusterOptions::paper(), UrlClusterOptions::default()] {
        let Some(patterns) = tried("spirit", &options) else { return };
        assert!((8..=20).contains(&patterns.len()), "{patterns:?}");
        for pattern in ["/user/login/?next=*", "/topic/$/*/", "/topic/$/*/?*=$", "/user/$/*/"] {
            let pattern = format!("127.0.0.1:8102{pattern}");
            assert!(patterns.contains(&pattern), "{pattern} is missing");
        }
    }
}

#[test]
fn board_slugs_of_a_large_forum_form_clusters_by_the_paper_only() {
    let Some(paper) = tried("machina", &UrlClusterOptions::paper()) else { return };
    let Some(ours) = tried("machina", &UrlClusterOptions::default()) else { return };
    assert!(paper.len() > 2 * ours.len(), "{} and {}", paper.len(), ours.len());
    assert!((10..=25).contains(&ours.len()), "{ours:?}");
    assert_eq!(ours[..2], ["127.0.0.1:8101/forum/*/topic/*/?post=$", "127.0.0.1:8101/forum/*/topic/*/"]);
    assert!(paper.iter().any(|pattern| pattern.contains("/no-carbonation-36/")), "{paper:?}");
}
