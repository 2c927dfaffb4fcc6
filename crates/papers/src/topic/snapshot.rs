//! The snapshots of the policy.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::{PageRole, UrlKey};
use crate::baselines::BUCKETS;
use harvestman_core::model::{Apath, ClassOrder, LinkClass, PatternId, UrlPattern};
use harvestman_core::url::Fingerprint;
use harvestman_policy::PolicySnapshot;
use harvestman_structure::site::UrlPatterns;

/// The bucket of each URL that is ranked by itself.
pub(super) type Buckets = HashMap<UrlKey, u8, FixedState>;
/// The role of the pages of each pattern.
pub(super) type PatternRoles = HashMap<PatternId, PageRole, FixedState>;

/// The order of waiting URLs when they were last assigned to classes.
#[derive(Debug)]
pub(super) struct TopicSnapshot {
    pub version: u64,
    pub generation: u64,
    pub patterns_version: u64,
    pub patterns: Arc<UrlPatterns>,
    pub buckets: Arc<Buckets>,
    /// The roles of patterns, and the level of a link of which only the role is known, by role.
    pub by_pattern: Arc<PatternRoles>,
    pub levels: [f64; PageRole::COUNT],
    /// The mean initial level of new URLs by place, and of all.
    pub by_place: HashMap<Apath, f64, FixedState>,
    pub overall: f64,
}

impl ClassOrder for TopicSnapshot {
    /// The level of a class: of a bucket its own; of other URLs that of the role that their pattern has, or else the
    /// mean of their place.
    fn score(&self, class: LinkClass) -> f64 {
        let PatternId(fine) = class.pattern.fine;
        if matches!(class.apath, Apath::SEED | Apath::REDIRECT) {
            f64::from(BUCKETS)
        } else if (1..=u64::from(BUCKETS)).contains(&fine) {
            #[expect(clippy::cast_precision_loss, reason = "at most BUCKETS")]
            let bucket = fine as f64 - 0.5;
            bucket
        } else {
            let role = |id| self.by_pattern.get(&id);
            let role = role(class.pattern.fine).or_else(|| role(class.pattern.coarse));
            let by_role = role.map(|role| self.levels[*role as usize]);
            by_role.unwrap_or_else(|| self.by_place.get(&class.apath).copied().unwrap_or(self.overall))
        }
    }
}

impl PolicySnapshot for TopicSnapshot {
    fn version(&self) -> u64 {
        self.version
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn patterns_version(&self) -> u64 {
        self.patterns_version
    }

    fn pattern(&self, url: &str) -> UrlPattern {
        self.patterns.of(url)
    }

    fn class_of(&self, class: LinkClass, url: &str, _: Option<&str>) -> LinkClass {
        let Some(bucket) = self.buckets.get(&UrlKey::from(Fingerprint::of(url))) else {
            return class.with_pattern(self.patterns.of(url));
        };
        // 0 is the pattern of URLs that were not looked at.
        let pattern = PatternId(1 + u64::from(*bucket));
        class.with_pattern(UrlPattern { coarse: pattern, fine: pattern })
    }
}
