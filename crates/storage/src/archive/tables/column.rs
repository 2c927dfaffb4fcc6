//! A table that is written in row groups of bounded size, and the columns of the current row group.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

/// Memory overhead of a text in bytes.
const TEXT_OVERHEAD: usize = 64;

/// Values of one type.
#[derive(Debug)]
pub(super) enum Values {
    Text(Vec<ByteArray>),
    Int(Vec<i32>),
    Long(Vec<i64>),
    Double(Vec<f64>),
    Bool(Vec<bool>),
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Text(String),
    Int(i32),
    Long(i64),
    Double(f64),
    Bool(bool),
}

/// The values of a column with their levels, as Parquet stores them. An absent value has a definition level below the
/// maximum and no entry among the values; a value that continues the list of the previous one has a repetition level
/// above 0.
#[derive(Debug)]
pub(super) struct Column {
    values: Values,
    definitions: Option<Vec<i16>>,
    repetitions: Option<Vec<i16>>,
    bytes: usize,
}

impl Column {
    /// Creates a column that is part of a list (`repeated`), or may be absent (`optional`).
    pub fn new(values: Values, optional: bool, repeated: bool) -> Self {
        let levels = |there: bool| there.then(Vec::new);
        Self { values, definitions: levels(optional || repeated), repetitions: levels(repeated), bytes: 0 }
    }

    /// Returns the approximate bytes of memory.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a value of a row.
    pub fn push(&mut self, cell: Option<Cell>) {
        let definition = i16::from(cell.is_some());
        self.push_at(cell, definition, 0);
    }

    /// Adds a value or an absent value with its levels.
    pub fn push_at(&mut self, cell: Option<Cell>, definition: i16, repetition: i16) {
        if let Some(levels) = &mut self.definitions {
            levels.push(definition);
        }
        if let Some(levels) = &mut self.repetitions {
            levels.push(repetition);
        }
        self.bytes += size_of::<[i16; 2]>();
        match (&mut self.values, cell) {
            (_, None) => debug_assert!(self.definitions.is_some(), "a required value is absent"),
            (Values::Text(values), Some(Cell::Text(text))) => {
                self.bytes += text.len() + TEXT_OVERHEAD;
                values.push(text.into_bytes().into());
            }
            (Values::Int(values), Some(Cell::Int(value))) => values.push(value),
            (Values::Long(values), Some(Cell::Long(value))) => values.push(value),
            (Values::Double(values), Some(Cell::Double(value))) => values.push(value),
            (Values::Bool(values), Some(Cell::Bool(value))) => values.push(value),
            (values, cell) => unreachable!("{cell:?} in a column of {values:?}"),
        }
        self.bytes += size_of::<i64>();
    }

    /// Writes the values and clears the column.
    pub fn write(&mut self, mut to: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let (definitions, repetitions) = (self.definitions.as_deref(), self.repetitions.as_deref());
        match &mut self.values {
            Values::Text(values) => to.typed::<ByteArrayType>().write_batch(values, definitions, repetitions)?,
            Values::Int(values) => to.typed::<Int32Type>().write_batch(values, definitions, repetitions)?,
            Values::Long(values) => to.typed::<Int64Type>().write_batch(values, definitions, repetitions)?,
            Values::Double(values) => to.typed::<DoubleType>().write_batch(values, definitions, repetitions)?,
            Values::Bool(values) => to.typed::<BoolType>().write_batch(values, definitions, repetitions)?,
        };
        self.clear();
        to.close()
    }

    fn clear(&mut self) {
        match &mut self.values {
            Values::Text(values) => values.clear(),
            Values::Int(values) => values.clear(),
            Values::Long(values) => values.clear(),
            Values::Double(values) => values.clear(),
            Values::Bool(values) => values.clear(),
        }
        self.definitions.iter_mut().chain(&mut self.repetitions).for_each(Vec::clear);
        self.bytes = 0;
    }
}

/// Writes all columns as one row group.
fn write_group<W: Write + Send>(
    mut group: parquet::file::writer::SerializedRowGroupWriter<'_, W>,
    columns: &mut [Column],
) -> Result<(), ParquetError> {
    for column in columns {
        let writer = group.next_column()?.expect("the schema has as many columns");
        column.write(writer)?;
    }
    group.close().map(drop)
}

/// Maximum number of rows per row group: enough to compress well, few enough for parallel reads.
const GROUP_ROWS: usize = 131_072;
/// Approximate memory of a row group.
const GROUP_BYTES: usize = 48 << 20;

/// A writer of a table.
pub(super) struct TableWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Column>,
    rows: usize,
}

impl<W: Write + Send> TableWriter<W> {
    /// Starts a table with these columns, which are the leaves of `schema` in order.
    pub fn new(out: W, schema: Type, columns: Vec<Column>) -> Result<Self, ParquetError> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            // Page-level statistics would stay in memory until the end, which is too much for a long log.
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by(concat!("harvestman ", env!("CARGO_PKG_VERSION")).to_owned());
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()))?;
        Ok(Self { file, columns, rows: 0 })
    }

    /// Returns the columns, to each of which the caller adds its value of a row.
    pub fn columns(&mut self) -> &mut [Column] {
        &mut self.columns
    }

    /// Finishes a row.
    pub fn end_row(&mut self) -> Result<(), ParquetError> {
        self.rows += 1;
        let bytes: usize = self.columns.iter().map(Column::bytes).sum();
        if self.rows >= GROUP_ROWS || bytes >= GROUP_BYTES { self.write_group() } else { Ok(()) }
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        self.rows = 0;
        write_group(self.file.next_row_group()?, &mut self.columns)
    }

    /// Finishes the table.
    pub fn close(mut self) -> Result<(), ParquetError> {
        if self.rows > 0 {
            self.write_group()?;
        }
        self.file.close().map(drop)
    }
}
