//! What is in grafana/: dashboards and rules name only metrics and labels that the catalogue has, and the files fit
//! together.

#![allow(clippy::unwrap_used, reason = "the shared parts of a test may panic as the tests themselves may")]

mod deployment;
mod overview;
mod promql;
mod rules;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harvestman::metrics::{Kind, Metrics, catalogue};
use promql::{Known, Labels};
use serde_json::Value;

/// Metrics that are on no dashboard and in no rule, and why.
const UNSHOWN: &[(&str, &str)] = &[
    ("harvestman_classify_received_total", "its sum by cluster is shown"),
    ("harvestman_classify_sent_total", "its parts are shown by cluster"),
    ("harvestman_parse_received_total", "what was parsed and what was not is shown"),
    ("harvestman_frontier_received_total", "what is new to the dedup is shown"),
    ("harvestman_frontier_sent_total", "requests are shown"),
    ("harvestman_frontier_returned_total", "further tries are shown by the hosts"),
    ("harvestman_host_received_total", "requests are shown"),
    ("harvestman_archive_received_total", "records are shown by type"),
    ("harvestman_archive_sent_total", "records are shown by type"),
    ("harvestman_archive_queue_bytes", "the length of the queue is shown"),
    ("harvestman_archive_files_total", "the bytes are shown"),
    ("harvestman_policy_snapshots_total", "the version of the snapshot is shown"),
];

