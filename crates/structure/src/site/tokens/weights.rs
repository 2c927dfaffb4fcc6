//! TF-IDF of the tokens of sample documents, and how many documents of a general collection contain each token.
//!
//! xCrawl names TF-IDF and no form of it. The one used here:
//! * tf(t) is the mean over the sample documents of (1 + ln n) / (1 + ln m), where n is the number of times that the
//!   document contains t (0 if it does not) and m the largest such number in the document. Each document counts the
//!   same, whatever its length, and a token repeated a hundred times does not outweigh all others.
//! * idf(t) = 1 + ln((1 + N) / (1 + n(t))), where n(t) of the N documents of a collection contain t. It is never 0, so
//!   that a token that all documents contain keeps the weight of its frequency, and no smaller with one document.
//! * The weight is tf · idf, divided by the largest weight.
//!
//! The collection is the background where there is one, otherwise the sample documents themselves. A background is
//! better: tokens that every sample document contains are those of their subject, and only a background shows that
//! other documents do not contain them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldhash::fast::FixedState;

use super::{StopWords, tokens};

/// Maximum number of sample documents that are used.
const DOCUMENTS_MAX: usize = 1_000;
/// Maximum number of distinct tokens that are weighed. Tokens that are first found beyond it are left out.
const DISTINCT_MAX: usize = 1 << 20;

/// A token and its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenWeight {
    /// The token, in lower case.
    pub token: String,
    /// TF-IDF, from 0 to 1.
    pub weight: f64,
}

/// What the documents so far say about a token.
#[derive(Debug, Clone, Copy, Default)]
struct Occurrence {
    documents: u64,
    /// The sum of the term frequencies.
    frequency: f64,
}

/// Weighs the tokens of sample documents (`GetTokens`): those that are no stop words, ordered by decreasing weight,
/// equal ones by token. O(tokens · log distinct tokens).
pub fn token_weights<'a>(
    documents: impl IntoIterator<Item = &'a str>,
    background: Option<&Background>,
    stop_words: &StopWords,
) -> Vec<TokenWeight> {
    let mut found: BTreeMap<String, Occurrence> = BTreeMap::new();
    let mut sampled = 0_u64;
    for document in documents.into_iter().take(DOCUMENTS_MAX) {
        sampled += 1;
        add_document(&mut found, document, stop_words);
    }
    let weigh = |(token, seen): (String, Occurrence)| {
        let (all, containing) = match background {
            Some(background) => (background.documents(), background.containing(&token)),
            None => (sampled, seen.documents),
        };
        TokenWeight { token, weight: seen.frequency * idf(all, containing) }
    };
    let mut weights: Vec<TokenWeight> = found.into_iter().map(weigh).collect();
    let largest = weights.iter().map(|one| one.weight).fold(0.0, f64::max);
    weights.iter_mut().filter(|_| largest > 0.0).for_each(|one| one.weight /= largest);
    weights.sort_by(|one, other| other.weight.total_cmp(&one.weight).then_with(|| one.token.cmp(&other.token)));
    weights
}

