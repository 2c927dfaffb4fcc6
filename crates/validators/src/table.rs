//! A validator by the headings of a table.
//!
//! The simplest form of the table recogniser of xCrawl, for tables that are marked up as such: a table with known
//! headings describes an instance.

use std::fmt;

use scraper::{ElementRef, Html};

use crate::{InvalidWant, PageView, Validator, page, required};

/// Maximum number of headings.
const HEADINGS_MAX: usize = 32;
/// Maximum length of a heading, in bytes.
const HEADING_BYTES_MAX: usize = 256;
/// Maximum number of cells of a page's tables that are read.
const CELLS_MAX: usize = 10_000;

/// Accepts pages with a table whose header cells contain all of several headings. The header cells are those marked up
/// as such (`th`), the first row, and the first column. Letter case and the amount of white space do not matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Normalised, in the order given.
    headings: Vec<String>,
}

impl Table {
    /// Parses headings separated by commas.
    ///
    /// # Errors
    ///
    /// A heading is empty or longer than 256 bytes, or there are more than 32.
    pub fn new(text: &str) -> Result<Self, InvalidWant> {
        let headings: Vec<String> = text.split(',').map(normalised).collect();
        let fits = |heading: &String| !heading.is_empty() && heading.len() <= HEADING_BYTES_MAX;
        if headings.len() <= HEADINGS_MAX && headings.iter().all(fits) {
            Ok(Self { headings })
        } else {
            Err(InvalidWant::Table(text.to_owned()))
        }
    }

    /// Whether a table has all headings. `cells`: how many cells may still be read.
    fn is_in(&self, table: ElementRef<'_>, cells: &mut usize) -> Option<bool> {
        let mut missing: Vec<&str> = self.headings.iter().map(String::as_str).collect();
        let (mut column, mut group) = (FirstColumn::default(), None);
        for (at, row) in rows(table).enumerate() {
            // A cell does not span rows of the next group.
            if group.replace(row.parent().map(|node| node.id())) != Some(row.parent().map(|node| node.id())) {
                column = FirstColumn::default();
            }
            let mut starts_row = column.begins_in_next_row();
            for cell in row.child_elements().filter(|cell| matches!(cell.value().name(), "th" | "td")) {
                *cells = cells.checked_sub(1)?;
                if starts_row {
                    column.fill(cell);
                }
                if at == 0 || starts_row || cell.value().name() == "th" {
                    let text = normalised(&page::visible_text(cell, 4 * HEADING_BYTES_MAX));
                    missing.retain(|heading| *heading != text);
                }
                starts_row = false;
            }
            if missing.is_empty() {
                return Some(true);
            }
        }
        Some(false)
    }

