//! Merges sorted fingerprints into one run.

use super::DiskError;
use super::scan::Scan;
use super::write::{RunMedium, RunWriter};

/// A source of ascending fingerprints: memory or a run.
pub(super) enum MergeInput<'a> {
    Memory(&'a mut dyn Iterator<Item = u128>),
    Run(Box<Scan<'a>>),
}

impl MergeInput<'_> {
    fn next(&mut self) -> Result<Option<u128>, DiskError> {
        match self {
            Self::Memory(fingerprints) => Ok(fingerprints.next()),
            Self::Run(scan) => scan.next(),
        }
    }
}

/// Writes the fingerprints of all `sources` without duplicates. There are only as many sources as tiers, so a linear
/// search for the minimum is as fast as a heap.
pub(super) fn merge<M: RunMedium>(
    sources: &mut [MergeInput<'_>],
    writer: &mut RunWriter<'_, M>,
) -> Result<(), DiskError> {
    let mut heads = sources.iter_mut().map(MergeInput::next).collect::<Result<Vec<_>, _>>()?;
    while let Some(least) = heads.iter().flatten().min().copied() {
        writer.push(least)?;
        for (head, source) in heads.iter_mut().zip(&mut *sources) {
            if *head == Some(least) {
                *head = source.next()?;
            }
        }
    }
    Ok(())
}
