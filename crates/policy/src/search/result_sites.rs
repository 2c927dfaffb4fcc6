//! Which sites' results are looked at.
//!
//! A search shows pages of many sites, and most sites have no wanted page at all. Results whose last r of their kind
//! were all rejected are passed over by the next r queries. Of q queries, then, about the square root of 2q look at
//! such a kind, instead of all. A kind is a site with a form of addresses, so that lists which match every query do not
//! hide the wanted pages of their site; after [`TRIALS`] rejected results in succession the site is one kind. Nothing
//! is given up: a later query may fit the wanted pages of a site better.

use std::collections::{BTreeMap, BTreeSet};

use harvestman_core::url::origin_of;

/// Maximum number of sites and kinds with counts; later ones are never passed over.
const KINDS_MAX: usize = 1 << 14;
/// Number of rejected results of a site in succession from which on its kinds are no longer told apart.
pub(super) const TRIALS: u64 = 12;
/// Maximum number of segments of a path, and of parameters, that tell kinds apart.
const PARTS_MAX: usize = 8;

/// The results of a site, or of one of its kinds.
#[derive(Debug, Clone, Copy, Default)]
struct Tried {
    /// Rejected results since the last one that was accepted.
    rejected: u64,
    /// The number of queries from which on it is looked at again.
    resumes: u64,
}

/// Results by site, under its origin, and by kind ([`kind_of`]).
#[derive(Debug, Clone, Default)]
pub(super) struct ResultSites {
    sites: BTreeMap<Box<str>, Tried>,
}

/// Returns the kind of an address: its origin and the form of its path, in which digits, names of several words, and
/// other names are wildcards, except the first one, and the names of its parameters.
pub(super) fn kind_of(url: &str) -> String {
    let origin = origin_of(url);
    let (path, query) = url[origin.len()..].split_once('?').unwrap_or((&url[origin.len()..], ""));
    let mut kind = origin.to_owned();
    for (at, segment) in path.split('/').filter(|segment| !segment.is_empty()).take(PARTS_MAX).enumerate() {
        kind.push('/');
        if segment.bytes().all(|byte| byte.is_ascii_digit()) {
            kind.push('#');
        } else if segment.contains(['-', '_', '+', '%']) {
            kind.push_str("**");
        } else if at == 0 {
            kind.push_str(segment);
        } else {
            kind.push('*');
        }
    }
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()).take(PARTS_MAX) {
        kind.push('&');
        kind.push_str(parameter.split('=').next().unwrap_or_default());
    }
    // Paths have no such end, so that no kind is an origin.
    kind.push('?');
    kind
}

impl ResultSites {
    /// Records a result after this number of queries.
    pub(super) fn record(&mut self, url: &str, accepted: bool, queries: u64) {
        self.record_one(origin_of(url), accepted, queries);
        self.record_one(&kind_of(url), accepted, queries);
    }

    fn record_one(&mut self, key: &str, accepted: bool, queries: u64) {
        if self.sites.len() >= KINDS_MAX && !self.sites.contains_key(key) {
            return;
        }
        let tried = self.sites.entry(key.into()).or_default();
        tried.rejected = if accepted { 0 } else { tried.rejected + 1 };
        tried.resumes = queries + tried.rejected;
    }

