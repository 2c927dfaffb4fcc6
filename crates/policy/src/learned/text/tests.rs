use std::collections::BTreeSet;

use proptest::prelude::*;

use super::index::NewText;
use super::*;
use harvestman_core::model::{ClusterId, PageText, PatternId};

const ARTICLE: Kin = of(7);
const LIST: Kin = of(8);

const fn of(group: u64) -> Kin {
    Kin { cluster: ClusterId(group as u32), pattern: PatternId(group) }
}

/// A page with one running text per range of words.
fn page(texts: &[std::ops::Range<u32>]) -> PageText {
    let mut page = PageText::default();
    texts.iter().for_each(|words| page.push(&words.clone().collect::<Vec<_>>(), false, false));
    page
}

/// A page with one running text of this many words, from `first` on.
fn words(first: u32, count: u32) -> PageText {
    let mut page = PageText::default();
    page.push(&(first..first + count).collect::<Vec<_>>(), false, false);
    page
}

fn linked(mut page: PageText, words: std::ops::Range<u32>) -> PageText {
    page.push(&words.collect::<Vec<_>>(), true, false);
    page
}

/// A text of a hundred words of its own.
const fn article(number: u32) -> std::ops::Range<u32> {
    1_000 * number..1_000 * number + 102
}

fn index() -> TextIndex {
    TextIndex::new(1_000)
}

#[test]
fn an_article_is_worth_much_a_short_text_or_new_labels_less_and_labels_of_other_pages_nothing() {
    let mut index = index();
    let long = index.take_in(&page(&[article(1)]), ARTICLE).id;
    let short = index.take_in(&words(0, 12), of(1)).id;
    let label = index.take_in(&words(20, 3), of(2)).id;
    let links = index.take_in(&linked(PageText::default(), 30..90), of(3)).id;
    assert!((index.worth(long) - 100.0 / 110.0).abs() < 1e-9, "{}", index.worth(long));
    assert!((index.worth(short) - 0.5).abs() < 1e-9, "a text of twelve words has ten shingles");
    assert_eq!((index.worth(label), index.worth(links)), (0.2, 0.2), "they show one label that no page showed before");
    let mut known = words(20, 3);
    known.push(&(30..90).collect::<Vec<_>>(), true, false);
    let known = index.take_in(&known, of(4)).id;
    assert_eq!((index.worth(known), index.worth(ContentId(99))), (0.0, 0.0));
}

#[test]
fn a_page_without_running_text_is_worth_something_for_the_labels_that_no_earlier_page_shows() {
    let mut index = index();
    let profile = |name: u32| {
        let mut page = PageText::default();
        [[name, 1].as_slice(), &[2, 3], &[4]].iter().for_each(|words| page.push(words, false, false));
        page
    };
    let profiles: Vec<_> = (100..106).map(|name| index.take_in(&profile(name), ARTICLE).id).collect();
    // The first one shows three labels that no page showed before it, the others a name each.
    let first_to_show = |name: usize| if name == 0 { 7.5 / 17.5 } else { 2.5 / 12.5 };
    let worths = |index: &TextIndex| profiles.iter().map(|id| index.worth(*id)).collect::<Vec<_>>();
    assert_eq!(worths(&index), (0..6).map(first_to_show).collect::<Vec<_>>());
    let tab = index.take_in(&profile(100), LIST);
    assert_eq!(index.worth(tab.id), 0.0, "the name is known from the first profile");
    index.regroup(|_| Some(ARTICLE));
    assert_eq!(worths(&index)[1..], [0.2; 5], "what all of them show is their template");
    let mut picture = PageText::default();
    (200..210).for_each(|word| picture.push(&[word], false, false));
    let picture = index.take_in(&picture, of(9)).id;
    assert_eq!(index.worth(picture), 0.5, "many labels count no more than a short text");
}

#[test]
fn another_view_of_a_page_repeats_it_and_holds_nothing() {
    let mut index = index();
    let first = index.take_in(&page(&[article(1)]), ARTICLE).id;
    let view = index.take_in(&page(&[article(1), 0..9]), of(9));
    assert_eq!(view.repeats, Some((first, Relation::Alike)));
    assert_eq!(index.declare_repetition(view.id, first), []);
    assert!(index.worth(view.id) < 0.3 && index.worth(first) > 0.9);
}

#[test]
fn the_more_canonical_page_holds_the_text_even_if_it_comes_second() {
    let mut index = index();
    let view = index.take_in(&page(&[article(1)]), ARTICLE).id;
    let canonical = index.take_in(&page(&[article(1)]), ARTICLE).id;
    assert_eq!(index.declare_repetition(view, canonical), [canonical]);
    assert_eq!(index.worth(view), 0.0);
    assert!(index.worth(canonical) > 0.9);
    index.regroup(|_| Some(ARTICLE));
    assert!(index.worth(canonical) > 0.9 && index.worth(view) == 0.0);
}

