use std::collections::{BTreeMap, BTreeSet};

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

/// Adds a page, and counts it among the owners of its text unless it repeats another.
fn take_in(index: &mut ContentIndex, units: &[ContentUnit]) -> ContentId {
    let found = index.take_in(units, KIN);
    if found.duplicate_of.is_none() {
        index.own(found.id);
    }
    found.id
}

#[test]
fn an_article_is_worth_much_a_label_little_and_an_empty_page_nothing() {
    let mut index = index();
    let long = take_in(&mut index, &article(100));
    let short = take_in(&mut index, &[text(1, 3)]);
    let empty = take_in(&mut index, &[]);
    assert!(index.worth(long) > 0.7, "{}", index.worth(long));
    assert_eq!((index.worth(short), index.worth(empty), index.worth(ContentId(99))), (0.0, 0.0, 0.0));
}

#[test]
fn worth_is_half_at_thirty_words_without_links() {
    let mut index = index();
    let page = take_in(&mut index, &[text(1, 10), text(2, 20)]);
    assert!((index.worth(page) - 0.5).abs() < 1e-12);
}

#[test]
fn links_beside_the_text_lower_its_worth() {
    let mut index = index();
    let article_only = take_in(&mut index, &article(100));
    let links = (500..520).map(|hash| linked(hash, 10));
    let with_links = take_in(&mut index, &[article(200), links.clone().collect()].concat());
    let links_only = take_in(&mut index, &links.map(|unit| linked(unit.hash + 100, 10)).collect::<Vec<_>>());
    assert!(index.worth(with_links) < index.worth(article_only) / 2.0);
    assert_eq!(index.worth(links_only), 0.0);
}

