//! The WARC files that the arguments name, and what page logs note of the visits to their pages.

use std::collections::HashMap;
use std::io;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize;
use tempfile::NamedTempFile;

use crate::cli::exit::{Exit, Failure};
use crate::cli::lines::{Lines, Next};
use crate::cli::output::is_stdout;
use harvestman_extraction::Visit;
use harvestman_storage::archive::{OPEN_SUFFIX, WARC_DIRECTORY, is_warc};

/// WARC files, and what crawls noted of their pages.
#[derive(Default)]
pub(super) struct Found {
    /// The names of the files in records, and their paths.
    pub files: Vec<(String, PathBuf)>,
    /// Files that are being written.
    pub open: Vec<PathBuf>,
    pub visits: Visits,
    /// The directories of crawls.
    pub crawls: Vec<PathBuf>,
    /// A copy of standard input, which is read twice.
    copy: Option<NamedTempFile>,
}

impl Found {
    /// Finds the files that `inputs` name: WARC files, directories that hold some, crawl directories, standard input.
    pub fn of(inputs: &[PathBuf]) -> Result<Self, Failure> {
        let mut found = Self::default();
        for input in inputs {
            if is_stdout(input) {
                found.add_standard_input()?;
            } else if input.is_dir() {
                found.add_directory(input)?;
            } else if input.exists() {
                found.files.push((input.display().to_string(), input.clone()));
            } else {
                let what = "name WARC files or a crawl directory";
                return Err(Failure::usage(format!("{} does not exist: {what}", input.display())));
            }
        }
        if found.files.is_empty() {
            let named: Vec<String> = inputs.iter().map(|input| input.display().to_string()).collect();
            return Err(Failure::new(Exit::Failed, format!("{}: no closed WARC file found", named.join(", "))));
        }
        Ok(found)
    }

    fn add_standard_input(&mut self) -> Result<(), Failure> {
        if self.copy.is_some() {
            return Err(Failure::usage("standard input is given twice"));
        }
        let mut file = NamedTempFile::new().context("cannot create a temporary file for standard input")?;
        io::copy(&mut io::stdin().lock(), &mut file).context("cannot copy standard input to a temporary file")?;
        file.flush().context("cannot copy standard input to a temporary file")?;
        self.files.push(("-".to_owned(), file.path().to_owned()));
        self.copy = Some(file);
        Ok(())
    }

    fn add_directory(&mut self, directory: &Path) -> Result<(), Failure> {
        let inner = directory.join(WARC_DIRECTORY);
        let is_crawl = inner.is_dir();
        let holder = if is_crawl { inner } else { directory.to_owned() };
        let entries = std::fs::read_dir(&holder).with_context(|| format!("cannot read {}", holder.display()))?;
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.with_context(|| format!("cannot read {}", holder.display()))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.strip_suffix(OPEN_SUFFIX).is_some_and(is_warc) {
                self.open.push(path);
            } else if is_warc(&name) {
                // As the page log names it.
                let name = if is_crawl { format!("{WARC_DIRECTORY}/{name}") } else { path.display().to_string() };
                files.push((name, path));
            }
        }
        files.sort();
        self.files.append(&mut files);
        self.open.sort();
        if is_crawl {
            self.visits.add(directory)?;
            self.crawls.push(directory.to_owned());
        }
        Ok(())
    }
}

/// The visits of crawls, by WARC file and offset: some 40 bytes each.
#[derive(Default)]
pub(super) struct Visits {
    files: HashMap<String, u32>,
    visits: HashMap<(u32, u64), Visit>,
}

/// The fields of a line of the page log that matter here.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    visit: Option<u32>,
    #[serde(default)]
    cluster: Option<u32>,
    #[serde(default)]
    warc_file: Option<String>,
    #[serde(default)]
    warc_offset: Option<u64>,
}

impl Visits {
    /// Reads the page log of a crawl, if there is one. Damaged lines are skipped.
    pub fn add(&mut self, directory: &Path) -> anyhow::Result<()> {
        let Some(mut lines) = Lines::open(directory, "pages.jsonl")? else { return Ok(()) };
        loop {
            match lines.step().with_context(|| format!("cannot read the page log in {}", directory.display()))? {
                Next::Line(line) => self.note(line),
                Next::TooLong => {}
                Next::Torn | Next::End => return Ok(()),
            }
        }
    }

    fn note(&mut self, line: &[u8]) {
        let Ok(Line { visit, cluster, warc_file: Some(file), warc_offset: Some(offset) }) =
            serde_json::from_slice(line)
        else {
            return;
        };
        let next = self.files.len() as u32;
        let file = *self.files.entry(file).or_insert(next);
        // The log counts from the second visit on.
        self.visits.insert((file, offset), Visit { number: Some(visit.unwrap_or(1)), cluster });
    }

    /// Returns what is noted of the record at an offset of a file.
    pub fn of(&self, file: &str, offset: u64) -> Visit {
        let file = self.files.get(file);
        file.and_then(|file| self.visits.get(&(*file, offset))).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_as_in_the_page_log_or_as_they_were_given() {
        let root = tempfile::tempdir().unwrap();
        for path in
            ["crawl/warc/b.warc.gz", "crawl/warc/a.warc", "crawl/warc/c.warc.gz.open", "plain/d.warc", "plain/e.txt"]
        {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let plain = root.path().join("plain");
        let found = Found::of(&[root.path().join("crawl"), plain.clone()]).unwrap();
        let names: Vec<&str> = found.files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["warc/a.warc", "warc/b.warc.gz", plain.join("d.warc").to_str().unwrap()]);
        assert_eq!(found.open.len(), 1);
        assert!(Found::of(&[root.path().join("none")]).is_err_and(|failure| failure.exit == Exit::Usage));
    }

    #[test]
    fn visits_are_found_by_their_records() {
        let directory = tempfile::tempdir().unwrap();
        let lines = "{\"warc_file\":\"warc/a\",\"warc_offset\":5,\"visit\":3,\"cluster\":7}\n{}\nbroken\n\
            {\"warc_file\":\"warc/a\",\"warc_offset\":9}\n{\"warc_file\":";
        std::fs::write(directory.path().join("pages.jsonl"), lines).unwrap();
        let mut visits = Visits::default();
        visits.add(directory.path()).unwrap();
        let of = |offset| visits.of("warc/a", offset);
        assert_eq!(of(5), Visit { number: Some(3), cluster: Some(7) });
        assert_eq!((of(9).number, of(1), visits.of("warc/b", 5)), (Some(1), Visit::default(), Visit::default()));
    }
}
