//! The explanations by constants and page URLs against a search that tries everything.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::explain::{Row, page_url_sources};
use super::super::places::Places;
use super::super::source::Situation;
use super::*;

/// Returns all explanations that hold, by trying each way on each row.
fn naive(values: &[(String, String)]) -> BTreeSet<String> {
    let mut ways = vec![Extract::Whole, Extract::Origin, Extract::Path, Extract::PathAndQuery, Extract::Stem];
    ways.extend([Extract::AfterHyphen, Extract::BeforeHyphen]);
    ways.extend((0..12).flat_map(|at| [Extract::Segment(at), Extract::SegmentFromEnd(at)]));
    ways.extend((0..3).map(Extract::Number).chain(["q", "r"].map(|key| Extract::Query(key.to_owned()))));
    let mut found = BTreeSet::new();
    if values.iter().all(|(_, value)| *value == values[0].1) {
        found.insert(format!("{:?}", PartSource::Constant(values[0].1.clone())));
    }
    for way in ways {
        for encoding in Encoding::ALL {
            let gives = |page: &str| way.apply(page).map(|text| encoding.write(text));
            if values.iter().all(|(page, value)| gives(page).as_ref() == Some(value)) {
                found.insert(format!("{:?}", PartSource::PageUrl(way.clone(), encoding)));
            }
        }
    }
    found
}

/// What the URLs of pages look like.
const PAGE: &str =
    "https://h[.]example/[a-c0-2/-]{0,8}([.]html)?([?][qr]=([a-c0-1+]|%20|%C3%A9){0,4}(&r=[0-2]{1,2})?)?";

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn constants_and_parts_of_page_urls_are_found_as_by_trying_all(
        pages in prop::collection::vec(PAGE, 1..4),
        way in 0_usize..16,
        encoding in 0_usize..5,
    ) {
        let pages: Vec<String> = pages.iter().filter_map(|page| Url::parse(page).ok()).map(String::from).collect();
        prop_assume!(!pages.is_empty());
        let ways = super::super::extract::extracts(&pages[0]);
        let way = &ways[way % ways.len()].0;
        let value = |page: &String| Encoding::ALL[encoding].write(way.apply(page).unwrap_or("x"));
        let values: Vec<(String, String)> = pages.iter().map(|page| (page.clone(), value(page))).collect();
        let places = Places::of_page("");
        let situation = |page_url| Situation { page_url, page: &places, previous: None, index: 0, each: None };
        let rows: Vec<Row<'_>> =
            values.iter().map(|(page, value)| Row { value, situation: situation(page.as_str()) }).collect();
        let wanted = naive(&values);
        let found: Vec<String> = page_url_sources(&rows).iter().map(|source| format!("{source:?}")).collect();
        prop_assert!(found.iter().all(|source| wanted.contains(source)), "{found:?} {wanted:?}");
        // The search keeps only the first few.
        prop_assert_eq!(found.len(), wanted.len().min(5));
    }
}
