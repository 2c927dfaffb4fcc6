//! Tests of closed places.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const TOPICS: PatternId = PatternId(1 << 63 | 4);
const USERS: PatternId = PatternId(1 << 63 | 8);
const PLACE: Apath = Apath(100);
const OTHER: Apath = Apath(101);
const ELSEWHERE: Apath = Apath(102);
const URL: Fingerprint = Fingerprint(7 << 40);
const ONE: ClusterId = ClusterId(3);
const TWO: ClusterId = ClusterId(4);

fn see(places: &mut PlaceOutcomes, cluster: ClusterId, apath: Apath, pattern: PatternId, times: u32, led: LinkOutcome) {
    (0..times).for_each(|_| places.see(cluster, apath, URL, pattern, led));
}

#[test]
fn a_place_is_closed_when_its_links_and_all_of_their_pattern_are_long_in_vain() {
    let mut places = PlaceOutcomes::default();
    see(&mut places, ONE, PLACE, USERS, 300, LinkOutcome::New);
    see(&mut places, TWO, ELSEWHERE, USERS, 560, LinkOutcome::Known);
    see(&mut places, ONE, OTHER, USERS, 39, LinkOutcome::Known);
    assert_eq!(places.closed().refusal(ONE, OTHER), None, "300 were found, so that 600 must be in vain");
    places.see(ONE, OTHER, URL, USERS, LinkOutcome::Known);
    let closed = places.closed();
    assert_eq!(closed.refusal(ONE, OTHER), Some(PolicyRefusal::HeaderFooter));
    assert_eq!(closed.refusal(TWO, OTHER), None, "there no link was seen");
    assert_eq!(closed.refusal(ONE, PLACE), None, "there the last one was new");
}

#[test]
fn a_new_url_opens_the_places_that_lead_to_its_pattern() {
    let mut places = PlaceOutcomes::default();
    see(&mut places, ONE, PLACE, USERS, 149, LinkOutcome::Known);
    see(&mut places, TWO, OTHER, USERS, 1, LinkOutcome::Known);
    assert!(places.closed().refusal(ONE, PLACE).is_some());
    see(&mut places, TWO, OTHER, USERS, 1, LinkOutcome::New);
    assert_eq!(places.closed(), ClosedPlaces::default());
    see(&mut places, TWO, OTHER, USERS, 150, LinkOutcome::Known);
    assert!(places.closed().refusal(ONE, PLACE).is_some());
}

#[test]
fn where_all_links_are_refused_they_are_refused_together_for_the_same_reason() {
    let mut places = PlaceOutcomes::default();
    see(&mut places, ONE, PLACE, TOPICS, 40, LinkOutcome::Refused(PolicyRefusal::DuplicateContent));
    let closed = places.closed();
    assert_eq!(closed.refusal(ONE, PLACE), Some(PolicyRefusal::DuplicateContent));
    assert_eq!(closed.refusal(TWO, PLACE), None, "on other pages they may be wanted");
}

#[test]
fn a_sample_closes_places_where_all_is_refused_and_no_others() {
    let refused = Some(PolicyRefusal::DuplicateContent);
    let mut links = vec![(ONE, PLACE, URL, refused); 200];
    links.extend(vec![(TWO, OTHER, URL, refused); 200]);
    links.push((ONE, OTHER, URL, None));
    let closed = PlaceOutcomes::sampled(&links).closed();
    assert_eq!(closed.refusal(TWO, PLACE), refused);
    assert_eq!((closed.refusal(TWO, OTHER), closed.refusal(ONE, OTHER)), (refused, None));
}

#[test]
fn what_a_sample_showed_over_and_over_again_is_closed_once_it_was_met() {
    let url = |at: u64| Fingerprint(u128::from(at) << 32);
    let menu: Vec<_> = (0..80).map(|at| (ONE, PLACE, url(at % 10), None)).collect();
    let list = (0..80).map(|at| (ONE, OTHER, url(if at == 79 { 10 } else { at % 10 }), None));
    let mut places = PlaceOutcomes::sampled(&[menu, list.collect()].concat());
    let mut go_through = |apath, urls, led| {
        (0..urls).for_each(|at| places.see(ONE, apath, url(at), TOPICS, led));
        places.closed().refusal(ONE, apath)
    };
    assert_eq!(go_through(PLACE, 10, LinkOutcome::New), None, "all were new");
    assert_eq!(go_through(PLACE, 10, LinkOutcome::Known), None);
    assert_eq!(go_through(PLACE, 10, LinkOutcome::Known), Some(PolicyRefusal::HeaderFooter), "twice in vain");
    assert_eq!(go_through(OTHER, 11, LinkOutcome::New), None);
    assert_eq!(go_through(OTHER, 33, LinkOutcome::Known), None, "that had shown a URL only once");
}

#[test]
fn a_place_with_many_patterns_is_never_closed() {
    let mut places = PlaceOutcomes::default();
    for kind in 0..=PATTERNS_MAX as u64 {
        see(&mut places, ONE, PLACE, PatternId(kind << 2), 1_000, LinkOutcome::Known);
    }
    assert_eq!(places.closed(), ClosedPlaces::default());
}

#[test]
fn what_is_watched_is_bounded() {
    let mut places = PlaceOutcomes::default();
    for at in 0..2 * WATCHED_MAX as u64 {
        places.see(ONE, Apath(at), URL, PatternId(at), LinkOutcome::Known);
    }
    let watched = [places.of_cluster.len(), places.of_all.len(), places.patterns.len()];
    assert_eq!(watched, [WATCHED_MAX; 3]);
}

proptest! {
    /// Links are rejected where their place is closed on all pages (but on pages of an unknown cluster), else where it
    /// is closed on pages of their cluster, by what links showed or by the graph.
    #[test]
    fn a_place_is_closed_as_two_look_ups_would_find_it(
        seen in vec((0..4u32, 0..6u64, 0..3usize), 0..12),
        of_graph in vec((0..4u32, 0..6u64), 0..6),
        asked in (0..4u32, 0..6u64),
    ) {
        let (mut places, mut here, mut everywhere) = <(PlaceOutcomes, HashMap<_, _>, HashMap<_, _>)>::default();
        for (cluster, apath, times) in seen {
            let (times, led) = ([5, 12, 48][times], LinkOutcome::Refused(PolicyRefusal::DuplicateContent));
            see(&mut places, ClusterId(cluster), Apath(apath), TOPICS, times, led);
            *here.entry((cluster, apath)).or_insert(0) += times;
            *everywhere.entry(apath).or_insert(0) += times;
        }
        let closed = places.closed().with(
            of_graph.iter().map(|(cluster, apath)| (ClusterId(*cluster), Apath(*apath), PolicyRefusal::LinkClass)),
        );
        let (cluster, apath) = asked;
        let is_closed = |links: Option<&u32>, bound| links.is_some_and(|links| *links >= bound);
        let expected = if cluster != ClusterId::UNKNOWN.0 && is_closed(everywhere.get(&apath), REFUSED_OF_ALL)
            || is_closed(here.get(&asked), REFUSED_OF_CLUSTER)
        {
            Some(PolicyRefusal::DuplicateContent)
        } else {
            of_graph.contains(&asked).then_some(PolicyRefusal::LinkClass)
        };
        prop_assert_eq!(closed.refusal(ClusterId(cluster), Apath(apath)), expected);
    }
}
