//! Tests of what is learned of the need to render.

use super::*;
use proptest::prelude::*;

const NOTHING: Gain = Gain { links: 0, words: 0 };
const MUCH: Gain = Gain { links: 10, words: 0 };

/// Returns whether a page is rendered.
fn is_rendered(needs: &mut RenderNeeds<u32>, class: u32, suspicion: Suspicion) -> bool {
    let is_retest = needs.is_retested(&class);
    needs.wants(class, suspicion) && needs.turn(&class, suspicion, is_retest) == Turn::Render
}

/// Crawls `pages` pages of one class, all of which gain the same. Returns the number of renders.
fn crawl(needs: &mut RenderNeeds<u32>, class: u32, (pages, gain): (u32, Gain), suspicion: Suspicion) -> u32 {
    (0..pages)
        .map(|_| {
            let renders = is_rendered(needs, class, suspicion);
            if renders {
                needs.learn(&class, gain);
            }
            u32::from(renders)
        })
        .sum()
}

#[test]
fn a_class_that_gains_nothing_is_rendered_three_times_and_seldom_again() {
    let mut needs = RenderNeeds::default();
    assert_eq!(crawl(&mut needs, 1, (900, NOTHING), Suspicion::Likely), 3);
    assert_eq!(needs.of(&1).map(|class| class.need), Some(Need::Unneeded));
    // After 1,000, 2,000, 4,000, 8,000 and 16,000 pages.
    assert_eq!(crawl(&mut needs, 1, (31_500, NOTHING), Suspicion::Likely), 5);
}

#[test]
fn a_site_that_gains_nothing_costs_few_renders_however_many_classes_it_has() {
    let mut needs = RenderNeeds::default();
    let renders: u32 = (0..40).map(|class| crawl(&mut needs, class, (350, NOTHING), Suspicion::Likely)).sum();
    // 14,000 pages.
    assert!((4..=7).contains(&renders), "{renders}");
}

#[test]
fn without_hints_trials_are_in_proportion_to_the_pages_of_the_crawl() {
    let mut needs = RenderNeeds::default();
    assert_eq!(crawl(&mut needs, 0, (3_990, NOTHING), Suspicion::Weak), 0);
    // One of 4,000 pages, whichever class they are of.
    let renders: u32 = (1..6).map(|class| crawl(&mut needs, class, (3_000, NOTHING), Suspicion::Weak)).sum();
    assert_eq!(renders, 4);
    assert!(crawl(&mut needs, 9, (9, MUCH), Suspicion::Likely) == 9, "the advance of classes with hints is left");
}

#[test]
fn hints_are_sought_on_the_first_pages_of_a_class_until_one_has_any() {
    let mut needs = RenderNeeds::default();
    let mut read = |class: u32, suspicion| {
        let reads = |needs: &mut RenderNeeds<u32>| needs.reads(&class) && !needs.wants(class, suspicion);
        (0..100).filter(|_| reads(&mut needs)).count()
    };
    assert_eq!(read(1, Suspicion::Weak), PAGES_READ as usize);
    assert_eq!(read(2, Suspicion::Likely), 0);
    assert!(!needs.reads(&2) && needs.wants(2, Suspicion::Weak), "the page before had hints");
}

#[test]
fn a_class_that_gains_is_always_rendered_and_so_are_pages_that_look_empty() {
    let mut needs = RenderNeeds::default();
    assert_eq!(crawl(&mut needs, 1, (500, MUCH), Suspicion::Likely), 500);
    assert_eq!(needs.of(&1).map(|class| class.need), Some(Need::Needed));
    for class in 2..40 {
        assert!((0..2).all(|_| is_rendered(&mut needs, class, Suspicion::Strong)), "even before the results are known");
    }
    assert_eq!(crawl(&mut needs, 50, (500, NOTHING), Suspicion::None), 0);
}

#[test]
fn mixed_results_need_more_trials_and_the_average_decides() {
    let quarter: fn(u32) -> bool = |trial| trial % 4 == 0;
    let most: fn(u32) -> bool = |trial| trial % 4 != 1;
    for (gains, expected) in [(quarter, Need::Unneeded), (most, Need::Needed)] {
        let mut needs = RenderNeeds::default();
        let mut renders = 0;
        while needs.of(&1).is_none_or(|class| class.need == Need::Open) {
            assert!(is_rendered(&mut needs, 1, Suspicion::Strong));
            needs.learn(&1, if gains(renders) { Gain { links: 1, words: 0 } } else { NOTHING });
            renders += 1;
        }
        assert_eq!((renders, needs.of(&1).map(|class| class.need)), (8, Some(expected)));
    }
}

