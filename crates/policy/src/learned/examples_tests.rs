use proptest::prelude::*;

use super::*;
use harvestman_core::model::PatternId;

/// The kind of an address with a path and parameters, each by number.
fn kind(path: u64, parameters: u64) -> UrlKind {
    let whole = |path: u64| PatternId(100 * path + parameters);
    UrlKind { path: PatternId(path), whole: whole(path), view: 0, shape: whole(path / 4) }
}

fn kinds() -> impl Strategy<Value = UrlKind> {
    (0_u64..8, 0_u64..2).prop_map(|(path, parameters)| kind(path, parameters))
}

fn pages() -> impl Strategy<Value = Vec<(ClusterId, UrlKind)>> {
    prop::collection::vec(((2_u32..6).prop_map(ClusterId), kinds()), 0..60)
}

/// What a model update finds out of an example: its cluster, if it has one, whether that is the nearest, and its kind.
type Place = (Option<ClusterId>, bool, UrlKind);

fn places() -> impl Strategy<Value = Vec<Place>> {
    let cluster = prop::option::of((2_u32..6).prop_map(ClusterId));
    prop::collection::vec((cluster, any::<bool>(), kinds()), 1..9)
}

fn placed((cluster, nearest, kind): Place) -> Likeness {
    Likeness { cluster, nearest, kind, ..Likeness::default() }
}

fn examples(places: &[Place], pages: &[(ClusterId, UrlKind)]) -> Examples {
    let urls: Vec<String> = (0..places.len()).map(|at| format!("http://h.test/{at}")).collect();
    let mut examples = Examples::new(&urls, ExampleStatus::NotFetched, &UrlPatterns::default());
    let mut at = 0;
    examples.update(pages, |example| {
        example.likeness = placed(places[at]);
        at += 1;
    });
    examples
}

/// The greatest likeness to any of the examples, each with counts of its own.
fn naive(places: &[Place], pages: &[(ClusterId, UrlKind)], page: (ClusterId, UrlKind)) -> f64 {
    let single = |place: &Place| {
        let mut likeness = placed(*place);
        likeness.count(pages);
        likeness.of(page.0, page.1)
    };
    places.iter().map(single).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_page_is_as_like_several_examples_as_it_is_like_one_of_them(
        places in places(), known in pages(), cluster in 1_u32..7, kind in kinds(),
    ) {
        let (examples, cluster) = (examples(&places, &known), ClusterId(cluster));
        prop_assert_eq!(examples.of(cluster, kind), naive(&places, &known, (cluster, kind)));
        let address = places.iter().map(|place| placed(*place).of_address(kind)).fold(0.0, f64::max);
        prop_assert_eq!(examples.of_address(kind), address);
    }

    #[test]
    fn neither_repeated_examples_nor_their_order_matter(
        mut places in places(), known in pages(), cluster in 1_u32..7, kind in kinds(), again in any::<prop::sample::Index>(),
    ) {
        let (once, cluster) = (examples(&places, &known), ClusterId(cluster));
        places.push(places[again.index(places.len())]);
        places.reverse();
        let twice = examples(&places, &known);
        prop_assert_eq!(once.of(cluster, kind), twice.of(cluster, kind));
        prop_assert_eq!(once.of_address(kind), twice.of_address(kind));
        prop_assert_eq!(once.distinct.len(), twice.distinct.len());
    }
}

#[test]
fn examples_of_one_template_are_compared_with_a_page_once() {
    let alike = [(Some(ClusterId(2)), false, kind(1, 0)); EXAMPLES_MAX];
    assert_eq!(examples(&alike, &[(ClusterId(2), kind(1, 0))]).distinct.len(), 1);
}

#[test]
fn each_url_is_one_example_and_there_are_at_most_so_many() {
    let urls: Vec<String> = (0..2 * EXAMPLES_MAX).map(|at| format!("http://h.test/{}", at % 100)).collect();
    let mut examples = Examples::new(&urls, ExampleStatus::NotFetched, &UrlPatterns::default());
    assert_eq!(examples.all().len(), EXAMPLES_MAX);
    let url = examples.all()[9].url.clone();
    assert_eq!(examples.at(&url).map(|example| example.url.clone()), Some(url));
    assert!(examples.at("http://h.test/").is_none());
}

#[test]
fn examples_are_lost_when_all_are_missing_and_nothing_like_them_was_found() {
    let places = [(None, false, kind(1, 0)), (None, false, kind(2, 0))];
    let mut lost = examples(&places, &[]);
    assert!(!lost.are_lost() && !lost.is_one_missing());
    lost.all[0].status = ExampleStatus::Missing { found: false };
    assert!(!lost.are_lost() && lost.is_one_missing());
    lost.all[1].status = ExampleStatus::Missing { found: false };
    assert!(lost.are_lost());
    lost.find_missing(kind(3, 0));
    assert!(lost.are_lost());
    lost.find_missing(kind(2, 1));
    assert!(!lost.are_lost());
    assert_eq!(
        lost.all.iter().map(|example| example.status).filter(|s| *s == ExampleStatus::Missing { found: true }).count(),
        1
    );
    lost.forget_found();
    assert!(lost.are_lost());
    assert!(!Examples::default().are_lost());
}

#[test]
fn an_example_that_is_recognised_late_leaves_the_counts_of_the_others() {
    let known = vec![(ClusterId(2), kind(1, 0)); 9];
    let mut late = examples(&[(Some(ClusterId(2)), false, kind(1, 0)), (None, false, kind(5, 0))], &known);
    let before = late.of(ClusterId(2), kind(6, 0));
    late.recognise("http://h.test/1", Some(ClusterId(3)));
    assert_eq!(late.of(ClusterId(2), kind(6, 0)), before);
    assert_eq!(late.of(ClusterId(3), kind(5, 0)), 1.0);
}
