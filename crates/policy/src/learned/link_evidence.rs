//! What stands around links as evidence: a classifier that is trained by the fetched links predicts whether the page of
//! a link is wanted, and its prediction, in steps, becomes a part of the link's class. What the prediction is worth for
//! links of a pattern is then learned like everything else, by counting.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::topic_terms::TopicTerms;
use crate::link_memory::LinkMemory;
use crate::{NewLink, PlacedLink};
use harvestman_core::model::{LinkClass, PatternId, UrlPattern};
use harvestman_core::url::Fingerprint;
use harvestman_structure::link_context::{flag_token, sibling_token};
use harvestman_structure::naive_bayes::NaiveBayes;

/// The log odds at which one step of predictions ends and the next begins.
const STEPS: [f64; 5] = [-8.0, -3.0, 0.0, 3.0, 8.0];
/// The number of lessons before the first prediction.
const LESSONS_MIN: u64 = 40;
/// The growth factor of the number of lessons after which waiting links are predicted again.
const LESSONS_GROWTH: f64 = 1.5;
/// Maximum number of links whose predictions are known, and of waiting links with their tokens.
pub(super) const LINKS_MAX: usize = 1 << 20;
/// Number of links that are predicted again per page where pages of the topic's tags showed known links.
const LINKS_PER_PAGE: usize = 2_000;
/// Maximum number of tokens of waiting links, 4 bytes each.
const TOKENS_MAX: usize = 1 << 24;

/// A prediction: a step, 0 where there is none, and what addresses say of a topic.
pub type Step = u8;

/// The bits of the step.
const STEP_BITS: Step = 0b111;
/// Set for all links of a crawl for a topic.
const FOR_TOPIC: Step = 1 << 3;
/// The address of the link names the topic.
const NAMES: Step = 1 << 4;
/// The address of its page names the topic.
const ON_NAMED: Step = 1 << 5;
/// The bit of a class's finer pattern that tells that [`NAMES`] is set.
const NAMED_BIT: u64 = 1 << 62;
/// The same for [`ON_NAMED`].
const ON_NAMED_BIT: u64 = 1 << 61;

/// Whether the links of a class, of a crawl for a topic, lead to pages whose addresses name it.
pub const fn names_topic(class: LinkClass) -> bool {
    class.pattern.fine.0 & NAMED_BIT != 0
}

/// The predictions for links, by the [`key`] of each.
pub(super) type Predictions = HashMap<u64, Step, FixedState>;

/// What a link is known by: the upper half of its fingerprint. That two of a million links share it has a chance of
/// 3 · 10⁻⁸; then they share a prediction.
pub(super) const fn key(url: Fingerprint) -> u64 {
    (url.0 >> 64) as u64
}

/// Whether the links of a class, of a crawl for a topic, are on pages whose addresses name it.
pub const fn is_on_named(class: LinkClass) -> bool {
    class.pattern.fine.0 & ON_NAMED_BIT != 0
}

/// The classifier as published, with the predictions for the known links.
#[derive(Debug, Default, PartialEq)]
pub struct Predictor {
    pub(super) bayes: NaiveBayes,
    pub(super) predictions: Predictions,
    /// The topic, if pages about one are wanted.
    pub(super) topic: Option<Arc<TopicTerms>>,
}

impl Predictor {
    /// The prediction for a link to `url` on the page `via`, by what stands around it.
    pub fn predict_link(&self, context: &[u32], url: &str, via: &str) -> Step {
        match &self.topic {
            None => self.predict(context),
            Some(topic) => self.predict(&with_topic(topic, context, url, via)) | said(topic, url, via),
        }
    }

    /// Whether pages about a topic are wanted.
    pub const fn is_for_topic(&self) -> bool {
        self.topic.is_some()
    }

    /// The prediction for a link with this context.
    fn predict(&self, context: &[u32]) -> Step {
        if context.is_empty() || self.bayes.items() == 0 {
            return 0;
        }
        let odds = self.bayes.log_odds(context);
        1 + STEPS.iter().take_while(|step| odds >= **step).count() as Step
    }

    /// The class of a link to `url` that waits as `waited`: `class` with its prediction. Of a link that the learner has
    /// not seen yet, that is the one with which it waits, as long as its pattern is the same.
    pub fn class_of(&self, class: LinkClass, waited: LinkClass, url: Fingerprint) -> LinkClass {
        let known = self.predictions.get(&key(url)).copied();
        with_step(class, known.or_else(|| self.step_of(class, waited)).unwrap_or(self.unpredicted()))
    }

