//! The overview: what it shows at its top.

use std::collections::BTreeSet;

use super::{dashboards, panels, rules};
use serde_json::Value;

fn overview() -> Value {
    dashboards().into_iter().find(|(file, _)| file == "overview.json").unwrap().1
}

/// The rows of the grid that a screen of 1080 pixels shows below the bars of a browser and of Grafana: a row takes 38
/// pixels.
const FIRST_SCREEN: u64 = 20;

#[test]
fn the_overview_answers_the_first_questions_without_scrolling() {
    let board = overview();
    let bottom = |panel: &Value| panel["gridPos"]["y"].as_u64().unwrap() + panel["gridPos"]["h"].as_u64().unwrap();
    let first: Vec<&str> = panels(&board)
        .take_while(|panel| panel["type"] != "row")
        .inspect(|panel| assert!(bottom(panel) <= FIRST_SCREEN, "{} is out of sight", panel["title"]))
        .map(|panel| panel["title"].as_str().unwrap())
        .collect();
    for title in
        ["State", "Firing alerts", "Bottleneck", "Limits", "New pages per request", "Time left", "Yield per request"]
    {
        assert!(first.contains(&title), "{title} is not at the top, but {first:?}");
    }
}

#[test]
fn each_state_has_a_text_and_a_colour_on_the_overview() {
    let board = overview();
    let state = panels(&board).find(|panel| panel["title"] == "State").unwrap();
    let meanings = &state["fieldConfig"]["defaults"]["mappings"][0]["options"];
    let rule = rules::recording().find(|rule| rule.name == "instance:harvestman_crawl_state:code").unwrap();
    // The factors in the rule; the last operand has none.
    let mut codes: BTreeSet<&str> = rule
        .query
        .split_whitespace()
        .zip(rule.query.split_whitespace().skip(1))
        .filter(|(_, next)| *next == "*")
        .map(|(code, _)| code)
        .collect();
    codes.insert("1");
    assert_eq!(codes.len(), 7, "the codes were found");
    for code in codes {
        assert!(meanings[code]["text"].is_string() && meanings[code]["color"].is_string(), "state {code}: {meanings}");
    }
}
