//! The dashboards name only metrics and labels that the catalogue has.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use harvestman::metrics::Metrics;
use serde_json::Value;

/// Labels that Prometheus itself adds, or that every histogram has.
const GENERAL_LABELS: &[&str] = &["le", "job", "instance"];

/// What a process exports from the start: each metric with the labels it has.
fn exported() -> BTreeMap<String, BTreeSet<String>> {
    let mut metrics: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in Metrics::new().encode().lines().filter(|line| !line.starts_with('#')) {
        let series = line.rsplit_once(' ').map_or(line, |(series, _)| series);
        let (name, labels) = series.split_once('{').unwrap_or((series, ""));
        let names = labels.split("\",").filter_map(|label| label.split_once('=')).map(|(name, _)| name.to_owned());
        metrics.entry(name.to_owned()).or_default().extend(names);
    }
    metrics
}

/// All queries of a dashboard.
fn queries(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("expr").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|field| queries(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| queries(item, found)),
        _ => {}
    }
}

fn words(query: &str) -> impl Iterator<Item = &str> {
    query.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The labels that a query groups by.
fn grouped_by(query: &str) -> Vec<&str> {
    let groups = query.split("by (").skip(1).filter_map(|rest| rest.split(')').next());
    groups.flat_map(|group| group.split(',').map(str::trim)).collect()
}

#[test]
fn every_panel_asks_for_metrics_and_labels_that_exist() {
    let exported = exported();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("grafana");
    let mut asked = 0;
    for entry in fs::read_dir(folder).expect("the dashboards") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let dashboard: Value = serde_json::from_str(&fs::read_to_string(&path).expect("text")).expect("JSON");
        let mut found = Vec::new();
        queries(&dashboard, &mut found);
        for query in found {
            let ours = |word: &&str| word.starts_with("harvestman_") || word.starts_with("process_");
            let named: Vec<&str> = words(&query).filter(ours).collect();
            assert!(!named.is_empty(), "{query} asks for none of our metrics");
            for name in &named {
                assert!(exported.contains_key(*name), "{} asks for {name}", path.display());
            }
            for label in grouped_by(&query) {
                let known = GENERAL_LABELS.contains(&label) || named.iter().any(|name| exported[*name].contains(label));
                assert!(known, "{} groups by {label} in {query}", path.display());
            }
            asked += 1;
        }
    }
    assert!(asked >= 12, "the dashboards were found");
}
