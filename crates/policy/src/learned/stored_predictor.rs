//! What stands around links as bytes: the classifier, the topic, and the predictions for known links.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::link_evidence::{LINKS_MAX, Predictions, Predictor};
use super::topic_terms::TopicTerms;
use harvestman_core::model::Prediction;
use harvestman_structure::naive_bayes::NaiveBayes;

/// A [`Predictor`] as bytes. Equal predictors give equal bytes: at most 7 for each of the known links, of which there
/// are at most a million, and 15 for each of a quarter of a million tokens.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredPredictor {
    bayes: NaiveBayes,
    topic: Option<TopicTerms>,
    /// The links with each prediction: the first key, and the differences of the others to the one before.
    links: Vec<(Prediction, Vec<u64>)>,
}

impl From<&Predictor> for StoredPredictor {
    fn from(predictor: &Predictor) -> Self {
        let mut links: BTreeMap<u8, Vec<u64>> = BTreeMap::new();
        let predictions = predictor.predictions.iter().filter(|(_, known)| **known != Prediction::NONE);
        predictions.for_each(|(url, known)| links.entry(u8::from(*known)).or_default().push(*url));
        Self {
            bayes: predictor.bayes.clone(),
            topic: predictor.topic.as_deref().cloned(),
            links: links.into_iter().map(|(known, urls)| (Prediction::from(known), differences(urls))).collect(),
        }
    }
}

impl TryFrom<StoredPredictor> for Predictor {
    type Error = &'static str;

    fn try_from(StoredPredictor { bayes, topic, links }: StoredPredictor) -> Result<Self, Self::Error> {
        if topic.as_ref().is_some_and(|topic| !topic.is_sound()) {
            return Err("the terms of its topic are too many, or out of order");
        }
        let known: usize = links.iter().map(|(_, urls)| urls.len()).sum();
        if known > LINKS_MAX {
            return Err("it predicts too many links");
        }
        let mut predictions = Predictions::with_capacity_and_hasher(known, Default::default());
        for (prediction, differences) in links {
            let mut url: u64 = 0;
            for difference in differences {
                url = url.checked_add(difference).ok_or("the links that it predicts are out of order")?;
                predictions.insert(url, prediction);
            }
        }
        Ok(Self { bayes, predictions, topic: topic.map(Arc::new) })
    }
}

/// The numbers in ascending order, each as its difference to the one before.
fn differences(mut numbers: Vec<u64>) -> Vec<u64> {
    numbers.sort_unstable();
    let mut before = 0;
    for number in &mut numbers {
        (*number, before) = (*number - before, *number);
    }
    numbers
}

#[cfg(test)]
#[path = "stored_predictor_tests.rs"]
mod tests;