    /// The prediction that makes `waited` of `class`, if there is one.
    fn step_of(&self, class: LinkClass, waited: LinkClass) -> Option<Step> {
        let mut said = match &self.topic {
            None => [0].as_slice(),
            Some(_) => &[FOR_TOPIC, FOR_TOPIC | NAMES, FOR_TOPIC | ON_NAMED, FOR_TOPIC | NAMES | ON_NAMED],
        }
        .iter();
        let steps = STEPS.len() as Step + 1;
        said.find_map(|said| {
            (0..=steps).map(|step| said | step).find(|step| with_step(class, *step).pattern == waited.pattern)
        })
    }

    /// The step of a URL that no link was seen to: a seed, or an address that was derived.
    const fn unpredicted(&self) -> Step {
        if self.is_for_topic() { FOR_TOPIC } else { 0 }
    }
}

/// The context of a link, with what the addresses of the link and of its page say of the topic.
fn with_topic(topic: &TopicTerms, context: &[u32], url: &str, via: &str) -> Box<[u32]> {
    let says = [
        (topic.names(url), "names the topic"),
        (topic.mentions(url), "mentions the topic"),
        (topic.names(via), "on a page of the topic"),
    ];
    let flags = says.iter().filter(|(holds, _)| *holds).map(|(_, property)| flag_token(property));
    // A link on the page of a member is as one beside the member's name.
    let page = via.split_once("://").and_then(|(_, rest)| rest.find('/').map(|at| sibling_token(&rest[at..])));
    context.iter().copied().chain(flags).chain(page).collect()
}

/// What the addresses of a link and of its page say of the topic.
fn said(topic: &TopicTerms, url: &str, via: &str) -> Step {
    let flag = |holds, flag| if holds { flag } else { 0 };
    FOR_TOPIC | flag(topic.names(url), NAMES) | flag(topic.names(via), ON_NAMED)
}

/// The part of a class whose links have this prediction.
pub fn with_step(class: LinkClass, step: Step) -> LinkClass {
    if step == 0 {
        return class;
    }
    let UrlPattern { coarse, fine } = class.pattern;
    // The odd constant spreads the steps over the hash's upper bits; the number of parameters is in the lowest ones.
    let hash = fine.0 ^ u64::from(step).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    class.with_pattern(UrlPattern { coarse, fine: PatternId::new(named(hash, step), fine.parameters()) })
}

/// The hash of a class, with the bits that [`names_topic`] and [`is_on_named`] read. Crawls for other goals do not use
/// them.
const fn named(hash: u64, step: Step) -> u64 {
    if step & FOR_TOPIC == 0 {
        return hash;
    }
    let hash = hash & !(NAMED_BIT | ON_NAMED_BIT);
    let hash = if step & NAMES == 0 { hash } else { hash | NAMED_BIT };
    if step & ON_NAMED == 0 { hash } else { hash | ON_NAMED_BIT }
}

/// Learns from the contexts of fetched links.
#[derive(Debug)]
pub struct LinkEvidence {
    bayes: NaiveBayes,
    waiting: LinkMemory,
    /// Predictions for all links, the waiting ones and the fetched ones.
    predictions: Predictions,
    links_max: usize,
    published: Arc<Predictor>,
    /// The number of waiting links that pages of the topic's tags showed since the last publication, and of pages.
    marked: usize,
    pages: usize,
}

impl LinkEvidence {
    /// For links to pages that a validator accepts, or to those about a topic.
    pub fn new(topic: Option<TopicTerms>) -> Self {
        Self::within(topic, LINKS_MAX, TOKENS_MAX)
    }

    fn within(topic: Option<TopicTerms>, links_max: usize, tokens_max: usize) -> Self {
        let topic = topic.map(Arc::new);
        Self {
            bayes: NaiveBayes::default(),
            waiting: LinkMemory::new(links_max, tokens_max),
            predictions: Predictions::default(),
            links_max,
            published: Arc::new(Predictor { topic, ..Predictor::default() }),
            marked: 0,
            pages: 0,
        }
    }

