//! Text tables, formatted for the terminal, as Markdown and as CSV.

use std::collections::BTreeSet;

use harvestman_core::spreadsheet::CsvWriter;

use super::{Measure, Row, Summary};

/// A table. Rows shorter than the header end in empty cells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// Its title.
    pub title: String,
    /// The names of its columns.
    pub header: Vec<String>,
    /// Its cells, row by row.
    pub rows: Vec<Vec<String>>,
}

/// A column that identifies a run, and its value.
type Identity = (&'static str, fn(&Row) -> Option<String>);

const IDENTITY: &[Identity] = &[
    ("corpus", |row| Some(row.corpus.clone())),
    ("task", |row| Some(row.task.clone())),
    ("target", |row| row.target.clone()),
    ("policy", |row| Some(row.policy.clone())),
    ("variant", |row| row.variant.clone()),
    ("order", |row| row.order.clone()),
    ("store", |row| row.store.clone()),
    ("seed", |row| row.seed.map(|seed| seed.to_string())),
    ("budget", |row| row.budget.map(|budget| budget.to_string())),
];

impl Table {
    /// Returns every row with all its measures, unrounded: for files read by programs.
    pub fn of_rows(title: &str, rows: &[Row]) -> Self {
        let columns = Columns::of(rows.iter());
        let cells = rows.iter().map(|row| columns.cells(row, |measure| row.measures.get(&measure).map(f64::to_string)));
        Self { title: title.to_owned(), header: columns.header(""), rows: cells.collect() }
    }

    /// Returns means and standard deviations, `0.5123 ±0.0021`; then `beside`, the rows for comparison.
    pub fn of_summaries(title: &str, summaries: &[Summary], beside: &[Row]) -> Self {
        let columns = Columns::of(summaries.iter().map(|summary| &summary.mean).chain(beside));
        let mut cells: Vec<_> = summaries.iter().map(|summary| columns.summary_cells(summary)).collect();
        cells.extend(beside.iter().map(|row| {
            let mut cells = columns.cells(row, |measure| row.measures.get(&measure).map(|value| measure.show(*value)));
            cells.push(String::new());
            cells
        }));
        let mut header = columns.header("");
        header.push("runs".to_owned());
        Self { title: title.to_owned(), header, rows: cells }
    }

    /// Returns means, standard deviations, minima and maxima as separate columns: for files.
    pub fn of_spreads(title: &str, summaries: &[Summary]) -> Self {
        let columns = Columns::of(summaries.iter().map(|summary| &summary.mean));
        let mut header: Vec<_> = columns.identity.iter().map(|(name, _)| (*name).to_owned()).collect();
        header.push("runs".to_owned());
        for measure in &columns.measures {
            header.extend(["mean", "sd", "min", "max"].map(|part| format!("{}_{part}", measure.name())));
        }
        let cells = summaries.iter().map(|summary| {
            let mut cells: Vec<_> =
                columns.identity.iter().map(|(_, get)| get(&summary.mean).unwrap_or_default()).collect();
            cells.push(summary.runs.to_string());
            for measure in &columns.measures {
                let spread = summary.spreads.get(measure);
                let parts = spread.map(|s| [s.mean, s.deviation, s.min, s.max].map(|value| value.to_string()));
                cells.extend(parts.unwrap_or_default());
            }
            cells
        });
        Self { title: title.to_owned(), header, rows: cells.collect() }
    }

    /// Removes the columns of measures that are not in `measures`; no-op if that is empty.
    #[must_use]
    pub fn showing(mut self, measures: &[Measure]) -> Self {
        let hidden =
            |name: &str| Measure::ALL.iter().any(|measure| measure.name() == name && !measures.contains(measure));
        let keep: Vec<_> = self.header.iter().map(|name| measures.is_empty() || !hidden(name)).collect();
        for row in std::iter::once(&mut self.header).chain(&mut self.rows) {
            let mut kept = keep.iter();
            row.retain(|_| kept.next().is_none_or(|keep| *keep));
        }
        self
    }

    /// Formats the table with aligned columns, numbers to the right.
    pub fn to_text(&self) -> String {
        let widths: Vec<_> = (0..self.header.len()).map(|column| self.width(column)).collect();
        let line = |cell: &dyn Fn(usize) -> String| {
            let cells = widths.iter().enumerate().map(|(column, width)| self.aligned(column, &cell(column), *width));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let mut lines = vec![self.title.clone(), line(&|column| self.header[column].clone())];
        lines.push(widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>().join("  "));
        lines.extend(self.rows.iter().map(|row| line(&|column| cell(row, column).to_owned())));
        lines.join("\n") + "\n"
    }

    /// Formats the table as Markdown.
    pub fn to_markdown(&self) -> String {
        let line = |cells: &mut dyn Iterator<Item = String>| format!("| {} |", cells.collect::<Vec<_>>().join(" | "));
        // A bar would end the cell, a line break the row.
        let text = |cell: &str| cell.replace('|', "\\|").replace(char::is_control, " ");
        let columns = || 0..self.header.len();
        let mut lines = vec![format!("### {}", text(&self.title)), String::new()];
        lines.push(line(&mut self.header.iter().map(|name| text(name))));
        lines.push(line(&mut columns().map(|column| if self.is_numeric(column) { "--:" } else { "---" }.to_owned())));
        lines.extend(self.rows.iter().map(|row| line(&mut columns().map(|column| text(cell(row, column))))));
        lines.join("\n") + "\n"
    }

    /// Formats the table as CSV (RFC 4180), without the title.
    pub fn to_csv(&self) -> String {
        let mut writer = CsvWriter::new(Vec::new());
        let columns = || 0..self.header.len();
        let rows = std::iter::once(&self.header).chain(&self.rows);
        for row in rows {
            writer.row(columns().map(|column| cell(row, column))).expect("rows are of one length");
        }
        let bytes = writer.finish().expect("a Vec takes every write");
        String::from_utf8(bytes).expect("CSV of texts is text")
    }

    /// Returns whether a column holds numbers only, and some.
    pub(super) fn is_numeric(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().map(|row| cell(row, column)).filter(|cell| !cell.is_empty()).peekable();
        cells.peek().is_some() && cells.all(|cell| cell.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
    }

    fn width(&self, column: usize) -> usize {
        let cells = std::iter::once(&self.header).chain(&self.rows);
        cells.map(|row| cell(row, column).chars().count()).max().unwrap_or(0)
    }

    fn aligned(&self, column: usize, cell: &str, width: usize) -> String {
        // Names of types come from files and are untrusted: replace control characters, which could manipulate the
        // terminal.
        let cell = cell.replace(char::is_control, "\u{fffd}");
        if self.is_numeric(column) { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
    }
}

fn cell(row: &[String], column: usize) -> &str {
    row.get(column).map_or("", String::as_str)
}

/// The columns needed for some rows: those with any value.
struct Columns {
    identity: Vec<Identity>,
    measures: Vec<Measure>,
}

impl Columns {
    fn of<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Self {
        let used = |(_, get): &&Identity| rows.clone().any(|row| get(row).is_some());
        let measures: BTreeSet<_> = rows.clone().flat_map(|row| row.measures.keys().copied()).collect();
        Self { identity: IDENTITY.iter().filter(used).copied().collect(), measures: measures.into_iter().collect() }
    }

    fn header(&self, suffix: &str) -> Vec<String> {
        let measures = self.measures.iter().map(|measure| format!("{}{suffix}", measure.name()));
        self.identity.iter().map(|(name, _)| (*name).to_owned()).chain(measures).collect()
    }

    fn cells(&self, row: &Row, mut value: impl FnMut(Measure) -> Option<String>) -> Vec<String> {
        let identity = self.identity.iter().map(|(_, get)| get(row).unwrap_or_default());
        identity.chain(self.measures.iter().map(|measure| value(*measure).unwrap_or_default())).collect()
    }

    fn summary_cells(&self, summary: &Summary) -> Vec<String> {
        let mut cells = self.cells(&summary.mean, |measure| {
            let spread = summary.spreads.get(&measure)?;
            let mean = measure.show(spread.mean);
            Some(if summary.runs > 1 { format!("{mean} ±{}", measure.show(spread.deviation)) } else { mean })
        });
        cells.push(summary.runs.to_string());
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::summaries;

    fn rows() -> Vec<Row> {
        let row = |policy: &str, seed, ratio| {
            Row { seed: Some(seed), ..Row::new("c,1", "ucc", policy) }.with(Measure::ValidRatio, ratio)
        };
        vec![row("bfs", 1, 0.5), row("bfs", 2, 0.7), row("a|b", 1, 1.0).with(Measure::Clusters, 12.0)]
    }

    #[test]
    fn a_table_for_the_terminal_is_aligned() {
        let paper = [Row::new("paper", "ucc", "SOUrCe").with(Measure::ValidRatio, 0.9989)];
        let table = Table::of_summaries("A table", &summaries(&rows()), &paper);
        let expected = "\
A table
corpus  task  policy     valid_ratio  clusters  runs
------  ----  ------  --------------  --------  ----
c,1     ucc   bfs     0.6000 ±0.1414               2
c,1     ucc   a|b             1.0000        12     1
paper   ucc   SOUrCe          0.9989
";
        assert_eq!(table.to_text(), expected);
    }

    #[test]
    fn markdown_and_csv_escape_special_characters() {
        let table = Table::of_rows("All", &rows());
        assert!(table.to_markdown().contains("| c,1 | ucc | a\\|b | 1 | 1 | 12 |"), "{}", table.to_markdown());
        assert!(table.to_markdown().contains("| --- | --- | --- | --: | --: | --: |"));
        let csv = "corpus,task,policy,seed,valid_ratio,clusters\n\"c,1\",ucc,bfs,1,0.5,\n";
        assert!(table.to_csv().starts_with(csv), "{}", table.to_csv());
        let spreads = Table::of_spreads("Spreads", &summaries(&rows()));
        assert!(spreads.header.contains(&"valid_ratio_sd".to_owned()));
        assert!(spreads.to_csv().contains("a|b,1,1,0,1,1,12,0,12,12"), "{}", spreads.to_csv());
    }

    #[test]
    fn a_table_shows_the_requested_measures() {
        let table = Table::of_summaries("t", &summaries(&rows()), &[]);
        let shown = table.clone().showing(&[Measure::Clusters]);
        assert_eq!(shown.header, ["corpus", "task", "policy", "clusters", "runs"]);
        assert_eq!(shown.rows[1], ["c,1", "ucc", "a|b", "12", "1"]);
        assert_eq!(table.clone().showing(&[]), table);
    }

    #[test]
    fn an_empty_table_is_formatted_too() {
        let table = Table::of_summaries("Nothing", &[], &[]);
        assert_eq!(table.to_text(), "Nothing\nruns\n----\n");
        assert_eq!(table.to_csv(), "runs\n");
        assert_eq!(Table::default().to_text().lines().count(), 3);
    }
}
