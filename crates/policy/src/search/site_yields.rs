//! Which of the found sites are worth further requests.
//!
//! Each site is an arm of a bandit whose reward is an accepted page. Sites are left by action elimination (Even-Dar,
//! Mannor and Mansour, JMLR 7, 2006): after a round of requests a site is left if even the upper bound of its yield is
//! below a share of the lower bound of the best site's. What it would have cost goes to the others.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use harvestman_core::model::{FoundSite, SITES_SHOWN, SearchRecord};

/// The number of standard deviations of the bounds.
const Z: f64 = 2.0;
/// Maximum number of sites with counts.
const SITES_MAX: usize = 1 << 12;

/// When a site is left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SiteLimits {
    /// Number of requests after which a site is compared with the best one, and again after as many.
    pub requests: u32,
    /// The site is left if its yield is below this share of the best site's.
    pub share: f64,
}

/// The requests and the accepted pages of a site, in its current round and in the one before.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    now: (u32, u32),
    before: (u32, u32),
    total: (u64, u64),
    is_left: bool,
}

impl Counts {
    /// Bounds of the yield over both rounds (Wilson 1927).
    fn bounds(&self) -> (f64, f64) {
        let n = f64::from(self.now.0 + self.before.0);
        if n == 0.0 {
            return (0.0, 1.0);
        }
        let p = f64::from(self.now.1 + self.before.1) / n;
        let centre = p + Z * Z / (2.0 * n);
        let spread = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        ((centre - spread) / scale, (centre + spread) / scale)
    }
}

/// The yields of sites, by their authorities.
#[derive(Debug, Clone)]
pub struct SiteYields {
    limits: SiteLimits,
    sites: BTreeMap<Box<str>, Counts>,
}

impl SiteYields {
    /// Creates the yields of no site.
    pub const fn new(limits: SiteLimits) -> Self {
        Self { limits, sites: BTreeMap::new() }
    }

    /// Adds a site. Returns whether it is new.
    pub fn add(&mut self, site: &str) -> bool {
        let is_new = self.sites.len() < SITES_MAX && !self.sites.contains_key(site);
        if is_new {
            self.sites.insert(site.into(), Counts::default());
        }
        is_new
    }

    /// Counts a request to a site. Returns whether the site is left with it. Requests to unknown sites do not count.
    pub fn count(&mut self, site: &str, accepted: bool) -> bool {
        let Some(counts) = self.sites.get_mut(site) else { return false };
        counts.now.0 += 1;
        counts.now.1 += u32::from(accepted);
        counts.total.0 += 1;
        counts.total.1 += u64::from(accepted);
        if counts.now.0 < self.limits.requests.max(1) || counts.is_left {
            return false;
        }
        let upper = counts.bounds().1;
        let best = self.sites.iter().filter(|(name, counts)| &***name != site && !counts.is_left);
        let best = best.map(|(_, counts)| counts.bounds().0).fold(0.0, f64::max);
        let Some(counts) = self.sites.get_mut(site) else { return false };
        counts.is_left = upper < self.limits.share * best;
        counts.before = std::mem::take(&mut counts.now);
        counts.is_left
    }

    /// Returns the sites that are left.
    pub fn left(&self) -> impl Iterator<Item = &str> {
        self.sites.iter().filter(|(_, counts)| counts.is_left).map(|(site, _)| &**site)
    }

    /// Returns what is known of the sites with the most accepted pages.
    pub fn record(&self, queries: u64) -> SearchRecord {
        let site = |site: &str, counts: &Counts| FoundSite {
            site: site.to_owned(),
            requests: counts.total.0,
            wanted: counts.total.1,
            left: counts.is_left,
        };
        let mut sites: Vec<FoundSite> = self.sites.iter().map(|(name, counts)| site(name, counts)).collect();
        sites.sort_by_key(|site| Reverse(site.wanted));
        sites.truncate(SITES_SHOWN);
        SearchRecord { queries, found: self.sites.len() as u64, sites, ..SearchRecord::default() }
    }

    /// Returns all sites.
    pub fn sites(&self) -> impl Iterator<Item = &str> {
        self.sites.keys().map(|site| &**site)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn yields(requests: u32, share: f64, sites: &[&str]) -> SiteYields {
        let mut yields = SiteYields::new(SiteLimits { requests, share });
        sites.iter().for_each(|site| assert!(yields.add(site)));
        yields
    }

    #[test]
    fn a_site_that_brings_far_less_than_the_best_is_left_and_no_other() {
        let mut yields = yields(100, 0.1, &["good", "fair", "poor"]);
        for n in 0..400_u32 {
            assert!(!yields.count("good", n % 10 != 0) && !yields.count("fair", n % 4 == 0));
            assert_eq!(yields.count("poor", n == 0), n == 99, "after {n}");
        }
        assert_eq!(yields.left().collect::<Vec<_>>(), ["poor"]);
        let shown = yields.record(7).sites.into_iter().map(|site| (site.site, site.requests, site.wanted, site.left));
        let expected = [("good", 400, 360, false), ("fair", 400, 100, false), ("poor", 400, 1, true)];
        assert_eq!(
            shown.collect::<Vec<_>>(),
            expected.map(|(site, n, wanted, left)| (site.to_owned(), n, wanted, left))
        );
        assert!(!yields.count("unknown", false) && !yields.add("good"));
    }

    #[test]
    fn the_bounds_are_those_of_wilson() {
        // p = 0.5, n = 100, z = 2: (0.5 + 0.02 -+ 2 sqrt(0.0025 + 0.0001)) / 1.04.
        let (lower, upper) = Counts { now: (100, 50), ..Counts::default() }.bounds();
        assert!((lower - (0.52 - 2.0 * 0.0026_f64.sqrt()) / 1.04).abs() < 1e-12, "{lower}");
        assert!((upper - (0.52 + 2.0 * 0.0026_f64.sqrt()) / 1.04).abs() < 1e-12, "{upper}");
    }

    #[test]
    fn a_single_site_and_sites_without_yield_are_never_left() {
        let mut one = yields(10, 0.5, &["a"]);
        assert!((0..100).all(|_| !one.count("a", false)));
        let mut two = yields(10, 0.5, &["a", "b"]);
        assert!((0..100).all(|_| !two.count("a", false) && !two.count("b", false)));
    }

    #[test]
    fn sites_beyond_the_bound_are_not_counted() {
        let mut yields = yields(1, 0.5, &[]);
        let added = (0..SITES_MAX + 10).filter(|site| yields.add(&format!("h{site}.test"))).count();
        assert_eq!((added, yields.sites().count()), (SITES_MAX, SITES_MAX));
        assert!(!yields.count(&format!("h{SITES_MAX}.test"), true));
        assert!(!yields.sites().any(|site| site == format!("h{SITES_MAX}.test")));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn bounds_hold_the_mean_and_one_site_always_stays(
            records in prop::collection::vec((0..4_usize, any::<bool>()), 0..600), requests in 1..50_u32, share in 0.0..1.0_f64,
        ) {
            let names = ["a", "b", "c", "d"];
            let mut yields = yields(requests, share, &names);
            for (site, accepted) in records {
                yields.count(names[site], accepted);
                for counts in yields.sites.values() {
                    let n = counts.now.0 + counts.before.0;
                    let mean = f64::from(counts.now.1 + counts.before.1) / f64::from(n.max(1));
                    let (lower, upper) = counts.bounds();
                    prop_assert!(n == 0 || (lower - 1e-9..=upper + 1e-9).contains(&mean));
                }
                prop_assert!(yields.left().count() < names.len());
            }
        }
    }
}
