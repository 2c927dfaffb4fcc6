//! Finds out which sightings are the same post: by identifiers and addresses first, then by author, time and text.

use super::groups::Groups;
use super::names::Names;
use super::sighting::{SeenPage, Sighting};
use super::threads::ThreadSets;
use super::{excerpts, identity, revisions, short_texts, unnamed};

/// Returns the number of the set of each sighting: that of its first one.
pub(super) fn group(
    sightings: &mut [Sighting],
    pages: &[SeenPage],
    names: &Names,
    threads: &mut ThreadSets,
) -> Vec<u32> {
    identity::validate(sightings, pages, names, threads);
    let of_threads = sightings.iter().map(|sighting| threads.find(sighting.thread)).collect();
    let mut groups = Groups::of(sightings, pages, of_threads);
    groups.join_equal_texts();
    short_texts::join(&mut groups, names);
    unnamed::join(&mut groups);
    excerpts::join(&mut groups);
    revisions::join(&mut groups);
    (0..sightings.len() as u32).map(|at| groups.find(at)).collect()
}
