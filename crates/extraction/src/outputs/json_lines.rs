//! Records as JSON lines.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use harvestman_posts::site::{Post, Thread, User};
use serde::Serialize;
use tempfile::NamedTempFile;

use super::{Format, OutputError, RecordWriter, TemporaryFile, create_files, place};

/// A file of lines.
pub(super) struct LineFile {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl LineFile {
    /// Writes to a file that gets its name when it is complete.
    pub fn new(TemporaryFile { path, file }: TemporaryFile) -> Self {
        Self { path, file: BufWriter::with_capacity(1 << 16, file) }
    }

    /// Writes a line.
    pub fn push(&mut self, value: &impl Serialize) -> Result<(), OutputError> {
        line(&mut self.file, value)
    }

    /// Completes the file.
    pub fn finish(self) -> Result<(), OutputError> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        place(self.path, file)
    }
}

/// Writes a value as a line of JSON.
pub(super) fn line(mut out: &mut (impl Write + ?Sized), value: &impl Serialize) -> Result<(), OutputError> {
    serde_json::to_writer(&mut out, value).map_err(io::Error::from)?;
    Ok(out.write_all(b"\n")?)
}

/// Three files of lines.
pub(super) struct JsonLines {
    posts: LineFile,
    threads: LineFile,
    users: LineFile,
}

impl JsonLines {
    pub fn create(directory: &Path) -> Result<Self, OutputError> {
        let [posts, threads, users] = create_files(directory, Format::JsonLines.files())?.map(LineFile::new);
        Ok(Self { posts, threads, users })
    }
}

impl RecordWriter for JsonLines {
    fn post(&mut self, post: &Post) -> Result<(), OutputError> {
        self.posts.push(post)
    }

    fn thread(&mut self, thread: &Thread) -> Result<(), OutputError> {
        self.threads.push(thread)
    }

    fn user(&mut self, user: &User) -> Result<(), OutputError> {
        self.users.push(user)
    }

    fn finish(self: Box<Self>) -> Result<(), OutputError> {
        self.posts.finish()?;
        self.threads.finish()?;
        self.users.finish()
    }
}
