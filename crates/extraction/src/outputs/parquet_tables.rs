//! Records as Parquet tables.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use harvestman_posts::site::{Post, Thread, User};
use harvestman_storage::archive::tables::{ParquetError, RowTable, RowType, RowValue};
use tempfile::NamedTempFile;

use super::columns::{Column, ColumnType, POSTS, THREADS, USERS, Value};
use super::{Format, OutputError, RecordWriter, TemporaryFile, create_files, place};

/// Three Parquet files.
pub(super) struct ParquetTables {
    posts: ParquetFile,
    threads: ParquetFile,
    users: ParquetFile,
}

struct ParquetFile {
    path: PathBuf,
    file: NamedTempFile,
    rows: RowTable<BufWriter<File>>,
}

impl ParquetTables {
    pub fn create(directory: &Path) -> Result<Self, OutputError> {
        let [posts, threads, users] = create_files(directory, Format::Parquet.files())?;
        Ok(Self {
            posts: ParquetFile::new(posts, &POSTS)?,
            threads: ParquetFile::new(threads, &THREADS)?,
            users: ParquetFile::new(users, &USERS)?,
        })
    }
}

impl ParquetFile {
    fn new<R>(TemporaryFile { path, file }: TemporaryFile, columns: &[Column<R>]) -> Result<Self, OutputError> {
        let columns: Vec<(&str, RowType)> = columns.iter().map(|column| (column.name, row_type(column.kind))).collect();
        let rows = RowTable::new(BufWriter::new(file.reopen()?), &columns).map_err(failed)?;
        Ok(Self { path, file, rows })
    }

    fn push<R>(&mut self, record: &R, columns: &[Column<R>]) -> Result<(), OutputError> {
        self.rows.push(columns.iter().map(|column| row_value((column.value)(record), column.kind))).map_err(failed)
    }

    fn finish(self) -> Result<(), OutputError> {
        self.rows.close().map_err(failed)?;
        place(self.path, self.file)
    }
}

fn row_type(kind: ColumnType) -> RowType {
    match kind {
        ColumnType::Text => RowType::Text,
        ColumnType::Texts => RowType::Texts,
        ColumnType::Integer => RowType::Integer,
        ColumnType::Time => RowType::Time,
        ColumnType::Real => RowType::Double,
        ColumnType::Bool => RowType::Bool,
    }
}

fn row_value(value: Value, kind: ColumnType) -> Option<RowValue> {
    Some(match value {
        Value::Missing => return None,
        Value::Text(text) => RowValue::Text(text),
        Value::Texts(texts) => RowValue::Texts(texts),
        Value::Integer(seconds) if kind == ColumnType::Time => RowValue::Integer(seconds.saturating_mul(1_000)),
        Value::Integer(value) => RowValue::Integer(value),
        Value::Real(value) => RowValue::Double(value),
        Value::Bool(value) => RowValue::Bool(value),
    })
}

fn failed(error: ParquetError) -> OutputError {
    match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(error) => OutputError::Io(*error),
            Err(other) => OutputError::Format(other.to_string()),
        },
        other => OutputError::Format(other.to_string()),
    }
}

impl RecordWriter for ParquetTables {
    fn post(&mut self, post: &Post) -> Result<(), OutputError> {
        self.posts.push(post, &POSTS)
    }

    fn thread(&mut self, thread: &Thread) -> Result<(), OutputError> {
        self.threads.push(thread, &THREADS)
    }

    fn user(&mut self, user: &User) -> Result<(), OutputError> {
        self.users.push(user, &USERS)
    }

    fn finish(self: Box<Self>) -> Result<(), OutputError> {
        self.posts.finish()?;
        self.threads.finish()?;
        self.users.finish()
    }
}
