//! What a report is made of, whatever it is written as: sections of facts, tables, plots and commands.

use serde_json::Value;

use crate::document::Advice;
use crate::document::line::instant;
use crate::figures;
use crate::plot::Chart;

/// A section.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its name in addresses.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What it holds.
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A list of remarks that matter.
    Remarks(Vec<String>),
    /// Names with what is said of them.
    Facts(Vec<(String, Cell)>),
    /// A table.
    Table(Table),
    /// A plot, and what it shows in words.
    Plot(Chart, String),
    /// Commands to copy.
    Commands(Vec<Advice>),
}

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// What it is about; no two tables of a report have the same.
    pub caption: String,
    /// Its columns.
    pub header: Vec<&'static str>,
    /// Its rows: a cell a column, the first of which says what the row is about.
    pub rows: Vec<Vec<Cell>>,
}

/// What stands in a table, or behind a name.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// A text.
    Text(String),
    /// Something that is written in a file or on a command line.
    Code(String),
    /// An address.
    Url(String),
    /// A figure.
    Figure(Figure),
    /// A share, 0 to 1.
    Share(f64),
    /// Several, one below the other.
    Lines(Vec<Cell>),
}

/// A figure: as people read it, as programs do, and where it stands in the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// `1,813`.
    pub shown: String,
    /// `1813`.
    pub value: String,
    /// `report.requests`, where it stands there as it is.
    pub key: Option<String>,
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A count.
    pub fn count(count: u64) -> Self {
        Self::figure(figures::count(count), count.to_string())
    }

    /// A number of bytes.
    pub fn bytes(bytes: u64) -> Self {
        Self::figure(figures::bytes(bytes), bytes.to_string())
    }

    /// A length of time, milliseconds.
    pub fn millis(millis: f64) -> Self {
        Self::figure(millis_shown(millis), millis.to_string())
    }

    /// A number between 0 and 1, or thereabouts.
    pub fn score(score: f64) -> Self {
        Self::figure(format!("{score:.2}"), score.to_string())
    }

    fn figure(shown: String, value: String) -> Self {
        Self::Figure(Figure { shown, value, key: None })
    }

    /// The same; it stands in the document under `key`.
    #[must_use]
    pub fn at(self, key: impl Into<String>) -> Self {
        match self {
            Self::Figure(figure) => Self::Figure(Figure { key: Some(key.into()), ..figure }),
            other => other,
        }
    }

    /// A point in time.
    pub fn moment(text: &str) -> Self {
        Self::Text(moment(text))
    }

    /// The cell of a figure, or an empty one.
    pub fn maybe<T>(value: Option<T>, cell: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::Empty, cell)
    }

    /// Whether it is a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Figure(_) | Self::Share(_))
    }
}

impl Table {
    /// Characters of the longest line in a column.
    pub fn widest(&self, column: usize) -> usize {
        self.rows.iter().filter_map(|row| row.get(column)).map(Cell::width).max().unwrap_or(0)
    }

    /// Whether a column holds numbers and nothing else.
    pub fn is_numeric(&self, column: usize) -> bool {
        let cells = || self.rows.iter().filter_map(|row| row.get(column)).filter(|cell| **cell != Cell::Empty);
        cells().next().is_some() && cells().all(Cell::is_number)
    }
}

impl Cell {
    /// Characters of its longest line.
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

/// A figure of a JSON document by its path, as `shown` makes it; none where there is no such number.
pub fn figure_at(document: &Value, key: &str, shown: impl FnOnce(f64) -> String) -> Option<Cell> {
    let value = key.split('.').try_fold(document, |at, part| at.get(part))?;
    let shown = value.as_u64().map_or_else(|| value.as_f64().map(shown), |_| None);
    let figure = |shown| Cell::Figure(Figure { shown, value: value.to_string(), key: Some(key.to_owned()) });
    match (shown, value.as_u64()) {
        (Some(shown), _) => Some(figure(shown)),
        (None, Some(count)) => Some(figure(figures::count(count))),
        (None, None) => None,
    }
}

/// `2026-11-21 09:36:51 UTC`, of a time in RFC 3339.
pub fn moment(text: &str) -> String {
    match instant(text) {
        Some(at) => at.timestamp().strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        None => text.to_owned(),
    }
}

/// `850 ms`, `1.25 s`, `3 min 20 s`.
pub fn millis_shown(millis: f64) -> String {
    match millis {
        ..10.0 => format!("{millis:.1} ms"),
        ..1_000.0 => format!("{millis:.0} ms"),
        ..10_000.0 => format!("{:.2} s", millis / 1e3),
        _ => figures::time(std::time::Duration::try_from_secs_f64(millis / 1e3).unwrap_or_default()),
    }
}

/// A text from outside as it may be shown: characters that cannot be seen, or that turn the direction of what stands beside them, are
/// replaced by one that can.
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
    use serde_json::json;

    #[test]
    fn figures_are_found_by_their_paths() {
        let document =
            json!({"report": {"pages": 1234, "rate": 1.5, "fates": {"robots": {"disallowed": 3}}, "name": "x"}});
        let at = |key| figure_at(&document, key, |value| format!("about {value}"));
        let shown = |key| {
            at(key).map(|cell| if let Cell::Figure(figure) = cell { (figure.shown, figure.value) } else { panic!() })
        };
        assert_eq!(shown("report.pages"), Some(("1,234".to_owned(), "1234".to_owned())));
        assert_eq!(shown("report.rate"), Some(("about 1.5".to_owned(), "1.5".to_owned())));
        assert_eq!(shown("report.fates.robots.disallowed"), Some(("3".to_owned(), "3".to_owned())));
        assert_eq!((shown("report.name"), shown("report.nothing.there")), (None, None));
    }

    #[test]
    fn what_cannot_be_seen_is_made_visible() {
        assert_eq!(visible("a\u{202e}b\nc\u{0}d\u{feff}"), "a\u{fffd}b c\u{fffd}d\u{fffd}");
        assert_eq!(visible("häß שלום 你好"), "häß שלום 你好");
    }

    #[test]
    fn times_are_shown_in_their_own_unit() {
        let cases = [(0.5, "0.5 ms"), (850.2, "850 ms"), (1_250.0, "1.25 s"), (200_000.0, "3 min 20 s")];
        for (millis, text) in cases {
            assert_eq!(millis_shown(millis), text);
        }
        assert_eq!(moment("2026-11-21T09:36:51.803414Z"), "2026-11-21 09:36:51 UTC");
        assert_eq!(moment("soon"), "soon");
    }
}
