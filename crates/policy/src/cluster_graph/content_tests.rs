use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

const KIN: Kin = of(7);

const fn of(group: u64) -> Kin {
    Kin { cluster: ClusterId(group as u32), pattern: PatternId(group) }
}

/// A unit of running text with a text of its own.
fn text(hash: u64, words: u16) -> ContentUnit {
    ContentUnit { hash, words, text_words: words, in_anchor: false, in_form: false }
}

fn linked(hash: u64, words: u16) -> ContentUnit {
    ContentUnit { in_anchor: true, ..text(hash, words) }
}

/// An article of ten units of ten words, whose hashes begin at `first`.
fn article(first: u64) -> Vec<ContentUnit> {
    (first..first + 10).map(|hash| text(hash, 10)).collect()
}

fn index() -> ContentIndex {
    ContentIndex::new(1_000)
}

#[test]
fn text_of_the_template_does_not_count_as_likeness() {
    let mut index = index();
    let page = |number: u64| [article(1), vec![text(1000 + number, 40)]].concat();
    for number in 0..5 {
        index.take_in(&page(number), KIN);
    }
    // The template's hundred words are known by now; the page is compared by its own forty.
    let found = index.take_in(&page(5), KIN);
    assert_eq!(found.duplicate_of, None);
    assert_eq!(index.take_in(&page(3), KIN).duplicate_of, Some(ContentId(3)));
}

#[test]
fn the_same_text_is_content_in_a_cluster_where_few_pages_have_it() {
    let mut index = index();
    for _ in 0..10 {
        index.take_in(&article(1), KIN);
    }
    assert!(index.is_template(KIN, 1));
    assert!(!index.is_template(of(8), 1));
}

#[test]
fn a_permalink_view_with_another_form_around_it_is_found() {
    let mut index = index();
    let plain = index.take_in(&article(100), KIN).id;
    let view = [article(100), vec![text(900, 9), linked(901, 4)]].concat();
    assert_eq!(index.take_in(&view, KIN).duplicate_of, Some(plain));
}

#[test]
fn pages_that_share_an_excerpt_are_no_duplicates() {
    let mut index = index();
    index.take_in(&article(100), KIN);
    let quoting = [article(100)[..5].to_vec(), article(300)].concat();
    assert_eq!(index.take_in(&quoting, KIN).duplicate_of, None);
    assert_eq!(index.take_in(&article(100)[..2], KIN).duplicate_of, None, "an excerpt alone is no second view");
}

#[test]
fn short_pages_are_alike_by_all_their_units() {
    let mut index = index();
    let form = |title: u64| {
        let mut units: Vec<ContentUnit> = (1..10).map(|hash| text(hash, 1)).collect();
        units.push(text(title, 1));
        units
    };
    let first = index.take_in(&form(50), KIN).id;
    assert_eq!(index.take_in(&form(50), KIN).duplicate_of, Some(first));
    assert_eq!(index.take_in(&form(51), KIN).duplicate_of, None, "nine of eleven units are not enough");
}

#[test]
fn nothing_repeats_a_page_without_text() {
    let mut index = index();
    assert_eq!(index.take_in(&[], KIN).duplicate_of, None);
    assert_eq!(index.take_in(&[], KIN).duplicate_of, None);
}

#[test]
fn of_identical_pages_each_repeats_the_first_even_when_all_is_template() {
    let mut index = index();
    let found: Vec<_> = (0..10).map(|_| index.take_in(&article(1), KIN).duplicate_of).collect();
    assert_eq!(found[0], None);
    // A page that repeats an earlier one is found even if all of it is template: by all its units.
    assert!(found[1..].iter().all(|of| *of == Some(ContentId(0))), "{found:?}");
}

#[test]
fn after_new_clusters_the_template_is_counted_again() {
    let mut index = index();
    let ids: Vec<_> =
        (0..6).map(|number| index.take_in(&[article(1), article(100 * number + 100)].concat(), KIN).id).collect();
    assert!(index.is_template(KIN, 1));
    let alone = |id: u64| Kin { cluster: ClusterId(10 + id as u32), pattern: PatternId(10 + id) };
    index.regroup(|id| Some(alone(id.0)));
    assert!(!index.is_template(KIN, 1) && !index.is_template(alone(0), 1));
    index.regroup(|_| Some(KIN));
    assert!(index.is_template(KIN, 1));
    assert_eq!(ids.len(), 6);
}

#[test]
fn pages_beyond_the_bound_are_forgotten_with_all_that_only_they_have() {
    let mut index = ContentIndex::new(3);
    for number in 0..10 {
        index.take_in(&article(100 * number), KIN);
    }
    assert_eq!((index.pages.len(), index.postings.len(), index.first), (3, 30, 7));
    assert_eq!(index.take_in(&article(0), KIN).duplicate_of, None, "what is forgotten is not found");
    assert_eq!(index.take_in(&article(900), KIN).duplicate_of, Some(ContentId(9)));
}

