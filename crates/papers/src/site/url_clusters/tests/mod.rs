mod bounds;
mod naive;
mod properties;

use super::*;
use harvestman_core::seed::Seed;

fn learn<S: AsRef<str>>(urls: &[S], options: &UrlClusterOptions) -> UrlClusters {
    UrlClusters::learn(urls, options, &mut Seed(7).rng()).expect("enough URLs")
}

fn patterns(clusters: &UrlClusters) -> Vec<(&str, u32)> {
    clusters.clusters.iter().map(|cluster| (&*cluster.pattern, cluster.urls)).collect()
}

/// Returns sixty URLs of one type, so that about ten fall into each bin.
fn sixty(url: impl Fn(usize) -> String) -> Vec<String> {
    (0..60).map(url).collect()
}

/// Returns a name that no other number has and that is no number.
fn name(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'k')).collect()
}

/// Returns the types of URLs in the paper's table 4.
fn livejournal() -> Vec<String> {
    let user = |number| format!("http://{}.livejournal.com", name(number));
    let mut urls = sixty(|number| format!("{}/", user(number)));
    urls.extend(sixty(|number| format!("{}/profile", user(number))));
    urls.extend(sixty(|number| format!("{}/{}.html", user(number), 1_000 + number)));
    urls.extend(sixty(|number| format!("{}/tag", user(number))));
    urls.extend(sixty(|number| format!("http://www.livejournal.com/{}.html", 7_000 + number)));
    urls
}

#[test]
fn the_papers_kinds_of_urls_have_the_papers_patterns() {
    let expected = [
        ("*.livejournal.com/", 60),
        ("*.livejournal.com/$.html", 60),
        ("*.livejournal.com/profile", 60),
        ("*.livejournal.com/tag", 60),
        ("www.livejournal.com/$.html", 60),
    ];
    for options in [UrlClusterOptions::paper(), UrlClusterOptions::default()] {
        let clusters = learn(&livejournal(), &options);
        assert_eq!(patterns(&clusters), expected);
        assert_eq!((clusters.dropped, clusters.limits_hit), (vec![], vec![]));
    }
}

#[test]
fn new_urls_find_the_cluster_that_their_kind_has() {
    let clusters = learn(&livejournal(), &UrlClusterOptions::paper());
    let pattern = |url| clusters.matcher.find(url).and_then(|id| clusters.matcher.pattern(id));
    assert_eq!(pattern("http://someone.livejournal.com/profile"), Some("*.livejournal.com/profile"));
    assert_eq!(pattern("https://someone.livejournal.com/4.html"), Some("*.livejournal.com/$.html"));
    assert_eq!(pattern("http://www.livejournal.com/4.html"), Some("www.livejournal.com/$.html"));
    assert_eq!(pattern("http://someone.livejournal.com/four.html"), None, "no number");
    assert_eq!(pattern("http://www.livejournal.com/profile"), None, "not a user's");
    assert_eq!(pattern("http://someone.livejournal.com/profile/"), None, "a slash more");
    assert_eq!(pattern("http://someone.example.com/profile"), None, "elsewhere");
    assert_eq!(pattern(""), None);
    assert_eq!(clusters.matcher.pattern(UrlClusterId(5)), None);
}

#[test]
fn a_users_numbered_posts_and_posts_by_tag_are_told_apart() {
    let mut urls = sixty(|number| format!("http://user1.example.com/{number}.html"));
    urls.extend(sixty(|number| format!("http://user1.example.com/{}.html", name(number))));
    urls.extend(sixty(|number| format!("http://{}.example.com/", name(number))));
    let expected = [("*.example.com/", 60), ("user1.example.com/$.html", 60), ("user1.example.com/*.html", 60)];
    assert_eq!(patterns(&learn(&urls, &UrlClusterOptions::paper())), expected);
}

#[test]
fn a_frequent_slug_or_id_stands_in_the_papers_patterns_only() {
    let board = |number: usize| {
        if number.is_multiple_of(2) { "the-busy-board".into() } else { format!("a-b-{}", name(number)) }
    };
    let urls: Vec<String> = (0..120).map(|number| format!("http://a.org/forum/{}/{number}", board(number))).collect();
    assert_eq!(
        patterns(&learn(&urls, &UrlClusterOptions::paper())),
        [("a.org/forum/*/$", 60), ("a.org/forum/the-busy-board/$", 60)]
    );
    assert_eq!(patterns(&learn(&urls, &UrlClusterOptions::default())), [("a.org/forum/*/$", 120)]);
}

