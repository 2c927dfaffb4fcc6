//! The harvest of a crawl.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{f_measure, ratio};
use crate::corpus::TypeCounts;

/// The result of one fetch: a request with all redirects that it follows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fetched {
    /// An HTML page with status 200 that no earlier fetch yielded.
    pub new_page: bool,
    /// Such a page, and a wanted one.
    pub valid: bool,
    /// Such a page, and not a duplicate view.
    pub valid_unique: bool,
    /// The type of a new page, if known.
    pub page_type: Option<Arc<str>>,
    /// The second in which it was sent, where each host is asked once a second; 0: unknown.
    pub second: u64,
}

/// The measures of a crawl. Ratios are in 0..=1, and `None` where the divisor is zero: no fetch, or nothing wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Harvest {
    /// Fetches, including errors and redirects to known pages.
    pub fetches: u64,
    /// Pages that were new when fetched.
    pub pages: u64,
    /// Valid pages among them.
    pub valid: u64,
    /// Valid pages that are not duplicate views.
    pub valid_unique: u64,
    /// New pages per fetch.
    pub page_ratio: Option<f64>,
    /// Valid pages per fetch (SOUrCe, section 5.3); in a crawl for a target, the harvest rate (section 5.4).
    pub valid_ratio: Option<f64>,
    /// The same for valid pages that are not duplicate views.
    pub valid_ratio_unique: Option<f64>,
    /// Valid pages fetched, as a share of those of the corpus.
    pub recall: Option<f64>,
    /// The same, without duplicate views.
    pub recall_unique: Option<f64>,
    /// Harmonic mean of valid ratio and recall.
    pub f: Option<f64>,
    /// The same of their unique variants.
    pub f_unique: Option<f64>,
    /// The sum over all numbers n of fetches, from 1 on, of the valid unique pages among the first n, divided by the
    /// sum of all n: the area under the harvest curve. It is above the valid ratio if good pages come first.
    pub area: Option<f64>,
    /// −Σ p log2 p over the types of the new pages, bits (eq. 13); `None` if no type is known.
    pub entropy: Option<f64>,
}

impl Harvest {
    /// Computes the measures of fetches. `wanted` is the number of valid pages of the corpus; if it is `None`, only
    /// measures that need no labels are computed.
    pub fn of(fetches: &[Fetched], wanted: Option<TypeCounts>) -> Self {
        let count = |is: fn(&Fetched) -> bool| fetches.iter().filter(|fetched| is(fetched)).count() as u64;
        let all = fetches.len() as u64;
        let (pages, valid) = (count(|fetched| fetched.new_page), count(|fetched| fetched.valid));
        let valid_unique = count(|fetched| fetched.valid_unique);
        let of_fetches = |valid: u64| wanted.and_then(|_| ratio(valid, all));
        let (valid_ratio, valid_ratio_unique) = (of_fetches(valid), of_fetches(valid_unique));
        let recall = wanted.and_then(|wanted| ratio(valid, wanted.pages));
        let recall_unique = wanted.and_then(|wanted| ratio(valid_unique, wanted.unique));
        Self {
            fetches: all,
            pages,
            valid,
            valid_unique,
            page_ratio: ratio(pages, all),
            valid_ratio,
            valid_ratio_unique,
            recall,
            recall_unique,
            f: valid_ratio.zip(recall).map(|(ratio, recall)| f_measure(ratio, recall)),
            f_unique: valid_ratio_unique.zip(recall_unique).map(|(ratio, recall)| f_measure(ratio, recall)),
            area: wanted.and_then(|_| area(fetches)),
            entropy: entropy(fetches.iter().filter_map(|fetched| fetched.page_type.as_deref())),
        }
    }
}

/// Returns the area under the curve of valid unique pages, relative to that of a crawl in which every fetch is one.
fn area(fetches: &[Fetched]) -> Option<f64> {
    let all = fetches.len() as u64;
    // A page that came with fetch n counts for it and all behind it.
    let counted = |(at, _): (u64, &Fetched)| all - at;
    let below = (0..).zip(fetches).filter(|(_, fetched)| fetched.valid_unique).map(counted).sum();
    ratio(below, all * (all + 1) / 2)
}

