//! Which segments there are, and which are kept.

use std::io;
use std::path::Path;

/// The first observations, which are kept for good: as many as policies have lessons for.
pub(super) const KEPT_FIRST: u64 = 4_096;
/// Observations that are kept altogether: as many as policies remember.
pub(super) const KEPT_MAX: u64 = 20_480;

/// A segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) number: u64,
    /// Its observations.
    pub(super) count: u64,
}

/// The place of the segment to be dropped next, if there are too many observations: the oldest of those after the first
/// `first` observations, but never the last.
pub(super) fn to_drop(segments: &[Segment], first: u64, max: u64) -> Option<usize> {
    if segments.iter().map(|segment| segment.count).sum::<u64>() <= max {
        return None;
    }
    let mut before = 0;
    let at = segments.iter().position(|segment| {
        let droppable = before >= first;
        before += segment.count;
        droppable
    })?;
    (at + 1 < segments.len()).then_some(at)
}

/// The file name of a segment.
pub(super) fn name(number: u64) -> String {
    format!("{number:08}.observations")
}

/// The numbers of the segments in a directory, in order.
pub(super) fn numbers(directory: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let name = entry?.file_name();
        let number: Option<u64> = name.to_str().and_then(|name| name.strip_suffix(".observations")?.parse().ok());
        numbers.extend(number);
    }
    numbers.sort_unstable();
    Ok(numbers)
}
