//! The results of a replay as text for people.

use harvestman_core::config::PolicyKind;
use std::fmt::Write as _;

use super::goal::Goal;
use crate::corpus::{Corpus, TypeCounts};
use crate::experiments::{ClusterSize, Form, has_variants};
use crate::measures::{Harvest, Task};
use crate::replay::Replay;
use crate::tables::Table;
use harvestman_core::model::ClusterId;
use harvestman_report::figures;
use harvestman_stages::frontier::YieldForecast;

/// Maximum number of clusters listed; the others are summed.
const CLUSTERS_LISTED: usize = 20;

/// The results of a replay.
pub(super) struct ReplaySummary<'a> {
    pub corpus: &'a Corpus,
    pub goal: &'a Goal,
    pub wanted: Option<TypeCounts>,
    pub harvest: &'a Harvest,
    /// The forecast at which it stopped early.
    pub stopped: Option<YieldForecast>,
    pub clusters: &'a [ClusterSize],
}

impl ReplaySummary<'_> {
    /// Formats the results as text.
    pub fn text(&self, policy: PolicyKind, form: Form, seed: u64) -> String {
        let form = if has_variants(policy) { format!(" ({form})") } else { String::new() };
        let mut text = format!("{}: policy {policy}{form}, seed {seed}\n", self.corpus.name);
        let _ = writeln!(text, "wanted: {}", self.wanted_text());
        if let Some(id) = self.goal.example {
            let _ = writeln!(text, "example: {}", self.corpus.url(id).as_str());
        }
        let rows = self.measures().into_iter().map(|(name, value, note)| format!("{name:<24} {value:>9}  {note}"));
        let lines: Vec<_> = rows.map(|line| line.trim_end().to_owned()).collect();
        let _ = write!(text, "\n{}\n", lines.join("\n"));
        if !self.clusters.is_empty() {
            let _ = write!(text, "\n{}", self.learned(policy));
        }
        text
    }

    fn wanted_text(&self) -> String {
        let what = match &self.goal.task {
            Task::Ucc => "user-created pages".to_owned(),
            Task::Topic(topic) => format!("items of the topic {}", topic.name().replace(char::is_control, "\u{fffd}")),
            Task::Target(page_type) => format!("pages of the type {}", page_type.replace(char::is_control, "\u{fffd}")),
        };
        let counts = self.wanted.map(|wanted| {
            format!(
                " ({}, of which {} are not duplicate views)",
                figures::count(wanted.pages),
                figures::count(wanted.unique)
            )
        });
        what + &counts.unwrap_or_else(|| " (number unknown: no labels)".to_owned())
    }

    /// Returns name, value and remark of each available measure.
    fn measures(&self) -> Vec<(&'static str, String, String)> {
        let harvest = self.harvest;
        let percent = |ratio: Option<f64>| ratio.map(|ratio| format!("{:.1} %", ratio * 100.0)).unwrap_or_default();
        let counted = |n: u64, ratio| (figures::count(n), percent(ratio));
        let budget = figures::count(self.goal.budget as u64);
        let ended = match self.stopped {
            Some(outlook) => format!("; stopped, expected yield {:.1} %", outlook.expected_yield * 100.0),
            None if harvest.fetches < self.goal.budget as u64 => "; the frontier is empty".to_owned(),
            None => String::new(),
        };
        let requests = (figures::count(harvest.fetches), format!("of at most {budget}{ended}"));
        let mut rows = vec![("requests", requests), ("new pages", counted(harvest.pages, harvest.page_ratio))];
        if self.wanted.is_some() {
            rows.push(("valid", counted(harvest.valid, harvest.valid_ratio)));
            rows.push(("valid, no views", counted(harvest.valid_unique, harvest.valid_ratio_unique)));
        }
        let ratios = [
            ("recall", harvest.recall),
            ("recall, no views", harvest.recall_unique),
            ("F", harvest.f),
            ("F, no views", harvest.f_unique),
            ("entropy of types, bits", harvest.entropy),
        ];
        let measured =
            ratios.into_iter().filter_map(|(name, ratio)| Some((name, (format!("{:.4}", ratio?), String::new()))));
        rows.extend(measured);
        rows.into_iter().map(|(name, (value, note))| (name, value, note)).collect()
    }

    fn learned(&self, policy: PolicyKind) -> String {
        let name = |cluster: ClusterId| match cluster.0 {
            0 => "none".to_owned(),
            1 if has_variants(policy) => "outliers".to_owned(),
            number => number.to_string(),
        };
        let row = |size: &ClusterSize| {
            let share = |(page_type, count): &(_, u64)| {
                format!("{page_type} ({:.0} %)", *count as f64 / size.pages as f64 * 100.0)
            };
            let mostly = size.mostly.as_ref().map(share).unwrap_or_default();
            let url = self.corpus.url(size.example).as_str().to_owned();
            vec![size.pages.to_string(), name(size.cluster), mostly, url]
        };
        let (listed, rest) = self.clusters.split_at(self.clusters.len().min(CLUSTERS_LISTED));
        let table = Table {
            title: format!("Fetched pages by cluster ({} clusters)", self.clusters.len()),
            header: ["pages", "cluster", "mostly", "first page"].map(str::to_owned).to_vec(),
            rows: listed.iter().map(row).collect(),
        };
        let pages: u64 = rest.iter().map(|size| size.pages).sum();
        let rest = (pages > 0).then(|| format!("and {} more with {} pages\n", rest.len(), figures::count(pages)));
        table.to_text() + &rest.unwrap_or_default()
    }
}

/// Formats the requests in order: URL, value and, where known, type, separated by tabs.
pub(super) fn order(corpus: &Corpus, done: &Replay) -> String {
    let mut text = String::new();
    for (request, fetched) in done.order.iter().zip(&done.fetches) {
        let worth = match (fetched.valid_unique, fetched.valid, fetched.new_page) {
            (true, _, _) => "valid",
            (_, true, _) => "view",
            (_, _, true) => "page",
            _ => "-",
        };
        let page_type =
            corpus.truth().zip(request.page).and_then(|(truth, id)| truth.label(id)).map(|label| &*label.page_type);
        let page_type = page_type.unwrap_or_default().replace(char::is_control, "\u{fffd}");
        let line = format!("{}\t{worth}\t{page_type}", request.url.as_str());
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
