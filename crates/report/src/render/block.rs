//! The parts of a report, independent of its format: sections of facts, tables, plots and commands.

use serde::Serialize;

use crate::document::line::instant;
use crate::figures;
use crate::plot::Chart;

/// A command to copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NextStep {
    /// What it does.
    pub what: String,
    /// The command line.
    pub command: String,
}

/// A section.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its anchor in the page.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Its content.
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A list of important remarks.
    Remarks(Vec<String>),
    /// Names with values.
    Facts(Vec<(String, Cell)>),
    /// A table.
    Table(Table),
    /// A plot, and a text that describes it.
    Plot(Chart, String),
    /// Commands to copy.
    Commands(Vec<NextStep>),
}

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its caption; unique in a report.
    pub caption: String,
    /// Its columns.
    pub header: Vec<&'static str>,
    /// Its rows, with one cell per column; the first cell is the heading of the row.
    pub rows: Vec<Vec<Cell>>,
}

/// A value in a table or of a fact.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// A text.
    Text(String),
    /// A word of a file or of a command line.
    Code(String),
    /// A URL.
    Url(String),
    /// A figure.
    Figure(Figure),
    /// A share, 0 to 1.
    Share(f64),
    /// Several values, one per line.
    Lines(Vec<Cell>),
}

/// A number: as people read it, as programs read it, and its path in the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// `1,813`.
    pub shown: String,
    /// `1813`.
    pub value: String,
    /// `report.requests`; `None` if the document does not have this very number.
    pub key: Option<String>,
}

impl Cell {
    /// Makes a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Makes a count.
    pub fn count(count: u64) -> Self {
        Self::figure(figures::count(count), count.to_string())
    }

    /// Makes a number of bytes.
    pub fn bytes(bytes: u64) -> Self {
        Self::figure(figures::bytes(bytes), bytes.to_string())
    }

    /// Makes a duration from milliseconds.
    pub fn millis(millis: f64) -> Self {
        Self::figure(millis_shown(millis), millis.to_string())
    }

    /// Makes a number from a value and its text.
    pub fn number(value: f64, shown: impl FnOnce(f64) -> String) -> Self {
        Self::figure(shown(value), value.to_string())
    }

    /// Makes a score or a sum of scores.
    pub fn score(score: f64) -> Self {
        Self::figure(format!("{score:.2}"), score.to_string())
    }

    fn figure(shown: String, value: String) -> Self {
        Self::Figure(Figure { shown, value, key: None })
    }

    /// Adds the path in the document at which the number is.
    #[must_use]
    pub fn at(self, key: impl Into<String>) -> Self {
        match self {
            Self::Figure(figure) => Self::Figure(Figure { key: Some(key.into()), ..figure }),
            other => other,
        }
    }

    /// Makes a point in time from RFC 3339.
    pub fn moment(text: &str) -> Self {
        Self::Text(moment(text))
    }

    /// Makes the cell of a value; an empty one for none.
    pub fn maybe<T>(value: Option<T>, cell: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::Empty, cell)
    }

    /// Returns whether it is a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Figure(_) | Self::Share(_))
    }
}

impl Table {
    /// Returns the characters of the longest line in a column.
    pub fn widest(&self, column: usize) -> usize {
        self.rows.iter().filter_map(|row| row.get(column)).map(Cell::width).max().unwrap_or(0)
    }

    /// Returns whether a column has numbers only.
    pub fn is_numeric(&self, column: usize) -> bool {
        let cells = || self.rows.iter().filter_map(|row| row.get(column)).filter(|cell| **cell != Cell::Empty);
        cells().next().is_some() && cells().all(Cell::is_number)
    }
}

impl Cell {
    /// Returns the characters of its longest line.
    fn width(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Text(text) | Self::Code(text) | Self::Url(text) => text.chars().count(),
            Self::Figure(figure) => figure.shown.chars().count(),
            Self::Share(_) => 6,
            Self::Lines(cells) => cells.iter().map(Self::width).max().unwrap_or(0),
        }
    }
}

/// Formats a time in RFC 3339 as `2026-11-21 09:36:51 UTC`.
pub fn moment(text: &str) -> String {
    match instant(text) {
        Some(at) => at.timestamp().strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        None => text.to_owned(),
    }
}

/// Formats a duration: `850 ms`, `1.25 s`, `3 min 20 s`.
pub fn millis_shown(millis: f64) -> String {
    match millis {
        ..10.0 => format!("{millis:.1} ms"),
        ..1_000.0 => format!("{millis:.0} ms"),
        ..10_000.0 => format!("{:.2} s", millis / 1e3),
        _ => figures::time(std::time::Duration::try_from_secs_f64(millis / 1e3).unwrap_or_default()),
    }
}

/// Makes a text from outside safe to show: characters that are invisible, or that change the direction of the text
/// around them, are replaced by a visible one.
pub fn visible(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
    };
    text.chars()
        .map(|c| {
            if c.is_whitespace() && c != '\u{2028}' && c != '\u{2029}' {
                ' '
            } else if hidden(c) {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_made_visible() {
        assert_eq!(visible("a\u{202e}b\nc\u{0}d\u{feff}"), "a\u{fffd}b c\u{fffd}d\u{fffd}");
        assert_eq!(visible("häß שלום 你好"), "häß שלום 你好");
    }

    #[test]
    fn durations_are_shown_in_a_suitable_unit() {
        let cases = [(0.5, "0.5 ms"), (850.2, "850 ms"), (1_250.0, "1.25 s"), (200_000.0, "3 min 20 s")];
        for (millis, text) in cases {
            assert_eq!(millis_shown(millis), text);
        }
        assert_eq!(moment("2026-11-21T09:36:51.803414Z"), "2026-11-21 09:36:51 UTC");
        assert_eq!(moment("soon"), "soon");
    }
}
