//! What was learned of a site, for display.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::templates::Templates;

impl Templates {
    /// The clusters with the number of sample pages in each (cluster 1 holds the outliers), and the settings that they
    /// were found with.
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
