use std::collections::BTreeMap;

use proptest::prelude::*;

use super::graph::GraphReason::{self, DuplicateContent, Uninformative};
use super::worth::*;

/// The default settings: seven of ten, 95 % certainty.
const BAR: Threshold = Threshold { share: 0.7, sure: 1.645 };

/// Returns a tally of this number of pages, of pages that show something of their own, and of those among them that are
/// no forms.
fn tally((pages, new, informative): (usize, usize, usize)) -> Tally {
    let mut tally = Tally::default();
    (0..pages).for_each(|page| tally.count(page < new, page < informative));
    tally
}

/// Returns the tallies of templates 1, 2 …, and of an unknown one.
fn tallies(unknown: (usize, usize, usize), known: &[(usize, usize, usize)]) -> BTreeMap<Option<u32>, Tally> {
    let known = (1..).zip(known).map(|(maker, counts)| (Some(maker), tally(*counts)));
    known.chain([(None, tally(unknown))]).collect()
}

fn apart<const N: usize>(makers: [u32; N], pruned: Option<GraphReason>) -> Option<SplitOff> {
    Some(SplitOff { makers: makers.into(), pruned })
}

const NOTHING: (usize, usize, usize) = (0, 0, 0);

#[test]
fn wilsons_interval_ends_where_the_share_is_so_many_deviations_off() {
    // (p − share)² = z² p (1 − p) / n at both ends (Wilson 1927).
    for (some, all) in [(0, 1), (0, 2), (1, 4), (7, 10), (9, 10), (60, 100), (100, 100)] {
        let (share, count) = (some as f64 / all as f64, all as f64);
        let (least, most) = wilson(some, all, 1.645);
        assert!(0.0 <= least && least <= share && share <= most && most <= 1.0);
        for end in [least, most] {
            let off = (end - share).powi(2) - 1.645_f64.powi(2) * end * (1.0 - end) / count;
            assert!(off.abs() < 1e-12, "{some} of {all}: {end}");
        }
    }
    assert_eq!(wilson(0, 0, 0.0), (0.0, 0.0));
    assert_eq!(wilson(3, 4, 0.0), (0.75, 0.75));
}

#[test]
fn forms_under_the_addresses_of_topics_are_set_apart_and_topics_under_those_of_forms() {
    // Of 40 pages 10 are forms: the whole is worth having, the forms are not.
    assert_eq!(split_off(&tallies(NOTHING, &[(30, 30, 30), (10, 10, 0)]), BAR), apart([2], Some(Uninformative)));
    // Of 40 pages 10 are topics: the whole is not worth fetching, the topics are.
    assert_eq!(split_off(&tallies(NOTHING, &[(10, 10, 10), (30, 0, 0)]), BAR), apart([1], None));
    // Several templates make one part.
    let several = [(10, 10, 10), (30, 0, 0), (8, 8, 8), (2, 1, 1)];
    assert_eq!(split_off(&tallies(NOTHING, &several), BAR), apart([1, 3], None));
    // What repeats others has the other reason.
    assert_eq!(split_off(&tallies(NOTHING, &[(30, 30, 30), (10, 1, 1)]), BAR), apart([2], Some(DuplicateContent)));
}

#[test]
fn what_several_templates_made_stays_whole_where_all_of_it_is_worth_the_same() {
    assert_eq!(split_off(&tallies(NOTHING, &[(30, 29, 29), (10, 10, 10), (12, 12, 11)]), BAR), None);
    assert_eq!(split_off(&tallies(NOTHING, &[(30, 2, 0), (10, 10, 0), (12, 0, 0)]), BAR), None);
    assert_eq!(split_off(&tallies((40, 20, 20), &[]), BAR), None);
    assert_eq!(split_off(&BTreeMap::new(), BAR), None);
}

#[test]
fn a_part_of_which_too_little_is_known_stands_as_the_whole_does() {
    // One form among topics may be chance; so may six topics among forms: Wilson's lower end for 6 of 6 is 0.69, for 7
    // of 7 0.72.
    assert_eq!(split_off(&tallies(NOTHING, &[(30, 30, 30), (1, 0, 0)]), BAR), None);
    assert_eq!(split_off(&tallies(NOTHING, &[(6, 6, 6), (30, 0, 0)]), BAR), None);
    assert_eq!(split_off(&tallies(NOTHING, &[(7, 7, 7), (30, 0, 0)]), BAR), apart([1], None));
    // Reply forms of several templates, few of each: the pattern is not worth having, and so is none of them.
    assert_eq!(split_off(&tallies((3, 3, 0), &[(5, 5, 0), (4, 3, 0), (3, 3, 1)]), BAR), None);
}

