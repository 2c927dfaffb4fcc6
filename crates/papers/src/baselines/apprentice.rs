//! The apprentice of Chakrabarti, Punera and Subramanyam (*Accelerated Focused Crawling through Online Relevance
//! Feedback*, WWW 2002), the baseline of xCrawl: a Naive Bayes classifier, trained while the crawl runs, that predicts
//! from the words around a link whether its page will be accepted.
//!
//! The features are pairs of a word and its distance from the link in texts, at most five (section 3.1). Each fetched
//! page is a lesson: the words around the link by which it was found, and whether it was accepted. Waiting URLs are
//! ordered by their log odds, in [`BUCKETS`] steps; they are ordered again when one in [`FETCHES_SHARE`] of them has
//! been fetched. Before there are lessons of both kinds, the order is that of discovery.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::versions::Versions;
use super::wanted::{Judge, Wanted};
use harvestman_core::model::{Admission, Apath, ClassOrder, LinkClass, PatternId, Priority, UrlPattern};
use harvestman_core::url::Fingerprint;
use harvestman_policy::{Link, LinkMemory, Needs, Observation, Outcome, Policy, PolicyFacts, PolicySnapshot};
use harvestman_structure::link_context::TokenKind;
use harvestman_structure::naive_bayes::NaiveBayes;

/// The number of steps of the log odds.
const BUCKETS: u8 = 64;
/// The log odds beyond which all links are equal, on either side.
const ODDS_MAX: f64 = 24.0;
/// Minimum number of fetches between two orderings.
const FETCHES_MIN: usize = 16;
/// The inverse of the share of the waiting URLs that are fetched between two orderings.
const FETCHES_SHARE: usize = 16;
/// Maximum number of waiting URLs whose words are known, and of these words together.
const URLS_MAX: usize = 1 << 20;
const WORDS_MAX: usize = 1 << 25;

type Buckets = HashMap<Fingerprint, u8, FixedState>;

/// The policy that follows the apprentice.
#[derive(Debug)]
pub struct Apprentice {
    judge: Judge,
    bayes: NaiveBayes,
    /// The classifier as it was when URLs were ordered last, if it was trained.
    published: Option<Arc<NaiveBayes>>,
    waiting: LinkMemory,
    buckets: Arc<Buckets>,
    since_ordered: usize,
    generation: u64,
    /// Number of accepted pages.
    wanted: u64,
    versions: Versions,
}

impl Apprentice {
    /// The policy that looks for these pages, or for those that the crawl's validator accepts.
    pub fn new(wanted: Wanted) -> Self {
        Self {
            judge: Judge::new(wanted),
            bayes: NaiveBayes::default(),
            published: None,
            waiting: LinkMemory::new(URLS_MAX, WORDS_MAX),
            buckets: Arc::default(),
            since_ordered: 0,
            generation: 0,
            wanted: 0,
            versions: Versions::default(),
        }
    }

    /// Orders the waiting URLs again, if it is time.
    fn order_now_and_then(&mut self) {
        self.since_ordered += 1;
        if !self.bayes.is_trained() || self.since_ordered < FETCHES_MIN.max(self.waiting.len() / FETCHES_SHARE) {
            return;
        }
        self.since_ordered = 0;
        self.generation += 1;
        let bayes = Arc::new(self.bayes.clone());
        self.buckets = Arc::new(self.waiting.iter().map(|(url, words)| (url, bucket(&bayes, words))).collect());
        self.published = Some(bayes);
    }
}

impl Policy for Apprentice {
    fn observe(&mut self, seen: Observation) {
        self.versions.outdate();
        let words = self.waiting.take(seen.url.fingerprint());
        for link in &seen.new {
            // What is said of a redirect is said of its target.
            let inherited = words.as_ref().filter(|_| matches!(seen.outcome, Outcome::Redirected));
            let context = inherited.unwrap_or(&link.context);
            let is_word = |token: &u32| TokenKind::of(*token) == Some(TokenKind::Word);
            self.waiting.put(link.url.fingerprint(), context.iter().copied().filter(is_word).collect());
        }
        let accepted = match &seen.outcome {
            Outcome::Page(page) => Some(page.accepted.unwrap_or_else(|| self.judge.wants(page))),
            Outcome::Redirected => None,
            Outcome::Document | Outcome::Failed | Outcome::Search(_) => Some(false),
        };
        self.wanted += u64::from(accepted == Some(true));
        if let (Some(accepted), Some(words)) = (accepted, words) {
            self.bayes.learn(&words, accepted);
        }
        self.order_now_and_then();
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        Arc::new(ApprenticeSnapshot {
            version: self.versions.next(),
            generation: self.generation,
            bayes: self.published.clone(),
            buckets: Arc::clone(&self.buckets),
        })
    }

    fn facts(&self) -> PolicyFacts {
        PolicyFacts { wanted: Some(self.wanted), ..PolicyFacts::default() }
    }

