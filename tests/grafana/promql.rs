//! As much of PromQL as it takes to see what a query names. Whether it is well formed Prometheus itself says, in
//! `promtool` and in the test with a real server.

use std::collections::{BTreeMap, BTreeSet};

/// Functions, aggregations and operators that queries may use.
const WORDS: &[&str] = &[
    "and",
    "or",
    "unless",
    "bool",
    "offset",
    "sum",
    "min",
    "max",
    "avg",
    "count",
    "topk",
    "rate",
    "increase",
    "time",
    "vector",
    "histogram_quantile",
    "last_over_time",
    "min_over_time",
    "deriv",
    "predict_linear",
    "clamp_max",
    "clamp_min",
    "sort_desc",
    "round",
    "absent",
];
/// What is followed by labels in brackets.
const LISTS: &[&str] = &["by", "without", "on", "ignoring", "group_left", "group_right"];
/// Labels that Prometheus itself adds, and the one that every metric of a node of a fleet has.
const GENERAL: &[&str] = &["job", "instance", "node"];

/// A label's values, where they are known.
pub type Labels = BTreeMap<String, Option<BTreeSet<String>>>;

/// Metrics and their labels.
#[derive(Debug, Clone, Default)]
pub struct Known(pub BTreeMap<String, Labels>);

#[derive(Debug, Clone, PartialEq)]
enum Token<'q> {
    Word(&'q str),
    Text(&'q str),
    Range(&'q str),
    Sign(&'q str),
}

/// What a query names.
#[derive(Debug, Default)]
pub struct Query<'q> {
    pub metrics: BTreeSet<&'q str>,
    /// Label lists: the word before them and the labels.
    pub lists: Vec<(&'q str, Vec<&'q str>)>,
    /// Metric, label, sign, value.
    matchers: Vec<(&'q str, &'q str, &'q str, &'q str)>,
}

fn tokens(query: &str) -> Result<Vec<Token<'_>>, String> {
    let mut found = Vec::new();
    let mut rest = query.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '"' => {
                let end = rest[1..].find('"').ok_or("a text does not end")?;
                (Some(Token::Text(&rest[1..=end])), end + 2)
            }
            '[' => {
                let end = rest.find(']').ok_or("a range does not end")?;
                (Some(Token::Range(&rest[1..end])), end + 1)
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"_:".contains(c)).unwrap_or(rest.len());
                (Some(Token::Word(&rest[..end])), end)
            }
            '0'..='9' => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
                (None, end)
            }
            _ => {
                let length =
                    if ["=~", "!~", "!=", "==", ">=", "<="].iter().any(|sign| rest.starts_with(sign)) { 2 } else { 1 };
                if !"(){},=!<>+-*/".contains(first) {
                    return Err(format!("`{first}` is nothing that is known"));
                }
                (Some(Token::Sign(&rest[..length])), length)
            }
        };
        found.extend(token);
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

/// Reads a query.
pub fn read(query: &str) -> Result<Query<'_>, String> {
    let tokens = tokens(query)?;
    let mut found = Query::default();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match *token {
            Token::Word(word) if LISTS.contains(&word) && tokens.get(at) == Some(&Token::Sign("(")) => {
                let end = close(&tokens, at, ")")?;
                let labels = tokens[at + 1..end].iter().filter_map(|token| match token {
                    Token::Word(label) => Some(*label),
                    _ => None,
                });
                found.lists.push((word, labels.collect()));
                at = end + 1;
            }
            Token::Word(word) if WORDS.contains(&word) => {}
            Token::Word(metric) => {
                found.metrics.insert(metric);
                if tokens.get(at) == Some(&Token::Sign("{")) {
                    let end = close(&tokens, at, "}")?;
                    for matcher in tokens[at + 1..end].split(|token| *token == Token::Sign(",")) {
                        let [Token::Word(label), Token::Sign(sign), Token::Text(value)] = matcher else {
                            return Err(format!("{metric} is asked for by {matcher:?}"));
                        };
                        found.matchers.push((metric, label, sign, value));
                    }
                    at = end + 1;
                }
            }
            Token::Range(range) if !is_range(range) => return Err(format!("[{range}] is no range")),
            Token::Text(text) => return Err(format!("\"{text}\" stands where no text may")),
            Token::Sign("{") => return Err("labels of no metric".to_owned()),
            Token::Range(_) | Token::Sign(_) => {}
        }
    }
    Ok(found)
}

fn close(tokens: &[Token<'_>], from: usize, sign: &str) -> Result<usize, String> {
    let length = tokens[from..].iter().position(|token| *token == Token::Sign(sign));
    length.map(|length| from + length).ok_or_else(|| format!("`{sign}` is missing"))
}

fn is_range(range: &str) -> bool {
    let of_time = range.strip_suffix(['s', 'm', 'h', 'd']).is_some_and(|number| number.parse::<u32>().is_ok());
    of_time || ["$__rate_interval", "$__interval", "$__range"].contains(&range)
}

impl Known {
    /// Whether a query names only what there is; what else, if not.
    pub fn check(&self, query: &str) -> Result<(), String> {
        let read = read(query)?;
        if read.metrics.is_empty() {
            return Err("it asks for no metric".to_owned());
        }
        for metric in &read.metrics {
            self.0.get(*metric).ok_or_else(|| format!("there is no metric {metric}"))?;
        }
        for (metric, label, sign, value) in &read.matchers {
            self.check_matcher((metric, label), sign, value)?;
        }
        for (word, labels) in &read.lists {
            for label in labels {
                let has = |metric: &&str| self.0[*metric].contains_key(*label);
                if !GENERAL.contains(label) && !read.metrics.iter().any(has) {
                    return Err(format!("`{word}` names {label}, which none of its metrics has"));
                }
            }
        }
        Ok(())
    }

    fn check_matcher(&self, (metric, label): (&str, &str), sign: &str, value: &str) -> Result<(), String> {
        if GENERAL.contains(&label) {
            return Ok(());
        }
        let values = self.0[metric].get(label).ok_or_else(|| format!("{metric} has no label {label}"))?;
        let asked: Vec<&str> = if sign.ends_with('~') { value.split('|').collect() } else { vec![value] };
        for value in asked {
            if values.as_ref().is_some_and(|values| !values.contains(value)) {
                return Err(format!("{metric} never has {label}=\"{value}\""));
            }
        }
        Ok(())
    }

    /// The labels of a query's answer: those that it groups by, or else those of its metrics.
    pub fn labels_of(&self, query: &str) -> Result<BTreeSet<String>, String> {
        let read = read(query)?;
        let grouped: Vec<_> = read.lists.iter().filter(|(word, _)| *word == "by").collect();
        let aggregates = ["sum", "max", "min", "count", "avg"]
            .iter()
            .any(|word| query.contains(&format!("{word} (")) || query.contains(&format!("{word} by (")));
        let general = GENERAL.iter().map(|label| (*label).to_owned());
        Ok(if aggregates {
            grouped.iter().flat_map(|(_, labels)| labels.iter().map(|label| (*label).to_owned())).collect()
        } else {
            read.metrics.iter().flat_map(|metric| self.0[*metric].keys().cloned()).chain(general).collect()
        })
    }
}