    pub(crate) fn is_in_any(&self, document: &Html) -> Option<bool> {
        let mut cells = CELLS_MAX;
        let elements = document.tree.root().descendants().filter_map(ElementRef::wrap);
        for table in elements.filter(|element| element.value().name() == "table") {
            if self.is_in(table, &mut cells)? {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// Where the first column is filled by a cell of a row above.
#[derive(Default)]
struct FirstColumn {
    /// Number of further rows that the cell fills.
    filled: u32,
}

impl FirstColumn {
    /// Advances by a row. Returns whether the first cell of the row is in the first column.
    fn begins_in_next_row(&mut self) -> bool {
        let is_free = self.filled == 0;
        self.filled = self.filled.saturating_sub(1);
        is_free
    }

    /// Puts a cell of the current row into the column. A `rowspan` of 0 extends to the end of the group.
    fn fill(&mut self, cell: ElementRef<'_>) {
        let span = cell.value().attr("rowspan").and_then(|value| value.trim().parse().ok()).unwrap_or(1);
        self.filled = if span == 0 { u32::MAX } else { span - 1 };
    }
}

/// The rows of a table, without those of tables inside it.
fn rows(table: ElementRef<'_>) -> impl Iterator<Item = ElementRef<'_>> {
    let groups = table.child_elements().filter(|part| matches!(part.value().name(), "thead" | "tbody" | "tfoot"));
    groups.flat_map(|group| group.child_elements()).filter(|row| row.value().name() == "tr")
}

fn normalised(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "table:{}", self.headings.join(","))
    }
}

impl Validator for Table {
    /// Cannot tell where the headings are not in the first 10,000 cells and there are more.
    fn accepts(&self, page: &PageView<'_>) -> Option<bool> {
        if required::has_tag(page.source()?, "table") { self.is_in_any(page.document()?) } else { Some(false) }
    }

    fn name(&self) -> String {
        self.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(headings: &str, page: &str) -> Option<bool> {
        Table::new(headings).unwrap().accepts(&PageView::new("http://a/", page.as_bytes()))
    }

    #[test]
    fn headings_are_in_the_first_row_or_the_first_column() {
        let by_row = "<table><tr><td>Name<td>Body  <b>Weight</b><tr><td>A<td>300 g</table>";
        assert_eq!(accepts("Name, body weight", by_row), Some(true));
        assert_eq!(accepts("name,300 g", by_row), Some(false));
        let by_column =
            "<table><tbody><tr><td>Sensor</td><td>CCD</td></tr><tr><td>WEIGHT</td><td>300 g</td></tr></table>";
        assert_eq!(accepts("weight,sensor", by_column), Some(true));
        assert_eq!(accepts("weight,sensor,zoom", by_column), Some(false));
        assert_eq!(accepts("weight,300 g", by_column), Some(false));
    }

    #[test]
    fn cells_marked_as_headers_count_anywhere() {
        let page = "<table><caption>C</caption><thead><tr><td><th>2009<tbody><tr><td>1<th scope=row>Zoom<td>3x</table>";
        assert_eq!(accepts("zoom,2009", page), Some(true));
        assert_eq!(accepts("3x", page), Some(false));
        assert_eq!(accepts("c", page), Some(false));
    }

    #[test]
    fn a_cell_over_several_rows_fills_the_first_column() {
        let page = |span: &str| {
            format!("<table><tr><td>Top<tr><td rowspan={span}>Optics<td>x<tr><td>Zoom<td>3x<tr><td>Focus<td>y</table>")
        };
        let found = |span| ["zoom", "focus"].map(|heading| accepts(heading, &page(span)).unwrap());
        assert_eq!(found("1"), [true, true]);
        assert_eq!(found("2"), [false, true]);
        assert_eq!(found("3"), [false, false]);
        assert_eq!(found("0"), [false, false]);
        assert_eq!(found("x"), [true, true]);
        let groups = "<table><tbody><tr><td rowspan=9>A<td>B<tbody><tr><td>Zoom<td>3x</table>";
        assert_eq!(accepts("zoom", groups), Some(true));
    }

    #[test]
    fn one_table_must_have_all_headings() {
        let two = "<table><tr><td>a<td>x</table><table><tr><td>b<td>x</table>";
        assert_eq!(accepts("a,x", two), Some(true));
        assert_eq!(accepts("a,b", two), Some(false));
        let nested = "<table><tr><td>out<tr><td>o<td><table><tr><td>in<td>side</table></table>";
        assert_eq!(accepts("in,side", nested), Some(true));
        assert_eq!(accepts("out,side", nested), Some(false));
    }

    #[test]
    fn cells_are_bounded() {
        let page = |before: usize| format!("<table>{}</table><table><tr><td>zoom</table>", "<tr><td>".repeat(before));
        assert_eq!(accepts("zoom", &page(CELLS_MAX - 1)), Some(true));
        assert_eq!(accepts("zoom", &page(CELLS_MAX)), None);
        assert_eq!(accepts("other", &page(CELLS_MAX - 1)), Some(false));
    }

    #[test]
    fn headings_are_texts() {
        for text in ["", "a,,b", " ,a"] {
            assert_eq!(Table::new(text), Err(InvalidWant::Table(text.to_owned())), "{text}");
        }
        let many = |count| vec!["a"; count].join(",");
        assert!(Table::new(&many(HEADINGS_MAX)).is_ok() && Table::new(&many(HEADINGS_MAX + 1)).is_err());
        let long = "a".repeat(HEADING_BYTES_MAX + 1);
        assert!(Table::new(&long[1..]).is_ok() && Table::new(&long).is_err());
        assert_eq!(Table::new(" Body\tWeight , Name").unwrap().to_string(), "table:body weight,name");
    }
}
