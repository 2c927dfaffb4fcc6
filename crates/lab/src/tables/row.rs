//! A row of results.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use super::Measure;
use crate::measures::{Clustering, Harvest, Precision};

/// The result of one run: its identity and its measures. In JSON the measures are flattened into the row, and absent
/// values are omitted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The corpus.
    pub corpus: String,
    /// The task: `ucc`, `target`, `cluster`, `classify`, `order`.
    pub task: String,
    /// The type of the target pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The policy or clustering method.
    pub policy: String,
    /// The variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The order of filter and dedup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// The store of seen URLs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// The random seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The maximum number of fetches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// The measures.
    #[serde(flatten, serialize_with = "measures")]
    pub measures: BTreeMap<Measure, f64>,
}

/// Writes counts as integers where they are whole.
fn measures<S: Serializer>(measures: &BTreeMap<Measure, f64>, to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(measures.len()))?;
    for (measure, value) in measures {
        if measure.is_count() && value.fract() == 0.0 && value.abs() < 1e15 {
            #[expect(clippy::cast_possible_truncation, reason = "a whole number far below 2^63")]
            map.serialize_entry(measure, &(*value as i64))?;
        } else {
            map.serialize_entry(measure, value)?;
        }
    }
    map.end()
}

impl Row {
    /// Creates a row without measures.
    pub fn new(corpus: &str, task: &str, policy: &str) -> Self {
        Self { corpus: corpus.to_owned(), task: task.to_owned(), policy: policy.to_owned(), ..Self::default() }
    }

    /// Adds a measure, if it has a finite value.
    #[must_use]
    pub fn with(mut self, measure: Measure, value: impl Into<Option<f64>>) -> Self {
        if let Some(value) = value.into().filter(|value| value.is_finite()) {
            self.measures.insert(measure, value);
        }
        self
    }

    /// Adds the measures of a crawl.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of pages are far below 2^52")]
    pub fn with_harvest(self, harvest: &Harvest) -> Self {
        self.with(Measure::Fetches, harvest.fetches as f64)
            .with(Measure::Pages, harvest.pages as f64)
            .with(Measure::PageRatio, harvest.page_ratio)
            .with(Measure::ValidRatio, harvest.valid_ratio)
            .with(Measure::ValidRatioUnique, harvest.valid_ratio_unique)
            .with(Measure::Recall, harvest.recall)
            .with(Measure::RecallUnique, harvest.recall_unique)
            .with(Measure::F, harvest.f)
            .with(Measure::FUnique, harvest.f_unique)
            .with(Measure::HarvestRate, harvest.valid_ratio)
            .with(Measure::Area, harvest.area)
            .with(Measure::Entropy, harvest.entropy)
    }

    /// Adds the measures of a clustering.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of pages are far below 2^52")]
    pub fn with_clustering(self, clustering: &Clustering) -> Self {
        self.with(Measure::Sample, clustering.pages as f64)
            .with(Measure::Types, clustering.types as f64)
            .with(Measure::Clusters, clustering.clusters as f64)
            .with(Measure::Outliers, clustering.outliers as f64)
            .with(Measure::Purity, clustering.purity)
            .with(Measure::MicroF, clustering.micro_f)
            .with(Measure::MacroF, clustering.macro_f)
            .with(Measure::MicroFOfClusters, clustering.micro_f_of_clusters)
            .with(Measure::MacroFOfClusters, clustering.macro_f_of_clusters)
    }

    /// Adds the measures of a classification.
    #[must_use]
    pub fn with_precision(self, precision: &Precision) -> Self {
        self.with(Measure::MicroPrecision, precision.micro).with(Measure::MacroPrecision, precision.macro_)
    }
}

/// Formats rows as `{"rows": [...]}`, one row per line.
pub fn to_json(rows: &[Row]) -> String {
    let lines: Vec<_> =
        rows.iter().map(|row| serde_json::to_string(row).expect("a row is texts and numbers")).collect();
    if lines.is_empty() {
        return "{\"rows\": []}\n".to_owned();
    }
    format!("{{\"rows\": [\n{}\n]}}\n", lines.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_one_flat_object_without_absent_values() {
        let row = Row { seed: Some(3), ..Row::new("spirit", "ucc", "bfs") };
        let row = row.with(Measure::ValidRatio, 0.5).with(Measure::Fetches, 12.0).with(Measure::F, None);
        let row = row.with(Measure::Recall, f64::NAN);
        let text = serde_json::to_string(&row).unwrap();
        let expected = r#"{"corpus":"spirit","task":"ucc","policy":"bfs","seed":3,"fetches":12,"valid_ratio":0.5}"#;
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Row>(&text).unwrap(), row);
    }

    #[test]
    fn the_json_of_an_experiment_is_an_object_with_its_rows() {
        let rows = [Row::new("a", "ucc", "bfs"), Row::new("\"b\"\n", "ucc", "bfs").with(Measure::Clusters, 2.5)];
        let value: serde_json::Value = serde_json::from_str(&to_json(&rows)).unwrap();
        assert_eq!(value["rows"][1]["corpus"], "\"b\"\n");
        assert_eq!(value["rows"][1]["clusters"], 2.5);
        let none: serde_json::Value = serde_json::from_str(&to_json(&[])).unwrap();
        assert_eq!(none["rows"].as_array().map(Vec::len), Some(0));
    }

    #[test]
    fn every_measure_of_a_crawl_a_clustering_and_a_classification_has_its_column() {
        let harvest = Harvest { valid_ratio: Some(0.5), recall: Some(0.25), ..Harvest::default() };
        let clustering = Clustering::of([(Some(1), 'x'), (None, 'y')]).unwrap();
        let row = Row::new("c", "t", "p").with_harvest(&harvest).with_clustering(&clustering);
        let row = row.with_precision(&Precision { micro: 0.75, macro_: 0.5 });
        assert_eq!(row.measures[&Measure::HarvestRate], 0.5);
        assert_eq!(row.measures[&Measure::Outliers], 1.0);
        assert_eq!(row.measures[&Measure::MacroPrecision], 0.5);
        assert!(!row.measures.contains_key(&Measure::Entropy));
    }
}