#[test]
fn nothing_is_set_apart_from_what_is_uncertain_itself() {
    // Without the ten forms 14 of 20 are left, which may be too few.
    assert_eq!(split_off(&tallies(NOTHING, &[(20, 14, 14), (3, 0, 0)]), BAR), None);
    assert_eq!(split_off(&tallies(NOTHING, &[(20, 19, 19), (3, 0, 0)]), BAR), apart([2], Some(DuplicateContent)));
}

#[test]
fn pages_of_no_template_are_part_of_the_rest() {
    assert_eq!(split_off(&tallies((10, 0, 0), &[(40, 40, 40)]), BAR), None);
    assert_eq!(split_off(&tallies((40, 40, 40), &[(10, 0, 0)]), BAR), apart([1], Some(DuplicateContent)));
}

/// A page: its template, whether it shows something of its own, and whether it is no form.
type Page = (Option<u32>, bool, bool);

fn counted(pages: &[Page]) -> BTreeMap<Option<u32>, Tally> {
    let mut tallies: BTreeMap<_, Tally> = BTreeMap::new();
    pages.iter().for_each(|(maker, new, form)| tallies.entry(*maker).or_default().count(*new, !form));
    tallies
}

/// The reference implementation: sorts pages by hand, and finds the ends of the interval by bisection.
fn by_hand(pages: &[Page]) -> Vec<u32> {
    let good = |pages: &[&Page]| pages.iter().filter(|(_, new, form)| *new && !form).count();
    let ends = |pages: &[&Page]| {
        let (share, count) = (good(pages) as f64 / pages.len().max(1) as f64, pages.len().max(1) as f64);
        let inside = |p: f64| (p - share).abs() <= BAR.sure * (p * (1.0 - p) / count).sqrt();
        let towards = |end: f64| {
            let (mut within, mut without) = (share, end);
            (0..60).for_each(|_| {
                let middle = f64::midpoint(within, without);
                if inside(middle) { within = middle } else { without = middle }
            });
            within
        };
        (towards(0.0), towards(1.0))
    };
    let bad = |pages: &[&Page]| ends(pages).1 < BAR.share;
    let fine = |pages: &[&Page]| ends(pages).0 >= BAR.share;
    let kept = !bad(&pages.iter().collect::<Vec<_>>());
    let differs = |maker: &u32| {
        let its: Vec<&Page> = pages.iter().filter(|page| page.0 == Some(*maker)).collect();
        !its.is_empty() && if kept { bad(&its) } else { fine(&its) }
    };
    let apart: Vec<u32> = (0..4).filter(differs).collect();
    let rest: Vec<&Page> = pages.iter().filter(|page| page.0.is_none_or(|maker| !apart.contains(&maker))).collect();
    if if kept { fine(&rest) } else { bad(&rest) } { apart } else { Vec::new() }
}

fn pages() -> impl Strategy<Value = Vec<Page>> {
    // Each template has a bias, so that contrasts are not rare.
    let page = (proptest::option::weighted(0.9, 0..4_u32), 0..100_u32, proptest::bool::weighted(0.1));
    (proptest::collection::vec(page, 0..80), prop::array::uniform5(prop_oneof![Just(0_u32), Just(50), Just(100)]))
        .prop_map(|(pages, leanings)| {
            let leaning = |maker: Option<u32>| leanings[maker.map_or(4, |maker| maker as usize)];
            pages.into_iter().map(|(maker, draw, form)| (maker, draw < leaning(maker), form)).collect()
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn what_is_set_apart_is_what_comes_of_sorting_pages_by_hand(pages in pages()) {
        let apart = split_off(&counted(&pages), BAR).map(|apart| apart.makers).unwrap_or_default();
        prop_assert_eq!(apart.into_iter().collect::<Vec<_>>(), by_hand(&pages));
    }

    #[test]
    fn what_is_left_stands_as_the_whole_and_what_is_set_apart_does_not(pages in pages()) {
        let tallies = counted(&pages);
        let whole: Tally = tallies.values().copied().sum();
        if let Some(apart) = split_off(&tallies, BAR) {
            let is_apart = |maker: &Option<u32>| maker.is_some_and(|maker| apart.makers.contains(&maker));
            let sum = |wanted: bool| -> Tally {
                tallies.iter().filter(|(maker, _)| is_apart(maker) == wanted).map(|(_, tally)| *tally).sum()
            };
            prop_assert_eq!(sum(false).pruned(BAR).is_some(), whole.pruned(BAR).is_some());
            prop_assert_eq!(sum(true).pruned(BAR).is_some(), apart.pruned.is_some());
            prop_assert_ne!(apart.pruned.is_some(), whole.pruned(BAR).is_some());
        }
    }
}
