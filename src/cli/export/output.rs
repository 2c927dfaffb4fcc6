//! The output of an export: a file that appears once it is complete, or standard output.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::OutputArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::is_stdout;
use harvestman_report::terminal;

const BUFFER: usize = 256 << 10;

/// An output that is being written.
pub(super) struct Output {
    path: PathBuf,
    force: bool,
    to: Target,
}

/// Where the bytes go.
enum Target {
    Stdout,
    /// A device or a pipe: written directly, never replaced.
    Stream(File),
    /// A temporary file that is renamed when complete.
    File(NamedTempFile),
}

impl Output {
    /// Opens the file named by `args`, or `default`. Refuses to replace a file without `--force`.
    pub fn create(args: &OutputArgs, default: impl FnOnce() -> Result<PathBuf, Failure>) -> Result<Self, Failure> {
        let path = args.out.clone().map_or_else(default, Ok)?;
        if is_stdout(&path) {
            return Ok(Self { path, force: false, to: Target::Stdout });
        }
        // Write to the target of a symbolic link instead of replacing the link.
        let path = path.canonicalize().unwrap_or(path);
        let failed = |error: io::Error| cannot_create(&path, &error);
        let to = match path.metadata() {
            Ok(there) if there.is_dir() => {
                return Err(Failure::usage(format!("{} is a directory: name a file with --out", path.display())));
            }
            Ok(there) if !there.is_file() => Target::Stream(File::options().write(true).open(&path).map_err(failed)?),
            Ok(_) if !args.force => return Err(exists(&path)),
            _ => Target::File(temporary(&path).map_err(failed)?),
        };
        Ok(Self { path, force: args.force, to })
    }

    /// Returns the name of the output for messages.
    pub fn name(&self) -> String {
        if matches!(self.to, Target::Stdout) { "standard output".to_owned() } else { self.path.display().to_string() }
    }

    /// Returns the directory for temporary files: beside the output, where there must be room for it.
    pub fn directory(&self) -> PathBuf {
        if matches!(self.to, Target::File(_)) { directory_of(&self.path) } else { std::env::temp_dir() }
    }

    /// Runs `write` and renames the file to its final name. Removes it on failure. Returns `None` if the output is a
    /// pipe whose reader has closed it, which is not an error.
    pub fn write<T, E: Into<WriteError>>(
        self,
        write: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, E>,
    ) -> Result<Option<T>, Failure> {
        let name = self.name();
        let written = match self.to {
            Target::Stdout => through(terminal::data(), |out| write(out)).map(|(written, _)| written),
            Target::Stream(stream) => through(stream, |out| write(out)).map(|(written, _)| written),
            Target::File(file) => through(file, |out| write(out))
                .and_then(|(written, file)| Ok(place(file, &self.path, self.force).map(|()| written)?)),
        };
        match written {
            Ok(written) => Ok(Some(written)),
            Err(WriteError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(None),
            Err(error) => Err(failure(error, &name, &self.path)),
        }
    }

    /// Runs `write` as [`Self::write`] does, for a format that is not written from its beginning to its end.
    ///
    /// # Errors
    /// Also fails, before `write` is called, unless the output is a file.
    pub fn write_file<T>(
        self,
        write: impl FnOnce(&mut BufWriter<NamedTempFile>) -> Result<T, WriteError>,
    ) -> Result<T, Failure> {
        let name = self.name();
        let Target::File(file) = self.to else {
            let what = "is not written in order, so it needs a file: name one with --out FILE";
            return Err(Failure::usage(format!("{name}: this format {what}")));
        };
        let written =
            through(file, write).and_then(|(written, file)| Ok(place(file, &self.path, self.force).map(|()| written)?));
        written.map_err(|error| failure(error, &name, &self.path))
    }
}

fn failure(error: WriteError, name: &str, path: &Path) -> Failure {
    match error {
        WriteError::Output(error) if error.kind() == io::ErrorKind::AlreadyExists => exists(path),
        WriteError::Output(error) => Failure::new(Exit::Output, format!("cannot write {name}: {error}")),
        WriteError::Other(failure) => failure,
    }
}

/// Runs `write` on a buffered `out`.
fn through<W: Write + Send, T, E: Into<WriteError>>(
    out: W,
    write: impl FnOnce(&mut BufWriter<W>) -> Result<T, E>,
) -> Result<(T, W), WriteError> {
    let mut out = BufWriter::with_capacity(BUFFER, out);
    let written = write(&mut out).map_err(Into::into)?;
    let mut out = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    out.flush()?;
    Ok((written, out))
}

/// Renames a complete file to its final name.
fn place(file: NamedTempFile, path: &Path, force: bool) -> io::Result<()> {
    file.as_file().sync_all()?;
    if force {
        file.persist(path)?
    } else {
        file.persist_noclobber(path)?
    };
    // The file is complete; syncing its directory entry is best effort.
    let _ = File::open(directory_of(path)).and_then(|directory| directory.sync_all());
    Ok(())
}

/// A missing directory is a mistake in the arguments; other errors are output errors.
fn cannot_create(path: &Path, error: &io::Error) -> Failure {
    let what = format!("cannot write {}: {error}", path.display());
    if error.kind() == io::ErrorKind::NotFound { Failure::usage(what) } else { Failure::new(Exit::Output, what) }
}

/// The reason why an export was not written.
pub(super) enum WriteError {
    /// The output failed.
    Output(io::Error),
    /// Another failure.
    Other(Failure),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Creates a temporary file beside `path`.
pub(super) fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // Apply the umask of the process, as for any other file.
    let mode = Permissions::from_mode(0o666);
    tempfile::Builder::new().prefix(&format!(".{name}.")).permissions(mode).tempfile_in(directory_of(path))
}

fn directory_of(path: &Path) -> PathBuf {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

fn exists(path: &Path) -> Failure {
    Failure::usage(format!("{} exists: replace it with --force, or write elsewhere with --out FILE", path.display()))
}
