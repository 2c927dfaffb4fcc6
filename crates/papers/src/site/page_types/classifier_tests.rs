use std::collections::BTreeSet;

use harvestman_core::config::ParseOptions;
use proptest::prelude::*;

use super::*;
use harvestman_structure::parse::Parser;

const LIST: usize = 0;
const DETAIL: usize = 1;
const PROFILE: usize = 2;

/// Path strings of made-up pages.
const SIGN_IN: u64 = 1;
const UPLOADER: u64 = 2;
const TAG: u64 = 3;
const CONTACT: u64 = 4;
const NEWS: u64 = 5;

fn page(pairs: &[(u64, u64)]) -> PageStrings {
    pairs.iter().copied().collect()
}

/// Lists name uploaders, details an uploader and tags, profiles contacts.
fn samples() -> Vec<Vec<PageStrings>> {
    vec![
        vec![page(&[(SIGN_IN, 0), (UPLOADER, 1), (UPLOADER, 2)]), page(&[(SIGN_IN, 0), (UPLOADER, 3), (NEWS, 1)])],
        vec![page(&[(SIGN_IN, 0), (UPLOADER, 1), (TAG, 1)]), page(&[(SIGN_IN, 0), (UPLOADER, 2), (TAG, 2), (TAG, 3)])],
        vec![page(&[(SIGN_IN, 0), (CONTACT, 1)]), page(&[(SIGN_IN, 0), (CONTACT, 2)])],
    ]
}

fn sets(types: &PageTypes) -> Vec<&[u64]> {
    types.characteristic().collect()
}

#[test]
fn a_page_is_of_the_type_with_the_largest_characteristic_set_that_it_has() {
    let types = PageTypes::learn(&samples(), PageTypeOptions::default());
    assert_eq!(types.schema().pairs(), [(SIGN_IN, 0)]);
    assert_eq!(sets(&types), [&[UPLOADER][..], &[UPLOADER, TAG], &[CONTACT]]);
    let class = |paths: &[u64]| types.classify(&paths.iter().map(|path| (*path, 99)).collect());
    assert_eq!(class(&[SIGN_IN, UPLOADER, NEWS]), Some(LIST));
    assert_eq!(class(&[UPLOADER, TAG]), Some(DETAIL));
    assert_eq!(class(&[SIGN_IN, CONTACT]), Some(PROFILE));
    assert_eq!([class(&[]), class(&[SIGN_IN]), class(&[TAG, NEWS])], [None; 3]);
    assert_eq!(class(&[UPLOADER, CONTACT]), Some(LIST), "of two sets of one size the first wins");
}

#[test]
fn thresholds_allow_for_samples_and_pages_that_lack_something() {
    let half = PageTypeOptions { characteristic: Share::new(0.5), ..PageTypeOptions::default() };
    assert_eq!(sets(&PageTypes::learn(&samples(), half))[LIST], [UPLOADER, NEWS]);
    let lenient = PageTypeOptions { contained: Share::new(0.5), ..PageTypeOptions::default() };
    assert_eq!(PageTypes::learn(&samples(), lenient).classify(&page(&[(TAG, 9)])), Some(DETAIL));
}

#[test]
fn discriminative_strings_are_those_of_one_type_alone() {
    let options = PageTypeOptions { discriminative: true, ..PageTypeOptions::default() };
    let types = PageTypes::learn(&samples(), options);
    // The lists' only string is also on detail pages, so it stays.
    assert_eq!(sets(&types), [&[UPLOADER][..], &[TAG], &[CONTACT]]);
}

#[test]
fn a_type_without_samples_or_without_value_data_is_never_found() {
    let samples = [vec![], vec![page(&[(SIGN_IN, 0)]), page(&[(SIGN_IN, 0)])]];
    let types = PageTypes::learn(&samples, PageTypeOptions::default());
    assert_eq!((sets(&types), types.classify(&page(&[(SIGN_IN, 0)]))), (vec![&[][..], &[]], None));
    assert_eq!(PageTypes::default().classify(&page(&[])), None);
}

#[test]
fn types_that_were_stored_are_the_same() {
    let types = PageTypes::learn(&samples(), PageTypeOptions::default());
    let stored = serde_json::to_string(&types).unwrap();
    assert_eq!(serde_json::from_str::<PageTypes>(&stored).unwrap(), types);
}

#[test]
fn pages_of_a_photo_site_are_told_apart_by_their_markup() {
    let menu = "<ul class=menu><li>Sign in</ul>";
    let list = |names: &[&str]| names.iter().map(|n| format!("<div class=thumb><p class=by>{n}</div>")).collect();
    let detail = |name: &str, tags: &[&str]| {
        let tags: String = tags.iter().map(|tag| format!("<td class=tag>{tag}")).collect();
        format!("<div class=thumb><p class=by>{name}</div><table><tr>{tags}</table>")
    };
    let lists: [String; 2] = [list(&["U-EET", "haggard37"]), list(&["ann"])];
    let details = [detail("ann", &["canna", "lily"]), detail("U-EET", &["flowers"])];
    let mut parser = Parser::new(&ParseOptions::default()).with_path_strings();
    let mut read = |html: &str| PageStrings::new(&parser.parse((menu.to_owned() + html).as_bytes(), None).path_strings);
    let samples = [lists, details].map(|pages| pages.iter().map(|html| read(html)).collect());
    let types = PageTypes::learn(&samples, PageTypeOptions::default());
    assert_eq!(sets(&types).iter().map(|set| set.len()).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(types.classify(&read(&detail("bob", &["walking", "girl"]))), Some(DETAIL));
    assert_eq!(types.classify(&read(&list(&["bob", "eve"]))), Some(LIST));
    assert_eq!(types.classify(&read("<p>Help")), None);
}

/// Algorithms 1 and 2 and Figure 5, with sets of sets.
fn classify_by_sets(samples: &[Vec<Vec<(u64, u64)>>], page: &[(u64, u64)]) -> Option<usize> {
    let paths = |pairs: &[(u64, u64)]| pairs.iter().map(|pair| pair.0).collect::<BTreeSet<_>>();
    let all: Vec<_> = samples.iter().flatten().collect();
    let in_all = |pair: &&(u64, u64)| all.iter().all(|page| page.contains(pair));
    let schema: Vec<_> = all.first().map_or(vec![], |first| first.iter().filter(in_all).copied().collect());
    let set = |pages: &Vec<Vec<(u64, u64)>>| {
        let sets = pages.iter().map(|page| &paths(page) - &paths(&schema));
        sets.reduce(|one, other| &one & &other).unwrap_or_default()
    };
    let sets: Vec<_> = samples.iter().map(set).collect();
    let fits = |set: &BTreeSet<u64>| !set.is_empty() && set.is_subset(&paths(page));
    let largest = sets.iter().filter(|set| fits(set)).map(BTreeSet::len).max()?;
    sets.iter().position(|set| fits(set) && set.len() == largest)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn types_are_those_of_the_printed_algorithms(
        samples in prop::collection::vec(
            prop::collection::vec(prop::collection::vec((0..6_u64, 0..2_u64), 1..9), 0..4), 0..4),
        pages in prop::collection::vec(prop::collection::vec((0..6_u64, 0..2_u64), 0..9), 4),
    ) {
        let strings = |pages: &Vec<Vec<(u64, u64)>>| pages.iter().map(|pairs| page(pairs)).collect();
        let types = PageTypes::learn(&samples.iter().map(strings).collect::<Vec<_>>(), PageTypeOptions::default());
        for pairs in &pages {
            prop_assert_eq!(types.classify(&page(pairs)), classify_by_sets(&samples, pairs));
        }
    }
}
