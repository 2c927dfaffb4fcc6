//! The on-line classifier of URLs: logistic regression over pairs of characters.

use std::collections::BTreeSet;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

/// The target of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Label {
    /// A wanted page.
    Target,
    /// Another page.
    Html,
    /// No page.
    Neither,
}

impl Label {
    pub const ALL: [Self; 3] = [Self::Target, Self::Html, Self::Neither];
}

/// Number of weights for pairs of characters, which are hashed: 2^13.
const DIMENSIONS: usize = 1 << 13;
/// The learning rate.
const RATE: f64 = 1.0;
/// Number of passes over a batch.
const EPOCHS: usize = 5;
/// Number of URLs in a batch.
const BATCH: usize = 10;

/// The model: a weight for each label and pair.
#[derive(Debug, Clone)]
pub(super) struct Model {
    weights: Box<[[f32; 3]]>,
    bias: [f32; 3],
}

impl Model {
    /// The most likely label.
    pub fn predict(&self, url: &str) -> Label {
        let chances = self.chances(&pairs(url));
        let better = |best: usize, at: usize| if chances[at] > chances[best] { at } else { best };
        Label::ALL[(0..3).fold(1, better)]
    }

    /// The softmax of the labels' scores.
    fn chances(&self, pairs: &[usize]) -> [f64; 3] {
        let scale = scale(pairs);
        let scores = [0, 1, 2].map(|label| {
            let sum: f64 = pairs.iter().map(|pair| f64::from(self.weights[*pair][label])).sum();
            f64::from(self.bias[label]) + scale * sum
        });
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let powers = scores.map(|score| (score - top).exp());
        powers.map(|power| power / powers.iter().sum::<f64>())
    }

    /// A step down the gradient of the loss.
    #[expect(clippy::cast_possible_truncation, reason = "weights are kept in single precision")]
    fn learn(&mut self, pairs: &[usize], label: Label) {
        let (chances, scale) = (self.chances(pairs), scale(pairs));
        for (at, chance) in chances.into_iter().enumerate() {
            let error = f64::from(u8::from(Label::ALL[at] == label)) - chance;
            self.bias[at] += (RATE * 0.1 * error) as f32;
            pairs.iter().for_each(|pair| self.weights[*pair][at] += (RATE * scale * error) as f32);
        }
    }
}

/// The factor that normalises the vector of a URL.
#[expect(clippy::cast_precision_loss, reason = "a number of characters")]
fn scale(pairs: &[usize]) -> f64 {
    1.0 / (pairs.len().max(1) as f64).sqrt()
}

/// The distinct pairs of neighbouring bytes of a URL, without its scheme, hashed.
#[expect(clippy::cast_possible_truncation, reason = "a remainder")]
fn pairs(url: &str) -> Vec<usize> {
    let bytes = url.split("://").last().unwrap_or_default().as_bytes();
    let hashed = bytes.windows(2).map(|pair| (xxh3_64(pair) % DIMENSIONS as u64) as usize);
    hashed.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Learns from batches of URLs whose label is known.
#[derive(Debug)]
pub(super) struct Learner {
    model: Arc<Model>,
    batch: Vec<(Vec<usize>, Label)>,
    /// The number of batches learned from.
    batches: u64,
}

impl Learner {
    pub fn new() -> Self {
        let model = Model { weights: vec![[0.0; 3]; DIMENSIONS].into(), bias: [0.0; 3] };
        Self { model: Arc::new(model), batch: Vec::new(), batches: 0 }
    }

    /// The number of batches learned from.
    pub const fn batches(&self) -> u64 {
        self.batches
    }

    /// The current model; `None` before the first batch.
    pub fn model(&self) -> Option<Arc<Model>> {
        (self.batches > 0).then(|| Arc::clone(&self.model))
    }

    /// Adds a URL to the batch. Returns true if it completed the batch and changed the model.
    pub fn learn(&mut self, url: &str, label: Label) -> bool {
        self.batch.push((pairs(url), label));
        if self.batch.len() < BATCH {
            return false;
        }
        let model = Arc::make_mut(&mut self.model);
        for _ in 0..EPOCHS {
            self.batch.iter().for_each(|(pairs, label)| model.learn(pairs, *label));
        }
        self.batch.clear();
        self.batches += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn it_learns_to_tell_labels_by_the_characters_of_urls() {
        let mut learner = Learner::new();
        assert!(learner.model().is_none());
        for n in 0..40 {
            learner.learn(&format!("http://h.test/data/file{n}.csv"), Label::Target);
            learner.learn(&format!("http://h.test/page/{n}/"), Label::Html);
            learner.learn(&format!("http://h.test/images/{n}.png"), Label::Neither);
        }
        let model = learner.model().unwrap();
        let urls = ["http://h.test/data/file99.csv", "http://h.test/page/99/", "http://h.test/images/99.png"];
        assert_eq!(urls.map(|url| model.predict(url)), Label::ALL);
        assert_eq!(learner.batches(), 12);
    }

    #[test]
    fn an_untrained_model_predicts_a_page() {
        assert_eq!(Learner::new().model.predict("http://h.test/"), Label::Html);
    }

    #[test]
    fn a_step_makes_the_label_more_likely() {
        let mut model = Learner::new().model.as_ref().clone();
        let pairs = pairs("http://h.test/x");
        let before = model.chances(&pairs);
        model.learn(&pairs, Label::Target);
        let after = model.chances(&pairs);
        assert!(before.iter().all(|chance| (chance - 1.0 / 3.0).abs() < 1e-9));
        assert!(after[0] > before[0] && after[1] < before[1]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn chances_are_numbers_that_sum_to_one(urls in proptest::collection::vec((".{0,12}", 0..3_usize), 0..60)) {
            let mut learner = Learner::new();
            for (url, label) in &urls {
                learner.learn(url, Label::ALL[*label]);
                let sum: f64 = learner.model.chances(&pairs(url)).iter().sum();
                prop_assert!((sum - 1.0).abs() < 1e-9);
            }
        }
    }
}
