//! The options of the crawl.

use crate::site::{DiscoveryOptions, ProfileLimits, RankWeights};
use harvestman_core::url::CanonicalUrl;

/// The options of a crawl for a topic.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicOptions {
    /// How waiting URLs are ordered.
    pub form: TopicForm,
    /// The pages of the tags that the topic begins with.
    pub topic: Vec<CanonicalUrl>,
    /// How the topic grows.
    pub discovery: DiscoveryOptions,
    /// Number of pictures with a tag of the initial topic after which stage one ends; 3,601 and 3,567 in the paper.
    pub pictures: usize,
    /// Number of fetched pages after which stage one ends in any case.
    pub stage_one_max: usize,
    /// RANK_TH: the rank that a detail link's uploader must exceed; 0.01 in the paper.
    pub rank_threshold: f64,
    /// The weights of eq. 5.
    pub weights: RankWeights,
    /// Whether followed detail links are ordered by rank; as printed by discovery.
    pub by_rank: bool,
    /// Whether the tags of a picture are also terms of its uploader; as printed only what profile pages show.
    pub terms_from_details: bool,
    /// How roles of links are found.
    pub link_roles: LinkRoleRule,
    /// The bounds of memory and work.
    pub limits: TopicLimits,
}

/// How waiting URLs are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TopicForm {
    /// By Algorithms 3 and 4.
    #[default]
    Stages,
    /// By OPIC, with the scores of list pages on topic, detail pages and profiles reset (section 8.3).
    Cash,
}

/// How the role of a link is found whose target was not fetched yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinkRoleRule {
    /// As printed (section 7.1): on a list page, a link with an image is a detail link, and a link without one near it
    /// is a profile link. Where this says nothing, by pattern.
    Children,
    /// By the roles of fetched pages whose URLs have the same pattern: not all sites have pictures. Where this says
    /// nothing, as printed.
    #[default]
    Pattern,
}

/// The bounds of a crawl for a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicLimits {
    /// Maximum number of waiting URLs that are ranked one by one, about 150 bytes each. Further ones wait in the
    /// classes of their patterns and places.
    pub urls_max: usize,
    /// Maximum number of fetched pages whose roles are remembered, about 30 bytes each.
    pub pages_max: usize,
    /// Maximum number of pictures that are remembered in stage one.
    pub pictures_max: usize,
    /// The bounds of user profiles.
    pub profiles: ProfileLimits,
    /// Number of waiting URLs that are ranked again per fetch, on average. Raising it costs time.
    pub sorted_per_fetch: usize,
}

impl Default for TopicLimits {
    fn default() -> Self {
        Self {
            urls_max: 1 << 20,
            pages_max: 1 << 20,
            pictures_max: 1 << 16,
            profiles: ProfileLimits::default(),
            sorted_per_fetch: 16,
        }
    }
}

impl TopicOptions {
    /// The printed form.
    pub fn paper(topic: Vec<CanonicalUrl>) -> Self {
        Self {
            discovery: DiscoveryOptions::paper(),
            by_rank: false,
            terms_from_details: false,
            link_roles: LinkRoleRule::Children,
            ..Self::new(topic)
        }
    }

    /// The form that does not depend on pictures and uses all tags of a user.
    pub fn new(topic: Vec<CanonicalUrl>) -> Self {
        Self {
            form: TopicForm::default(),
            topic,
            discovery: DiscoveryOptions::default(),
            pictures: 3_600,
            stage_one_max: 10_000,
            rank_threshold: 0.01,
            weights: RankWeights::default(),
            by_rank: true,
            terms_from_details: true,
            link_roles: LinkRoleRule::default(),
            limits: TopicLimits::default(),
        }
    }
}
