//! Random order: any waiting URL may be next, all with about the same chance.
//!
//! A URL falls by its hash into one of [`BUCKETS`] classes, and each snapshot draws the classes' scores again. While
//! fewer URLs wait than there are buckets this is a uniform draw; when many more wait, those of one bucket are taken in
//! the order of their discovery. Scores must be drawn again: with constant scores the waiting URLs would be those with
//! low scores, and new URLs would come first.

use std::sync::Arc;

use super::versions::Versions;
use harvestman_core::model::{ClassOrder, LinkClass, PatternId, UrlPattern};
use harvestman_core::seed::Seed;
use harvestman_policy::{Observation, Policy, PolicySnapshot};

/// The number of classes that URLs are spread over.
const BUCKETS: u64 = 4096;

/// The policy of random order.
#[derive(Debug)]
pub struct Random {
    seed: Seed,
    versions: Versions,
}

impl Random {
    /// The policy that draws from `seed`.
    pub fn new(seed: Seed) -> Self {
        Self { seed: seed.child("policy-random"), versions: Versions::default() }
    }
}

impl Policy for Random {
    fn observe(&mut self, _: Observation) {
        self.versions.outdate();
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        let version = self.versions.next();
        Arc::new(Draw { seed: self.seed, version })
    }
}

/// The scores of one draw.
#[derive(Debug)]
struct Draw {
    seed: Seed,
    version: u64,
}

impl ClassOrder for Draw {
    fn score(&self, class: LinkClass) -> f64 {
        unit(self.seed.nth(self.version).nth(class.pattern.fine.0))
    }
}

impl PolicySnapshot for Draw {
    fn version(&self) -> u64 {
        self.version
    }

    fn pattern(&self, url: &str) -> UrlPattern {
        random_bucket(self.seed, url)
    }
}

/// The bucket of a URL, as a pattern.
pub(super) fn random_bucket(seed: Seed, url: &str) -> UrlPattern {
    // 0 is the pattern of URLs that were not looked at.
    let bucket = PatternId(1 + seed.child(url).0 % BUCKETS);
    UrlPattern { coarse: bucket, fine: bucket }
}

/// A number from 0 up to 1, made from a seed's upper 53 bits.
#[expect(clippy::cast_precision_loss, reason = "53 bits are what a double holds")]
pub(super) fn unit(seed: Seed) -> f64 {
    (seed.0 >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::observed::failed;
    use crate::property_tests::holds_for_any_policy;
    use harvestman_core::model::Apath;

    fn class(snapshot: &dyn PolicySnapshot, page: u32) -> LinkClass {
        LinkClass::unclassified(Apath(9)).with_pattern(snapshot.pattern(&format!("http://h.test/{page}")))
    }

    #[test]
    fn urls_are_spread_over_the_buckets_and_their_order_is_drawn_again_after_each_fetch() {
        let mut policy = Random::new(Seed(7));
        let first = policy.snapshot();
        let classes: BTreeSet<LinkClass> = (0..1000).map(|page| class(&*first, page)).collect();
        assert!(classes.len() > 800, "{} buckets for 1000 URLs", classes.len());
        policy.observe(failed("http://h.test/", LinkClass::unclassified(Apath::SEED)));
        let second = policy.snapshot();
        let best = |snapshot: &dyn PolicySnapshot| {
            classes.iter().copied().max_by(|a, b| snapshot.score(*a).total_cmp(&snapshot.score(*b)))
        };
        assert_eq!(class(&*first, 1), class(&*second, 1), "a URL stays where it waits");
        assert_ne!(best(&*first), best(&*second));
    }

    #[test]
    fn each_of_many_classes_is_best_about_as_often_as_another() {
        let classes: Vec<LinkClass> = (0..4).map(|page| class(&Draw { seed: Seed(3), version: 0 }, page)).collect();
        let mut wins = [0_u32; 4];
        for version in 0..4000 {
            let draw = Draw { seed: Seed(3), version };
            let best = (0..4).max_by(|a, b| draw.score(classes[*a]).total_cmp(&draw.score(classes[*b])));
            wins[best.unwrap()] += 1;
        }
        assert!(wins.iter().all(|wins| (850..1150).contains(wins)), "{wins:?}");
    }

    #[test]
    fn the_seed_alone_decides() {
        let draw = |seed| class(&*Random::new(Seed(seed)).snapshot(), 5);
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn it_is_a_policy() {
        holds_for_any_policy(|seed| Box::new(Random::new(seed)));
    }
}