#[test]
fn text_of_the_template_counts_neither_as_worth_nor_as_likeness() {
    let mut index = index();
    let page = |number: u64| [article(1), vec![text(1000 + number, 40)]].concat();
    for number in 0..5 {
        index.take_in(&page(number), KIN);
    }
    // The template's hundred words are known by now; the page is compared by its own forty.
    let found = index.take_in(&page(5), KIN);
    assert_eq!(found.duplicate_of, None);
    index.own(found.id);
    assert!((index.worth(found.id) - 40.0 / 70.0).abs() < 1e-12);
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
fn a_list_of_excerpts_falls_when_the_articles_come_and_the_articles_keep_their_worth() {
    let mut index = index();
    let articles: Vec<_> = (1..=10).map(|number| article(100 * number)).collect();
    let excerpts: Vec<_> = articles.iter().flat_map(|article| article[..2].to_vec()).collect();
    let list = take_in(&mut index, &excerpts);
    let (alone, mut before) = (index.worth(list), f64::INFINITY);
    let ids: Vec<_> = articles
        .iter()
        .map(|article| {
            let id = take_in(&mut index, article);
            assert!(index.worth(list) < before, "each article takes its text from the list");
            before = index.worth(list);
            id
        })
        .collect();
    // Of 200 own words 100 remain, which is half of its text: 200/230 becomes 100/130 · √(1/2).
    assert!((alone - 200.0 / 230.0).abs() < 1e-12 && (before - 100.0 / 130.0 * 0.5_f64.sqrt()).abs() < 1e-12);
    // An article of 100 words shares twenty of them with the list.
    assert!(ids.iter().all(|id| (index.worth(*id) - 90.0 / 120.0 * 0.9_f64.sqrt()).abs() < 1e-12));
}

#[test]
fn owning_says_which_pages_share_the_text_from_now_on() {
    let mut index = index();
    let list = take_in(&mut index, &[text(1, 20), text(2, 20), text(3, 20)]);
    let other = take_in(&mut index, &article(300));
    let found = index.take_in(&[article(100), vec![text(2, 20)]].concat(), KIN);
    assert_eq!(index.own(found.id), [list]);
    assert_eq!(index.own(found.id), [], "it owns already");
    assert_eq!(index.disown(found.id), [list]);
    assert_eq!(index.disown(other), []);
    assert_eq!(index.own(ContentId(1_000)), [], "a page that is not known");
}

#[test]
fn nothing_repeats_a_page_without_text() {
    let mut index = index();
    assert_eq!(index.take_in(&[], KIN).duplicate_of, None);
    assert_eq!(index.take_in(&[], KIN).duplicate_of, None);
    assert!(index.own(ContentId(0)).is_empty());
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
        take_in(&mut index, &article(100 * number));
    }
    assert_eq!((index.pages.len(), index.postings.len(), index.first), (3, 30, 7));
    assert_eq!(index.worth(ContentId(6)), 0.0);
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
    fn a_unit_has_as_many_owners_as_pages_that_own_it(
        pages in pages(1..12), turns in proptest::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..40),
    ) {
        let mut index = index();
        let ids: Vec<_> = (0..).zip(&pages).map(|(at, page)| index.take_in(&running(page), of(at)).id).collect();
        let mut owning: BTreeSet<usize> = BTreeSet::new();
        for (page, own) in turns {
            let page = page.index(pages.len());
            let touched = if own { index.own(ids[page]) } else { index.disown(ids[page]) };
            let changed = if own { owning.insert(page) } else { owning.remove(&page) };
            let sharing = |other: &usize| changed && *other != page && !pages[page].is_disjoint(&pages[*other]);
            // Units with eight owners or more are not corrected; with fewer pages all that share are returned.
            if pages.len() <= 8 {
                let named: Vec<_> = (0..pages.len()).filter(sharing).map(|at| ids[at]).collect();
                prop_assert_eq!(touched, named);
            }
        }
        let mut owners: BTreeMap<u64, u32> = BTreeMap::new();
        owning.iter().flat_map(|page| &pages[*page]).for_each(|hash| *owners.entry(*hash).or_default() += 1);
        for hash in 0..30 {
            prop_assert_eq!(index.owners(hash), owners.get(&hash).copied().unwrap_or(0));
        }
    }

    #[test]
    fn memory_is_that_of_the_pages_that_are_remembered(pages in pages(1..60), pages_max in 1..20_usize) {
        let mut index = ContentIndex::new(pages_max);
        for page in &pages {
            take_in(&mut index, &running(page));
        }
        let remembered = &pages[pages.len().saturating_sub(pages_max)..];
        let units: BTreeSet<u64> = remembered.iter().flatten().copied().collect();
        prop_assert_eq!(index.pages.len(), remembered.len());
        prop_assert_eq!(index.postings.keys().copied().collect::<BTreeSet<_>>(), units);
        prop_assert!(index.postings.values().all(|posting| posting.pages.iter().all(|page| *page >= index.first)));
    }

    #[test]
    fn worth_lies_between_nothing_and_one_and_the_order_of_units_does_not_matter(pages in pages(1..20)) {
        let (mut index, mut backwards) = (index(), self::index());
        for page in &pages {
            let units = running(page);
            let id = take_in(&mut index, &units);
            let reversed: Vec<_> = units.into_iter().rev().collect();
            prop_assert_eq!(take_in(&mut backwards, &reversed), id);
        }
        for at in 0..pages.len() as u64 {
            let worth = index.worth(ContentId(at));
            prop_assert!((0.0..1.0).contains(&worth));
            prop_assert_eq!(worth, backwards.worth(ContentId(at)));
        }
    }
}

#[test]
fn lists_are_found_alike_however_many_others_came_between_where_they_are_compared_exactly() {
    // A list: units that all pages of the site have, and links of its own.
    let list = |number: u64| -> Vec<ContentUnit> {
        let own = (0..10).map(|link| linked(1_000 + number * 10 + link, 3));
        (0..40).map(|common| linked(common, 3)).chain(own).collect()
    };
    let found = |index: ContentIndex| {
        let mut index = index;
        let first = index.take_in(&list(0), KIN).id;
        (1..=100).for_each(|number| assert_eq!(index.take_in(&list(number), KIN).duplicate_of, None));
        index.take_in(&list(0), KIN).duplicate_of == Some(first)
    };
    assert!(found(index().comparing_exactly()));
    assert!(!found(index()), "of what all pages have the latest are remembered");
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
