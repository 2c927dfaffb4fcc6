//! What sites asked for, and what was done.

use std::collections::BTreeSet;

use serde::Serialize;

use super::bounded::{Bounded, cut};
use super::line::LogLine;

/// The number of different statements that are counted apart.
const STATEMENTS_MAX: usize = 500;
/// The number of hosts of one statement that are counted apart.
const HOSTS_MAX: usize = 1_000;
/// The number of statements in a report.
const STATEMENTS_SHOWN: usize = 50;
/// Characters of the text of a statement.
const TEXT_MAX: usize = 80;
/// Signals whose texts are different on each site, so that they are counted together.
const FREE_TEXT: [&str; 3] = ["license", "tdm_policy", "unavailable_after"];

/// The pages with one statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Stated {
    pages: u64,
    not_fetched: u64,
    not_kept: u64,
    not_followed: u64,
    hosts: BTreeSet<String>,
}

/// The pages with one statement, in a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatementRow {
    /// The kind; `others` for all that are not shown.
    pub signal: String,
    /// Where it stands.
    #[serde(rename = "in")]
    pub stated_in: String,
    /// Its text; empty if it has none, or if texts of this kind are counted together.
    pub says: String,
    /// URLs that it is about.
    pub pages: u64,
    /// URLs that were not fetched because of it.
    pub not_fetched: u64,
    /// Pages that were not kept because of it.
    pub not_kept: u64,
    /// Pages whose links were not followed because of it.
    pub not_followed: u64,
    /// Hosts with such URLs, at most a thousand.
    pub hosts: u64,
}

/// The statements in a log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SignalFigures {
    /// URLs about which something is stated.
    pub pages: u64,
    /// URLs that were not fetched because a site refuses the purpose of the crawl.
    pub not_fetched: u64,
    /// Pages that were fetched and not kept.
    pub not_kept: u64,
    /// URLs that were answered with a demand for payment.
    pub payment_required: u64,
    /// The statements, the most frequent first.
    pub statements: Vec<StatementRow>,
}

/// Counts the statements in a log.
#[derive(Debug, Clone)]
pub struct Signals {
    figures: SignalFigures,
    statements: Bounded<Stated>,
}

impl Default for Signals {
    fn default() -> Self {
        Self { figures: SignalFigures::default(), statements: Bounded::new(STATEMENTS_MAX) }
    }
}

impl Signals {
    /// Counts a line.
    pub fn add(&mut self, line: &LogLine<'_>) {
        let figures = &mut self.figures;
        figures.pages += u64::from(!line.signals.is_empty());
        figures.not_fetched += u64::from(line.fate == "refused_by_site");
        figures.not_kept += u64::from(line.fate == "not_kept");
        figures.payment_required += u64::from(line.fate == "payment_required");
        for said in &line.signals {
            let says = if FREE_TEXT.contains(&said.signal.as_str()) { "" } else { &said.says };
            let key = [said.signal.as_str(), &said.stated_in, says].map(|text| cut(text, TEXT_MAX).replace('\n', " "));
            let row = self.statements.row(&key.join("\n"));
            row.pages += 1;
            match said.effect.as_deref() {
                Some("not_fetched") => row.not_fetched += 1,
                Some("not_kept") => row.not_kept += 1,
                Some("links_not_followed") => row.not_followed += 1,
                _ => {}
            }
            if row.hosts.len() < HOSTS_MAX {
                row.hosts.insert(cut(line.origin(), TEXT_MAX));
            }
        }
    }

    /// Returns the figures. Statements that are not shown are one row.
    pub fn finish(self) -> SignalFigures {
        let (mut rows, beyond) = self.statements.by_weight(|stated| stated.pages);
        let rare = rows.split_off(STATEMENTS_SHOWN.min(rows.len()));
        let others = rare.into_iter().map(|(_, stated)| stated).chain(beyond).reduce(Stated::and);
        let rows = rows.into_iter().chain(others.map(|stated| ("others".to_owned(), stated)));
        SignalFigures { statements: rows.map(|(key, stated)| stated.row(&key)).collect(), ..self.figures }
    }
}

impl Stated {
    fn and(mut self, other: Self) -> Self {
        self.hosts.extend(other.hosts);
        Self {
            pages: self.pages + other.pages,
            not_fetched: self.not_fetched + other.not_fetched,
            not_kept: self.not_kept + other.not_kept,
            not_followed: self.not_followed + other.not_followed,
            hosts: self.hosts,
        }
    }

    fn row(self, key: &str) -> StatementRow {
        let mut parts = key.splitn(3, '\n').map(str::to_owned);
        let mut part = || parts.next().unwrap_or_default();
        StatementRow {
            signal: part(),
            stated_in: part(),
            says: part(),
            pages: self.pages,
            not_fetched: self.not_fetched,
            not_kept: self.not_kept,
            not_followed: self.not_followed,
            hosts: self.hosts.len() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(lines: &[String]) -> SignalFigures {
        let mut signals = Signals::default();
        lines.iter().for_each(|line| signals.add(&LogLine::read(line.as_bytes()).unwrap()));
        signals.finish()
    }

    fn line(url: &str, fate: &str, signals: &str) -> String {
        format!(r#"{{"url":"{url}","fate":"{fate}","signals":[{signals}]}}"#)
    }

    #[test]
    fn statements_are_counted_with_what_was_done() {
        let no = r#"{"signal":"content_signal","in":"robots.txt","says":"ai-train=no","effect":"not_fetched"}"#;
        let noai = r#"{"signal":"noai","in":"page","effect":"not_kept"}"#;
        let license = |n: u8| format!(r#"{{"signal":"license","in":"header","says":"https://l/{n}"}}"#);
        let found = figures(&[
            line("http://a.test/1", "refused_by_site", no),
            line("http://a.test/2", "refused_by_site", no),
            line("http://b.test/", "not_kept", &format!("{noai},{}", license(1))),
            line("http://b.test/2", "fetched", &license(2)),
            line("http://b.test/3", "payment_required", ""),
            line("http://b.test/4", "fetched", ""),
        ]);
        assert_eq!((found.pages, found.not_fetched, found.not_kept, found.payment_required), (4, 2, 1, 1));
        let rows: Vec<_> =
            found.statements.iter().map(|row| (row.signal.as_str(), row.says.as_str(), row.pages)).collect();
        assert_eq!(rows, [("content_signal", "ai-train=no", 2), ("license", "", 2), ("noai", "", 1)]);
        assert_eq!(
            (found.statements[0].not_fetched, found.statements[2].not_kept, found.statements[1].hosts),
            (2, 1, 1)
        );
    }

    #[test]
    fn the_figures_of_a_hostile_log_are_bounded_and_lose_nothing() {
        let one = |n: u32| {
            line(
                &format!("http://h{n}.test/"),
                "fetched",
                &format!(r#"{{"signal":"s{n}","in":"page","says":"x\\ny"}}"#),
            )
        };
        let found = figures(&(0..3_000).map(one).collect::<Vec<_>>());
        assert_eq!((found.pages, found.statements.len()), (3_000, STATEMENTS_SHOWN + 1));
        assert_eq!(found.statements.iter().map(|row| row.pages).sum::<u64>(), 3_000);
    }
}
