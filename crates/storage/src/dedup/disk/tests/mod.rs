//! Tests of the sets as a whole, on real files.

mod damage;
mod equality;
mod refusals;

use std::path::{Path, PathBuf};

use super::{DiskError, DiskOptions, DiskSet};
use harvestman_core::url::Fingerprint;

/// Options with so little memory that a run is written every few fingerprints.
fn tiny(ratio: u64) -> DiskOptions {
    DiskOptions { memory: 0, ratio }
}

/// The fingerprint of the `n`-th URL.
fn url(n: u32) -> Fingerprint {
    Fingerprint::of(&format!("https://forum.example.org/topic/{n}"))
}

fn urls(range: std::ops::Range<u32>) -> Vec<Fingerprint> {
    range.map(url).collect()
}

/// A set of `urls(0..count)` in several runs, closed.
fn written(directory: &Path, count: u32) {
    let mut set = DiskSet::create(directory, &tiny(2)).unwrap();
    set.insert_all(&urls(0..count), &mut Vec::new()).unwrap();
    set.flush().unwrap();
}

fn runs(directory: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut runs: Vec<_> = paths.filter(|path| path.extension().is_some_and(|it| it == "run")).collect();
    runs.sort();
    runs
}

fn opened(directory: &Path) -> Result<DiskSet, DiskError> {
    DiskSet::open(directory, &tiny(2))
}
