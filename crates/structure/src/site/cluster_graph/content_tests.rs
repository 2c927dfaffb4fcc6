use proptest::prelude::*;

use super::samples_tests::*;
use super::*;

const DUPLICATE: Standing = Standing::Pruned(GraphReason::DuplicateContent);
const KEPT: Standing = Standing::Kept;

/// Returns the standing of the clusters after pruning by content alone.
fn pruned(sample: &[GraphPage], clusters: usize) -> Vec<Standing> {
    let options = PruneOptions { reach: Reach::Never, ..PruneOptions::default() };
    standings(&ClusterGraph::learn(sample, clusters, &[], &options))
}

#[test]
fn permalinks_that_show_the_same_threads_again_and_again_are_duplicates() {
    let threads = (0..4).map(|thread| showing(thread, thread));
    let posts = (0..10).map(|post| showing(100 + post, post % 4));
    assert_eq!(pruned(&threads.chain(posts).collect::<Vec<_>>(), 2), [KEPT, DUPLICATE]);
}

#[test]
fn seven_distinct_pages_of_ten_are_enough() {
    let cluster = |distinct: u64| (0..10).map(|url| showing(url, url.min(distinct - 1))).collect::<Vec<_>>();
    assert_eq!(pruned(&cluster(7), 1), [KEPT]);
    assert_eq!(pruned(&cluster(6), 1), [DUPLICATE]);
}

#[test]
fn of_two_clusters_that_show_the_same_the_one_with_the_plainer_addresses_stays() {
    let by_date = (0..5).map(|page| GraphPage { detours: 1, ..showing(page, 50 + page) });
    let by_topic = (0..5).map(|page| showing(100 + page, 50 + page));
    let sample: Vec<_> = by_date.chain(by_topic).collect();
    assert_eq!(pruned(&sample, 2), [DUPLICATE, KEPT]);
    // With equally plain ones the first.
    let equal: Vec<_> = sample.into_iter().map(|page| GraphPage { detours: 0, ..page }).collect();
    assert_eq!(pruned(&equal, 2), [KEPT, DUPLICATE]);
}

#[test]
fn redirects_to_what_is_linked_are_duplicates_whether_their_ends_were_sampled_or_not() {
    // Posts redirect to threads. Lists link to threads, and the two that were sampled are among those.
    let mut sample = vec![page(200, &[0, 1, 2]), showing(0, 70), showing(1, 71)];
    sample.extend((0..3).map(|post| redirect(100 + post, post)));
    sample.extend((0..3).map(|post| redirect(110 + post, 10 + post)));
    assert_eq!(pruned(&sample, 3), [KEPT, DUPLICATE, KEPT]);
}

#[test]
fn redirects_are_originals_of_nothing() {
    // More redirects than pages, with plainer addresses: still the pages stay.
    let mut sample: Vec<_> = (0..3).map(|page| GraphPage { detours: 3, ..showing(100 + page, page) }).collect();
    sample.extend((0..9).map(|url| redirect(url, 100 + url % 3)));
    assert_eq!(pruned(&sample, 2), [DUPLICATE, KEPT]);
}

#[test]
fn redirects_that_alone_lead_to_pages_nobody_sampled_stay() {
    assert_eq!(pruned(&(0..4).map(|url| redirect(url, 100 + url)).collect::<Vec<_>>(), 2), [KEPT, KEPT]);
}

#[test]
fn redirects_to_pages_of_a_worthless_cluster_that_nobody_sampled_are_worthless() {
    // Each form redirects to a log-in page of its own, and all log-in pages show the same.
    let mut sample: Vec<_> = (0..6).map(|form| redirect(form, 100 + form)).collect();
    assert_eq!(pruned(&sample, 2), [KEPT, KEPT]);
    sample.extend((0..6).map(|login| showing(150 + login, 9)));
    assert_eq!(pruned(&sample, 2), [DUPLICATE, DUPLICATE]);
}

