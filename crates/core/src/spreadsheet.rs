//! CSV files (RFC 4180), which people open in spreadsheets.
//!
//! A spreadsheet takes a cell that begins with `=` for a formula, and a formula can send the file to a stranger or
//! start a program. The texts of cells come from sites, so one that would be a formula gets an apostrophe before it,
//! which spreadsheets take for the mark of a text. Numbers stay numbers.

use std::borrow::Cow;
use std::io::{self, Write};

/// The mark of a text.
const MARK: char = '\'';

/// A writer of rows.
#[derive(Debug)]
pub struct CsvWriter<W: Write>(csv::Writer<W>);

impl<W: Write> CsvWriter<W> {
    /// Writes to `to`.
    pub fn new(to: W) -> Self {
        Self(csv::Writer::from_writer(to))
    }

    /// Writes a row. All rows need the same number of cells.
    ///
    /// # Errors
    /// The output fails, or the row has another number of cells than the first one.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) -> io::Result<()> {
        for cell in cells {
            self.0.write_field(marked(cell.as_ref()).as_bytes())?;
        }
        Ok(self.0.write_record(None::<&[u8]>)?)
    }

    /// Completes the file and returns the output.
    ///
    /// # Errors
    /// The output fails.
    pub fn finish(self) -> io::Result<W> {
        self.0.into_inner().map_err(csv::IntoInnerError::into_error)
    }
}

/// Returns whether a spreadsheet takes a cell for a formula.
fn is_formula(cell: &str) -> bool {
    let begins = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let is_number = || {
        let digits = cell.strip_prefix('-').filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()));
        digits.is_some_and(|digits| digits.parse::<f64>().is_ok())
    };
    begins && !is_number()
}

/// Returns a cell as it is written.
fn marked(cell: &str) -> Cow<'_, str> {
    if is_formula(cell.trim_start_matches(MARK)) { format!("{MARK}{cell}").into() } else { cell.into() }
}

/// Returns a cell as it was before it was written by [`CsvWriter`].
pub fn unmarked(cell: &str) -> &str {
    cell.strip_prefix(MARK).filter(|text| is_formula(text.trim_start_matches(MARK))).unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(rows: &[&[&str]]) -> String {
        let mut writer = CsvWriter::new(Vec::new());
        rows.iter().for_each(|row| writer.row(*row).unwrap());
        String::from_utf8(writer.finish().unwrap()).unwrap()
    }

    #[test]
    fn formulas_become_texts_and_numbers_stay_numbers() {
        let cells = ["=1+1", "+49 1", "-x", "@a", "\t=1", "\r=1", "－1", "'=1", "-7", "-0.5e3", "-inf", "it's -1", ""];
        let expected = "'=1+1,'+49 1,'-x,'@a,'\t=1,\"'\r=1\",'－1,''=1,-7,-0.5e3,'-inf,it's -1,\n";
        assert_eq!(written(&[&cells]), expected);
        assert_eq!(written(&[&["=HYPERLINK(\"http://x\",\"a\")"]]), "\"'=HYPERLINK(\"\"http://x\"\",\"\"a\"\")\"\n");
    }

    #[test]
    fn a_row_of_another_length_is_an_error() {
        let mut writer = CsvWriter::new(Vec::new());
        writer.row(["a", "b"]).unwrap();
        assert!(writer.row(["c"]).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_written_can_be_read_and_is_no_formula(cells in prop::collection::vec("['=+@\t\r\n,\"1a-]{0,5}", 2..5)) {
            let row: Vec<&str> = cells.iter().map(String::as_str).collect();
            let text = written(&[&row]);
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
            let read = reader.records().next().unwrap().unwrap();
            prop_assert!(read.iter().all(|cell| !is_formula(cell)));
            prop_assert_eq!(read.iter().map(unmarked).collect::<Vec<_>>(), row);
        }
    }
}
