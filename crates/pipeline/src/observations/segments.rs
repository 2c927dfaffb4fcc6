//! The segments of the log, and which of them are retained.

use std::io;
use std::path::Path;

/// The number of first observations that are retained permanently: as many as policies update their models with.
pub(super) const KEPT_FIRST: u64 = 4_096;
/// The maximum number of retained observations: as many as policies remember.
pub(super) const KEPT_MAX: u64 = 20_480;

/// A segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) number: u64,
    /// The number of its observations.
    pub(super) count: u64,
}

/// Returns the index of the segment to drop next, if there are too many observations: the oldest of those after the
/// first `first` observations, but never the last.
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

/// Returns the file name of a segment.
pub(super) fn name(number: u64) -> String {
    format!("{number:08}.observations")
}

/// Returns the numbers of the segments in a directory, in order.
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