/// Adds twenty questions with three texts each, and revisions of the first text of each, in this order.
fn questions_and_revisions(revisions_first: bool) -> (TextIndex, Vec<NewText>, Vec<NewText>) {
    let (question, revision) = (of(1), of(2));
    let mut index = index();
    let (mut questions, mut revisions) = (Vec::new(), Vec::new());
    for number in 0..40 {
        let shown = page(&[article(3 * number), article(3 * number + 1), article(3 * number + 2)]);
        let revised = page(&[article(3 * number)]);
        if revisions_first {
            revisions.push(index.take_in(&revised, revision));
        }
        questions.push(index.take_in(&shown, question));
        if !revisions_first {
            revisions.push(index.take_in(&revised, revision));
        }
    }
    (index, questions, revisions)
}

#[test]
fn a_page_within_another_is_found_in_both_orders() {
    let (_, questions, revisions) = questions_and_revisions(false);
    let within = |at: usize| Some((questions[at].id, Relation::Within));
    assert!((25..40).all(|at| revisions[at].repeats == within(at)), "{revisions:?}");
    let (_, questions, revisions) = questions_and_revisions(true);
    assert!((25..40).all(|at| questions[at].contains == [revisions[at].id]), "{questions:?}");
    assert!(questions.iter().all(|question| question.repeats.is_none()));
}

#[test]
fn a_message_within_a_thread_of_more_text_than_is_compared_is_found() {
    let mut index = index();
    let (mut threads, mut messages) = (Vec::new(), Vec::new());
    // A text has more shingles than are kept of a page with thirty of them.
    for number in 0..30 {
        let texts: Vec<_> = (0..30).map(|text| article(30 * number + text)).collect();
        threads.push(index.take_in(&page(&texts), of(1)).id);
        messages.push(index.take_in(&page(&texts[7..8]), of(2)));
    }
    let within = |at: usize| messages[at].repeats == Some((threads[at], Relation::Within));
    assert!((25..30).all(within), "{messages:?}");
}

#[test]
fn of_views_of_a_page_that_are_alike_the_kind_that_shows_less_elsewhere_could_be_left_out() {
    let mut index = index();
    let mut pairs = Vec::new();
    // Most questions have no answer yet: the revision of such a question is like it.
    for number in 0..40 {
        let texts = [article(2 * number), article(2 * number + 1)];
        let shown = &texts[..if number % 3 == 0 { 2 } else { 1 }];
        let revision = index.take_in(&page(&texts[..1]), of(2)).id;
        pairs.push((index.take_in(&page(shown), of(1)).id, revision));
    }
    for (question, revision) in &pairs[20..] {
        assert!(index.could_be_left_out(*revision, *question) && !index.could_be_left_out(*question, *revision));
    }
}

#[test]
fn lists_of_whole_articles_are_no_reason_to_leave_these_out() {
    let mut index = index();
    let list = |articles: &[u32]| page(&articles.iter().map(|number| article(*number)).collect::<Vec<_>>());
    let mut found = Vec::new();
    // Each article is in one list by time and in one list by subject.
    for at in 0..20 {
        index.take_in(&list(&[5 * at, 5 * at + 1, 5 * at + 2, 5 * at + 3, 5 * at + 4]), LIST);
    }
    for at in 0..20 {
        index.take_in(&list(&[at, 20 + at, 40 + at, 60 + at, 80 + at]), of(9));
        found.extend((0..5).map(|number| index.take_in(&page(&[article(20 * number + at)]), ARTICLE)));
    }
    assert!(found[20..].iter().all(|article| article.repeats.is_none()), "{found:?}");
}

#[test]
fn articles_take_their_text_from_a_list_of_excerpts() {
    let mut index = index();
    let excerpts: Vec<_> = (0..8).map(|number| article(number).start..article(number).start + 32).collect();
    let list = index.take_in(&page(&excerpts), LIST).id;
    let mut before = index.worth(list);
    assert!(before > 0.9);
    for number in 0..8 {
        let found = index.take_in(&page(&[article(number)]), ARTICLE);
        assert_eq!((found.repeats, &found.touched[..]), (None, &[list][..]));
        assert!(index.worth(list) < before && index.worth(found.id) > 0.9);
        before = index.worth(list);
    }
    assert!((before - HELD).abs() < 0.05, "{before}");
}

/// The worth of a long text that other pages hold.
const HELD: f64 = 0.3;

