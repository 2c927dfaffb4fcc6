//! The report of an experiment, and its files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::{Chart, Measure, Row, Table, page, summaries, to_json};

/// The results of an experiment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Its name, used in its file names: `ucc`.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Notes on the figures: deficiencies of a corpus, details of the measurement.
    pub notes: Vec<String>,
    /// Its rows, one per run.
    pub rows: Vec<Row>,
    /// The published rows for comparison.
    pub paper: Vec<Row>,
    /// The measures in its table; all if empty. The files of rows have all measures.
    pub shown: Vec<Measure>,
    /// Its plots.
    pub charts: Vec<Chart>,
}

/// A file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {source}")]
pub struct ReportError {
    path: PathBuf,
    source: io::Error,
}

impl Report {
    /// Returns means and spreads, with the figures of the paper. Tasks without a common measure have a table each,
    /// whose title names them.
    pub fn tables(&self) -> Vec<Table> {
        let groups = self.groups();
        let only = groups.len() == 1;
        let table = |tasks: &Vec<&str>| {
            let of_group = |row: &&Row| only || tasks.contains(&row.task.as_str());
            let rows: Vec<Row> = self.rows.iter().filter(of_group).cloned().collect();
            let paper: Vec<Row> = self.paper.iter().filter(of_group).cloned().collect();
            let title = if only { self.title.clone() } else { format!("{}: {}", self.title, tasks.join(", ")) };
            Table::of_summaries(&title, &summaries(&rows), &paper).showing(&self.shown)
        };
        groups.iter().map(table).collect()
    }

    /// Returns the tasks by table, in the order of their first rows; one group without tasks if there are no rows.
    fn groups(&self) -> Vec<Vec<&str>> {
        let mut groups: Vec<(Vec<&str>, BTreeSet<Measure>)> = Vec::new();
        for row in &self.rows {
            let measures = || row.measures.keys().copied();
            let place = groups.iter().position(|(tasks, known)| {
                tasks.contains(&row.task.as_str()) || measures().any(|measure| known.contains(&measure))
            });
            let place = place.unwrap_or_else(|| {
                groups.push(Default::default());
                groups.len() - 1
            });
            let (tasks, known) = &mut groups[place];
            if !tasks.contains(&row.task.as_str()) {
                tasks.push(&row.task);
            }
            known.extend(measures());
        }
        if groups.is_empty() { vec![Vec::new()] } else { groups.into_iter().map(|(tasks, _)| tasks).collect() }
    }

    /// Writes the files `NAME.json` (the rows), `NAME-rows.csv`, `NAME-summary.csv` (means and spreads), `NAME.md` and
    /// `NAME.html` (plots and table) to the directory `out`, which is created if missing. Returns the files.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, out: &Path) -> Result<Vec<PathBuf>, ReportError> {
        fs::create_dir_all(out).map_err(|source| ReportError { path: out.to_owned(), source })?;
        let tables = self.tables();
        let files = [
            (".json", to_json(&self.rows)),
            ("-rows.csv", Table::of_rows(&self.title, &self.rows).to_csv()),
            ("-summary.csv", Table::of_spreads(&self.title, &summaries(&self.rows)).to_csv()),
            (".md", tables.iter().map(Table::to_markdown).collect::<Vec<_>>().join("\n")),
            (".html", page::html(&self.title, &self.notes, &self.charts, &tables)),
        ];
        let mut written = Vec::with_capacity(files.len());
        for (ending, text) in files {
            let path = out.join(format!("{}{ending}", self.name));
            fs::write(&path, text).map_err(|source| ReportError { path: path.clone(), source })?;
            written.push(path);
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{bars, paper};

    fn report() -> Report {
        let row = |seed, ratio: f64| {
            Row { seed: Some(seed), budget: Some(10), ..Row::new("spirit", "ucc", "bfs") }
                .with(Measure::ValidRatio, ratio)
        };
        let rows = vec![row(1, 0.25), row(2, 0.75)];
        let paper = paper::averages(paper::ucc());
        let charts = vec![bars("Valid ratio", Measure::ValidRatio, &summaries(&rows), &paper)];
        let (name, title) = ("ucc".to_owned(), "User-created content".to_owned());
        Report { name, title, notes: vec!["a note".to_owned()], rows, paper, shown: Vec::new(), charts }
    }

    #[test]
    fn a_report_is_written_to_files_that_tools_can_read() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("a/b");
        let files = report().write(&out).unwrap();
        let read = |ending: &str| fs::read_to_string(out.join(format!("ucc{ending}"))).unwrap();
        assert_eq!(files.len(), 5);
        let json: serde_json::Value = serde_json::from_str(&read(".json")).unwrap();
        assert_eq!(json["rows"][1]["valid_ratio"], 0.75);
        assert!(
            read("-rows.csv").starts_with("corpus,task,policy,seed,budget,valid_ratio\nspirit,ucc,bfs,1,10,0.25\n")
        );
        assert!(read("-summary.csv").contains("spirit,ucc,bfs,10,2,0.5,0.35"));
        assert!(read(".md").contains("| paper | ucc | SOUrCe | 5000 | 0.9989 |"), "{}", read(".md"));
        let html = read(".html");
        assert!(html.contains("a note") && html.contains("0.5000 ±0.3536") && html.contains("0.9989"));
        assert!(html.contains("<svg"));
    }

    #[test]
    fn a_directory_that_cannot_be_created_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let error = report().write(&file.join("out")).unwrap_err().to_string();
        assert!(error.starts_with("cannot write ") && error.contains("file/out"), "{error}");
    }
}
