//! What stands around links as evidence: a classifier that is trained by the fetched links predicts whether the page of
//! a link is wanted, and its prediction, in steps, becomes a part of the link's class. What the prediction is worth for
//! links of a pattern is then learned like everything else, by counting.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::topic_terms::TopicTerms;
use crate::link_memory::LinkMemory;
use crate::{NewLink, PlacedLink};
use harvestman_core::model::{LinkClass, Prediction, TopicMark};
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

/// The predictions for links, by the [`key`] of each.
pub(super) type Predictions = HashMap<u64, Prediction, FixedState>;

/// What a link is known by: the upper half of its fingerprint. That two of a million links share it has a chance of
/// 3 · 10⁻⁸; then they share a prediction.
pub(super) const fn key(url: Fingerprint) -> u64 {
    (url.0 >> 64) as u64
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
    pub fn predict_link(&self, context: &[u32], url: &str, via: &str) -> Prediction {
        match &self.topic {
            None => Prediction { step: self.predict(context), topic: None },
            Some(topic) => {
                let step = self.predict(&with_topic(topic, context, url, via));
                Prediction { step, topic: Some(said(topic, url, via)) }
            }
        }
    }

    /// Whether pages about a topic are wanted.
    pub const fn is_for_topic(&self) -> bool {
        self.topic.is_some()
    }

    /// The step of a link with this context.
    fn predict(&self, context: &[u32]) -> u8 {
        if context.is_empty() || self.bayes.items() == 0 {
            return 0;
        }
        let odds = self.bayes.log_odds(context);
        1 + STEPS.iter().take_while(|step| odds >= **step).count() as u8
    }

    /// The class of a link to `url` that waits as `waited`: `class` with its prediction. Of a link that the learner has
    /// not seen yet, that is the one with which it waits, as long as its pattern is the same.
    pub fn class_of(&self, class: LinkClass, waited: LinkClass, url: Fingerprint) -> LinkClass {
        let known = self.predictions.get(&key(url)).copied();
        class.with_prediction(known.or_else(|| self.prediction_of(class, waited)).unwrap_or(self.unpredicted()))
    }

    /// The prediction that makes `waited` of `class`, if there is one. Found by comparison: that of a class that was
    /// read is only in the hash of its pattern.
    fn prediction_of(&self, class: LinkClass, waited: LinkClass) -> Option<Prediction> {
        let mark = |named, on_named| Some(TopicMark { named, on_named });
        let marks = [mark(false, false), mark(true, false), mark(false, true), mark(true, true)];
        let marks = if self.is_for_topic() { marks.as_slice() } else { &[None] };
        let stored = waited.stored_pattern();
        marks.iter().find_map(|topic| {
            let mut predictions = (0..=STEPS.len() as u8 + 1).map(|step| Prediction { step, topic: *topic });
            predictions.find(|prediction| class.with_prediction(*prediction).stored_pattern() == stored)
        })
    }

    /// The prediction for a URL that no link was seen to: a seed, or an address that was derived.
    fn unpredicted(&self) -> Prediction {
        Prediction { step: 0, topic: self.topic.as_ref().map(|_| TopicMark::default()) }
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
fn said(topic: &TopicTerms, url: &str, via: &str) -> TopicMark {
    TopicMark { named: topic.names(url), on_named: topic.names(via) }
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
            let topic = self.published.topic.as_ref().map(|topic| said(topic, link.url.as_str(), via));
            let url = link.url.fingerprint();
            let prediction = Prediction { step: self.published.predict(&context), topic };
            if prediction != Prediction::NONE && self.predictions.len() < self.links_max {
                self.predictions.insert(key(url), prediction);
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
            let known = self.predictions.get_mut(&key(link.url)).and_then(|known| known.topic.as_mut());
            if let Some(mark) = known.filter(|mark| !mark.on_named) {
                mark.on_named = true;
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
            let prediction = Prediction { step: next.predict(context), ..known };
            if prediction != Prediction::NONE {
                self.predictions.insert(key(url), prediction);
            }
        }
        next.predictions = self.predictions.clone();
        (self.marked, self.pages) = (0, 0);
        self.published = Arc::new(next);
    }

    /// The class of a link with its prediction.
    pub fn class_of(&self, class: LinkClass, url: Fingerprint) -> LinkClass {
        class.with_prediction(self.predictions.get(&key(url)).copied().unwrap_or(self.published.unpredicted()))
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
    use harvestman_core::model::{Apath, ClusterId, PatternId, UrlPattern};
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
        for bits in [0, 1 << 61, 1 << 62, 3 << 61] {
            let fine = PatternId::new(bits | 0xab00, 2);
            let of = |url| evidence.class_of(class().with_pattern(UrlPattern { fine, ..class().pattern }), url);
            let derived = of(link(9, &[]).url.fingerprint());
            assert_eq!(derived.topic_mark(), TopicMark::default());
            assert!(of(link(1, &[]).url.fingerprint()).topic_mark().on_named);
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
            .flat_map(|step| {
                [class(), class().with_pattern(other)]
                    .map(|class| class.with_prediction(Prediction { step, topic: None }))
            })
            .map(|class| class.stored_pattern().fine.0)
            .collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 14);
    }
}
