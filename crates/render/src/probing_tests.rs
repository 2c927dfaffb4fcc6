use super::*;
use crate::actions::Control;
use proptest::prelude::*;

const HOME: &str = "http://h.example/";

fn probing(scrolls_max: u32, clicks_max: u32) -> Probing {
    Probing::new(HOME, KnownActions::new(), scrolls_max, clicks_max)
}

fn seen(links: u32, ids: std::ops::Range<u64>) -> Seen {
    let control = |id| Control { id, path: "div.card".to_owned(), label: format!("Card {id}"), names: String::new() };
    Seen { links, controls: ids.map(control).collect(), ..Seen::default() }
}

#[test]
fn a_page_is_scrolled_while_that_brings_something_then_looked_at() {
    let mut page = probing(5, 5);
    assert_eq!(page.next((Some(1), 1)), Probe::Scroll);
    page.scrolled(true);
    assert_eq!(page.next((Some(2), 2)), Probe::Scroll);
    page.scrolled(true);
    assert_eq!(page.next((Some(2), 2)), Probe::Look, "nothing came");
    page.looked(Some(&seen(1, 0..0)));
    assert_eq!(page.next((Some(2), 2)), Probe::End);
    assert_eq!(probing(0, 0).next((Some(1), 1)), Probe::End);
}

#[test]
fn a_page_that_a_click_replaces_is_returned_to_at_once() {
    let mut page = probing(0, 5);
    assert_eq!(page.next((Some(1), 1)), Probe::Look);
    page.looked(Some(&seen(0, 0..2)));
    let of = |page: &Probing| [HOME, "http://h.example/#x", "http://h.example/c/1"].map(|url| page.is_own(url));
    assert_eq!(of(&page), [None; 3], "the page may change its URL itself");
    assert_eq!(page.next((Some(1), 1)), Probe::Click(0));
    assert!(page.may_be_away());
    assert!(page.url_changed("http://h.example/c/1") && page.is_away());
    assert!(!page.url_changed(HOME) && page.is_home());
    assert_eq!(of(&page), [Some(true), Some(true), Some(false)], "also what arrives after the return");
    assert_eq!(page.next((Some(5), 1)), Probe::Look);
    page.looked(Some(&Seen { ways: 1, ..seen(0, 2..4) }));
    assert_eq!(page.next((Some(5), 1)), Probe::Click(0));
    page.url_changed("http://h.example/c/2");
    page.cannot_return();
    assert_eq!(page.next((Some(5), 1)), Probe::End);
    assert!(page.is_away());
    assert_eq!(page.into_notes()[0].navigations, 1);
}

#[test]
fn what_a_fragment_selects_is_waited_for_before_the_return() {
    let mut page = probing(0, 5);
    page.next((Some(1), 1));
    page.looked(Some(&seen(0, 0..2)));
    assert_eq!(page.next((Some(1), 1)), Probe::Click(0));
    assert!(!page.url_changed("http://h.example/#/topic/1") && !page.is_away());
    assert_eq!(page.next((Some(3), 2)), Probe::GoBack);
    page.url_changed(HOME);
    assert_eq!(page.next((Some(4), 2)), Probe::Look);
}

#[test]
fn a_page_may_change_its_url_itself() {
    let mut page = probing(0, 5);
    assert!(!page.url_changed("http://h.example/?sort=new"));
    assert!(page.is_home());
}

proptest! {
    /// Whatever a page does, its use comes to an end.
    #[test]
    fn the_use_of_a_page_ends(events in proptest::collection::vec((0_u64..3, 0_u8..4, proptest::bool::ANY), 200)) {
        let mut page = probing(10, 10);
        let (mut changes, mut steps, mut links) = (0, 0, 0);
        for (new, event, moved) in events {
            changes += new;
            links += new as u32;
            steps += 1;
            match page.next((Some(changes), 0)) {
                Probe::End => break,
                Probe::Scroll => page.scrolled(moved),
                Probe::Look => page.looked((event > 0).then(|| seen(links, changes..changes + 3)).as_ref()),
                Probe::Click(_) => match event {
                    0 => { page.url_changed("http://h.example/c/1"); page.url_changed(HOME); }
                    1 => { page.url_changed("http://h.example/#a"); }
                    2 => { page.url_changed("http://h.example/c/2"); page.cannot_return(); }
                    _ => {}
                },
                Probe::GoBack => { page.url_changed(HOME); }
            }
        }
        // Each click takes a look and perhaps a way back.
        prop_assert!(steps <= 10 + 1 + 3 * 10 + 1, "{} steps", steps);
    }
}
