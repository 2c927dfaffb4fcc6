use super::*;
use proptest::prelude::*;

fn control(id: u64, path: &str, label: &str) -> Control {
    Control { id, path: path.to_owned(), label: label.to_owned(), names: String::new() }
}

fn seen(links: u32, controls: &[Control]) -> Seen {
    Seen { links, controls: controls.to_vec(), ..Seen::default() }
}

fn clicking(clicks_max: u32) -> Clicking {
    Clicking::new(KnownActions::new(), clicks_max)
}

#[test]
fn a_button_that_loads_more_is_clicked_until_it_brings_nothing() {
    let button = |left: u32| [control(1, "button", &format!("{left} more"))];
    let mut clicking = clicking(20);
    assert_eq!(clicking.next(&seen(10, &button(20)), false), Some(0));
    assert_eq!(clicking.next(&seen(20, &button(10)), false), Some(0));
    assert_eq!(clicking.next(&seen(30, &button(0)), false), Some(0));
    assert_eq!(clicking.next(&seen(30, &button(0)), false), None);
    let notes = clicking.into_notes();
    let gain = Gain { links: 20, words: 0 };
    assert_eq!(notes, [ActionNote { path: "button".to_owned(), clicks: 3, gain, navigations: 0 }]);
}

#[test]
fn a_toggle_is_not_closed_again() {
    let mut clicking = clicking(20);
    assert_eq!(clicking.next(&seen(0, &[control(1, "b", "Open"), control(2, "b", "Open")]), false), Some(0));
    assert_eq!(clicking.next(&seen(5, &[control(1, "b", "Close"), control(2, "b", "Open")]), false), Some(1));
    assert_eq!(clicking.next(&seen(9, &[control(1, "b", "Close"), control(2, "b", "Close")]), false), None);
}

#[test]
fn the_second_tab_is_tried_where_the_first_is_open_already() {
    let tabs = [control(1, "a.tab", "Posts"), control(2, "a.tab", "Topics"), control(3, "a.tab", "About")];
    let mut clicking = clicking(20);
    assert_eq!(clicking.next(&seen(4, &tabs), false), Some(0));
    assert_eq!(clicking.next(&seen(4, &tabs), false), Some(1));
    // It gains: it is clicked again, which brings nothing, and the third follows.
    assert_eq!(clicking.next(&seen(9, &tabs), false), Some(1));
    assert_eq!(clicking.next(&seen(9, &tabs), false), Some(2));
}

#[test]
fn an_element_that_led_away_is_not_clicked_again_although_it_is_created_anew() {
    let cards = |first| [control(first, "div.card", "One"), control(first + 1, "div.card", "Two")];
    let mut clicking = clicking(20);
    assert_eq!(clicking.next(&seen(0, &cards(1)), false), Some(0));
    assert_eq!(clicking.next(&Seen { ways: 1, ..seen(0, &cards(3)) }, true), Some(1));
    assert_eq!(clicking.next(&Seen { ways: 2, ..seen(0, &cards(5)) }, true), None);
    assert_eq!(clicking.into_notes()[0].navigations, 2);
}

#[test]
fn harmful_controls_and_those_that_bring_nothing_are_left_alone() {
    let harmful = [control(1, "b", "Delete"), Control { names: "btn-vote".to_owned(), ..control(2, "c", "+1") }];
    assert_eq!(clicking(20).next(&seen(0, &harmful), false), None);
    let known = KnownActions::from([("b".to_owned(), Expected::Nothing), ("c".to_owned(), Expected::Something)]);
    let mut clicking = Clicking::new(known, 20);
    let controls = [control(1, "a", "?"), control(2, "b", "?"), control(3, "c", "?")];
    let order: Vec<_> = std::iter::from_fn(|| clicking.next(&seen(0, &controls), false)).collect();
    assert_eq!(order, [2, 0], "what is known to bring something is first");
}

#[test]
fn a_promise_goes_before_other_looks() {
    let controls = [control(1, "div", "Card"), control(2, "a.tab", "Posts"), control(3, "button", "Load more")];
    let mut clicking = clicking(20);
    let order: Vec<_> = std::iter::from_fn(|| clicking.next(&seen(0, &controls), false)).collect();
    assert_eq!(order, [2, 1, 0]);
}

proptest! {
    /// Whatever pages show, clicks have their limits, and nothing harmful is clicked.
    #[test]
    fn clicks_are_bounded(
        steps in proptest::collection::vec((0_u32..3, 0_u64..30, proptest::bool::ANY), 1..80),
        clicks_max in 0_u32..30,
    ) {
        let mut clicking = clicking(clicks_max);
        let (mut links, mut clicks, mut misses) = (0, 0, 0);
        for (new, first, has_left) in steps {
            links += new;
            let controls: Vec<Control> = (first..first + 6)
                .map(|id| control(id, ["a", "b", "c"][id as usize % 3], if id.is_multiple_of(4) { "Vote" } else { "More" }))
                .collect();
            misses += u32::from(clicks > 0 && new == 0);
            let Some(index) = clicking.next(&seen(links, &controls), has_left) else { break };
            prop_assert!(!controls[index].id.is_multiple_of(4));
            clicks += 1;
        }
        prop_assert!(clicks <= clicks_max && misses <= MISSES_PER_PAGE);
        prop_assert_eq!(clicking.into_notes().iter().map(|note| note.clicks).sum::<u32>(), clicks);
    }
}
