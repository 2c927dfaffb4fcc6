//! The snapshots of the learned policies: scores of link classes, clusters of pages, patterns of URLs.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::FixedState;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::evidence::{Evidence, Level, Smoothing};
use super::link_evidence::Predictor;
use super::templates::Templates;
use super::tuning::Tuning;
use super::worth::RecentYield;
use super::yields::Yields;
use crate::{Link, PolicySnapshot, StoredSnapshot};
use harvestman_core::model::{
    Admission, Apath, ClassOrder, ClassTokens, ClusterId, LeafPath, LinkClass, PatternId, PolicyRefusal, Prospect,
    UrlPattern,
};
use harvestman_core::url::Fingerprint;
use harvestman_structure::site::UrlPatterns;

/// The number of fetches of a pattern before its links may be rejected.
const REFUSED_FROM: f64 = 6.0;
/// The number of fetches of its finer pattern, unless at most this share of all such pages is wanted.
const REFUSED_FROM_FINE: f64 = 3.0;
const HARDLY_WANTED: f64 = 0.05;

/// The state of a learned policy at one moment.
pub struct LearnedSnapshot {
    pub(super) version: u64,
    pub(super) generation: u64,
    pub(super) patterns_version: u64,
    pub(super) seed: u64,
    pub(super) templates: Option<Arc<Templates>>,
    pub(super) patterns: Arc<UrlPatterns>,
    /// Clusters of the pages that were learned from.
    pub(super) clusters: Arc<HashMap<Fingerprint, ClusterId, FixedState>>,
    pub(super) evidence: Evidence,
    pub(super) yields: Yields,
    pub(super) recent_yield: RecentYield,
    /// Whether the text of all pages is read, or only that of pages of classes that are not known well, or of patterns
    /// whose pages others repeat.
    pub(super) reads_all: bool,
    /// These patterns.
    pub(super) repeated: Arc<HashSet<PatternId, FixedState>>,
    pub(super) tuning: Tuning,
    /// What stands around links, where that counts.
    pub(super) links: Option<Arc<Predictor>>,
    /// Whether pages like examples are wanted. Those are among the seeds, which then precede everything else.
    pub(super) by_example: bool,
    /// Set where no wanted page was found yet and all examples are gone: URLs of their patterns come first, and all
    /// others in the order of discovery, since all that was learned is that nothing is worth anything.
    pub(super) lost: Option<Vec<PatternId>>,
}

/// The terms of a score.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Terms {
    /// The expected worth of the fetch itself.
    pub worth: f64,
    /// The expected number of good new links.
    pub links: f64,
    /// Their worth together.
    pub links_worth: f64,
    /// The worth per request if the good links are followed.
    pub rate: f64,
    /// The bonus for uncertainty.
    pub curiosity: f64,
    /// The score.
    pub score: f64,
}

/// Whether links of a class are rejected: enough of its pages are known, and neither they nor what they open are likely
/// enough to be wanted, even if the estimate is one standard error too low. A class that was seen to lead to
/// new wanted pages therefore stays open.
pub(super) fn is_refused(class: LinkClass, tuning: &Tuning, evidence: &Evidence, yields: &Yields) -> bool {
    let Some(least) = tuning.followed_from else { return false };
    if matches!(class.apath, Apath::SEED | Apath::REDIRECT) || class.pattern == UrlPattern::NONE {
        return false;
    }
    let estimate = evidence.estimate(class, &tuning.smoothing);
    let fetches = |level| evidence.at(level).n;
    // Pages that differ in a value, such as tabs, are told apart by the finer pattern alone.
    let is_told = fetches(Level::Fine(class.stored_pattern().fine)) >= REFUSED_FROM_FINE;
    if fetches(Level::Pattern(class.pattern.coarse)) < REFUSED_FROM || !is_told && estimate.wanted > HARDLY_WANTED {
        return false;
    }
    let brought = yields.expected(class);
    let behind = (estimate.wanted + brought.wanted) / (1.0 + brought.links);
    estimate.wanted.max(behind) + estimate.uncertainty < least
}

impl LearnedSnapshot {
    fn is_refused(&self, class: LinkClass) -> bool {
        is_refused(class, &self.tuning, &self.evidence, &self.yields)
    }

    fn smoothing(&self) -> Smoothing {
        self.tuning.smoothing
    }

    /// The score of a class with its terms.
    ///
    /// A fetch is worth what it returns by itself, or, as a hub, the worth per request of fetching it and then its
    /// expected good links: the index of a branching bandit (Weiss 1988), where following an arm creates new arms.
    pub fn terms(&self, class: LinkClass) -> Terms {
        let mut estimate = self.evidence.estimate(class, &self.smoothing());
        let brought = self.yields.expected(class);
        if self.is_for_topic() && class.topic_mark().on_named {
            estimate.mean = self.worth_on_tag(class, estimate.mean);
        }
        let rate = (estimate.mean + brought.worth) / (1.0 + brought.links);
        let rate = if self.is_for_topic() && class.topic_mark().named { self.rate_of_tag(class, rate) } else { rate };
        let curiosity = if estimate.weight < self.tuning.known_weight {
            let jitter = 1.0 + self.tuning.jitter * (self.unit(class) - 0.5);
            jitter * self.tuning.curiosity * estimate.uncertainty
        } else {
            0.0
        };
        let plain = 1.0 - self.tuning.parameter_cost * class.pattern.coarse.parameters() as f64;
        let first = f64::from(u8::from(self.by_example && class.apath == Apath::SEED));
        let score = first + (estimate.mean.max(self.tuning.hub_discount * rate) + curiosity) * plain;
        Terms { worth: estimate.mean, links: brought.links, links_worth: brought.worth, rate, curiosity, score }
    }