/// The exit code of `dashboards.py` if Grafana's SDK is not installed.
const NOT_INSTALLED: i32 = 3;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn yaml(path: &str) -> Value {
    serde_saphyr::from_str(&read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What there is to ask for: the catalogue, the process, what Prometheus adds, what the recording rules make.
fn known() -> Known {
    let mut known = Known::default();
    for definition in catalogue::definitions() {
        let all =
            |values: &[&str]| values.iter().map(|value| (*value).to_owned()).chain(["other".to_owned()]).collect();
        let labels: Labels =
            definition.labels.iter().map(|label| (label.name.to_owned(), Some(all(label.values)))).collect();
        if definition.kind == Kind::Histogram {
            let mut bucket = labels.clone();
            bucket.insert("le".to_owned(), None);
            known.0.insert(format!("{}_bucket", definition.name), bucket);
            for end in ["_sum", "_count"] {
                known.0.insert(format!("{}{end}", definition.name), labels.clone());
            }
        } else {
            known.0.insert(definition.name.to_owned(), labels);
        }
    }
    let text = Metrics::new().encode();
    let process = text.lines().filter_map(|line| line.split_once(' ')).filter(|(name, _)| name.starts_with("process_"));
    known.0.extend(process.map(|(name, _)| (name.to_owned(), Labels::new())));
    known.0.insert("up".to_owned(), Labels::new());
    known.0.insert("ALERTS".to_owned(), labels_of_alerts());
    for rule in rules::recording() {
        let labels = known.labels_of(&rule.query).unwrap_or_else(|error| panic!("{}: {error}", rule.name));
        let recorded = known.0.entry(rule.name.clone()).or_default();
        // Other rules of this name may have added one of the labels, with its values.
        for label in labels {
            recorded.entry(label).or_default();
        }
        for (label, value) in rule.added_labels() {
            recorded.entry(label).or_default().get_or_insert_default().insert(value);
        }
    }
    known
}

/// The labels of the series that Prometheus adds for the alerts that are pending or firing.
fn labels_of_alerts() -> Labels {
    let some = |values: &[&str]| Some(values.iter().map(|value| (*value).to_owned()).collect());
    let states = ("alertstate".to_owned(), some(&["pending", "firing"]));
    let severities = ("severity".to_owned(), some(&["page", "ticket"]));
    Labels::from([("alertname".to_owned(), None), states, severities])
}

fn dashboards() -> Vec<(String, Value)> {
    let files = fs::read_dir(root().join("grafana/dashboards")).expect("the dashboards");
    let mut names: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let read = |name: String| {
        let board = serde_json::from_str(&read(&format!("grafana/dashboards/{name}"))).expect("JSON");
        (name, board)
    };
    names.into_iter().map(read).collect()
}

fn panels(board: &Value) -> impl Iterator<Item = &Value> {
    board["panels"].as_array().expect("panels").iter()
}

/// All queries with where they stand and the name of their series.
fn queries() -> Vec<(String, String, String)> {
    let mut all = Vec::new();
    for (file, board) in dashboards() {
        for panel in panels(&board) {
            for target in panel["targets"].as_array().into_iter().flatten() {
                let place = format!("{file}: {}", panel["title"].as_str().unwrap());
                let text = |field: &str| target[field].as_str().unwrap().to_owned();
                all.push((place, text("expr"), text("legendFormat")));
            }
        }
    }
    assert!(all.len() > 100, "the queries were found");
    all
}

/// The descriptions of all panels with where they stand.
fn descriptions() -> Vec<(String, String)> {
    let of = |file: &str, panel: &Value| {
        let place = format!("{file}: {}", panel["title"].as_str().unwrap());
        panel["description"].as_str().map(|text| (place, text.to_owned()))
    };
    dashboards()
        .iter()
        .flat_map(|(file, board)| panels(board).filter_map(|panel| of(file, panel)).collect::<Vec<_>>())
        .collect()
}

/// The titles of all panels.
fn titles() -> BTreeSet<String> {
    let title = |panel: &Value| panel["title"].as_str().unwrap().to_owned();
    dashboards().iter().flat_map(|(_, board)| panels(board).map(title).collect::<Vec<_>>()).collect()
}

#[test]
fn every_panel_asks_for_metrics_labels_and_values_that_exist() {
    let known = known();
    for (place, query, _) in queries() {
        known.check(&query).unwrap_or_else(|error| panic!("{place}: {error} in {query}"));
    }
}

#[test]
fn every_series_is_named_by_labels_that_the_answer_has() {
    let known = known();
    for (place, query, legend) in queries() {
        let labels = known.labels_of(&query).unwrap();
        for label in legend.split("{{").skip(1).map(|rest| rest.split("}}").next().unwrap()) {
            assert!(labels.contains(label.trim()), "{place}: {legend}, but {query} has only {labels:?}");
        }
    }
}

#[test]
fn what_is_chosen_at_the_top_comes_from_metrics_that_exist() {
    let known = known();
    for (file, board) in dashboards() {
        let choices = board["templating"]["list"].as_array().unwrap();
        let names: Vec<&str> = choices.iter().map(|choice| choice["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["datasource", "job", "instance", "node"], "{file}");
        for choice in &choices[1..] {
            let query = choice["query"].as_str().unwrap();
            let inner = query.strip_prefix("label_values(").and_then(|rest| rest.strip_suffix(')')).unwrap();
            let (series, label) = inner.rsplit_once(", ").unwrap();
            known.check(series).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(["job", "instance", "node"].contains(&label), "{file}: {query}");
        }
    }
}

#[test]
fn panels_are_explained_have_a_unit_and_do_not_overlap() {
    for (file, board) in dashboards() {
        let mut taken = BTreeSet::new();
        let mut ids = BTreeSet::new();
        for panel in panels(&board) {
            let title = panel["title"].as_str().unwrap();
            assert!(ids.insert(panel["id"].as_u64()), "{file}: {title} has an id that another has");
            let place = ["x", "y", "w", "h"].map(|side| panel["gridPos"][side].as_u64().unwrap());
            let [x, y, w, h] = place;
            assert!(x + w <= 24, "{file}: {title} is too wide");
            for cell in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
                assert!(taken.insert(cell), "{file}: {title} lies on another panel at {cell:?}");
            }
            if panel["type"] != "row" {
                // What it shows, and what to do.
                let sentences = panel["description"].as_str().unwrap().matches(". ").count() + 1;
                assert!(sentences >= 2 && panel["description"].as_str().unwrap().ends_with('.'), "{file}: {title}");
                assert!(panel["fieldConfig"]["defaults"]["unit"].is_string(), "{file}: {title} has no unit");
            }
        }
    }
}

#[test]
fn every_metric_is_on_a_dashboard_or_in_a_rule_or_there_is_a_reason() {
    let mut asked = String::new();
    queries().iter().for_each(|(_, query, _)| asked += query);
    rules::all().iter().for_each(|rule| asked += &rule.query);
    let named: BTreeSet<&str> = asked.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    let shown =
        |name: &str| ["", "_bucket", "_sum", "_count"].iter().any(|end| named.contains(&*format!("{name}{end}")));
    let unshown: Vec<&str> =
        catalogue::definitions().map(|definition| definition.name).filter(|name| !shown(name)).collect();
    let excused: Vec<&str> = UNSHOWN.iter().map(|(name, _)| *name).collect();
    let missing: Vec<_> = unshown.iter().filter(|name| !excused.contains(name)).collect();
    assert!(missing.is_empty(), "nobody sees {missing:?}");
    let needless: Vec<_> = excused.iter().filter(|name| !unshown.contains(name)).collect();
    assert!(needless.is_empty(), "these are shown, or are no metrics: {needless:?}");
}

#[test]
fn the_dashboards_are_what_their_source_writes() {
    let python = std::env::var_os("HARVESTMAN_PYTHON").unwrap_or_else(|| "python3".into());
    let script = root().join("grafana/dashboards.py");
    let Ok(output) = Command::new(python).arg("-B").arg(script).arg("--check").output() else {
        assert!(std::env::var_os("HARVESTMAN_REQUIRE_PYTHON").is_none(), "there is no Python");
        eprintln!("SKIPPED: there is no python3");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(NOT_INSTALLED) && std::env::var_os("HARVESTMAN_REQUIRE_PYTHON").is_none() {
        eprintln!("SKIPPED: {said}");
        return;
    }
    assert!(output.status.success(), "{said}");
}

#[test]
fn a_query_that_names_what_does_not_exist_is_found() {
    let known = known();
    for (query, wrong) in [
        ("sum (rate(harvestman_crawl_page_total[5m]))", "harvestman_crawl_page_total"),
        ("harvestman_fetch_duration_seconds", "harvestman_fetch_duration_seconds"),
        ("sum by (host) (harvestman_frontier_queued_urls)", "host"),
        ("sum without (host) (harvestman_frontier_queued_urls)", "host"),
        ("harvestman_frontier_queued_urls * on (pod) up", "pod"),
        ("harvestman_frontier_queued_urls * on (job) group_left (order) up", "order"),
        ("harvestman_frontier_queued_urls{host=\"a\"}", "host"),
        ("harvestman_host_waiting_hosts{cause=\"whim\"}", "whim"),
        ("harvestman_host_waiting_hosts{cause=~\"breaker|whim\"}", "whim"),
        ("instance:harvestman_no_such:rate5m", "instance:harvestman_no_such:rate5m"),
        ("instance:harvestman_fetch_refused:ratio_rate5m{status=\"429\"}", "status"),
        ("instance_cause:harvestman_limit:ratio_rate5m{cause=\"mood\"}", "mood"),
        ("ALERTS{alertstate=\"ringing\"}", "ringing"),
        ("ratee(harvestman_crawl_pages_total[5m])", "ratee"),
        ("rate(harvestman_crawl_pages_total[five])", "five"),
        ("vector(1)", "no metric"),
        ("{job=\"harvestman\"}", "no metric"),
    ] {
        let error = known.check(query).expect_err(query);
        assert!(error.contains(wrong), "{query}: {error}");
    }
    for query in [
        "sum by (le, phase, job) (rate(harvestman_fetch_duration_seconds_bucket{phase=\"whole\"}[5m]))",
        "process_open_fds{job=\"x\"} / process_max_fds > 0.9 or up == 0",
        "topk (3, instance_cluster:harvestman_classify_pages:ratio_rate5m{cluster=\"4\"}) * 1e9",
    ] {
        known.check(query).unwrap();
    }
    assert!(known.labels_of("sum by (cause) (harvestman_host_waiting_hosts)").unwrap().contains("cause"));
    assert!(!known.labels_of("sum (harvestman_host_waiting_hosts)").unwrap().contains("cause"));
}
