use proptest::prelude::*;
use proptest::sample::select;

use super::naive::Naive;
use super::*;
use crate::site::url_clusters::url_learner::deal;

fn url() -> impl Strategy<Value = String> {
    let host = select(vec!["a.x.com", "b.x.com", "x.com", "www.x.com", "www.y.com", "127.0.0.1:80", "www"]);
    let segment = select(vec!["topic", "user", "1", "22", "how-to-do", "a1", "", "b.html", "*", "$", "é", "x"]);
    let pair = select(vec!["page=1", "page=2", "q=x", "q=", "s", "", "page=1=x", "x=q", "next=/a.b/?c"]);
    let path = prop::collection::vec(segment, 0..5).prop_map(|segments| segments.join("/"));
    let query = prop::option::of(prop::collection::vec(pair, 1..4).prop_map(|pairs| pairs.join("&")));
    (host, path, query).prop_map(|(host, path, query)| {
        format!("http://{host}/{path}{}", query.map_or(String::new(), |query| format!("?{query}")))
    })
}

fn options() -> impl Strategy<Value = UrlClusterOptions> {
    let literal = select(vec![UrlLiterals::Frequent, UrlLiterals::FrequentButInstances]);
    (1_u32..4, 1_u32..4, select(vec![0.0, 0.03, 0.2]), literal, any::<bool>()).prop_map(
        |(bins, support, delta, literal, query_at_path_miss)| UrlClusterOptions {
            bins,
            support,
            delta,
            literal,
            query_at_path_miss,
            limits: UrlClusterLimits::default(),
        },
    )
}

/// Returns URLs with some types that occur often, as on a site.
fn sample() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec((url(), 1_usize..4), 4..30)
        .prop_map(|urls| urls.into_iter().flat_map(|(url, times)| vec![url; times]).collect())
}

proptest! {
    #[test]
    fn clusters_and_matches_are_those_of_the_procedure_taken_literally(
        urls in sample(),
        others in prop::collection::vec(url(), 0..20),
        options in options(),
        seed in any::<u64>(),
    ) {
        let learned = UrlClusters::learn(&urls, &options, &mut Seed(seed).rng());
        prop_assume!(urls.len() >= options.urls_min());
        let learned = learned.unwrap();
        let texts: Vec<&str> = urls.iter().map(String::as_str).collect();
        let bins = deal(urls.len(), options.bins, &mut Seed(seed).rng());
        let naive = Naive::learn(&texts, &bins, &options);
        let sizes = |clusters: &[UrlCluster]| -> Vec<(String, usize)> {
            clusters.iter().map(|cluster| (cluster.pattern.clone(), cluster.urls as usize)).collect()
        };
        prop_assert_eq!(sizes(&learned.clusters), &naive.kept[..]);
        prop_assert_eq!(sizes(&learned.dropped), &naive.dropped[..]);
        for url in texts.iter().copied().chain(others.iter().map(String::as_str)) {
            prop_assert_eq!(learned.matcher.spell(url).unwrap(), naive.pattern(url), "{}", url);
            prop_assert_eq!(learned.matcher.find(url).map(|id| id.0 as usize), naive.find(url), "{}", url);
        }
    }

    #[test]
    fn every_sampled_url_is_found_where_it_was_put(urls in sample(), options in options(), seed in any::<u64>()) {
        prop_assume!(urls.len() >= options.urls_min());
        let learned = UrlClusters::learn(&urls, &options, &mut Seed(seed).rng()).unwrap();
        let mut sizes = vec![0; learned.clusters.len()];
        for (url, placement) in urls.iter().zip(&learned.placements) {
            let cluster = match placement {
                UrlPlacement::Cluster(id) => Some(*id),
                UrlPlacement::Dropped(_) | UrlPlacement::TooLong => None,
            };
            prop_assert_eq!(learned.matcher.find(url), cluster);
            cluster.into_iter().for_each(|id| sizes[id.0 as usize] += 1);
        }
        prop_assert!(learned.clusters.iter().map(|cluster| cluster.urls).eq(sizes));
        prop_assert!(learned.clusters.is_sorted_by_key(|cluster| std::cmp::Reverse(cluster.urls)));
    }

    #[test]
    fn any_text_at_all_is_matched_without_a_panic(text in "\\PC*", url in "https?://[a-z.:/?#&=é]{0,80}") {
        let clusters = learn(&livejournal(), &UrlClusterOptions::default());
        prop_assert_eq!(clusters.matcher.find(&text), None);
        clusters.matcher.find(&url);
    }
}