    fn is_for_topic(&self) -> bool {
        self.links.as_ref().is_some_and(|links| links.is_for_topic())
    }

    /// The worth of a link on a page of the topic's tag: most such links are expected to lead to its items until they
    /// were seen not to.
    fn worth_on_tag(&self, class: LinkClass, worth: f64) -> f64 {
        /// The expected worth, and the number of fetches that it counts as.
        const WORTH: f64 = 0.7;
        const WEIGHT: f64 = 2.0;
        let seen = self.evidence.at(Level::Fine(class.stored_pattern().fine)).n;
        (seen * worth + WEIGHT * WORTH) / (seen + WEIGHT)
    }

    /// The rate of a page of the topic's tag: such pages are expected to list items of the topic until they were seen
    /// not to.
    fn rate_of_tag(&self, class: LinkClass, rate: f64) -> f64 {
        /// The number of fetches that the expectation counts as.
        const WEIGHT: f64 = 3.0;
        let seen = self.evidence.at(Level::Fine(class.stored_pattern().fine)).n;
        (seen * rate + WEIGHT) / (seen + WEIGHT)
    }

    /// The class of a URL in this generation, without a prediction.
    fn plain_class(&self, class: LinkClass, url: &str, via: Option<&str>) -> LinkClass {
        let cluster = via.and_then(|via| self.clusters.get(&Fingerprint::of(via)).copied());
        LinkClass::at(cluster.unwrap_or(class.cluster), class.apath).with_pattern(self.patterns.of(url))
    }

    /// A number between 0 and 1 that the seed assigns to this class.
    fn unit(&self, class: LinkClass) -> f64 {
        let key = class.apath.0 ^ class.stored_pattern().fine.0 ^ u64::from(class.cluster.0);
        xxh3_64_with_seed(&key.to_le_bytes(), self.seed) as f64 / u64::MAX as f64
    }
}

impl ClassOrder for LearnedSnapshot {
    fn score(&self, class: LinkClass) -> f64 {
        match &self.lost {
            Some(wanted) => f64::from(u8::from(wanted.contains(&class.pattern.coarse))),
            None => self.terms(class).score,
        }
    }

    /// Only what was never tried is worth a request for its own sake: it may be a hub that nothing else leads to, which
    /// similar links do not show. A search for pages like an example depends on hubs; content that users wrote is found
    /// in many ways, and such requests cost more than they returned on five of six recorded sites.
    fn curiosity(&self, class: LinkClass) -> f64 {
        if !self.by_example {
            return 0.0;
        }
        let untried = self.evidence.at(Level::Pattern(class.pattern.coarse)).n == 0.0;
        f64::from(u8::from(untried)) / (1 + class.pattern.coarse.parameters()) as f64
    }

    fn recent_yield(&self) -> Option<f64> {
        Some(self.recent_yield.share())
    }

    fn prospect(&self, class: LinkClass) -> Option<Prospect> {
        let brought = self.yields.expected(class);
        let each = |sum: f64| if brought.links > 0.0 { sum / brought.links } else { 0.0 };
        Some(Prospect {
            wanted: self.evidence.estimate(class, &self.smoothing()).wanted,
            links: brought.links,
            links_score: each(brought.worth),
            links_wanted: each(brought.wanted),
        })
    }
}

impl PolicySnapshot for LearnedSnapshot {
    fn version(&self) -> u64 {
        self.version
    }

    fn cluster(&self, bag: &[LeafPath]) -> ClusterId {
        self.templates.as_ref().map_or(ClusterId::UNKNOWN, |templates| templates.classify(bag))
    }

    fn class_tokens(&self, _: &str) -> Option<Arc<ClassTokens>> {
        self.templates.as_ref().map(|templates| Arc::clone(templates.tokens()))
    }

    fn pattern(&self, url: &str) -> UrlPattern {
        self.patterns.of(url)
    }

    fn rejects_by_pattern(&self) -> bool {
        self.tuning.followed_from.is_some()
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn patterns_version(&self) -> u64 {
        self.patterns_version
    }

    fn explain(&self, class: LinkClass) -> Option<serde_json::Value> {
        serde_json::to_value(self.terms(class)).ok()
    }

    fn describe(&self) -> Option<serde_json::Value> {
        Some(self.templates.as_ref()?.describe())
    }

    fn reads_text(&self, class: LinkClass) -> bool {
        self.reads_all
            || self.repeated.contains(&class.pattern.coarse)
            || !self.evidence.is_known(class, self.tuning.known_weight)
    }

    fn stored(&self) -> Option<StoredSnapshot> {
        Some(self.to_stored())
    }

    fn spell(&self, url: &str) -> Option<String> {
        Some(self.patterns.spell(url))
    }

    fn class_of(&self, class: LinkClass, url: &str, via: Option<&str>) -> LinkClass {
        let plain = self.plain_class(class, url, via);
        self.links.as_ref().map_or(plain, |links| links.class_of(plain, class, Fingerprint::of(url)))
    }

    fn class_of_new(&self, class: LinkClass, url: &str, via: &str, context: &[u32]) -> LinkClass {
        let plain = self.plain_class(class, url, Some(via));
        self.links.as_ref().map_or(plain, |links| plain.with_prediction(links.predict_link(context, url, via)))
    }

    fn admit(&self, link: &Link<'_>) -> Admission {
        let class = link.class();
        if !matches!(link, Link::Place(..)) && self.is_refused(class) {
            return link.unless(Some(PolicyRefusal::LinkClass));
        }
        match (link, &self.links) {
            (Link::New { context, url, via, .. }, Some(links)) => {
                class.with_prediction(links.predict_link(context, url, via)).into()
            }
            _ => class.into(),
        }
    }
}

#[cfg(test)]
#[path = "snapshot_tests.rs"]
mod tests;