#[test]
fn a_form_letter_around_a_title_is_worth_nothing_once_some_are_known() {
    let mut index = index();
    let letter = |number: u32| {
        let mut text = PageText::default();
        for sentence in 0..10_u32 {
            let stock = |from: u32| (from..from + 8).map(move |word| 50_000 + 100 * sentence + word);
            let title = [900_000 + 2 * number, 900_001 + 2 * number];
            text.push(&stock(0).chain(title).chain(stock(20)).collect::<Vec<_>>(), false, false);
        }
        text
    };
    let ids: Vec<_> = (0..20).map(|number| index.take_in(&letter(number), of(5)).id).collect();
    assert!(index.worth(ids[0]) > 0.8);
    assert!(ids[10..].iter().all(|id| index.worth(*id) < 0.01));
    // After a model update the first ones are known for what they are.
    index.regroup(|_| Some(of(5)));
    assert!(index.worth(ids[0]) < 0.01);
}

#[test]
fn small_pages_are_compared_by_all_their_texts() {
    let mut index = index();
    let profile = |name: u32| linked(linked(words(0, 3), 10..12), name..name + 1);
    let first = index.take_in(&profile(100), ARTICLE).id;
    assert_eq!(index.take_in(&profile(100), ARTICLE).repeats, Some((first, Relation::Alike)));
    assert_eq!(index.take_in(&profile(101), ARTICLE).repeats, None);
    assert_eq!(index.take_in(&PageText::default(), ARTICLE).repeats, None);
    assert_eq!(index.take_in(&PageText::default(), ARTICLE).repeats, None, "there is nothing to compare");
    let same: Vec<_> = (0..10).map(|_| index.take_in(&words(500, 3), LIST)).collect();
    // The fourth is the first whose text is known to be template, and the first that shows nothing else.
    let new: Vec<_> = (0..10).filter(|at| same[*at].repeats.is_none()).collect();
    assert_eq!(new, [0, 3]);
}

#[test]
fn of_long_pages_fewer_are_remembered() {
    let mut index = index();
    index.set_limits(350, 10_000);
    let ids: Vec<_> = (0..10).map(|number| index.take_in(&page(&[article(number)]), ARTICLE).id).collect();
    assert_eq!(index.known_keys(), 300);
    assert_eq!((index.worth(ids[6]), index.worth(ids[7]) > 0.9), (0.0, true));
    index.regroup(|_| None);
    index.take_in(&page(&[article(11)]), ARTICLE);
    assert_eq!(index.known_keys(), 300);
    assert!(
        index.take_in(&words(20_000, 500), ARTICLE).repeats.is_none(),
        "a page beyond the bound is remembered alone"
    );
    assert_eq!(index.known_keys(), 498);
}

#[test]
fn pages_that_share_their_text_take_little_of_the_memory_for_distinct_shingles() {
    let mut index = index();
    index.set_limits(10_000, 350);
    let shared: Vec<_> = (0..10).map(|_| index.take_in(&page(&[article(1)]), ARTICLE).id).collect();
    assert_eq!((index.known_keys(), index.worth(shared[0]) > 0.9), (100, true));
    (2..5).for_each(|number| assert!(index.take_in(&page(&[article(number)]), ARTICLE).repeats.is_none()));
    assert_eq!((index.known_keys(), index.worth(shared[9])), (300, 0.0));
}

/// Pages of up to four of twelve texts.
fn pages(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<BTreeSet<u32>>> {
    prop::collection::vec(prop::collection::btree_set(0..12_u32, 0..5), count)
}

fn with_texts(texts: &BTreeSet<u32>) -> PageText {
    page(&texts.iter().map(|number| article(*number)).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_shingle_counts_for_one_page_at_most_and_memory_is_bounded(pages in pages(1..40), pages_max in 1..20_usize) {
        let mut index = TextIndex::new(pages_max);
        for (at, texts) in (0..).zip(&pages) {
            let found = index.take_in(&with_texts(texts), of(at % 3));
            if let Some((other, _)) = found.repeats {
                index.declare_repetition(found.id, other);
            }
        }
        let remembered: BTreeSet<u32> = pages[pages.len().saturating_sub(pages_max)..].iter().flatten().copied().collect();
        prop_assert!(index.known_keys() <= remembered.len() * 100);
        prop_assert!(index.held() <= remembered.len() * 100);
    }

    #[test]
    fn worth_lies_between_nothing_and_one_and_a_regrouping_without_a_change_keeps_each_holder(pages in pages(1..30)) {
        let mut index = index();
        for (at, texts) in (0..).zip(&pages) {
            index.take_in(&with_texts(texts), of(at));
        }
        index.regroup(|id| Some(of(id.0)));
        let worths = |index: &TextIndex| (0..pages.len() as u64).map(|at| index.worth(ContentId(at))).collect::<Vec<_>>();
        let before = worths(&index);
        index.regroup(|_| None);
        prop_assert_eq!(&before, &worths(&index));
        prop_assert!(before.iter().all(|worth| (0.0..1.0).contains(worth)));
    }
}