    /// Takes in the new links of the page `via`, and removes their contexts. `inherited` is the context of a redirect,
    /// which is that of its target.
    pub fn add(&mut self, new: &mut [NewLink], via: &str, inherited: Option<&[u32]>) {
        for link in new {
            let own = std::mem::take(&mut link.context);
            let own = match &self.published.topic {
                Some(topic) => with_topic(topic, &own, link.url.as_str(), via),
                None => own,
            };
            let context = inherited.map_or(own, Box::from);
            let says = self.published.topic.as_ref().map_or(0, |topic| said(topic, link.url.as_str(), via));
            let (url, step) = (link.url.fingerprint(), self.published.predict(&context) | says);
            if step > 0 && self.predictions.len() < self.links_max {
                self.predictions.insert(key(url), step);
            }
            self.waiting.put(url, context);
        }
    }

    /// Takes in all links of the page at `url`: waiting ones that were discovered elsewhere count as links of a page
    /// that names the topic from now on, if it does.
    pub fn meet(&mut self, url: &str, links: &[PlacedLink]) {
        self.pages += 1;
        if self.published.topic.as_ref().is_none_or(|topic| !topic.names(url)) {
            return;
        }
        for link in links {
            if let Some(known) = self.predictions.get_mut(&key(link.url)).filter(|known| **known & ON_NAMED == 0) {
                *known |= ON_NAMED;
                self.marked += 1;
            }
        }
    }

    /// The context of a link that was fetched.
    pub fn take(&mut self, url: Fingerprint) -> Option<Box<[u32]>> {
        self.waiting.take(url)
    }

    /// Learns whether the page of a link was wanted.
    pub fn learn(&mut self, context: &[u32], wanted: bool) {
        self.bayes.learn(context, wanted);
    }

    /// Whether enough was learned since the last publication to predict all waiting links again.
    #[expect(clippy::cast_precision_loss, reason = "a number of lessons")]
    pub fn is_due(&self) -> bool {
        if self.marked > 0 && self.pages >= self.predictions.len() / LINKS_PER_PAGE {
            return true;
        }
        let (lessons, before) = (self.bayes.items(), self.published.bayes.items());
        self.bayes.is_trained() && lessons >= LESSONS_MIN && lessons as f64 >= LESSONS_GROWTH * before as f64
    }

    /// Predicts all waiting links again.
    pub fn publish(&mut self) {
        let topic = self.published.topic.clone();
        let mut next = Predictor { bayes: self.bayes.clone(), predictions: Predictions::default(), topic };
        if self.predictions.len() + self.waiting.len() > self.links_max {
            // Those of fetched links are needed only to count the remembered fetches again.
            let known = std::mem::take(&mut self.predictions);
            let waiting = self.waiting.iter().map(|(url, _)| key(url));
            self.predictions = waiting.filter_map(|url| Some((url, *known.get(&url)?))).collect();
        }
        for (url, context) in self.waiting.iter() {
            let known = self.predictions.get(&key(url)).copied().unwrap_or(self.published.unpredicted());
            let step = known & !STEP_BITS | next.predict(context);
            if step > 0 {
                self.predictions.insert(key(url), step);
            }
        }
        next.predictions = self.predictions.clone();
        (self.marked, self.pages) = (0, 0);
        self.published = Arc::new(next);
    }

    /// The class of a link with its prediction.
    pub fn class_of(&self, class: LinkClass, url: Fingerprint) -> LinkClass {
        with_step(class, self.predictions.get(&key(url)).copied().unwrap_or(self.published.unpredicted()))
    }

    /// The log odds that the page of a waiting link is wanted, as it was predicted last, and the number of lessons of
    /// that; `None` before the first prediction, and where nothing stands around the link.
    pub fn odds_of(&self, url: Fingerprint) -> (Option<f64>, u64) {
        let bayes = &self.published.bayes;
        let context = self.waiting.get(url).filter(|_| bayes.items() > 0);
        (context.map(|context| bayes.log_odds(context)), bayes.items())
    }

