//! Which sites' results are looked at.
//!
//! A search shows pages of many sites, and most sites have no wanted page at all. A site whose last r results were all
//! rejected is passed over by the next r queries. Of q queries, then, about the square root of 2q look at a site without wanted
//! pages, instead of all; a site of whose results a fair share is accepted is hardly ever passed over. No site is given up: a
//! later query may fit its wanted pages better.

use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of sites with counts; later ones are never passed over.
const SITES_MAX: usize = 1 << 12;

/// The results of a site.
#[derive(Debug, Clone, Copy, Default)]
struct Tried {
    /// Rejected results since the last one that was accepted.
    rejected: u64,
    /// The number of queries from which on it is looked at again.
    resumes: u64,
}

/// The sites of results, by their authorities.
#[derive(Debug, Clone, Default)]
pub(super) struct ResultSites {
    sites: BTreeMap<Box<str>, Tried>,
}

impl ResultSites {
    /// Records a result of a site after this number of queries.
    pub(super) fn record(&mut self, site: &str, accepted: bool, queries: u64) {
        if self.sites.len() >= SITES_MAX && !self.sites.contains_key(site) {
            return;
        }
        let tried = self.sites.entry(site.into()).or_default();
        tried.rejected = if accepted { 0 } else { tried.rejected + 1 };
        tried.resumes = queries + tried.rejected;
    }

    /// Returns the sites that the answer to the query with this number, counted from 1, is not to lead to.
    pub(super) fn passed_over(&self, query: u64) -> BTreeSet<Box<str>> {
        let passed_over = |tried: &Tried| tried.rejected > 0 && query <= tried.resumes;
        self.sites.iter().filter(|(_, tried)| passed_over(tried)).map(|(site, _)| site.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_passed_over(sites: &ResultSites, query: u64) -> bool {
        sites.passed_over(query).contains("s")
    }

    #[test]
    fn a_site_is_passed_over_by_as_many_queries_as_it_had_rejected_results_in_succession() {
        let mut sites = ResultSites::default();
        assert!(!is_passed_over(&sites, 1));
        sites.record("s", false, 1);
        assert_eq!([2, 3].map(|query| is_passed_over(&sites, query)), [true, false]);
        sites.record("s", false, 3);
        assert_eq!([4, 5, 6].map(|query| is_passed_over(&sites, query)), [true, true, false]);
        sites.record("s", true, 6);
        assert!(!is_passed_over(&sites, 7));
        sites.record("s", false, 7);
        assert_eq!([8, 9].map(|query| is_passed_over(&sites, query)), [true, false]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// With one result of each query that looks at it.
        #[test]
        fn a_site_without_wanted_pages_is_looked_at_by_few_queries_and_never_given_up(queries in 1..2_000_u64) {
            let mut sites = ResultSites::default();
            let mut looks = 0_u64;
            for query in 1..=queries {
                if !is_passed_over(&sites, query) {
                    looks += 1;
                    sites.record("s", false, query);
                }
            }
            // Look n comes with query n(n + 1) / 2.
            prop_assert!(looks * (looks + 1) / 2 <= queries && (looks + 1) * (looks + 2) / 2 > queries, "{} looks", looks);
        }

        #[test]
        fn sites_are_passed_over_as_if_the_whole_history_were_counted(
            history in prop::collection::vec((1..4_u64, any::<bool>()), 0..30), ahead in 1..40_u64,
        ) {
            let (mut sites, mut query, mut queries) = (ResultSites::default(), 0, Vec::new());
            for (step, accepted) in &history {
                query += step;
                queries.push((query, *accepted));
                sites.record("s", *accepted, query);
            }
            let rejected = queries.iter().rev().take_while(|(_, accepted)| !accepted).count() as u64;
            prop_assert_eq!(is_passed_over(&sites, query + ahead), rejected > 0 && ahead <= rejected);
        }
    }
}