#[test]
fn forms_that_all_redirect_to_one_page_are_duplicates() {
    assert_eq!(pruned(&(0..4).map(|url| redirect(url, 9_000)).collect::<Vec<_>>(), 1), [DUPLICATE]);
}

#[test]
fn pages_that_show_nothing_are_worth_nothing() {
    let errors: Vec<_> = (0..3).map(|url| GraphPage { content: None, ..page(url, &[]) }).collect();
    assert_eq!(pruned(&errors, 2), [DUPLICATE, KEPT], "a cluster without a sampled page stays");
}

#[test]
fn redirects_in_a_circle_have_an_end() {
    assert_eq!(pruned(&[redirect(0, 100), redirect(100, 0)], 2), [DUPLICATE; 2]);
}

#[test]
fn where_all_show_the_same_all_are_pruned() {
    let sample: Vec<_> = [0, 1, 100, 101].map(|url| GraphPage { content: Some(1), ..page(url, &[0, 100]) }).to_vec();
    let graph = ClusterGraph::learn(&sample, 2, &[0], &PruneOptions::default());
    assert_eq!(standings(&graph), [DUPLICATE; 2]);
    assert!(kept(&graph).is_empty());
    for (from, to) in [(0, 0), (0, 1), (1, 0)] {
        assert_eq!(graph.decide(Some(Cluster(from)), Some(Cluster(to))), Err(GraphReason::DuplicateContent));
    }
}

/// The reference implementation for pages without redirects and links: compares each with each.
fn by_comparing_all(sample: &[GraphPage], clusters: u32) -> Vec<Standing> {
    let of = |cluster: u32| sample.iter().filter(move |page| page.cluster == Some(Cluster(cluster)));
    let distinct = |cluster: u32, left_out: &[u32]| {
        let contents: Vec<u64> = of(cluster).filter_map(|page| page.content).collect();
        let known = |content: &u64| left_out.iter().any(|other| of(*other).any(|page| page.content == Some(*content)));
        (0..contents.len()).filter(|at| !contents[..*at].contains(&contents[*at]) && !known(&contents[*at])).count()
    };
    let mut order: Vec<u32> = (0..clusters).filter(|cluster| of(*cluster).count() > 0).collect();
    let key = |cluster: &u32| {
        let pages = of(*cluster).count() as f64;
        let detours = of(*cluster).map(|page| f64::from(page.detours)).sum::<f64>() / pages;
        (detours, -(distinct(*cluster, &[]) as f64 / pages), -pages)
    };
    order.sort_by(|one, other| key(one).partial_cmp(&key(other)).unwrap());
    let (mut originals, mut standings) = (Vec::new(), vec![KEPT; clusters as usize]);
    for cluster in order {
        if (distinct(cluster, &originals) as f64) < 0.7 * of(cluster).count() as f64 {
            standings[cluster as usize] = DUPLICATE;
        } else {
            originals.push(cluster);
        }
    }
    standings
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn duplicates_are_those_of_comparing_all_pages(sample in samples()) {
        let alone = |page| GraphPage { redirects_to: None, links: Vec::new(), ..page };
        let sample: Vec<_> = sample.into_iter().map(alone).collect();
        prop_assert_eq!(pruned(&sample, 6), by_comparing_all(&sample, 6));
    }

    #[test]
    fn where_every_page_shows_something_of_its_own_nothing_is_pruned(sample in samples()) {
        let own = |page: GraphPage| GraphPage { content: Some(page.url), redirects_to: None, ..page };
        prop_assert_eq!(pruned(&sample.into_iter().map(own).collect::<Vec<_>>(), 6), [KEPT; 6]);
    }
}

