//! Joins sightings by the identifiers and addresses that the site gave to posts, where these identify them.

use std::collections::{HashMap, HashSet};

use super::prints::{Names, TextId, hash_of};
use super::sighting::{SeenPage, Sighting};
use super::threads::ThreadSets;
use super::union::Sets;

/// The share of a host's identifiers with different posts from which they are unique within a thread only.
const CONFLICTS: f64 = 0.05;

type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// Replaces the identifiers that are unique within a thread only by such that are unique, and removes identifiers and
/// addresses that different posts share.
pub(super) fn validate(sightings: &mut [Sighting], pages: &[SeenPage], names: &Names, threads: &mut ThreadSets) {
    let of_lists = hosts_with_other_lists(sightings, pages);
    let is_of_list =
        |sighting: &Sighting| sighting.is_excerpt && of_lists.contains(&pages[sighting.page as usize].host);
    sightings.iter_mut().filter(|sighting| is_of_list(sighting)).for_each(|sighting| sighting.id = 0);
    let conflicts = conflicts(sightings, |sighting| sighting.id);
    let by_thread = hosts_by_thread(sightings, pages, &conflicts);
    for sighting in sightings.iter_mut().filter(|sighting| sighting.id != 0) {
        let host = pages[sighting.page as usize].host;
        if by_thread.contains(&host) || conflicts.contains(&sighting.id) {
            sighting.id = within_thread(sighting.id, sighting.thread, names, threads);
        }
    }
    let shared = self::conflicts(sightings, |sighting| sighting.id);
    sightings.iter_mut().filter(|sighting| shared.contains(&sighting.id)).for_each(|sighting| sighting.id = 0);
    let mut shared = self::conflicts(sightings, |sighting| sighting.url);
    shared.extend(ambiguous_addresses(sightings));
    sightings.iter_mut().filter(|sighting| shared.contains(&sighting.url)).for_each(|sighting| sighting.url = 0);
}

/// Returns the hosts on which the identifiers of excerpts are often those of other posts: lists show the last post of a
/// thread with the number of the thread, for example.
fn hosts_with_other_lists(sightings: &[Sighting], pages: &[SeenPage]) -> HashSet<TextId> {
    let with_id = |is_excerpt: bool| {
        let is_kind = move |sighting: &&Sighting| sighting.is_excerpt == is_excerpt && !sighting.is_feed;
        sightings.iter().filter(|sighting| sighting.id != 0 && sighting.author != 0).filter(is_kind)
    };
    let mut full: Map<u64, &Sighting> = Map::default();
    for sighting in with_id(false) {
        full.entry(sighting.id).or_insert(sighting);
    }
    // The numbers of excerpts whose identifier a full text has, and of those that are of another one.
    let mut counts: Map<TextId, [usize; 2]> = Map::default();
    for (sighting, full) in with_id(true).filter_map(|sighting| Some((sighting, full.get(&sighting.id)?))) {
        let is_other = have_other_texts(sighting, full) && have_other_authors(sighting, full);
        let [all, others] = counts.entry(pages[sighting.page as usize].host).or_default();
        *all += 1;
        *others += usize::from(is_other);
    }
    let are_other = |[all, others]: &[usize; 2]| *others as f64 > CONFLICTS * *all as f64;
    counts.into_iter().filter(|(_, counts)| are_other(counts)).map(|(host, _)| host).collect()
}

/// Returns the identifier of a post that is unique within its thread only.
pub(super) fn within_thread(id: u64, thread: TextId, names: &Names, threads: &mut ThreadSets) -> u64 {
    let set = threads.find(thread);
    hash_of(&[&id.to_string(), names.text(threads.address(set))])
}

/// Joins the sightings that share an identifier or an address.
pub(super) fn join(sightings: &[Sighting], sets: &mut Sets) {
    for key in [|sighting: &Sighting| sighting.id, |sighting: &Sighting| sighting.url] {
        let mut first: Map<u64, u32> = Map::default();
        for (at, sighting) in sightings.iter().enumerate().filter(|(_, sighting)| key(sighting) != 0) {
            let at = at as u32;
            sets.join(*first.entry(key(sighting)).or_insert(at), at);
        }
    }
}

/// Returns the keys that are those of different posts: by other authors with other texts, or twice on a page with other
/// texts.
fn conflicts(sightings: &[Sighting], key: impl Fn(&Sighting) -> u64) -> HashSet<u64> {
    let mut firsts: Map<u64, Vec<u32>> = Map::default();
    let mut found = HashSet::new();
    for (at, sighting) in sightings.iter().enumerate().filter(|(_, sighting)| key(sighting) != 0) {
        let others = firsts.entry(key(sighting)).or_default();
        let differs = |other: &&u32| {
            let other = &sightings[**other as usize];
            have_other_texts(sighting, other) && (have_other_authors(sighting, other) || sighting.page == other.page)
        };
        // The first of all and the one before are compared: this bounds the work, and does not depend on the order of
        // pages.
        if others.iter().any(|other| differs(&other)) {
            found.insert(key(sighting));
        }
        others.truncate(1);
        others.push(at as u32);
    }
    found
}

fn have_other_texts(one: &Sighting, other: &Sighting) -> bool {
    let starts = (one.prints.starts[0], other.prints.starts[0]);
    one.prints.whole != other.prints.whole && (starts.0 != starts.1 || starts.0 == 0)
}

fn have_other_authors(one: &Sighting, other: &Sighting) -> bool {
    one.author != 0 && other.author != 0 && one.author != other.author
}

fn hosts_by_thread(sightings: &[Sighting], pages: &[SeenPage], conflicts: &HashSet<u64>) -> HashSet<TextId> {
    let mut ids: Map<TextId, HashSet<u64>> = Map::default();
    for sighting in sightings.iter().filter(|sighting| sighting.id != 0) {
        ids.entry(pages[sighting.page as usize].host).or_default().insert(sighting.id);
    }
    let is_by_thread = |ids: &HashSet<u64>| {
        let count = ids.iter().filter(|id| conflicts.contains(id)).count();
        count as f64 > CONFLICTS * ids.len() as f64
    };
    ids.into_iter().filter(|(_, ids)| is_by_thread(ids)).map(|(host, _)| host).collect()
}

/// Returns the addresses of posts with different identifiers: those of threads, for example. Feeds may have identifiers
/// of their own.
fn ambiguous_addresses(sightings: &[Sighting]) -> HashSet<u64> {
    let mut ids: Map<(u64, bool), u64> = Map::default();
    let with_both = sightings.iter().filter(|sighting| sighting.id != 0 && sighting.url != 0);
    with_both
        .filter(|sighting| *ids.entry((sighting.url, sighting.is_feed)).or_insert(sighting.id) != sighting.id)
        .map(|it| it.url)
        .collect()
}