#[test]
fn a_unit_remembers_no_more_than_its_latest_pages() {
    let mut index = index();
    for number in 0..100 {
        index.take_in(&[vec![text(1, 5)], article(100 * number + 100)].concat(), of(number));
    }
    let pages: Vec<u64> = index.postings[&1].pages.iter().copied().collect();
    assert_eq!(pages, (60..100).collect::<Vec<_>>());
}

#[test]
fn the_units_of_a_very_long_page_are_bounded() {
    let mut index = index();
    let page: Vec<_> = (0..5_000).map(|hash| text(hash, 5)).collect();
    let id = index.take_in(&page, KIN).id;
    assert_eq!(index.page(id).map(|page| page.units.len()), Some(UNITS_MAX));
    assert_eq!(index.take_in(&page, KIN).duplicate_of, Some(id));
}

/// A page of running text: units of five to nine words.
fn pages(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<BTreeSet<u64>>> {
    proptest::collection::vec(proptest::collection::btree_set(0..30_u64, 0..12), count)
}

fn running(page: &BTreeSet<u64>) -> Vec<ContentUnit> {
    page.iter().map(|hash| text(*hash, 5 + (hash % 5) as u16)).collect()
}

/// The words of all these units.
fn words<'a>(hashes: impl IntoIterator<Item = &'a u64>) -> f64 {
    hashes.into_iter().map(|hash| 5.0 + (hash % 5) as f64).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_found_is_what_comparing_with_every_page_finds(pages in pages(1..CANDIDATES)) {
        let mut index = index();
        for (at, page) in pages.iter().enumerate() {
            // Each page has a cluster of its own: nothing is template.
            let found = index.take_in(&running(page), of(at as u64)).duplicate_of;
            let long = words(page) >= RUNNING_MIN;
            let alike = |other: &BTreeSet<u64>| {
                let (common, all) = (page.intersection(other), page.union(other));
                let (common, all) = if long { (words(common), words(all)) } else { (common.count() as f64, all.count() as f64) };
                common > 0.0 && common / all >= if long { ALIKE } else { ALIKE_WHOLLY }
            };
            let earlier = pages[..at].iter().filter(|other| alike(other)).count();
            prop_assert_eq!(found.is_some(), earlier > 0);
            prop_assert!(found.is_none_or(|of| alike(&pages[of.0 as usize])));
        }
    }

    #[test]
    fn memory_is_that_of_the_pages_that_are_remembered(pages in pages(1..60), pages_max in 1..20_usize) {
        let mut index = ContentIndex::new(pages_max);
        for page in &pages {
            index.take_in(&running(page), KIN);
        }
        let remembered = &pages[pages.len().saturating_sub(pages_max)..];
        let units: BTreeSet<u64> = remembered.iter().flatten().copied().collect();
        prop_assert_eq!(index.pages.len(), remembered.len());
        prop_assert_eq!(index.postings.keys().copied().collect::<BTreeSet<_>>(), units);
        prop_assert!(index.postings.values().all(|posting| posting.pages.iter().all(|page| *page >= index.first)));
    }

}

#[test]
fn lists_are_found_alike_however_many_others_came_between() {
    // A list: units that all pages of the site have, and links of its own.
    let list = |number: u64| -> Vec<ContentUnit> {
        let own = (0..10).map(|link| linked(1_000 + number * 10 + link, 3));
        (0..40).map(|common| linked(common, 3)).chain(own).collect()
    };
    let mut index = index();
    let first = index.take_in(&list(0), KIN).id;
    (1..=100).for_each(|number| assert_eq!(index.take_in(&list(number), KIN).duplicate_of, None));
    assert_eq!(index.take_in(&list(0), KIN).duplicate_of, Some(first));
}

#[test]
fn the_share_of_a_text_that_another_page_shows_does_not_count_the_template() {
    let mut index = index();
    let topic: Vec<_> = (100..110).map(|hash| text(hash, 10)).collect();
    let topic_page = index.take_in(&topic, of(1)).id;
    // A form quotes eight of ten units, and has two of its own and those that all forms have.
    let form = |own: u64| -> Vec<ContentUnit> {
        topic[..8].iter().copied().chain([text(own, 10), text(own + 1, 10), text(7, 50)]).collect()
    };
    let forms: Vec<_> = [500, 600].map(|own| index.take_in(&form(own), of(2)).id).into();
    for other in 0..20 {
        index.take_in(&[text(7, 50), text(10_000 + other, 30)], of(2));
    }
    assert!((index.share_within(forms[0], topic_page) - 0.8).abs() < 1e-12);
    assert!((index.running_words(forms[0]) - 100.0).abs() < 1e-12);
    assert_eq!(index.share_within(topic_page, ContentId(999)), 0.0);
    assert_eq!(index.running_words(ContentId(999)), 0.0);
}
