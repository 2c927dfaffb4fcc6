//! A policy of one's own.

use std::sync::Arc;

use super::Page;
use super::guarded::Guarded;
use harvestman_core::model::{Admission, ClassOrder, LinkClass, PatternId, PolicyRefusal, UrlPattern};
use harvestman_pipeline::MakePolicy;
use harvestman_policy::{Link as JudgedLink, Observation, Policy as InnerPolicy, PolicySnapshot};

/// A link that was found on a page and leads to a URL that is new to the crawl.
#[derive(Debug, Clone, Copy)]
pub struct Link<'a> {
    url: &'a str,
    found_on: &'a str,
}

impl<'a> Link<'a> {
    pub(crate) const fn new(url: &'a str, found_on: &'a str) -> Self {
        Self { url, found_on }
    }

    /// The URL that it leads to, canonical.
    pub const fn url(&self) -> &'a str {
        self.url
    }

    /// The URL of the page with the link, of the answer that redirects, or of the sitemap.
    pub const fn found_on(&self) -> &'a str {
        self.found_on
    }
}

/// Decides which links a crawl follows, and in which order. It takes the place of the setting `crawl.policy`.
///
/// Several threads ask it at the same time. A policy that learns keeps what it knows behind a lock or in atomics. If a
/// method panics, the crawl ends with [`Error::Extension`](crate::Error::Extension) and loses nothing: the pages whose
/// links were being judged are fetched again when the crawl is resumed.
pub trait Policy: Send + Sync + 'static {
    /// Returns the score of a new link; `None` if it is not to be followed. Asked once for each new URL, seeds
    /// excepted.
    ///
    /// Of the URLs that a host may be asked for, the one with the highest score is fetched first. Scores that differ by
    /// less than a hundredth count as equal; URLs of equal score are fetched in the order in which they were found.
    /// Scores are limited to -900 to 1e9, and NaN is the lowest. Seeds have the score 0.
    fn score(&self, link: &Link<'_>) -> Option<f64>;

    /// Learns from a page that has been processed, before its outcome is written. The default learns nothing.
    fn observe(&self, page: &Page) {
        let _ = page;
    }
}

/// A policy as the pipeline needs it: the score of a link is the class that it waits under.
#[derive(Clone)]
pub(crate) struct OwnPolicy {
    policy: Arc<dyn Policy>,
    guarded: Guarded,
}

impl OwnPolicy {
    pub(crate) fn new(policy: Arc<dyn Policy>, guarded: Guarded) -> Self {
        Self { policy, guarded }
    }

    /// Returns what creates it for a crawl.
    pub(crate) fn maker(self) -> MakePolicy {
        Arc::new(move |_| -> Box<dyn InnerPolicy> { Box::new(self.clone()) })
    }
}

const SCORE_MIN: f64 = -900.0;
const SCORE_MAX: f64 = 1e9;
/// A bit of all patterns that stand for scores: without it, a class stands for all links at its place.
const IS_SCORE: u64 = 1 << 32;

/// Returns the pattern that stands for a score: the upper 16 bits of a single-precision number, which keep its order.
#[expect(clippy::cast_possible_truncation, reason = "the score is limited")]
fn pattern_of(score: f64) -> UrlPattern {
    let score = if score.is_nan() { f32::NAN } else { score.clamp(SCORE_MIN, SCORE_MAX) as f32 };
    let pattern = PatternId(IS_SCORE | u64::from(score.to_bits() >> 16));
    UrlPattern { coarse: pattern, fine: pattern }
}

#[expect(clippy::cast_possible_truncation, reason = "the lower 16 bits")]
fn score_of(pattern: UrlPattern) -> f64 {
    let PatternId(bits) = pattern.fine;
    if bits & IS_SCORE == 0 { 0.0 } else { f64::from(f32::from_bits(u32::from(bits as u16) << 16)) }
}

impl ClassOrder for OwnPolicy {
    fn score(&self, class: LinkClass) -> f64 {
        score_of(class.pattern)
    }
}

impl PolicySnapshot for OwnPolicy {
    fn version(&self) -> u64 {
        0
    }

    fn has_patterns(&self) -> bool {
        false
    }

    fn admit(&self, link: &JudgedLink<'_>) -> Admission {
        let JudgedLink::New { class, url, via, .. } = *link else { return link.class().into() };
        match self.guarded.call(|| self.policy.score(&Link::new(url, via))).flatten() {
            Some(score) => class.with_pattern(pattern_of(score)).into(),
            None => Admission::Reject(PolicyRefusal::Extension),
        }
    }
}

impl InnerPolicy for OwnPolicy {
    fn observe(&mut self, _: Observation) {}

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        Arc::new(self.clone())
    }

    fn learns(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_order_of_scores_is_kept_to_a_hundredth(one in -800.0..1e8, other in -800.0..1e8) {
            let kept = score_of(pattern_of(one));
            prop_assert!((kept - one).abs() <= one.abs() / 100.0);
            prop_assert!(one > other || kept <= score_of(pattern_of(other)));
        }

        #[test]
        fn every_number_is_a_score_within_the_limits_or_nan(score in proptest::num::f64::ANY) {
            let kept = score_of(pattern_of(score));
            prop_assert!(kept.is_nan() == score.is_nan() && (kept.is_nan() || (SCORE_MIN..=SCORE_MAX).contains(&kept)));
        }
    }

    #[test]
    fn a_seed_has_the_score_0() {
        assert_eq!((score_of(UrlPattern::NONE), score_of(pattern_of(0.0))), (0.0, 0.0));
    }
}