#[test]
fn a_cluster_is_pruned_only_where_it_is_certain_enough_that_too_little_is_distinct() {
    // Of `pages` pages of cluster 1, `distinct` show something of their own, the others what page 0 shows.
    let standing = |distinct: u64, pages: u64, sure: f64| {
        let copies = (0..pages).map(|i| showing(100 + i, if i < distinct { 1_000 + i } else { 0 }));
        let sample: Vec<GraphPage> = std::iter::once(showing(0, 0)).chain(copies).collect();
        ClusterGraph::learn(&sample, 2, &[0], &PruneOptions { sure, ..PruneOptions::default() }).nodes()[1].standing
    };
    let pruned = Standing::Pruned(GraphReason::DuplicateContent);
    assert_eq!(standing(0, 1, 0.0), pruned);
    // Wilson's upper end for 0 of n is z² / (n + z²): 0.73 for one page, 0.58 for two.
    assert_eq!((standing(0, 1, 1.645), standing(0, 2, 1.645)), (Standing::Kept, pruned));
    assert_eq!((standing(5, 10, 0.0), standing(5, 10, 1.645)), (pruned, Standing::Kept));
    assert_eq!((standing(50, 100, 1.645), standing(70, 100, 0.0)), (pruned, Standing::Kept));
}

#[test]
fn forms_that_show_nothing_else_are_uninformative_and_those_that_repeat_one_another_duplicates() {
    let form = |url, content| GraphPage { bare: true, ..showing(url, content) };
    let sample: Vec<_> = (0..4).flat_map(|i| [showing(i, i), form(100 + i, 100 + i), form(200 + i, 999)]).collect();
    let graph = ClusterGraph::learn(&sample, 3, &[0], &PruneOptions::default());
    let expected =
        [Standing::Kept, Standing::Pruned(GraphReason::Uninformative), Standing::Pruned(GraphReason::DuplicateContent)];
    assert_eq!(standings(&graph), expected);
}

#[test]
fn of_two_clusters_that_show_the_same_the_one_with_the_shorter_addresses_is_the_original_however_much_was_seen_of_it() {
    let at = |url, content, segments| GraphPage { segments, ..showing(url, content) };
    let mut sample: Vec<_> = (0..6).map(|i| at(i, i, 2)).collect();
    sample.extend((0..4).map(|i| at(100 + i, i, 1)));
    let graph = ClusterGraph::learn(&sample, 2, &[100], &PruneOptions::default());
    assert_eq!(standings(&graph), [Standing::Pruned(GraphReason::DuplicateContent), Standing::Kept]);
}

/// Appraises as the default settings do.
fn appraised(sample: &[GraphPage]) -> Appraisal {
    Appraisal::of(sample, 6, 0.7, 1.645)
}

fn made(maker: u32, page: GraphPage) -> GraphPage {
    GraphPage { maker: Some(maker), ..page }
}

#[test]
fn what_one_template_made_of_a_cluster_is_set_apart_and_shows_its_pages_as_an_original_does() {
    // Cluster 0: ten topics by template 1 among thirty forms by template 2. Cluster 1: the topics again, at longer
    // addresses.
    let topics = (0..10).map(|i| made(1, showing(i, i)));
    let forms = (10..40).map(|i| made(2, GraphPage { bare: true, ..showing(i, i) }));
    let again = (0..10).map(|i| made(1, GraphPage { detours: 1, ..showing(100 + i, i) }));
    let sample: Vec<_> = topics.chain(forms).chain(again).collect();
    let Appraisal { pruned, apart } = appraised(&sample);
    let reasons = [Some(GraphReason::Uninformative), Some(GraphReason::DuplicateContent)];
    assert_eq!(
        (&pruned[..2], &apart[..]),
        (&reasons[..], &[(Cluster(0), SplitOff { makers: [1].into(), pruned: None })][..])
    );
    // As a whole it is pruned, and its topics are found at the other addresses.
    let whole: Vec<_> = sample.into_iter().map(|page| GraphPage { maker: None, ..page }).collect();
    let Appraisal { pruned, apart } = appraised(&whole);
    assert_eq!((&pruned[..2], apart.len()), (&[Some(GraphReason::Uninformative), None][..], 0));
}

