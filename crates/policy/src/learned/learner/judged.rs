//! Follows how a learner judges one page and the link to it.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::LearnedPolicy;
use crate::learned::evidence::Level;
use crate::learned::goal::Goal;
use crate::learned::judgement::{Expectation, Judgement, TAGS_MAX, TopicJudgement, WaitingLink};
use crate::learned::topic_relevance::TopicStatus;
use crate::{Observation, Outcome, Policy};
use harvestman_core::model::LinkClass;
use harvestman_core::url::{CanonicalUrl, Fingerprint};

/// Maximum number of pages of tags whose addresses are remembered.
const TAG_PAGES_MAX: usize = 10_000;

/// Watches the page at one URL.
pub(super) struct JudgedPage {
    url: CanonicalUrl,
    /// The addresses of the pages of the topic's tags.
    tag_pages: HashMap<Fingerprint, Box<str>, FixedState>,
    /// Where the link to it was found first, and its class there.
    found: Option<(LinkClass, Box<str>)>,
    /// Whether it was fetched, whatever came of it.
    is_fetched: bool,
    judgement: Option<Judgement>,
}

impl JudgedPage {
    pub(super) fn new(url: CanonicalUrl) -> Self {
        Self { url, tag_pages: HashMap::default(), found: None, is_fetched: false, judgement: None }
    }

    /// To be called before the learner is shown this observation.
    pub(super) fn before(&mut self, learner: &LearnedPolicy, seen: &Observation) {
        if let Some(topic) = &learner.topic {
            let named = seen.new.iter().filter(|link| topic.terms().names(link.url.as_str()));
            let room = TAG_PAGES_MAX.saturating_sub(self.tag_pages.len());
            self.tag_pages.extend(named.take(room).map(|link| (link.url.fingerprint(), link.url.as_str().into())));
        }
        if self.found.is_none() {
            let link = seen.new.iter().find(|link| link.url == self.url);
            self.found = link.map(|link| (link.class, seen.url.as_str().into()));
        }
        if seen.url != self.url {
            return;
        }
        self.is_fetched = true;
        if let Outcome::Page(page) = &seen.outcome {
            let mut tags: Vec<String> = Vec::new();
            for tag in page.links.iter().filter_map(|link| self.tag_pages.get(&link.url)) {
                if tags.len() < TAGS_MAX && !tags.iter().any(|known| **known == **tag) {
                    tags.push(tag.to_string());
                }
            }
            let topic = learner.topic.is_some();
            self.judgement = Some(Judgement {
                wanted: false,
                accepted: page.accepted.filter(|_| matches!(learner.goal, Goal::Accepted { .. })),
                topic: topic.then_some(TopicJudgement { is_item: false, recognised_by: "undecided", tags }),
                expected: learner.expectation(seen.class, self.url.fingerprint()),
            });
        }
    }

    /// To be called after the learner was shown an observation, of the page or another one.
    pub(super) fn after(&mut self, learner: &LearnedPolicy, is_it: bool) {
        let Some(judgement) = self.judgement.as_mut().filter(|_| is_it) else { return };
        let Some(entry) = learner.log.iter().next_back() else { return };
        judgement.wanted = entry.worth.wanted;
        if let (Some(judged), Some(topic)) = (&mut judgement.topic, &learner.topic) {
            judged.is_item = entry.page.is_some_and(|page| page.accepted);
            judged.recognised_by = match topic.status() {
                TopicStatus::ByTags => "tags",
                TopicStatus::ByWords { .. } => "words",
                TopicStatus::Undecided { .. } | TopicStatus::NoTerms => "undecided",
            };
        }
    }

    /// Returns how the page was judged; `None` if none was fetched.
    pub(super) const fn judgement(&self) -> Option<&Judgement> {
        self.judgement.as_ref()
    }

    /// Returns what is expected of the link to it after the last observation, if it waits.
    pub(super) fn waiting(&self, learner: &mut LearnedPolicy) -> Option<WaitingLink> {
        let (class, via) = self.found.as_ref().filter(|_| !self.is_fetched)?;
        let snapshot = learner.snapshot();
        let class = snapshot.class_of(*class, self.url.as_str(), Some(&**via));
        let expected = learner.expectation(class, self.url.fingerprint());
        Some(WaitingLink { found_on: via.to_string(), score: snapshot.score(class), expected })
    }
}

impl LearnedPolicy {
    /// What is expected of the waiting link of this class.
    fn expectation(&self, class: LinkClass, url: Fingerprint) -> Expectation {
        let (log_odds, lessons) = self.links.as_ref().map_or((None, 0), |links| links.odds_of(url));
        let seen = self.evidence.at(Level::Fine(class.stored_pattern().fine));
        let mark = self.topic.as_ref().map(|_| class.topic_mark()).unwrap_or_default();
        Expectation {
            log_odds,
            lessons,
            names_topic: mark.named,
            on_topic_page: mark.on_named,
            fetches: seen.n,
            wanted: seen.wanted,
        }
    }
}
