//! The runs of a set.

use std::fs::OpenOptions;
use std::path::Path;

use super::compaction;
use super::directory::{Directory, remove};
use super::header::Span;
use super::merge::{MergeInput, merge};
use super::run::{Page, Run};
use super::scan::{Scan, open_run};
use super::write::{RunLayout, RunWriter};
use super::{DiskError, DiskOptions};
use harvestman_core::crawl_file;

/// Sorted runs, oldest first. No fingerprint is in two of them.
pub(super) struct Runs {
    directory: Directory,
    options: DiskOptions,
    runs: Vec<Run>,
}

impl Runs {
    /// Creates a directory with one empty run, which marks it as a set and verifies that it is writable.
    pub fn create(path: &Path, options: &DiskOptions) -> Result<Self, DiskError> {
        let directory = Directory::make(path)?;
        if !directory.spans()?.is_empty() {
            return Err(DiskError::Exists { path: path.to_path_buf() });
        }
        directory.set_aside_unfinished()?;
        let mut runs = Self { directory, options: *options, runs: Vec::new() };
        runs.write(&mut std::iter::empty(), 0)?;
        Ok(runs)
    }

    /// Reads, verifies and opens the runs of a directory.
    pub fn open(path: &Path, options: &DiskOptions) -> Result<Self, DiskError> {
        let directory = Directory::open(path)?;
        let (spans, merged) = whole(&directory, directory.spans()?)?;
        let open = |span| open(&directory, span, options);
        let runs = spans.into_iter().map(open).collect::<Result<Vec<_>, _>>()?;
        merged.into_iter().for_each(|span| remove(&directory.file(span)));
        directory.set_aside_unfinished()?;
        Ok(Self { directory, options: *options, runs })
    }

    pub fn count(&self) -> u64 {
        self.runs.iter().map(Run::count).sum()
    }

    pub fn disk_bytes(&self) -> u64 {
        self.runs.iter().map(Run::file_bytes).sum()
    }

    pub fn memory_bytes(&self) -> usize {
        self.runs.iter().map(Run::memory_bytes).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter()
    }

    /// Returns whether `fingerprint` is in one of the runs. The oldest run is the largest, so it is searched first.
    pub fn contains(&self, fingerprint: u128, page: &mut Page) -> Result<bool, DiskError> {
        for run in &self.runs {
            if run.contains(fingerprint, page)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds `count` ascending fingerprints that are in none of the runs. They are merged with the youngest runs into a
    /// new run, which replaces them. On success they are on disk; after an error nothing has changed.
    pub fn add(&mut self, new: &mut dyn Iterator<Item = u128>, count: u64) -> Result<(), DiskError> {
        if count == 0 { Ok(()) } else { self.write(new, count) }
    }

    fn write(&mut self, new: &mut dyn Iterator<Item = u128>, count: u64) -> Result<(), DiskError> {
        let merged = compaction::runs_to_merge(self.runs.iter().map(Run::count), count, self.options.ratio.max(1));
        let retained = self.runs.len() - merged;
        let last = self.runs.last().map_or(0, |youngest| youngest.header.span.last + 1);
        let span = Span { first: self.runs.get(retained).map_or(last, |run| run.header.span.first), last };
        let written = self.write_merged(span, new, count, &self.runs[retained..])?;
        for run in self.runs.drain(retained..) {
            remove(&run.path);
        }
        self.runs.push(written);
        Ok(())
    }

    /// Writes `new` and `runs` into a file atomically.
    fn write_merged(
        &self,
        span: Span,
        new: &mut dyn Iterator<Item = u128>,
        count: u64,
        runs: &[Run],
    ) -> Result<Run, DiskError> {
        let partial = self.directory.partial(span);
        let count = count + runs.iter().map(Run::count).sum::<u64>();
        let cut = RunLayout { page: self.options.page(count), block: self.options.block(runs.len() + 1) };
        let written = write_file(&partial, span, cut, new, runs).and_then(|run| {
            let whole = self.directory.file(span);
            self.directory.finish(&partial, &whole)?;
            Ok(run.renamed(whole))
        });
        written.inspect_err(|_| remove(&partial))
    }
}

/// Writes the file of a run.
fn write_file(
    path: &Path,
    span: Span,
    cut: RunLayout,
    new: &mut dyn Iterator<Item = u128>,
    runs: &[Run],
) -> Result<Run, DiskError> {
    let opened = crawl_file::open_with(path, OpenOptions::new().read(true).write(true).create(true).truncate(true));
    let file = opened.map_err(|source| DiskError::file("create", path, source))?;
    let mut writer = RunWriter::new(path, file, cut)?;
    let mut sources = vec![MergeInput::Memory(new)];
    sources.extend(runs.iter().map(|run| MergeInput::Run(Box::new(Scan::new(run, cut.block)))));
    merge(&mut sources, &mut writer)?;
    let (file, header, firsts) = writer.finish(span)?;
    Ok(Run::new(path.to_path_buf(), file, header, cut.page, firsts))
}

fn open(directory: &Directory, span: Span, options: &DiskOptions) -> Result<Run, DiskError> {
    let run = open_run(directory.file(span), |count| options.page(count), options.block(1))?;
    if run.header.span == span { Ok(run) } else { Err(DiskError::damaged(&run.path, "has the name of another run")) }
}

/// Separates the runs that make up the set, oldest first, from runs that were merged into one of them.
fn whole(directory: &Directory, spans: Vec<Span>) -> Result<(Vec<Span>, Vec<Span>), DiskError> {
    let (mut whole, mut merged) = (Vec::<Span>::new(), Vec::new());
    for span in spans {
        let next = whole.last().map_or(0, |before| before.last + 1);
        match whole.last() {
            Some(before) if span.is_within(*before) => merged.push(span),
            _ if span.first == next => whole.push(span),
            _ => return Err(DiskError::damaged(&directory.file(span), "follows a run that is missing")),
        }
    }
    if whole.is_empty() {
        return Err(DiskError::damaged(directory.path(), "does not contain a set of URLs"));
    }
    Ok((whole, merged))
}
