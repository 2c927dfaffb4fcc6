//! Writes a table in row groups of bounded size.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::column::{Column, write_group};

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
