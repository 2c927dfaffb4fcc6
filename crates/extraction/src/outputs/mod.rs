//! The formats of records.

mod columns;
mod convokit;
mod csv_tables;
mod json_lines;
#[cfg(feature = "parquet")]
mod parquet_tables;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use harvestman_posts::site::{Post, Thread, User};
use tempfile::NamedTempFile;

use crate::extract::ExtractedSite;
use crate::pseudonyms::Pseudonyms;

/// A format of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON lines: one file each for posts, threads, users.
    JsonLines,
    /// Parquet: one file each.
    Parquet,
    /// CSV with a head: one file each.
    Csv,
    /// A SQLite database with a table each.
    Sqlite,
    /// A corpus of ConvoKit.
    ConvoKit,
}

impl Format {
    /// Returns whether the output is one file instead of several in a directory.
    pub fn is_one_file(self) -> bool {
        self == Self::Sqlite
    }

    /// Returns the names of the files that a directory gets.
    pub fn files(self) -> &'static [&'static str] {
        match self {
            Self::JsonLines => &["posts.jsonl", "threads.jsonl", "users.jsonl"],
            Self::Parquet => &["posts.parquet", "threads.parquet", "users.parquet"],
            Self::Csv => &["posts.csv", "threads.csv", "users.csv"],
            Self::Sqlite => &[],
            Self::ConvoKit => &["utterances.jsonl", "speakers.json", "conversations.json", "corpus.json", "index.json"],
        }
    }
}

/// Why records were not written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The output, or the temporary file with the posts, failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The writer of the format failed.
    #[error("{0}")]
    Format(String),
    /// This build lacks the format.
    #[error("this build of harvestman has no {0}; enable it with `cargo build --release --features {0}`")]
    Missing(&'static str),
}

/// Takes records in this order: all posts, sorted by thread; all threads; all users.
pub(crate) trait RecordWriter {
    /// Writes a post.
    fn post(&mut self, post: &Post) -> Result<(), OutputError>;

    /// Writes a thread.
    fn thread(&mut self, thread: &Thread) -> Result<(), OutputError>;

    /// Writes a user.
    fn user(&mut self, user: &User) -> Result<(), OutputError>;

    /// Completes the output.
    fn finish(self: Box<Self>) -> Result<(), OutputError>;
}

/// Writes records to a directory, or to a file if the format is one file. Files appear when they are complete. Calls
/// `each` with the number of posts after each post.
///
/// # Errors
///
/// The output cannot be written, or this build lacks the format.
pub fn write(
    extracted: &mut ExtractedSite,
    format: Format,
    to: &Path,
    pseudonyms: Option<&Pseudonyms>,
    each: &mut dyn FnMut(u64),
) -> Result<(), OutputError> {
    let writer: Box<dyn RecordWriter> = match format {
        Format::JsonLines => Box::new(json_lines::JsonLines::create(to)?),
        Format::Csv => Box::new(csv_tables::CsvTables::create(to)?),
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(parquet_tables::ParquetTables::create(to)?),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => return Err(OutputError::Missing("parquet")),
        #[cfg(feature = "sqlite")]
        Format::Sqlite => Box::new(sqlite::Database::create(to)?),
        #[cfg(not(feature = "sqlite"))]
        Format::Sqlite => return Err(OutputError::Missing("sqlite")),
        Format::ConvoKit => Box::new(convokit::Corpus::create(to)?),
    };
    write_records(extracted, writer, pseudonyms, each)
}

/// Writes the posts as JSON lines to a stream.
///
/// # Errors
///
/// The stream, or the temporary file with the posts, failed.
pub fn stream_posts(
    extracted: &mut ExtractedSite,
    out: &mut dyn Write,
    pseudonyms: Option<&Pseudonyms>,
) -> Result<(), OutputError> {
    let ExtractedSite { site, posts, .. } = extracted;
    site.posts(posts, &mut |mut post| {
        if let Some(pseudonyms) = pseudonyms {
            pseudonyms.apply(&mut post);
        }
        json_lines::line(out, &post)
    })
}

fn write_records(
    extracted: &mut ExtractedSite,
    mut writer: Box<dyn RecordWriter>,
    pseudonyms: Option<&Pseudonyms>,
    each: &mut dyn FnMut(u64),
) -> Result<(), OutputError> {
    let ExtractedSite { site, posts, .. } = extracted;
    let mut count = 0;
    site.posts(posts, &mut |mut post| {
        if let Some(pseudonyms) = pseudonyms {
            pseudonyms.apply(&mut post);
        }
        count += 1;
        each(count);
        writer.post(&post)
    })?;
    for thread in site.threads() {
        writer.thread(&thread)?;
    }
    for user in site.users() {
        let mut user = user.clone();
        if let Some(pseudonyms) = pseudonyms {
            pseudonyms.apply_to_user(&mut user);
        }
        writer.user(&user)?;
    }
    writer.finish()
}

/// A file under a temporary name, and the path that it gets when it is complete.
pub(crate) struct TemporaryFile {
    path: PathBuf,
    file: NamedTempFile,
}

/// Creates files in a directory, which is made if it is missing, under temporary names.
pub(crate) fn create_files<const N: usize>(
    directory: &Path,
    names: &[&str],
) -> Result<[TemporaryFile; N], OutputError> {
    std::fs::create_dir_all(directory)?;
    let files = names.iter().map(|name| {
        let path = directory.join(name);
        Ok(TemporaryFile { file: temporary(&path)?, path })
    });
    let files: Vec<TemporaryFile> = files.collect::<io::Result<_>>()?;
    files.try_into().map_err(|_| OutputError::Format("the format has other files".to_owned()))
}

/// Creates a file that gets its name when it is complete.
pub(crate) fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mode = std::fs::Permissions::from_mode(0o666);
    tempfile::Builder::new().prefix(&format!(".{name}.")).permissions(mode).tempfile_in(directory)
}

/// Gives a complete file its name.
pub(crate) fn place(path: PathBuf, file: NamedTempFile) -> Result<(), OutputError> {
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| OutputError::Io(error.error))
}
