//! The runs of a set, which of them a new run is merged with, and the division of the memory budget.

use std::fs::OpenOptions;
use std::path::Path;

use super::DiskError;
use super::run::{Page, Run};
use super::run_file::{Directory, FINGERPRINT_BYTES, Span, remove};
use super::sequential::{MergeInput, RunLayout, RunWriter, Scan, merge, open_run};
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
        let merged = runs_to_merge(self.runs.iter().map(Run::count), count, self.options.ratio.max(1));
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

/// Returns how many of the youngest runs are merged with a new run of `new` fingerprints. `counts` are the sizes of the
/// existing runs, oldest first.
///
/// The merge starts at the oldest run that has at most `ratio` times as many fingerprints as all younger runs together.
/// Each remaining run therefore has more than `ratio` times as many fingerprints as all younger runs together: for N
/// fingerprints written M at a time there are at most 1 + log(N / M) / log(1 + ratio) runs. A rewritten fingerprint
/// moves to a run that is larger by a factor of at least 1 + 1 / `ratio`, so it is written at most 1 + log(N / M) /
/// log(1 + 1 / ratio) times. With an unbounded `ratio` there is one run, as in DRUM, and a fingerprint is written up to
/// N / M times.
fn runs_to_merge(counts: impl DoubleEndedIterator<Item = u64>, new: u64, ratio: u64) -> usize {
    let (mut younger, mut merged) = (new, 0);
    for (count, runs) in counts.rev().zip(1..) {
        if count <= younger.saturating_mul(ratio) {
            merged = runs;
        }
        younger = younger.saturating_add(count);
    }
    merged
}

/// Bytes per page, unless the index would outgrow its share. Smaller pages would not be read faster.
const PAGE_BYTES: usize = 1024;
/// Bytes per read or write.
const BLOCK_BYTES: std::ops::RangeInclusive<usize> = 4096..=1 << 20;

/// The options of a set on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskOptions {
    /// Bytes of memory, independent of the number of fingerprints: 11/16 for fingerprints waiting to be written, 2/16
    /// for reading and writing runs, 3/16 for the index. With less than 1 MiB, the actual use is somewhat higher.
    pub memory: usize,
    /// A run is merged with the younger runs when it has at most `ratio` times as many fingerprints as they have. A
    /// higher ratio means fewer runs to search and more rewriting; `u64::MAX` maintains a single run, as DRUM does. At
    /// least 1.
    pub ratio: u64,
}

impl Default for DiskOptions {
    fn default() -> Self {
        Self { memory: 64 << 20, ratio: 4 }
    }
}

impl DiskOptions {
    /// Returns the bytes for waiting fingerprints.
    pub(super) fn waiting(&self) -> usize {
        self.memory / 16 * 11
    }

    /// Returns the bytes per block when `files` files are read or written concurrently.
    pub(super) fn block(&self, files: usize) -> usize {
        (self.memory / 8 / files.max(1)).clamp(*BLOCK_BYTES.start(), *BLOCK_BYTES.end())
    }

    /// Returns the number of fingerprints per page in a run of `count` fingerprints: 1 KiB of them, doubled until the
    /// index of the run fits into a sixteenth of the memory. (During a merge there are two such indexes, and the
    /// younger runs together are smaller than the oldest.)
    pub(super) fn page(&self, count: u64) -> usize {
        let entries = (self.memory / 16 / size_of::<u128>()).max(1) as u64;
        let least = usize::try_from(count.div_ceil(entries)).unwrap_or(usize::MAX / 4);
        least.next_power_of_two().max(PAGE_BYTES / FINGERPRINT_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Runs after `writes` writes of one fingerprint each, and the total number of fingerprints written.
    fn written(writes: u64, ratio: u64) -> (Vec<u64>, u64) {
        let (mut runs, mut all) = (Vec::<u64>::new(), 0);
        for _ in 0..writes {
            let retained = runs.len() - runs_to_merge(runs.iter().copied(), 1, ratio);
            let sum = 1 + runs.drain(retained..).sum::<u64>();
            runs.push(sum);
            all += sum;
        }
        (runs, all)
    }

    #[test]
    fn a_ratio_of_one_counts_in_binary() {
        assert_eq!(written(7, 1).0, [4, 2, 1]);
        assert_eq!(written(8, 1).0, [8]);
    }

    #[test]
    fn a_large_run_does_not_hide_an_older_run_that_has_become_too_small() {
        assert_eq!(runs_to_merge([100, 40, 11].into_iter(), 1, 2), 3, "100 <= 2 * (40 + 11 + 1)");
        assert_eq!(runs_to_merge([105, 40, 11].into_iter(), 1, 2), 0);
    }

    #[test]
    fn an_unbounded_ratio_maintains_one_run_and_rewrites_it_each_time() {
        assert_eq!(written(100, u64::MAX), (vec![100], 100 * 101 / 2));
    }

    proptest! {
        #[test]
        fn runs_and_rewrites_stay_within_their_bounds(writes in 1..3_000_u64, ratio in 1..12_u64) {
            let (runs, all) = written(writes, ratio);
            let steps = |base: f64| 1.0 + (writes as f64).ln() / base.ln();
            prop_assert_eq!(runs.iter().sum::<u64>(), writes);
            prop_assert!(runs.len() as f64 <= steps(1.0 + ratio as f64) + 1e-9);
            prop_assert!(all as f64 <= writes as f64 * steps(1.0 + 1.0 / ratio as f64) + 1e-9);
        }
    }

    #[test]
    fn pages_have_1_kib_until_the_index_would_outgrow_its_share() {
        let options = DiskOptions::default();
        assert_eq!([0, 16_777_216].map(|count| options.page(count)), [64, 64]);
        assert_eq!(options.page(67_108_864), 256);
        assert_eq!(options.page(67_108_865), 512);
        assert_eq!(options.page(10_000_000_000), 65_536);
        assert_eq!(DiskOptions { memory: 0, ratio: 1 }.page(1_000), 1_024);
    }

    #[test]
    fn blocks_share_an_eighth_of_the_memory() {
        let options = DiskOptions { memory: 8 << 20, ratio: 4 };
        assert_eq!([0, 1, 4, 1_000].map(|files| options.block(files)), [1 << 20, 1 << 20, 256 << 10, 4_096]);
    }
}