    fn needs(&self) -> Needs {
        Needs { words: true, units: self.judge.needs_units(), contexts: true, ..Needs::default() }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and BUCKETS")]
fn bucket(bayes: &NaiveBayes, words: &[u32]) -> u8 {
    let odds = bayes.log_odds(words).clamp(-ODDS_MAX, ODDS_MAX);
    ((odds + ODDS_MAX) / (2.0 * ODDS_MAX) * f64::from(BUCKETS - 1)) as u8
}

/// The lowest log odds in the step of a pattern that [`in_bucket`] made.
#[expect(clippy::cast_precision_loss, reason = "at most BUCKETS")]
fn odds_of(pattern: u64) -> f64 {
    pattern.saturating_sub(1) as f64 / f64::from(BUCKETS - 1) * 2.0 * ODDS_MAX - ODDS_MAX
}

/// What the apprentice knew when URLs were ordered last.
struct ApprenticeSnapshot {
    version: u64,
    generation: u64,
    bayes: Option<Arc<NaiveBayes>>,
    buckets: Arc<Buckets>,
}

fn in_bucket(class: LinkClass, bucket: u8) -> LinkClass {
    // 0 is the pattern of URLs that were not looked at.
    let pattern = PatternId(1 + u64::from(bucket));
    class.with_pattern(UrlPattern { coarse: pattern, fine: pattern })
}

impl ClassOrder for ApprenticeSnapshot {
    #[expect(clippy::cast_precision_loss, reason = "at most BUCKETS")]
    fn score(&self, class: LinkClass) -> f64 {
        match class.pattern.fine {
            _ if class.apath == Apath::SEED => f64::from(BUCKETS) + 1.0,
            // Nothing is known of its words: even odds.
            PatternId::NONE => f64::from(BUCKETS) / 2.0,
            PatternId(bucket) => bucket as f64,
        }
    }
}

impl PolicySnapshot for ApprenticeSnapshot {
    fn version(&self) -> u64 {
        self.version
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn has_patterns(&self) -> bool {
        false
    }

    fn admit(&self, link: &Link<'_>) -> Admission {
        let class = link.class();
        match (link, &self.bayes) {
            (Link::New { context, .. }, Some(bayes)) if !context.is_empty() => {
                let words: Vec<u32> =
                    context.iter().copied().filter(|token| TokenKind::of(*token) == Some(TokenKind::Word)).collect();
                Admission::Queue(in_bucket(class, bucket(bayes, &words)), Priority::Normal)
            }
            _ => class.into(),
        }
    }

    fn explain(&self, class: LinkClass) -> Option<serde_json::Value> {
        let bayes = self.bayes.as_ref()?;
        let lessons = bayes.items();
        Some(match class.pattern.fine {
            PatternId::NONE => serde_json::json!({ "lessons": lessons }),
            PatternId(bucket) => serde_json::json!({ "log_odds": odds_of(bucket), "lessons": lessons }),
        })
    }

    fn class_of(&self, class: LinkClass, url: &str, _: Option<&str>) -> LinkClass {
        self.buckets.get(&Fingerprint::of(url)).map_or(class, |bucket| in_bucket(class, *bucket))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observed::page;
    use crate::property_tests::holds_for_any_policy;
    use harvestman_core::url::CanonicalUrl;
    use harvestman_policy::NewLink;
    use harvestman_structure::link_context::word_token;

    const LISTED: LinkClass = LinkClass::unclassified(Apath(10));

    fn link(name: &str, words: &[u32]) -> NewLink {
        let url = CanonicalUrl::from_canonical(format!("http://h.test/{name}"));
        NewLink { context: words.iter().map(|word| word_token(*word, 0)).collect(), ..NewLink::new(LISTED, url) }
    }

    fn fetched(name: &str, accepted: bool, new: Vec<NewLink>) -> Observation {
        let mut seen = page(name, LISTED, &[], &[]);
        seen.new = new;
        if let Outcome::Page(page) = &mut seen.outcome {
            page.accepted = Some(accepted);
        }
        seen
    }

    #[test]
    fn links_with_words_of_accepted_pages_come_first() {
        let mut apprentice = Apprentice::new(Wanted::Content);
        let good = (0..20).map(|n| link(&format!("good{n}"), &[1, 2, n]));
        let bad = (0..20).map(|n| link(&format!("bad{n}"), &[1, 3, n]));
        apprentice.observe(fetched("", false, good.chain(bad).collect()));
        for n in 0..8 {
            apprentice.observe(fetched(&format!("good{n}"), true, Vec::new()));
            apprentice.observe(fetched(&format!("bad{n}"), false, Vec::new()));
        }
        let snapshot = apprentice.snapshot();
        assert_eq!(snapshot.generation(), 1);
        let score = |name: &str| snapshot.score(snapshot.class_of(LISTED, &format!("http://h.test/{name}"), None));
        assert!(score("good12") > score("bad12"));
        let class = |name: &str| snapshot.class_of(LISTED, &format!("http://h.test/{name}"), None);
        let odds = |name: &str| snapshot.explain(class(name)).unwrap()["log_odds"].as_f64().unwrap();
        assert!(odds("good12") > 0.0 && odds("bad12") < 0.0);
        let unknown = snapshot.explain(LISTED).unwrap();
        assert!(unknown["lessons"].as_u64() > Some(10) && unknown.get("log_odds").is_none(), "{unknown}");
        let new = |words: &[u32]| {
            let link = link("new", words);
            let asked = Link::New { class: LISTED, url: "http://h.test/new", via: "", context: &link.context };
            snapshot.score(snapshot.admit(&asked).queued().unwrap().class)
        };
        assert!(new(&[2]) > new(&[]) && new(&[]) > new(&[3]));
    }

    #[test]
    fn the_target_of_a_redirect_inherits_the_words_of_its_link() {
        let mut apprentice = Apprentice::new(Wanted::Content);
        apprentice.observe(fetched("", false, vec![link("old", &[7])]));
        let mut redirect = fetched("old", false, vec![link("target", &[])]);
        redirect.outcome = Outcome::Redirected;
        apprentice.observe(redirect);
        assert_eq!(apprentice.waiting.len(), 1);
        apprentice.observe(fetched("target", true, Vec::new()));
        assert_eq!(apprentice.bayes.items(), 1, "the redirect is no lesson");
    }

    #[test]
    fn it_is_a_policy() {
        holds_for_any_policy(|_| Box::new(Apprentice::new(Wanted::Content)));
    }
}
