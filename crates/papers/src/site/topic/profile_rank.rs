//! The rank of a user for a topic (sections 5.1 to 5.3).
//!
//! The paper derives eq. 5 from Bayes' rule: Pr(L | τ) = Pr(τ | L) · Pr(L) / Pr(τ) (eq. 3), with Pr(τ) as the sum of
//! the numerators over all candidate links (eq. 4). It gives no Pr(L) and never computes eq. 3 or 4: Pr(τ) is the same
//! for all links, and with equal Pr(L) the order of links is that of Pr(τ | L), which eq. 5 estimates. So nothing here
//! computes them either, and ranks are no probabilities.

use std::collections::BTreeMap;

/// How often a user, or a topic, has each term.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TermVector {
    counts: BTreeMap<u64, u32>,
    /// The squared Euclidean norm. The sum of squares of 32-bit counts of at most 2^32 terms fits.
    squared_norm: u128,
}

impl TermVector {
    /// Counts a term once more, unless it is new and there are `terms_max` already.
    pub fn add(&mut self, term: u64, terms_max: usize) {
        if self.counts.len() >= terms_max && !self.counts.contains_key(&term) {
            return;
        }
        let count = self.counts.entry(term).or_default();
        // (n + 1)² − n².
        self.squared_norm += if *count == u32::MAX { 0 } else { 2 * u128::from(*count) + 1 };
        *count = count.saturating_add(1);
    }

    /// Returns how often it has a term.
    pub fn count(&self, term: u64) -> u32 {
        self.counts.get(&term).copied().unwrap_or_default()
    }

    /// Returns whether it has no term.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the scalar product. O(smaller · log larger).
    fn dot(&self, other: &Self) -> u128 {
        let (few, many) = if self.counts.len() <= other.counts.len() { (self, other) } else { (other, self) };
        few.counts.iter().map(|(term, count)| u128::from(*count) * u128::from(many.count(*term))).sum()
    }
}

impl FromIterator<u64> for TermVector {
    fn from_iter<T: IntoIterator<Item = u64>>(terms: T) -> Self {
        let mut vector = Self::default();
        terms.into_iter().for_each(|term| vector.add(term, usize::MAX));
        vector
    }
}

/// Computes the inner rank (eq. 1): the cosine of a user's terms and the topic's. 0 if one of them has no terms.
#[expect(clippy::cast_precision_loss, reason = "a cosine needs no more digits")]
pub fn inner_rank(user: &TermVector, topic: &TermVector) -> f64 {
    let norms = (user.squared_norm as f64).sqrt() * (topic.squared_norm as f64).sqrt();
    if norms > 0.0 { user.dot(topic) as f64 / norms } else { 0.0 }
}

/// Computes the inter rank (eq. 2): the mean of the inner ranks of a user's contacts. 0 without contacts.
pub fn inter_rank(contacts: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, number) = contacts.into_iter().fold((0.0, 0.0), |(sum, number), rank| (sum + rank, number + 1.0));
    if number > 0.0 { sum / number } else { 0.0 }
}

/// The weights of eq. 5. The paper gives no values; here both ranks count equally unless told otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankWeights {
    /// α, of the inner rank.
    pub inner: f64,
    /// β, of the inter rank.
    pub inter: f64,
}

impl RankWeights {
    /// Computes eq. 5: α · inner + β · inter.
    pub fn combine(self, inner: f64, inter: f64) -> f64 {
        self.inner * inner + self.inter * inter
    }
}

impl Default for RankWeights {
    fn default() -> Self {
        Self { inner: 0.5, inter: 0.5 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms(terms: &[u64]) -> TermVector {
        terms.iter().copied().collect()
    }

    #[test]
    fn eq_1_is_the_cosine_computed_by_hand() {
        // The user has a three times and b four times, the topic a and c: 3 / (5 · √2).
        let user = terms(&[1, 2, 1, 2, 1, 2, 2]);
        assert!((inner_rank(&user, &terms(&[1, 3])) - 3.0 / (5.0 * 2.0_f64.sqrt())).abs() < 1e-12);
        assert!((inner_rank(&user, &user) - 1.0).abs() < 1e-12);
        assert_eq!([inner_rank(&user, &terms(&[])), inner_rank(&user, &terms(&[9]))], [0.0, 0.0]);
    }

    #[test]
    fn eq_2_is_the_mean_and_0_without_contacts() {
        assert!((inter_rank([0.2, 0.4, 0.9]) - 0.5).abs() < 1e-12);
        assert_eq!(inter_rank([]), 0.0);
    }

    #[test]
    fn eq_5_is_the_weighted_sum() {
        assert!((RankWeights::default().combine(0.6, 0.2) - 0.4).abs() < 1e-12);
        assert!((RankWeights { inner: 0.8, inter: 0.2 }.combine(0.5, 1.0) - 0.6).abs() < 1e-12);
    }

    #[test]
    fn new_terms_beyond_the_bound_are_dropped_and_known_ones_counted() {
        let mut vector = TermVector::default();
        [1, 2, 3, 1].into_iter().for_each(|term| vector.add(term, 2));
        assert_eq!([1, 2, 3].map(|term| vector.count(term)), [2, 1, 0]);
        assert!(!vector.is_empty() && TermVector::default().is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_cosine_is_that_of_dense_vectors(
            user in prop::collection::vec(0..8_u64, 0..30), topic in prop::collection::vec(0..8_u64, 0..6),
        ) {
            let dense = |terms: &[u64]| (0..8).map(|t| terms.iter().filter(|o| **o == t).count() as f64).collect::<Vec<_>>();
            let (one, two) = (dense(&user), dense(&topic));
            let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
            let norms = (dot(&one, &one) * dot(&two, &two)).sqrt();
            let wanted = if norms > 0.0 { dot(&one, &two) / norms } else { 0.0 };
            prop_assert!((inner_rank(&terms(&user), &terms(&topic)) - wanted).abs() < 1e-12);
        }
    }
}