/// Gives each token that a user chose the weight 1, in their order (section 4, `GetTokens`).
pub fn preselected_tokens(chosen: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<TokenWeight> {
    let weigh = |token: &str| TokenWeight { token: token.trim().to_lowercase(), weight: 1.0 };
    let chosen = chosen.into_iter().take(DISTINCT_MAX).map(|token| weigh(token.as_ref()));
    chosen.filter(|one| !one.token.is_empty()).collect()
}

fn add_document(found: &mut BTreeMap<String, Occurrence>, document: &str, stop_words: &StopWords) {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for token in tokens(document).filter(|token| !stop_words.contains(token)) {
        *counts.entry(token).or_default() += 1;
    }
    let most = counts.values().copied().max().unwrap_or(1);
    for (token, count) in counts {
        if found.len() < DISTINCT_MAX || found.contains_key(&token) {
            let seen = found.entry(token).or_default();
            seen.documents += 1;
            seen.frequency += damped(count) / damped(most);
        }
    }
}

fn damped(count: u32) -> f64 {
    1.0 + f64::from(count).ln()
}

#[expect(clippy::cast_precision_loss, reason = "numbers of documents")]
fn idf(all: u64, containing: u64) -> f64 {
    1.0 + ((1.0 + all as f64) / (1.0 + containing.min(all) as f64)).ln()
}

/// Maximum number of distinct tokens that are counted, about 60 bytes each. Further ones count as unknown.
const COUNTED_MAX: usize = 1 << 20;

/// Document frequencies of a collection that is not about the wanted subject: the other pages of a site, or pages of
/// many sites.
#[derive(Debug, Clone, Default)]
pub struct Background {
    documents: u64,
    containing: HashMap<String, u64, FixedState>,
}

impl Background {
    /// Creates it from known counts: the number of documents, and for each token how many of them contain it.
    pub fn from_counts(documents: u64, containing: impl IntoIterator<Item = (String, u64)>) -> Self {
        let containing = containing.into_iter().take(COUNTED_MAX).map(|(token, count)| (token, count.min(documents)));
        Self { documents, containing: containing.collect() }
    }

    /// Counts a document.
    pub fn add(&mut self, text: &str) {
        self.documents = self.documents.saturating_add(1);
        let distinct: BTreeSet<String> = tokens(text).collect();
        for token in distinct {
            if let Some(count) = self.containing.get_mut(&token) {
                *count = count.saturating_add(1);
            } else if self.containing.len() < COUNTED_MAX {
                self.containing.insert(token, 1);
            }
        }
    }

    /// Returns the number of documents.
    pub const fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns the number of documents that contain `token`.
    pub fn containing(&self, token: &str) -> u64 {
        self.containing.get(token).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::site::Language;

    fn of(documents: &[&str], background: Option<&Background>) -> Vec<TokenWeight> {
        token_weights(documents.iter().copied(), background, &StopWords::new(&Language::ALL))
    }

    fn names(weights: &[TokenWeight]) -> Vec<&str> {
        weights.iter().map(|one| one.token.as_str()).collect()
    }

    #[test]
    fn weights_are_those_computed_by_hand() {
        // tf: zoom 1 + 1, lens 1 / (1 + ln 2); idf of the two documents: zoom 1 + ln 3/3, lens 1 + ln 3/2.
        let found = of(&["the zoom and the zoom of a lens", "zoom"], None);
        let lens = (1.0 + 1.5_f64.ln()) / (1.0 + 2.0_f64.ln()) / 2.0;
        assert_eq!(names(&found), ["zoom", "lens"]);
        assert!((found[0].weight - 1.0).abs() < 1e-12 && (found[1].weight - lens).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn one_document_has_weights_by_frequency() {
        let found = of(&["zoom lens zoom sensor zoom lens"], None);
        assert_eq!(names(&found), ["zoom", "lens", "sensor"]);
        assert!(found.iter().all(|one| one.weight > 0.0));
    }

    #[test]
    fn what_all_samples_contain_leads_where_the_background_does_not_contain_it() {
        let samples = ["zoom home contact", "zoom home imprint"];
        let background = Background::from_counts(1_000, [("home".to_owned(), 900), ("contact".to_owned(), 400)]);
        let found = of(&samples, Some(&background));
        assert_eq!(names(&found), ["zoom", "imprint", "home", "contact"]);
    }

    #[test]
    fn without_documents_or_tokens_there_is_nothing() {
        assert!(of(&[], None).is_empty());
        assert!(of(&["the and 12", ""], Some(&Background::default())).is_empty());
    }

    #[test]
    fn preselected_tokens_all_weigh_one() {
        let found = preselected_tokens(["Zoom", " hot-shoe ", ""]);
        assert_eq!(names(&found), ["zoom", "hot-shoe"]);
        assert!(found.iter().all(|one| one.weight == 1.0));
    }

    /// The reference implementation: each token is looked up in each document again.
    fn naive_weight(token: &str, documents: &[String]) -> f64 {
        let count = |text: &str, token: &str| tokens(text).filter(|other| other == token).count() as f64;
        let damped = |count: f64| if count > 0.0 { 1.0 + count.ln() } else { 0.0 };
        let most = |text: &str| tokens(text).map(|other| count(text, &other)).fold(1.0, f64::max);
        let tf: f64 = documents.iter().map(|text| damped(count(text, token)) / damped(most(text))).sum();
        let containing = documents.iter().filter(|text| count(text, token) > 0.0).count() as f64;
        tf * (1.0 + ((1.0 + documents.len() as f64) / (1.0 + containing)).ln())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn weights_are_ordered_normalised_and_those_of_the_formula(
            documents in prop::collection::vec("([xyz]{2} ){0,12}", 0..6),
        ) {
            let found = token_weights(documents.iter().map(String::as_str), None, &StopWords::default());
            let distinct: std::collections::BTreeSet<String> = documents.iter().flat_map(|text| tokens(text)).collect();
            prop_assert_eq!(found.len(), distinct.len());
            prop_assert!(found.is_sorted_by(|one, other| one.weight >= other.weight));
            let largest = distinct.iter().map(|token| naive_weight(token, &documents)).fold(0.0, f64::max);
            for one in &found {
                prop_assert!((one.weight - naive_weight(&one.token, &documents) / largest).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_document_counts_once_for_each_token_it_contains() {
        let mut background = Background::default();
        background.add("zoom Zoom lens");
        background.add("zoom");
        assert_eq!(background.documents(), 2);
        assert_eq!(["zoom", "lens", "tripod"].map(|token| background.containing(token)), [2, 1, 0]);
    }

    #[test]
    fn no_more_documents_contain_a_token_than_there_are() {
        let background = Background::from_counts(3, [("zoom".to_owned(), 9)]);
        assert_eq!(background.containing("zoom"), 3);
    }
}
