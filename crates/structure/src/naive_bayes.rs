//! Naive Bayes over tokens (multinomial, with Laplace smoothing): the classifier of the apprentice of Chakrabarti,
//! Punera and Subramanyam (WWW 2002, section 3.1), and of texts.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

/// Maximum number of distinct tokens that are counted: 2 MB at 8 bytes each, and their keys. Further ones tell nothing.
const TOKENS_MAX: usize = 1 << 18;
/// Added to each count, as if every token had been seen this often in either class.
const SMOOTHING: f64 = 1.0;

/// Counts of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct ClassCounts {
    /// Items.
    items: u64,
    /// Tokens of these items.
    tokens: u64,
}

/// Distinguishes items of two classes by their tokens. What it knows does not depend on the order of its lessons, and
/// neither do its bytes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredCounts", into = "StoredCounts")]
pub struct NaiveBayes {
    accepted: ClassCounts,
    rejected: ClassCounts,
    /// For each token, how often it occurred in accepted and in rejected items.
    counts: HashMap<u32, [u32; 2], FixedState>,
}

/// The counts as they are stored: the tokens in ascending order.
#[derive(Serialize, Deserialize)]
struct StoredCounts {
    accepted: ClassCounts,
    rejected: ClassCounts,
    counts: Vec<(u32, [u32; 2])>,
}

impl From<NaiveBayes> for StoredCounts {
    fn from(NaiveBayes { accepted, rejected, counts }: NaiveBayes) -> Self {
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_unstable();
        Self { accepted, rejected, counts }
    }
}

impl TryFrom<StoredCounts> for NaiveBayes {
    type Error = &'static str;

    fn try_from(StoredCounts { accepted, rejected, counts }: StoredCounts) -> Result<Self, Self::Error> {
        if counts.len() > TOKENS_MAX || !counts.is_sorted_by(|(one, _), (other, _)| one < other) {
            return Err("the counts of its tokens are too many, or out of order");
        }
        Ok(Self { accepted, rejected, counts: counts.into_iter().collect() })
    }
}

impl NaiveBayes {
    /// Counts an item.
    pub fn learn(&mut self, tokens: &[u32], accepted: bool) {
        let class = if accepted { &mut self.accepted } else { &mut self.rejected };
        class.items += 1;
        for token in tokens {
            if self.counts.len() >= TOKENS_MAX && !self.counts.contains_key(token) {
                continue;
            }
            class.tokens += 1;
            let count = &mut self.counts.entry(*token).or_default()[usize::from(!accepted)];
            *count = count.saturating_add(1);
        }
    }

    /// Whether items of both classes were counted.
    pub const fn is_trained(&self) -> bool {
        self.accepted.items > 0 && self.rejected.items > 0
    }

    /// The number of items that were counted.
    pub const fn items(&self) -> u64 {
        self.accepted.items.saturating_add(self.rejected.items)
    }

    /// The logarithm of the odds that an item with these tokens is accepted: `ln P(accepted) / P(rejected) + sum over
    /// tokens of ln P(token | accepted) / P(token | rejected)`. Tokens that were never seen say nothing.
    #[expect(clippy::cast_precision_loss, reason = "counts of tokens")]
    pub fn log_odds(&self, tokens: &[u32]) -> f64 {
        let vocabulary = self.counts.len() as f64;
        let [accepted, rejected] =
            [self.accepted, self.rejected].map(|class| class.tokens as f64 + SMOOTHING * vocabulary);
        let prior = ((self.accepted.items as f64 + 1.0) / (self.rejected.items as f64 + 1.0)).ln();
        // The classes' totals are the same for all tokens.
        let totals = (rejected.max(1.0) / accepted.max(1.0)).ln();
        let known = tokens.iter().filter_map(|token| self.counts.get(token));
        let term = |counts: &[u32; 2]| {
            let [accepted, rejected] = counts.map(|count| f64::from(count) + SMOOTHING);
            (accepted / rejected).ln() + totals
        };
        prior + known.map(term).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn odds_are_those_computed_by_hand() {
        let mut bayes = NaiveBayes::default();
        assert!(!bayes.is_trained() && bayes.log_odds(&[1, 2]).abs() < 1e-12);
        bayes.learn(&[1, 1, 2], true);
        bayes.learn(&[1, 3], true);
        bayes.learn(&[2, 4, 4], false);
        // Four distinct tokens; five in two accepted items, three in one rejected item.
        let expected = (3.0_f64 / 2.0).ln() + f64::ln((4.0 / 9.0) / (1.0 / 7.0)) + f64::ln((1.0 / 9.0) / (3.0 / 7.0));
        assert!((bayes.log_odds(&[1, 4, 99]) - expected).abs() < 1e-12);
        assert!(bayes.is_trained() && bayes.items() == 3);
    }

    #[test]
    fn tokens_beyond_the_bound_are_not_counted() {
        let mut bayes = NaiveBayes::default();
        let tokens: Vec<u32> = (0..TOKENS_MAX as u32 + 10).collect();
        bayes.learn(&tokens, true);
        assert_eq!((bayes.counts.len(), bayes.accepted.tokens), (TOKENS_MAX, TOKENS_MAX as u64));
    }

    #[test]
    fn counts_that_name_a_token_twice_are_not_read() {
        let mut bayes = NaiveBayes::default();
        bayes.learn(&[3, 4], true);
        let stored = serde_json::to_string(&bayes).unwrap();
        assert!(serde_json::from_str::<NaiveBayes>(&stored).is_ok());
        let twice = stored.replace("[4,", "[3,");
        assert!(twice != stored && serde_json::from_str::<NaiveBayes>(&twice).is_err());
    }

    /// The definition, over the items themselves.
    fn naive(items: &[(Vec<u32>, bool)], asked: &[u32]) -> f64 {
        let of = |class: bool| items.iter().filter(move |(_, accepted)| *accepted == class);
        let count = |class, token| of(class).flat_map(|(tokens, _)| tokens).filter(|t| **t == token).count() as f64;
        let all = |class| of(class).map(|(tokens, _)| tokens.len()).sum::<usize>() as f64;
        let vocabulary: std::collections::BTreeSet<u32> = items.iter().flat_map(|(tokens, _)| tokens.clone()).collect();
        let v = vocabulary.len() as f64;
        let p = |class, token| (count(class, token) + 1.0) / (all(class) + v).max(1.0);
        let prior = ((of(true).count() as f64 + 1.0) / (of(false).count() as f64 + 1.0)).ln();
        let known = asked.iter().filter(|token| vocabulary.contains(token));
        prior + known.map(|token| (p(true, *token) / p(false, *token)).ln()).sum::<f64>()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn odds_follow_the_definition_and_not_the_order_of_lessons(
            items in prop::collection::vec((prop::collection::vec(0..12_u32, 0..8), any::<bool>()), 0..20),
            asked in prop::collection::vec(0..14_u32, 0..8),
        ) {
            let (mut forth, mut back) = (NaiveBayes::default(), NaiveBayes::default());
            items.iter().for_each(|(tokens, accepted)| forth.learn(tokens, *accepted));
            items.iter().rev().for_each(|(tokens, accepted)| back.learn(tokens, *accepted));
            prop_assert_eq!(&forth, &back);
            prop_assert!((forth.log_odds(&asked) - naive(&items, &asked)).abs() < 1e-9);
            let stored = serde_json::to_vec(&forth).unwrap();
            prop_assert_eq!(&stored, &serde_json::to_vec(&back).unwrap());
            prop_assert_eq!(serde_json::from_slice::<NaiveBayes>(&stored).unwrap(), forth);
        }
    }
}
