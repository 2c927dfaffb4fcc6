//! The truth about the posts of a recorded site, as a file.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use jiff::civil::DateTime;
use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::Offset;
use serde::Deserialize;
use url::Url;

/// Maximum size of a file, decompressed, in bytes.
const BYTES_MAX: u64 = 4 << 30;

/// A post of the site's database, and the pages of the recording that show it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PostTruth {
    /// Its identifier, unique in the file.
    pub id: String,
    /// The identifier of its thread.
    #[serde(default)]
    pub thread: Option<String>,
    /// Its own address, if the site has one.
    #[serde(default)]
    pub url: Option<String>,
    /// The name of its author as the site shows it.
    #[serde(default)]
    pub author: Option<String>,
    /// When it was written.
    #[serde(default)]
    pub time: Option<TrueTime>,
    /// Whether the site shows the minute of its time, and not only the day.
    #[serde(default = "yes")]
    pub time_shown: bool,
    /// Its text.
    pub text: String,
    /// Other readings of its text that are as good: with the quotes in it, for example.
    #[serde(default)]
    pub variants: Vec<String>,
    /// The identifier of the post that it answers, if the site shows this; several where the site leaves open which of
    /// them.
    #[serde(default)]
    pub parent: OneOrMore,
    /// The pages on which the whole of it is shown.
    pub pages: Vec<ShownOn>,
    /// The pages on which a part of it is shown.
    #[serde(default)]
    pub excerpts: Vec<String>,
}

const fn yes() -> bool {
    true
}

/// Identifiers, in JSON a string or a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "StringOrList")]
pub struct OneOrMore(pub Vec<String>);

#[derive(Deserialize)]
#[serde(untagged)]
enum StringOrList {
    One(String),
    More(Vec<String>),
}

impl From<StringOrList> for OneOrMore {
    fn from(given: StringOrList) -> Self {
        match given {
            StringOrList::One(id) => Self(vec![id]),
            StringOrList::More(ids) => Self(ids),
        }
    }
}

/// A page that shows a post: in JSON its URL, or an object if fields of the post are not shown there.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "UrlOrObject")]
pub struct ShownOn {
    /// The URL of the page.
    pub url: String,
    /// The fields of the post that the page does not show.
    pub lacks: Vec<Field>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum UrlOrObject {
    Url(String),
    Object { url: String, lacks: Vec<Field> },
}

impl From<UrlOrObject> for ShownOn {
    fn from(given: UrlOrObject) -> Self {
        match given {
            UrlOrObject::Url(url) => Self { url, lacks: Vec::new() },
            UrlOrObject::Object { url, lacks } => Self { url, lacks },
        }
    }
}

/// A field of a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// The name of the author.
    Author,
    /// The time, to the minute.
    Minute,
    /// The day.
    Day,
    /// The thread.
    Thread,
    /// The post that is answered.
    Parent,
    /// The address.
    Url,
}

impl Field {
    /// All fields, in the order of tables.
    pub const ALL: [Self; 6] = [Self::Author, Self::Minute, Self::Day, Self::Thread, Self::Parent, Self::Url];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Author => "author",
            Self::Minute => "minute",
            Self::Day => "day",
            Self::Thread => "thread",
            Self::Parent => "parent",
            Self::Url => "url",
        }
    }
}

/// A time in the zone of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct TrueTime {
    /// As the site shows it.
    pub local: DateTime,
    /// Its distance from UTC.
    pub offset: Offset,
}

impl TryFrom<String> for TrueTime {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let invalid = |_| format!("`{text}` is not a time such as 2025-06-20T16:04:00+02:00");
        let pieces = DateTimeParser::new().parse_pieces(&text).map_err(invalid)?;
        let offset = pieces.to_numeric_offset();
        let time =
            pieces.time().zip(offset).ok_or_else(|| format!("`{text}` has no time of day or no offset from UTC"))?;
        Ok(Self { local: pieces.date().to_datetime(time.0), offset: time.1 })
    }
}

/// The reason why a truth file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TruthError {
    /// The file cannot be opened.
    #[error("cannot open {path}: {source}")]
    Open {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A line is not the truth about a post.
    #[error("{path}, line {line}: {what}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
}

