//! The results of an experiment so far.

use crate::measures::CurvePoint;
use crate::tables::{Chart, CurveAxis, Measure, Row, bars, curves, summaries};

/// Curves of one corpus (and target) in a common chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curves {
    /// The title of the chart.
    pub title: String,
    /// The curves with their names.
    pub lines: Vec<(String, Vec<CurvePoint>)>,
}

/// The results of all corpora.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    /// One row per run.
    pub rows: Vec<Row>,
    /// Growth of the harvest, for the first seed.
    pub curves: Vec<Curves>,
    /// Charts of single runs.
    pub charts: Vec<Chart>,
    /// Notes on the corpora.
    pub notes: Vec<String>,
}

impl Results {
    /// Returns two charts per group of curves: with and without duplicate views.
    pub fn curve_charts(&self) -> Vec<Chart> {
        let both =
            |group: &Curves| [false, true].map(|unique| curves(&group.title, &group.lines, CurveAxis::Fetches, unique));
        self.curves.iter().flat_map(both).collect()
    }

    /// Returns a chart per group of curves over seconds, where each host is asked once a second.
    pub fn time_charts(&self) -> Vec<Chart> {
        let over_time = |group: &Curves| curves(&group.title, &group.lines, CurveAxis::Seconds, false);
        self.curves.iter().map(over_time).collect()
    }

    /// Returns a bar chart for each of these measures that some row has, with the figures of `paper`.
    pub fn bar_charts(&self, measures: &[(Measure, &str)], paper: &[Row]) -> Vec<Chart> {
        let summed = summaries(&self.rows);
        let measured = |measure: &Measure| self.rows.iter().any(|row| row.measures.contains_key(measure));
        let shown = measures.iter().filter(|(measure, _)| measured(measure));
        shown.map(|(measure, title)| bars(title, *measure, &summed, paper)).collect()
    }

    /// Adds the crawls of one corpus (and target): all rows, and the curves of the first seed.
    pub(super) fn add(&mut self, title: String, crawled: Vec<super::Crawled>) {
        let mut group = Curves { title, lines: Vec::new() };
        for crawl in crawled {
            if !group.lines.iter().any(|(name, _)| *name == crawl.name) {
                group.lines.push((crawl.name, crawl.curve));
            }
            self.rows.push(crawl.row);
            self.notes.extend(crawl.note);
        }
        self.curves.push(group);
    }
}
