//! Writes a table in row groups of bounded size.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::column::{Column, write_group};

/// Rows of a row group at most: enough to compress well, few enough to be read in parallel.
const GROUP_ROWS: usize = 131_072;
/// Memory of a row group, about.
const GROUP_BYTES: usize = 48 << 20;

/// A table that is being written.
pub(super) struct TableWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Column>,
    rows: usize,
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins a table with these columns, which are the leaves of `schema` in order.
    pub fn new(out: W, schema: Type, columns: Vec<Column>) -> Result<Self, ParquetError> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            // Those of each page are kept until the end: too much for a long log.
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by(concat!("harvestman ", env!("CARGO_PKG_VERSION")).to_owned());
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()))?;
        Ok(Self { file, columns, rows: 0 })
    }

    /// The columns, each to be given its part of a row.
    pub fn columns(&mut self) -> &mut [Column] {
        &mut self.columns
    }

    /// Ends a row.
    pub fn end_row(&mut self) -> Result<(), ParquetError> {
        self.rows += 1;
        let bytes: usize = self.columns.iter().map(Column::bytes).sum();
        if self.rows >= GROUP_ROWS || bytes >= GROUP_BYTES { self.write_group() } else { Ok(()) }
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        self.rows = 0;
        write_group(self.file.next_row_group()?, &mut self.columns)
    }

    /// Ends the table.
    pub fn close(mut self) -> Result<(), ParquetError> {
        if self.rows > 0 {
            self.write_group()?;
        }
        self.file.close().map(drop)
    }
}