    /// What snapshots predict with.
    pub const fn predictor(&self) -> &Arc<Predictor> {
        &self.published
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::{Apath, ClusterId};
    use harvestman_core::url::CanonicalUrl;

    fn class() -> LinkClass {
        let pattern = PatternId::new(0xabcd_ef00, 2);
        LinkClass::at(ClusterId(3), Apath(9)).with_pattern(UrlPattern { coarse: pattern, fine: pattern })
    }

    fn link(number: u32, context: &[u32]) -> NewLink {
        let url = CanonicalUrl::from_canonical(format!("http://h.test/{number}"));
        NewLink { context: context.into(), ..NewLink::new(class(), url) }
    }

    fn taught() -> LinkEvidence {
        let mut evidence = LinkEvidence::new(None);
        let mut new: Vec<NewLink> = (0..60).map(|n| link(n, &[n % 2, 100 + n])).collect();
        evidence.add(&mut new, "http://h.test/", None);
        assert!(new.iter().all(|link| link.context.is_empty()));
        for link in &new[..40] {
            let context = evidence.take(link.url.fingerprint()).unwrap();
            evidence.learn(&context, context[0] == 1);
        }
        evidence
    }

    #[test]
    fn links_like_wanted_ones_get_a_higher_step_and_a_class_of_their_own() {
        let mut evidence = taught();
        assert!(evidence.is_due());
        evidence.publish();
        assert!(!evidence.is_due());
        let predictor = evidence.predictor();
        assert!(predictor.predict(&[1]) > predictor.predict(&[0]) && predictor.predict(&[]) == 0);
        let url = |number| link(number, &[]).url.fingerprint();
        let [even, odd, next] = [50, 51, 53].map(|number| predictor.class_of(class(), class(), url(number)));
        assert!(even != odd && odd == next && odd != class());
        assert_eq!((odd.pattern.coarse, odd.pattern.fine.parameters()), (class().pattern.coarse, 2));
        assert_eq!(predictor.class_of(class(), class(), url(999)), class(), "nothing is known of it");
        assert_eq!(predictor.class_of(class(), odd, url(999)), odd, "it was predicted where it was found");
        let other = class().with_pattern(UrlPattern { fine: PatternId::new(77, 2), ..class().pattern });
        assert_eq!(predictor.class_of(other, odd, url(999)), other, "its pattern is another one now");
        assert_eq!(evidence.class_of(class(), url(51)), odd);
    }

    #[test]
    fn of_a_topic_a_url_without_a_link_names_nothing_whatever_its_pattern() {
        let mut evidence = LinkEvidence::new(Some(TopicTerms::new(["macro"])));
        evidence.add(&mut [link(1, &[])], "http://h.test/tag/macro", None);
        for bits in [0, NAMED_BIT, ON_NAMED_BIT, NAMED_BIT | ON_NAMED_BIT] {
            let fine = PatternId::new(bits | 0xab00, 2);
            let of = |url| evidence.class_of(class().with_pattern(UrlPattern { fine, ..class().pattern }), url);
            let derived = of(link(9, &[]).url.fingerprint());
            assert!(!names_topic(derived) && !is_on_named(derived));
            assert!(is_on_named(of(link(1, &[]).url.fingerprint())));
        }
    }

    #[test]
    fn predictions_and_waiting_links_are_bounded() {
        for topic in [None, Some(TopicTerms::new(["macro"]))] {
            let mut evidence = LinkEvidence::within(topic, 100, 1_000);
            for page in 0..200 {
                let mut new: Vec<NewLink> = (0..5).map(|n| link(page * 5 + n, &[n % 2, n])).collect();
                evidence.add(&mut new, "http://h.test/tag/macro", None);
                // One link in five is fetched.
                if let Some(context) = evidence.take(new[0].url.fingerprint()) {
                    evidence.learn(&context, page % 2 == 0);
                }
                if page % 7 == 0 {
                    evidence.publish();
                }
                assert!(evidence.predictions.len() <= 100 && evidence.waiting.len() <= 100);
                assert!(evidence.predictor().predictions.len() <= 100);
            }
        }
    }

    #[test]
    fn a_redirects_target_inherits_its_context() {
        let mut evidence = taught();
        evidence.publish();
        evidence.add(&mut [link(99, &[])], "http://h.test/", Some(&[1, 7]));
        assert_eq!(evidence.take(link(99, &[]).url.fingerprint()).as_deref(), Some([1, 7].as_slice()));
    }

    #[test]
    fn steps_of_different_patterns_are_different_classes() {
        let other = UrlPattern { fine: PatternId::new(77, 2), ..class().pattern };
        let mut all: Vec<u64> = (0..=6)
            .flat_map(|step| [with_step(class(), step), with_step(class().with_pattern(other), step)])
            .map(|class| class.pattern.fine.0)
            .collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 14);
    }
}
