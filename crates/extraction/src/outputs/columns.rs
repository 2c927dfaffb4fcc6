//! The columns of records in tables.

use harvestman_posts::site::{Post, Thread, User, unix_seconds};
use serde::Serialize;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnType {
    Text,
    /// A list of texts; in formats without lists as JSON.
    Texts,
    Integer,
    /// Seconds since 1970.
    Time,
    Real,
    Bool,
}

/// A value of a record.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Missing,
    Text(String),
    Texts(Vec<String>),
    Integer(i64),
    Real(f64),
    Bool(bool),
}

/// A column: its name in tables, its name in CSV, its type, and its value of a record.
pub(super) struct Column<R> {
    pub name: &'static str,
    pub kind: ColumnType,
    pub value: fn(&R) -> Value,
}

const fn column<R>(name: &'static str, kind: ColumnType, value: fn(&R) -> Value) -> Column<R> {
    Column { name, kind, value }
}

use ColumnType::{Bool, Integer, Real, Text, Texts, Time};

/// The columns of posts.
pub(super) const POSTS: [Column<Post>; 27] = [
    column("id", Text, |post| text(&post.id)),
    column("thread_id", Text, |post| text(&post.thread_id)),
    column("timestamp", Time, |post| time(post.time.as_deref())),
    column("author", Text, |post| optional(&post.author)),
    column("subject", Text, |post| optional(&post.title)),
    column("body", Text, |post| text(&post.text)),
    column("parent_id", Text, |post| optional(&post.parent_id)),
    column("parent_thread_id", Text, |post| optional(&post.parent_thread_id)),
    column("author_url", Text, |post| optional(&post.author_url)),
    column("time", Text, |post| optional(&post.time)),
    column("edited", Text, |post| optional(&post.edited)),
    column("html", Text, |post| optional(&post.html)),
    column("url", Text, |post| optional(&post.url)),
    column("position", Integer, |post| integer(post.position)),
    column("is_excerpt", Bool, |post| Value::Bool(post.is_excerpt)),
    column("page_url", Text, |post| text(&post.page_url)),
    column("warc_file", Text, |post| optional(&post.warc_file)),
    column("warc_offset", Integer, |post| post.warc_offset.map_or(Value::Missing, integer)),
    column("crawl_time", Text, |post| text(&post.crawl_time)),
    column("visit", Integer, |post| integer(u64::from(post.visit))),
    column("cluster", Integer, |post| post.cluster.map_or(Value::Missing, |cluster| integer(u64::from(cluster)))),
    column("source", Text, |post| text(&json(&post.source))),
    column("confidence", Real, |post| Value::Real(post.confidence)),
    column("first_seen", Text, |post| text(&post.first_seen)),
    column("last_seen", Text, |post| text(&post.last_seen)),
    column("is_gone", Bool, |post| Value::Bool(post.is_gone)),
    column("versions", Texts, |post| Value::Texts(post.versions.iter().map(json).collect())),
];

/// The columns of threads.
pub(super) const THREADS: [Column<Thread>; 8] = [
    column("id", Text, |thread| text(&thread.id)),
    column("url", Text, |thread| text(&thread.url)),
    column("title", Text, |thread| optional(&thread.title)),
    column("forums", Texts, |thread| Value::Texts(thread.forums.clone())),
    column("tags", Texts, |thread| Value::Texts(thread.tags.clone())),
    column("posts", Integer, |thread| integer(thread.posts)),
    column("first_time", Text, |thread| optional(&thread.first_time)),
    column("last_time", Text, |thread| optional(&thread.last_time)),
];

/// The columns of users.
pub(super) const USERS: [Column<User>; 6] = [
    column("url", Text, |user| optional(&user.url)),
    column("host", Text, |user| text(&user.host)),
    column("name", Text, |user| optional(&user.name)),
    column("joined", Text, |user| optional(&user.joined)),
    column("posts", Integer, |user| user.posts.map_or(Value::Missing, integer)),
    column("posts_found", Integer, |user| integer(user.posts_found)),
];

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn optional(value: &Option<String>) -> Value {
    value.as_deref().map_or(Value::Missing, text)
}

fn integer(value: u64) -> Value {
    // No count comes close to the upper half of the range.
    Value::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}

fn time(value: Option<&str>) -> Value {
    value.and_then(unix_seconds).map_or(Value::Missing, Value::Integer)
}

/// Returns a value as JSON, a text without quotation marks.
pub(super) fn json(value: &impl Serialize) -> String {
    // Records can always be written.
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        Ok(value) => value.to_string(),
        Err(_) => String::new(),
    }
}
