//! Records as a SQLite database.

use std::path::{Path, PathBuf};

use harvestman_posts::site::{Post, SCHEMA_VERSION, Thread, User};
use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, params_from_iter};
use tempfile::NamedTempFile;

use super::columns::{Column, ColumnType, POSTS, THREADS, USERS, Value, json};
use super::{OutputError, RecordWriter, place, temporary};

/// A database with the tables `posts`, `threads` and `users`. It is written in one transaction.
pub(super) struct Database {
    path: PathBuf,
    file: NamedTempFile,
    connection: Connection,
    inserts: [String; 3],
}

impl Database {
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let file = temporary(path)?;
        let connection = Connection::open(file.path()).map_err(failed)?;
        // The file has no name before it is complete: what a crash leaves is of no use.
        let start = format!(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA user_version = {SCHEMA_VERSION}; BEGIN;\n{}{}{}",
            definition("posts", &POSTS),
            definition("threads", &THREADS),
            definition("users", &USERS),
        );
        connection.execute_batch(&start).map_err(failed)?;
        let inserts = [insert("posts", POSTS.len()), insert("threads", THREADS.len()), insert("users", USERS.len())];
        Ok(Self { path: path.to_owned(), file, connection, inserts })
    }

    fn push<R>(&mut self, table: usize, record: &R, columns: &[Column<R>]) -> Result<(), OutputError> {
        let mut statement = self.connection.prepare_cached(&self.inserts[table]).map_err(failed)?;
        let values = columns.iter().map(|column| sql_value((column.value)(record)));
        statement.execute(params_from_iter(values)).map(drop).map_err(failed)
    }
}

fn definition<R>(table: &str, columns: &[Column<R>]) -> String {
    let columns = columns.iter().enumerate().map(|(at, column)| {
        let kind = match column.kind {
            ColumnType::Text | ColumnType::Texts => "TEXT",
            ColumnType::Integer | ColumnType::Time | ColumnType::Bool => "INTEGER",
            ColumnType::Real => "REAL",
        };
        let key = if at == 0 && column.name == "id" { " PRIMARY KEY" } else { "" };
        format!("\"{}\" {kind}{key}", column.name)
    });
    format!("CREATE TABLE {table} ({});\n", columns.collect::<Vec<_>>().join(", "))
}

fn insert(table: &str, columns: usize) -> String {
    format!("INSERT INTO {table} VALUES ({})", vec!["?"; columns].join(", "))
}

fn sql_value(value: Value) -> SqlValue {
    match value {
        Value::Missing => SqlValue::Null,
        Value::Text(text) => SqlValue::Text(text),
        Value::Texts(texts) => SqlValue::Text(json(&texts)),
        Value::Integer(value) => SqlValue::Integer(value),
        Value::Real(value) => SqlValue::Real(value),
        Value::Bool(value) => SqlValue::Integer(value.into()),
    }
}

fn failed(error: rusqlite::Error) -> OutputError {
    OutputError::Format(error.to_string())
}

impl RecordWriter for Database {
    fn post(&mut self, post: &Post) -> Result<(), OutputError> {
        self.push(0, post, &POSTS)
    }

    fn thread(&mut self, thread: &Thread) -> Result<(), OutputError> {
        self.push(1, thread, &THREADS)
    }

    fn user(&mut self, user: &User) -> Result<(), OutputError> {
        self.push(2, user, &USERS)
    }

    fn finish(self: Box<Self>) -> Result<(), OutputError> {
        let end = "CREATE INDEX posts_by_thread ON posts (thread_id, position); CREATE INDEX posts_by_author ON posts (author); COMMIT;";
        self.connection.execute_batch(end).map_err(failed)?;
        self.connection.close().map_err(|(_, error)| failed(error))?;
        place(self.path, self.file)
    }
}