#[test]
fn what_is_set_apart_as_worthless_is_no_original_of_anything() {
    // Thirty topics by template 1; ten forms by template 2, and what they quote is a cluster of its own.
    let topics = (0..30).map(|i| made(1, showing(i, i)));
    let forms = (30..40).map(|i| made(2, GraphPage { bare: true, ..showing(i, i) }));
    let quoted = (30..40).map(|i| made(1, GraphPage { detours: 1, ..showing(100 + i, i) }));
    let sample: Vec<_> = topics.chain(forms).chain(quoted).collect();
    let Appraisal { pruned, apart } = appraised(&sample);
    let forms = SplitOff { makers: [2].into(), pruned: Some(GraphReason::Uninformative) };
    assert_eq!((&pruned[..2], &apart[..]), (&[None, None][..], &[(Cluster(0), forms)][..]));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn without_makers_or_by_one_of_all_pages_nothing_is_set_apart_and_graphs_are_pruned_as_appraised(
        sample in samples(),
        maker in proptest::option::of(0..3_u32),
    ) {
        let sample: Vec<_> = sample.into_iter().map(|page| GraphPage { maker, ..page }).collect();
        let appraisal = appraised(&sample);
        prop_assert!(appraisal.apart.is_empty());
        let options = PruneOptions { sure: 1.645, reach: Reach::Never, ..PruneOptions::default() };
        let graph = ClusterGraph::learn(&sample, 6, &[], &options);
        let reasons: Vec<_> = graph.nodes().iter().map(|node| node.standing.pruned()).collect();
        prop_assert_eq!(&reasons, &appraisal.pruned);
        for options in [options, PruneOptions { reach: Reach::Always, ..options }] {
            let seeds: Vec<u64> = sample.iter().take(2).map(|page| page.url).collect();
            let told = ClusterGraph::learn_with_verdicts(&sample, &appraisal.pruned, &seeds, &options);
            prop_assert_eq!(told, ClusterGraph::learn(&sample, 6, &seeds, &options));
        }
    }
}

#[test]
fn redirects_that_alone_lead_to_sampled_pages_stay() {
    let mut sample: Vec<_> = (0..12).map(|url| redirect(url, 100 + url)).collect();
    sample.extend((0..12).map(|page| showing(100 + page, page)));
    assert_eq!(pruned(&sample, 2), [KEPT, KEPT]);
    // Once a list links to their targets, they are superfluous.
    sample.push(page(200, &(100..112).collect::<Vec<_>>()));
    assert_eq!(pruned(&sample, 3), [DUPLICATE, KEPT, KEPT]);
}

#[test]
fn pages_stay_through_which_alone_others_are_found_even_by_way_of_one_another() {
    // A thread leads to its other view, which leads to the messages; both show what the messages show.
    let view = |url: u64, to: u64| GraphPage { content: Some(url % 100), detours: 1, ..page(url, &[to]) };
    let mut sample: Vec<_> = (0..9).map(|at| showing(at, at)).collect();
    sample.extend((0..9).flat_map(|at| [view(100 + at, at), view(200 + at, 100 + at)]));
    assert_eq!(pruned(&sample, 3), [KEPT, KEPT, KEPT]);
    sample.push(page(300, &(0..9).collect::<Vec<_>>()));
    assert_eq!(pruned(&sample, 4), [KEPT, DUPLICATE, DUPLICATE, KEPT]);
}

#[test]
fn what_was_rejected_is_kept_again_only_where_its_pages_reach_the_share() {
    let cluster = |distinct: u64| (0..20).map(|url| showing(url, url.min(distinct - 1))).collect::<Vec<_>>();
    let threshold = Threshold { share: 0.7, sure: 1.645 };
    let pruned = |distinct, before: &[Cluster]| {
        let before = before.iter().copied().collect();
        Appraisal::after(&cluster(distinct), 1, threshold, &before).pruned[0]
    };
    assert_eq!(pruned(12, &[]), None, "it may be the share");
    assert_eq!(pruned(12, &[Cluster(0)]), Some(GraphReason::DuplicateContent));
    assert_eq!(pruned(14, &[Cluster(0)]), None);
}
