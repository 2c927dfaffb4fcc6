//! How a policy judged one page and the link to it, for display.

use serde::Serialize;

/// How a fetched page was judged, and what was expected of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// Whether it counted as a wanted page that repeats no other when it came.
    pub wanted: bool,
    /// What the crawl's validator said; `None` where it could not tell, or the policy judges by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<bool>,
    /// What it has to do with the topic, if one is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<TopicJudgement>,
    /// What was expected when it was fetched.
    pub expected: Expectation,
}

/// What a page has to do with the topic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TopicJudgement {
    /// Whether it is an item of the topic.
    pub is_item: bool,
    /// How items of the site were recognised: `tags`, `words`, or `undecided` while no page of a tag names the topic.
    pub recognised_by: &'static str,
    /// The pages of the topic's tags that it links to, as far as they are known: `TAGS_MAX` at most.
    pub tags: Vec<String>,
}

/// Maximum number of pages of tags that are named.
pub const TAGS_MAX: usize = 5;

/// What is expected of a link.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Expectation {
    /// The logarithm of the odds that its page is wanted, by what stands around it; `None` where that does not count
    /// for the policy, or is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_odds: Option<f64>,
    /// The number of fetched links that this was learned from.
    pub lessons: u64,
    /// Whether its address names the topic.
    pub names_topic: bool,
    /// Whether it is on a page whose address names the topic.
    pub on_topic_page: bool,
    /// The fetches of links with its URL pattern and surroundings as good as these; older ones count less.
    pub fetches: f64,
    /// Those of them that brought a wanted page.
    pub wanted: f64,
}

/// A link that was accepted and not fetched.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WaitingLink {
    /// The page that it was found on.
    pub found_on: String,
    /// Its score by the last snapshot.
    pub score: f64,
    /// What is expected of it.
    pub expected: Expectation,
}