/// Returns −Σ p log2 p over the shares of equal items, bits; `None` without items.
fn entropy<'a>(items: impl Iterator<Item = &'a str>) -> Option<f64> {
    let mut counts = BTreeMap::<_, u64>::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    let all = counts.values().sum();
    // For a single kind the sum is negative zero.
    counts
        .values()
        .map(|count| ratio(*count, all).map(|p| -p * p.log2()))
        .sum::<Option<f64>>()
        .filter(|_| all > 0)
        .map(f64::abs)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fetched(valid: bool, valid_unique: bool, page_type: Option<&str>) -> Fetched {
        Fetched { new_page: page_type.is_some(), valid, valid_unique, page_type: page_type.map(Arc::from), second: 0 }
    }

    fn close(one: Option<f64>, other: f64) -> bool {
        one.is_some_and(|one| (one - other).abs() < 1e-12)
    }

    #[test]
    fn a_small_crawl_matches_the_equations() {
        let fetches = [
            fetched(true, true, Some("thread")),
            fetched(true, false, Some("thread")),
            fetched(false, false, Some("list")),
            fetched(false, false, None),
            fetched(true, true, Some("profile")),
        ];
        let harvest = Harvest::of(&fetches, Some(TypeCounts { pages: 6, unique: 4 }));
        assert_eq!((harvest.fetches, harvest.pages, harvest.valid, harvest.valid_unique), (5, 4, 3, 2));
        assert!(close(harvest.valid_ratio, 0.6) && close(harvest.valid_ratio_unique, 0.4));
        assert!(close(harvest.recall, 0.5) && close(harvest.recall_unique, 0.5) && close(harvest.page_ratio, 0.8));
        assert!(close(harvest.f, 2.0 * 0.6 * 0.5 / 1.1) && close(harvest.f_unique, 2.0 * 0.4 * 0.5 / 0.9));
        assert!(close(harvest.area, 6.0 / 15.0), "1, 1, 1, 1 and 2 of 1 to 5");
        assert!(close(harvest.entropy, 1.5), "shares of 1/2, 1/4 and 1/4");
    }

    #[test]
    fn the_papers_ratios_give_its_f() {
        for (valid_ratio, recall, f) in [(0.9988, 0.3187, 0.4833), (0.9984, 0.2978, 0.4588), (0.804, 0.804, 0.804)] {
            assert!((f_measure(valid_ratio, recall) - f).abs() < 2e-4);
        }
        assert_eq!(f_measure(0.0, 0.0), 0.0);
    }

    #[test]
    fn undefined_measures_are_omitted() {
        assert_eq!(Harvest::of(&[], None), Harvest::default());
        let nothing_wanted = Harvest::of(&[fetched(false, false, Some("list"))], Some(TypeCounts::default()));
        assert_eq!((nothing_wanted.valid_ratio, nothing_wanted.recall, nothing_wanted.f), (Some(0.0), None, None));
        assert_eq!(nothing_wanted.entropy, Some(0.0));
        let unlabelled = Harvest::of(&[Fetched { new_page: true, ..Fetched::default() }, Fetched::default()], None);
        assert_eq!((unlabelled.page_ratio, unlabelled.valid_ratio, unlabelled.entropy), (Some(0.5), None, None));
        let failed = Harvest::of(&[Fetched::default()], Some(TypeCounts { pages: 3, unique: 3 }));
        assert_eq!((failed.valid_ratio, failed.recall, failed.f), (Some(0.0), Some(0.0), Some(0.0)));
    }

    proptest! {
        #[test]
        fn entropy_lies_between_none_and_that_of_equal_shares(types in prop::collection::vec(0_u8..6, 1..60)) {
            let names: Vec<_> = types.iter().map(u8::to_string).collect();
            let entropy = entropy(names.iter().map(String::as_str)).unwrap();
            let kinds = names.iter().collect::<std::collections::BTreeSet<_>>().len() as f64;
            prop_assert!(entropy >= 0.0 && entropy <= kinds.log2() + 1e-9);
        }
    }
}
