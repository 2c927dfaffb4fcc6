//! What was learnt of a site, for people to read.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::templates::Templates;

impl Templates {
    /// The clusters with the pages of the sample in each (1 holds those that are like no others), and how they were found.
    pub fn describe(&self) -> Value {
        let mut clusters: BTreeMap<u32, u64> = BTreeMap::new();
        for label in self.labels() {
            *clusters.entry(self.name(*label).0).or_default() += 1;
        }
        json!({
            "sample": self.labels().len(),
            "features": self.vocabulary().len(),
            "radius": self.radius(),
            "clusters": clusters,
        })
    }
}