/// Reads a truth file: one JSON object per line, compressed if its name ends in `.gz`.
///
/// # Errors
/// The file cannot be read, is longer than 4 GiB, or one of its lines is invalid.
pub fn load_truth(path: &Path) -> Result<Vec<PostTruth>, TruthError> {
    let file = File::open(path).map_err(|source| TruthError::Open { path: path.to_owned(), source })?;
    let input: Box<dyn Read> = match path.extension() {
        Some(ending) if ending == "gz" => Box::new(MultiGzDecoder::new(file)),
        _ => Box::new(file),
    };
    parse_truth(BufReader::new(input.take(BYTES_MAX)), path)
}

/// Parses the lines of a truth file. `path` is named in errors.
///
/// # Errors
/// A line is invalid.
pub fn parse_truth(lines: impl BufRead, path: &Path) -> Result<Vec<PostTruth>, TruthError> {
    let (mut posts, mut ids) = (Vec::new(), HashSet::new());
    for (at, text) in lines.lines().enumerate() {
        let wrong = |what: String| TruthError::Line { path: path.to_owned(), line: at + 1, what };
        let text = text.map_err(|error| wrong(error.to_string()))?;
        if text.trim().is_empty() {
            continue;
        }
        let post: PostTruth = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if !ids.insert(post.id.clone()) {
            return Err(wrong(format!("the id `{}` is that of an earlier line", post.id)));
        }
        let pages = post.pages.iter().map(|page| &page.url).chain(&post.excerpts);
        if let Some(page) = pages.into_iter().find(|page| Url::parse(page).is_err()) {
            return Err(wrong(format!("`{page}` is not a URL")));
        }
        posts.push(post);
    }
    Ok(posts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<PostTruth>, String> {
        parse_truth(text.as_bytes(), Path::new("truth.jsonl")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_line_has_a_post_with_the_pages_that_show_it() {
        let line = r#"{"id": "7", "thread": "t", "author": "Ada", "time": "2025-06-20T23:30:05-05:00", "text": "a b", "parent": "3",
            "pages": ["http://h/t", {"url": "http://h/p", "lacks": ["thread", "minute"]}], "excerpts": ["http://h/u"]}"#;
        let posts = parse(&line.replace('\n', " ")).unwrap();
        let post = &posts[0];
        assert_eq!((post.parent.0.len(), post.pages.len(), post.excerpts.len(), post.time_shown), (1, 2, 1, true));
        assert_eq!(post.pages[1], ShownOn { url: "http://h/p".into(), lacks: vec![Field::Thread, Field::Minute] });
        let time = post.time.unwrap();
        assert_eq!((time.local.to_string(), time.offset.seconds()), ("2025-06-20T23:30:05".into(), -18_000));
    }

    #[test]
    fn invalid_lines_are_errors_with_their_number() {
        let post = r#"{"id": "1", "text": "", "pages": []}"#;
        let of = |line: &str| parse(&format!("{post}\n\n{line}\n")).unwrap_err();
        assert!(of(post).starts_with("truth.jsonl, line 3: the id `1`"), "{}", of(post));
        let two = |fields: &str| of(&post.replace("\"1\"", "\"2\"").replace(", \"pages\": []", fields));
        assert!(two("").contains("missing field `pages`"));
        assert!(two(r#", "pages": ["/t"]"#).contains("`/t` is not a URL"));
        assert!(two(r#", "pages": [], "colour": 1"#).contains("colour"));
        assert!(two(r#", "pages": [], "time": "2025-06-20""#).contains("no time of day"));
        assert!(two(r#", "pages": [], "time": "2025-06-20T10:00""#).contains("no offset"));
        assert!(two(r#", "pages": [], "time": "soon""#).contains("is not a time"));
    }

    #[test]
    fn files_may_be_compressed_and_must_exist() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("truth.jsonl.gz");
        assert!(load_truth(&path).unwrap_err().to_string().starts_with("cannot open "));
        let mut gzip = flate2::write::GzEncoder::new(File::create(&path).unwrap(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gzip, b"{\"id\": \"1\", \"text\": \"a\", \"pages\": []}\n").unwrap();
        gzip.finish().unwrap();
        assert_eq!(load_truth(&path).unwrap().len(), 1);
    }
}
