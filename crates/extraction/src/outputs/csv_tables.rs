//! Records as CSV: the first columns of posts are those that 4CAT reads.

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use harvestman_core::spreadsheet::CsvWriter;
use harvestman_posts::site::{Post, Thread, User};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use tempfile::NamedTempFile;

use super::columns::{Column, ColumnType, POSTS, THREADS, USERS, Value, json};
use super::{Format, OutputError, RecordWriter, TemporaryFile, create_files, place};

/// Three CSV files.
pub(super) struct CsvTables {
    posts: CsvFile,
    threads: CsvFile,
    users: CsvFile,
}

struct CsvFile {
    path: PathBuf,
    rows: CsvWriter<BufWriter<NamedTempFile>>,
}

impl CsvTables {
    pub fn create(directory: &Path) -> Result<Self, OutputError> {
        let [posts, threads, users] = create_files(directory, Format::Csv.files())?;
        Ok(Self {
            posts: CsvFile::new(posts, &POSTS)?,
            threads: CsvFile::new(threads, &THREADS)?,
            users: CsvFile::new(users, &USERS)?,
        })
    }
}

impl CsvFile {
    fn new<R>(TemporaryFile { path, file }: TemporaryFile, columns: &[Column<R>]) -> Result<Self, OutputError> {
        let mut rows = CsvWriter::new(BufWriter::new(file));
        rows.row(columns.iter().map(|column| column.name))?;
        Ok(Self { path, rows })
    }

    fn push<R>(&mut self, record: &R, columns: &[Column<R>]) -> Result<(), OutputError> {
        Ok(self.rows.row(columns.iter().map(|column| cell((column.value)(record), column.kind)))?)
    }

    fn finish(self) -> Result<(), OutputError> {
        let mut file = self.rows.finish()?;
        file.flush()?;
        let file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        place(self.path, file)
    }
}

fn cell(value: Value, kind: ColumnType) -> String {
    match value {
        Value::Missing => String::new(),
        // NUL is valid in CSV, and no tool reads it.
        Value::Text(text) => text.replace('\0', "\u{fffd}"),
        Value::Texts(texts) => json(&texts),
        Value::Integer(seconds) if kind == ColumnType::Time => moment(seconds),
        Value::Integer(value) => value.to_string(),
        Value::Real(value) => value.to_string(),
        Value::Bool(value) => value.to_string(),
    }
}

/// Returns a time in the form that 4CAT reads.
fn moment(seconds: i64) -> String {
    let time = Timestamp::from_second(seconds).map(|time| time.to_zoned(TimeZone::UTC));
    time.map(|time| time.strftime("%Y-%m-%d %H:%M:%S").to_string()).unwrap_or_default()
}

impl RecordWriter for CsvTables {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_columns_are_those_of_4cat() {
        let names: Vec<_> = POSTS.iter().map(|column| column.name).take(7).collect();
        assert_eq!(names, ["id", "thread_id", "timestamp", "author", "subject", "body", "parent_id"]);
        assert_eq!(cell(Value::Integer(86_399), ColumnType::Time), "1970-01-01 23:59:59");
    }
}