    /// Returns the origins and kinds that the answer to the query with this number, counted from 1, is not to lead to.
    pub(super) fn passed_over(&self, query: u64) -> BTreeSet<Box<str>> {
        let passed_over = |key: &str, tried: &Tried| {
            let least = if key.ends_with('?') { 1 } else { TRIALS };
            tried.rejected >= least && query <= tried.resumes
        };
        self.sites.iter().filter(|(key, tried)| passed_over(key, tried)).map(|(key, _)| key.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PAGE: &str = "http://s.test/thread/17";

    fn is_passed_over(sites: &ResultSites, query: u64) -> bool {
        sites.passed_over(query).contains(kind_of(PAGE).as_str())
    }

    #[test]
    fn a_kind_is_a_site_with_a_form_of_addresses() {
        for (url, kind) in [
            ("http://a.test/2021/03/05/", "http://a.test/#/#/#?"),
            ("http://a.test/2021/03/05/on-lenses/", "http://a.test/#/#/#/**?"),
            ("http://a.test/thread/17", "http://a.test/thread/#?"),
            ("http://a.test/user/ann", "http://a.test/user/*?"),
            ("http://a.test/index.php?title=X&action=edit", "http://a.test/index.php&title&action?"),
            ("http://a.test/", "http://a.test?"),
        ] {
            assert_eq!(kind_of(url), kind);
        }
    }

    #[test]
    fn lists_that_match_every_query_do_not_hide_other_pages_until_a_site_was_tried_often() {
        let mut sites = ResultSites::default();
        let is_tried = |sites: &ResultSites, url: &str, query| {
            let over = sites.passed_over(query);
            !over.contains(kind_of(url).as_str()) && !over.contains(origin_of(url))
        };
        for day in 1..TRIALS {
            sites.record(&format!("http://s.test/2021/03/{day:02}/"), false, day);
        }
        assert!(!is_tried(&sites, "http://s.test/2021/04/01/", TRIALS));
        assert!(is_tried(&sites, "http://s.test/2021/04/01/on-lenses/", TRIALS));
        sites.record("http://s.test/about", false, TRIALS);
        assert!(!is_tried(&sites, "http://s.test/2021/04/01/on-lenses/", TRIALS + 1), "the site is one kind");
        sites.record("http://s.test/2021/04/01/on-lenses/", true, TRIALS + 2);
        assert!(is_tried(&sites, "http://s.test/contact", TRIALS + 3));
    }

    #[test]
    fn a_kind_is_passed_over_by_as_many_queries_as_it_had_rejected_results_in_succession() {
        let mut sites = ResultSites::default();
        assert!(!is_passed_over(&sites, 1));
        sites.record(PAGE, false, 1);
        assert_eq!([2, 3].map(|query| is_passed_over(&sites, query)), [true, false]);
        sites.record(PAGE, false, 3);
        assert_eq!([4, 5, 6].map(|query| is_passed_over(&sites, query)), [true, true, false]);
        sites.record(PAGE, true, 6);
        assert!(!is_passed_over(&sites, 7));
        sites.record(PAGE, false, 7);
        assert_eq!([8, 9].map(|query| is_passed_over(&sites, query)), [true, false]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// With one result of each query that looks at it.
        #[test]
        fn a_kind_without_wanted_pages_is_looked_at_by_few_queries_and_never_given_up(queries in 1..2_000_u64) {
            let mut sites = ResultSites::default();
            let mut looks = 0_u64;
            for query in 1..=queries {
                if !is_passed_over(&sites, query) {
                    looks += 1;
                    sites.record(PAGE, false, query);
                }
            }
            // Look n comes with query n(n + 1) / 2.
            prop_assert!(looks * (looks + 1) / 2 <= queries && (looks + 1) * (looks + 2) / 2 > queries, "{} looks", looks);
        }

        #[test]
        fn kinds_are_passed_over_as_if_the_whole_history_were_counted(
            history in prop::collection::vec((1..4_u64, any::<bool>()), 0..30), ahead in 1..40_u64,
        ) {
            let (mut sites, mut query, mut queries) = (ResultSites::default(), 0, Vec::new());
            for (step, accepted) in &history {
                query += step;
                queries.push((query, *accepted));
                sites.record(PAGE, *accepted, query);
            }
            let rejected = queries.iter().rev().take_while(|(_, accepted)| !accepted).count() as u64;
            prop_assert_eq!(is_passed_over(&sites, query + ahead), rejected > 0 && ahead <= rejected);
        }
    }
}
