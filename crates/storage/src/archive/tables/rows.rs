//! Tables of rows that the caller makes.

use std::io::Write;

use parquet::errors::ParquetError;
use parquet::schema::parser::parse_message_type;

use super::column::{Cell, Column, TableWriter, Values};

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowType {
    /// Text.
    Text,
    /// A list of texts.
    Texts,
    /// An integer of 64 bits.
    Integer,
    /// Milliseconds since 1970, UTC.
    Time,
    /// A number.
    Double,
    /// A truth value.
    Bool,
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum RowValue {
    /// Text.
    Text(String),
    /// A list of texts.
    Texts(Vec<String>),
    /// An integer, or a time.
    Integer(i64),
    /// A number.
    Double(f64),
    /// A truth value.
    Bool(bool),
}

impl RowType {
    fn in_schema(self, name: &str) -> String {
        match self {
            Self::Text => format!("OPTIONAL BYTE_ARRAY {name} (STRING);"),
            Self::Integer => format!("OPTIONAL INT64 {name};"),
            Self::Time => format!("OPTIONAL INT64 {name} (TIMESTAMP(MILLIS,true));"),
            Self::Double => format!("OPTIONAL DOUBLE {name};"),
            Self::Bool => format!("OPTIONAL BOOLEAN {name};"),
            Self::Texts => format!(
                "REQUIRED GROUP {name} (LIST) {{ REPEATED GROUP list {{ REQUIRED BYTE_ARRAY element (STRING); }} }}"
            ),
        }
    }

    fn column(self) -> Column {
        let values = match self {
            Self::Text | Self::Texts => Values::Text(Vec::new()),
            Self::Integer | Self::Time => Values::Long(Vec::new()),
            Self::Double => Values::Double(Vec::new()),
            Self::Bool => Values::Bool(Vec::new()),
        };
        Column::new(values, true, self == Self::Texts)
    }
}

/// Writes rows as a Parquet table. All columns but lists may lack values.
pub struct RowTable<W: Write + Send> {
    table: TableWriter<W>,
    types: Vec<RowType>,
}

impl<W: Write + Send> RowTable<W> {
    /// Starts a table with these columns, whose names consist of letters and underscores.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    pub fn new(out: W, columns: &[(&str, RowType)]) -> Result<Self, ParquetError> {
        let schema: String = columns.iter().map(|(name, of)| of.in_schema(name)).collect();
        let schema = parse_message_type(&format!("message row {{ {schema} }}"))?;
        let types: Vec<RowType> = columns.iter().map(|(_, of)| *of).collect();
        let table = TableWriter::new(out, schema, types.iter().map(|of| of.column()).collect())?;
        Ok(Self { table, types })
    }

    /// Adds a row: a value for each column. A value that is not of the type of its column is taken for missing.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    pub fn push(&mut self, row: impl IntoIterator<Item = Option<RowValue>>) -> Result<(), ParquetError> {
        let mut values = row.into_iter();
        for (of, column) in self.types.iter().zip(self.table.columns()) {
            let cell = match (of, values.next().flatten()) {
                (RowType::Texts, value) => {
                    push_texts(column, value);
                    continue;
                }
                (RowType::Text, Some(RowValue::Text(text))) => Some(Cell::Text(text)),
                (RowType::Integer | RowType::Time, Some(RowValue::Integer(value))) => Some(Cell::Long(value)),
                (RowType::Double, Some(RowValue::Double(value))) => Some(Cell::Double(value)),
                (RowType::Bool, Some(RowValue::Bool(value))) => Some(Cell::Bool(value)),
                _ => None,
            };
            column.push(cell);
        }
        self.table.end_row()
    }

    /// Finishes the table.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    pub fn close(self) -> Result<(), ParquetError> {
        self.table.close()
    }
}

fn push_texts(column: &mut Column, value: Option<RowValue>) {
    let texts = match value {
        Some(RowValue::Texts(texts)) => texts,
        _ => Vec::new(),
    };
    if texts.is_empty() {
        column.push_at(None, 0, 0);
    }
    for (place, text) in texts.into_iter().enumerate() {
        column.push_at(Some(Cell::Text(text)), 1, i16::from(place > 0));
    }
}