#[test]
fn an_id_that_all_urls_have_stands() {
    let urls = sixty(|number| format!("http://b3ta.com/v2/{number}"));
    assert_eq!(patterns(&learn(&urls, &UrlClusterOptions::default())), [("b3ta.com/v2/$", 60)]);
}

#[test]
fn without_a_keyword_in_the_path_the_query_counts_only_if_asked_for() {
    let mut urls = sixty(|number| format!("http://a.org/{}?page={number}", name(number)));
    urls.extend(sixty(|number| format!("http://a.org/{}?post={number}", name(number))));
    assert_eq!(patterns(&learn(&urls, &UrlClusterOptions::paper())), [("a.org/*?*=$", 120)]);
    assert_eq!(
        patterns(&learn(&urls, &UrlClusterOptions::default())),
        [("a.org/*?page=$", 60), ("a.org/*?post=$", 60)]
    );
}

#[test]
fn what_coverage_can_spare_is_dropped_and_found_no_more() {
    let mut urls: Vec<String> = (0..98).map(|number| format!("http://a.org/topic/{number}")).collect();
    urls.extend(["http://a.org/topic/a/b".to_owned(), "http://a.org/topic/c/d".to_owned()]);
    let clusters = learn(&urls, &UrlClusterOptions::paper());
    assert_eq!(patterns(&clusters), [("a.org/topic/$", 98)]);
    assert_eq!(clusters.dropped, [UrlCluster { pattern: "a.org/topic/*/*".into(), urls: 2 }]);
    assert_eq!(clusters.placements[0], UrlPlacement::Cluster(UrlClusterId(0)));
    assert_eq!(clusters.placements[98..], [UrlPlacement::Dropped(0); 2]);
    assert_eq!(clusters.matcher.find("http://a.org/topic/x/y"), None);
    assert_eq!(clusters.matcher.spell("http://a.org/topic/x/y").as_deref(), Some("a.org/topic/*/*"));
    assert_eq!(patterns(&learn(&urls, &UrlClusterOptions { delta: 0.0, ..UrlClusterOptions::paper() })).len(), 2);
}

#[test]
fn a_site_of_one_pattern_has_one_cluster() {
    let urls = vec!["http://a.org/"; 30];
    assert_eq!(patterns(&learn(&urls, &UrlClusterOptions::paper())), [("a.org/", 30)]);
}

#[test]
fn too_few_urls_are_told_so() {
    let learn = |urls: &[&str]| UrlClusters::learn(urls, &UrlClusterOptions::paper(), &mut Seed(7).rng());
    assert_eq!(learn(&["http://a.org/"; 29]), Err(TooFewUrls { urls: 29, needed: 30 }));
    let refused = learn(&[]).expect_err("nothing to learn from");
    assert_eq!(refused.to_string(), "0 URLs are too few to cluster; at least 30 are needed");
}

#[test]
fn the_same_seed_writes_the_same_matcher_and_it_reads_back_the_same() {
    let urls = livejournal();
    let [one, other] = [0, 1].map(|_| learn(&urls, &UrlClusterOptions::default()));
    let text = serde_json::to_string(&one).expect("plain values");
    assert_eq!(text, serde_json::to_string(&other).expect("plain values"));
    let read: UrlClusters = serde_json::from_str(&text).expect("what was written");
    assert_eq!(read, one);
    for url in urls.iter().map(String::as_str).chain(["http://nobody.example.org/", "http://x.livejournal.com/tag"]) {
        assert_eq!(read.matcher.find(url), one.matcher.find(url), "{url}");
    }
}

#[test]
fn a_matcher_that_was_tampered_with_is_refused() {
    let text = serde_json::to_string(&learn(&livejournal(), &UrlClusterOptions::default()).matcher).expect("plain");
    let parent = text.replacen("\"parent\":0", "\"parent\":9", 1);
    assert_ne!(parent, text);
    assert!(serde_json::from_str::<UrlMatcher>(&parent).is_err());
    assert!(serde_json::from_str::<UrlMatcher>(&text).is_ok());
}
