//! Recording and alerting rules.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use super::{known, read, root, yaml};
use harvestman::metrics::catalogue;
use serde_json::Value;

const FILES: [&str; 3] = ["grafana/rules/recording.yml", "grafana/rules/alerts.yml", "grafana/rules/overview.yml"];
const TESTS: [&str; 3] =
    ["grafana/rules/tests/recording.yml", "grafana/rules/tests/alerts.yml", "grafana/rules/tests/overview.yml"];

/// A rule.
pub struct Rule {
    pub name: String,
    pub query: String,
    is_alert: bool,
    whole: Value,
}

impl Rule {
    /// The labels that the rule adds to its results, with their values.
    pub fn added_labels(&self) -> Vec<(String, String)> {
        let labels = self.whole["labels"].as_object().into_iter().flatten();
        labels.map(|(label, value)| (label.clone(), value.as_str().unwrap().to_owned())).collect()
    }
}

pub fn all() -> Vec<Rule> {
    let groups = FILES.map(yaml).into_iter().flat_map(|file| file["groups"].as_array().unwrap().clone());
    let rules = groups.flat_map(|group| group["rules"].as_array().unwrap().clone());
    let rule = |whole: Value| {
        let is_alert = whole["alert"].is_string();
        let name = whole[if is_alert { "alert" } else { "record" }].as_str().unwrap().to_owned();
        Rule { name, query: whole["expr"].as_str().unwrap().to_owned(), is_alert, whole }
    };
    rules.map(rule).collect()
}

/// The recording rules, in the order of their evaluation.
pub fn recording() -> impl Iterator<Item = Rule> {
    all().into_iter().filter(|rule| !rule.is_alert)
}

#[test]
fn every_rule_asks_for_metrics_labels_and_values_that_exist() {
    let known = known();
    let rules = all();
    assert!(rules.len() > 10, "the rules were found");
    for rule in rules {
        known.check(&rule.query).unwrap_or_else(|error| panic!("{}: {error}", rule.name));
    }
}

#[test]
fn an_alert_says_what_to_do_and_whether_to_wake_somebody() {
    for rule in all().into_iter().filter(|rule| rule.is_alert) {
        let severity = rule.whole["labels"]["severity"].as_str();
        assert!(matches!(severity, Some("page" | "ticket")), "{}: {severity:?}", rule.name);
        let note = |name: &str| rule.whole["annotations"][name].as_str().unwrap_or_default().to_owned();
        assert!(note("summary").contains("{{ $labels.instance }}"), "{} does not say which crawl", rule.name);
        assert!(note("description").len() > 100, "{} does not say what to do", rule.name);
        assert!(rule.name.starts_with("Harvestman"), "{}", rule.name);
    }
}

/// Whether the documentation has a setting `section.key`.
fn is_setting(name: &str) -> bool {
    let settings = read("docs/configuration.md");
    let Some((section, key)) = name.split_once('.') else { return false };
    let rest = settings.split_once(&format!("\n## {section}\n")).map(|(_, rest)| rest);
    let own = rest.map(|rest| rest.split("\n## ").next().unwrap_or_default());
    own.is_some_and(|own| own.contains(&format!("| `{key}` |")))
}

#[test]
fn alerts_help_texts_and_panels_name_settings_and_commands_that_exist() {
    let commands = read("docs/cli.md");
    let alerts = all().into_iter().filter(|rule| rule.is_alert);
    let advice = alerts.map(|rule| (rule.name, rule.whole["annotations"]["description"].as_str().unwrap().to_owned()));
    let helps = catalogue::definitions().map(|metric| (metric.name.to_owned(), metric.help.to_owned()));
    let panels = super::descriptions();
    let mut checked = 0;
    for (name, text) in advice.chain(helps).chain(panels) {
        for quoted in text.split('`').skip(1).step_by(2) {
            let words: Vec<&str> = quoted.split_whitespace().collect();
            let known = match words.as_slice() {
                ["harvestman", "ctl", _, "set", setting] => is_setting(setting.split('=').next().unwrap()),
                ["harvestman", "ctl", _, command, ..] => commands.contains(&format!("# harvestman ctl {command}\n")),
                ["harvestman", command, ..] => commands.contains(&format!("# harvestman {command}\n")),
                [setting] if setting.contains('.') => is_setting(setting),
                _ => continue,
            };
            assert!(known, "{name}: `{quoted}` does not exist");
            checked += 1;
        }
    }
    assert!(checked > 70, "the names were found");
}

#[test]
fn alerts_name_panels_that_exist() {
    let titles: BTreeSet<String> = super::titles();
    let mut named = 0;
    for rule in all().into_iter().filter(|rule| rule.is_alert) {
        let advice = rule.whole["annotations"]["description"].as_str().unwrap();
        for panel in advice.split("panel \"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!(titles.contains(panel), "{}: no panel is called {panel}", rule.name);
            named += 1;
        }
    }
    assert!(named > 4, "the panels were found");
}

#[test]
fn every_rule_is_tested_to_fire_and_not_to() {
    let tests = TESTS.map(read).concat();
    let (fires, all): (BTreeSet<String>, Vec<Rule>) = (alerts_expected(), all());
    for rule in all {
        assert!(tests.contains(&rule.name), "no test asks for {}", rule.name);
        assert!(!rule.is_alert || fires.contains(&rule.name), "no test expects {} to fire", rule.name);
        for (label, value) in rule.added_labels() {
            assert!(
                rule.is_alert || tests.contains(&format!("{label}=\"{value}\"")),
                "no test expects {label} {value}"
            );
        }
    }
}

/// Alerts that a test expects for instance `bad`, where an instance `good` is there too and does not fire.
fn alerts_expected() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for test in yaml(TESTS[1])["tests"].as_array().unwrap() {
        let series: Vec<&str> =
            test["input_series"].as_array().unwrap().iter().map(|one| one["series"].as_str().unwrap()).collect();
        let silent = series.iter().any(|one| one.contains("instance=\"good"));
        for asked in test["promql_expr_test"].as_array().into_iter().flatten().filter(|_| silent) {
            let query = asked["expr"].as_str().unwrap();
            for sample in asked["exp_samples"].as_array().into_iter().flatten() {
                let labels = format!("{query} {}", sample["labels"].as_str().unwrap());
                let named = labels.split("alertname=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
                found.extend(named.map(str::to_owned));
            }
        }
    }
    found
}

fn promtool(arguments: &[&str]) -> Option<Output> {
    let output = Command::new("promtool").args(arguments).current_dir(root()).output();
    if output.is_err() {
        eprintln!("SKIPPED: promtool is not installed (Debian: apt-get install prometheus)");
    }
    output.ok()
}

#[test]
fn promtool_finds_no_fault_where_it_is_installed() {
    for arguments in [
        [&["check", "rules"][..], &FILES[..]].concat(),
        [&["test", "rules"][..], &TESTS[..]].concat(),
        vec!["check", "config", "grafana/prometheus.yml"],
    ] {
        let Some(output) = promtool(&arguments) else { return };
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "promtool {arguments:?}: {said}");
    }
}
