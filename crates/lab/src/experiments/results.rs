//! What an experiment has found so far.

use crate::measures::CurvePoint;
use crate::tables::{Chart, Measure, Row, bars, curves, summaries};

/// Curves of one corpus (and target), to be drawn together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curves {
    /// What they are of.
    pub title: String,
    /// Each with its name.
    pub lines: Vec<(String, Vec<CurvePoint>)>,
}

/// What was found, corpus by corpus.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    /// One row a run.
    pub rows: Vec<Row>,
    /// How harvests grew, of the first seed.
    pub curves: Vec<Curves>,
    /// Charts of single runs.
    pub charts: Vec<Chart>,
    /// What is to be said of the corpora.
    pub notes: Vec<String>,
}

impl Results {
    /// Two charts for each group of curves: with duplicate views, and without.
    pub fn curve_charts(&self) -> Vec<Chart> {
        let both = |group: &Curves| [false, true].map(|unique| curves(&group.title, &group.lines, unique));
        self.curves.iter().flat_map(both).collect()
    }

    /// A chart of bars for each of these measures that some row has, `paper` beside.
    pub fn bar_charts(&self, measures: &[(Measure, &str)], paper: &[Row]) -> Vec<Chart> {
        let summed = summaries(&self.rows);
        let measured = |measure: &Measure| self.rows.iter().any(|row| row.measures.contains_key(measure));
        let shown = measures.iter().filter(|(measure, _)| measured(measure));
        shown.map(|(measure, title)| bars(title, *measure, &summed, paper)).collect()
    }

    /// Takes in the crawls of one corpus (and target): all their rows, and the curves of each one's first seed.
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