#[test]
fn failures_are_no_labels_and_end_the_renders_of_a_class() {
    let mut needs = RenderNeeds::default();
    for _ in 0..2 {
        assert!(is_rendered(&mut needs, 1, Suspicion::Strong));
        needs.fail(&1);
    }
    assert_eq!(needs.of(&1), Some(ClassNeed { need: Need::Open, renders: 0, gain: 0.0 }));
    assert!(is_rendered(&mut needs, 1, Suspicion::Strong));
    needs.fail(&1);
    assert_eq!(needs.of(&1).map(|class| class.need), Some(Need::Failing));
    assert!(!is_rendered(&mut needs, 1, Suspicion::Strong));
    let later = (0..2_000).filter(|_| is_rendered(&mut needs, 1, Suspicion::Strong)).count();
    assert_eq!(later, 1, "one trial, whose result is not known");
    needs.learn(&1, MUCH);
    assert_eq!(needs.of(&1).map(|class| class.need), Some(Need::Open));
}

#[test]
fn a_redesign_is_noticed_in_both_directions() {
    let mut needs = RenderNeeds::default();
    crawl(&mut needs, 1, (100, NOTHING), Suspicion::Likely);
    let renders = crawl(&mut needs, 1, (3_000, MUCH), Suspicion::Likely);
    assert!(renders > 1_500, "{renders}");
    let renders = crawl(&mut needs, 1, (3_000, NOTHING), Suspicion::Likely);
    assert!(renders < 60, "{renders}");
    assert_eq!(needs.of(&1).map(|class| class.need), Some(Need::Unneeded));
}

proptest! {
    /// Renders without a result never exceed the budget, whatever happens.
    #[test]
    fn trials_are_rationed(events in proptest::collection::vec((0_u32..6, 0_u8..3), 1..400)) {
        let mut needs = RenderNeeds::default();
        let (mut pages, mut renders, mut gains, mut was_needed) = (0_u32, 0_u32, 0_u32, false);
        for (class, end) in events {
            pages += 1;
            if is_rendered(&mut needs, class, Suspicion::Likely) {
                renders += 1;
                match end {
                    0 => needs.learn(&class, NOTHING),
                    1 => { gains += 1; needs.learn(&class, MUCH) }
                    _ => needs.fail(&class),
                }
            }
            // Classes that gain something take nothing of the budget.
            was_needed |= needs.tried().any(|(_, class)| class.need == Need::Needed || class.gain > 0.0);
            if !was_needed {
                prop_assert!(f64::from(renders) <= ADVANCE + f64::from(pages) * BUDGET_PER_PAGE + f64::from(gains) * BUDGET_PER_GAIN);
            }
        }
    }
}

#[test]
fn a_render_that_is_not_finished_leaves_no_trace() {
    let mut needs = RenderNeeds::default();
    assert!(is_rendered(&mut needs, 1, Suspicion::Strong));
    needs.withdraw(&1);
    assert_eq!(needs.of(&1), Some(ClassNeed { need: Need::Open, renders: 0, gain: 0.0 }));
    assert_eq!(needs.classes[&1].pending, 0);
}

#[test]
fn pages_wait_for_the_trial_of_their_class_and_are_decided_together() {
    for (gain, expected) in [(MUCH, Turn::Render), (NOTHING, Turn::Plain)] {
        let mut needs = RenderNeeds::default();
        assert!((0..100).all(|_| needs.wants(1, Suspicion::Likely)), "all wait");
        for _ in 0..3 {
            assert_eq!(needs.turn(&1, Suspicion::Likely, false), Turn::Render);
            assert_eq!(needs.turn(&1, Suspicion::Likely, false), Turn::Wait, "one trial after the other");
            needs.learn(&1, gain);
        }
        assert!((0..97).all(|_| needs.turn(&1, Suspicion::Likely, false) == expected));
    }
}

#[test]
fn evidence_of_need_is_followed_without_a_budget() {
    let mut needs = RenderNeeds::default();
    assert!(is_rendered(&mut needs, 1, Suspicion::Likely));
    needs.learn(&1, MUCH);
    let spent = (2..).find(|class| !is_rendered(&mut needs, *class, Suspicion::Likely)).unwrap();
    assert_eq!(spent, 2 + 7, "the gain permitted four more than the three that were left");
    assert!(is_rendered(&mut needs, 1, Suspicion::Likely) && !is_rendered(&mut needs, 99, Suspicion::Likely));
}
