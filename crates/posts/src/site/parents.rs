//! Finds out which post another one answers.

use std::collections::HashMap;

use super::identity::within_thread;
use super::prints::Names;
use super::sighting::{ParentKey, SeenPage, Sighting};
use super::threads::ThreadSets;

/// No post.
pub(super) const NONE: u32 = u32::MAX;
/// Maximum number of answers that are followed to see whether a post would answer itself.
const STEPS_MAX: usize = 1_000;

type Keys = HashMap<u64, u32, foldhash::fast::RandomState>;

/// Finds posts by what refers to them.
pub(super) struct References<'s> {
    sightings: &'s [Sighting],
    pages: &'s [SeenPage],
    ids: Keys,
    urls: Keys,
}

impl<'s> References<'s> {
    /// Reads the identifiers and addresses of all sightings. The first of several counts.
    pub fn of(sightings: &'s [Sighting], pages: &'s [SeenPage]) -> Self {
        let (mut ids, mut urls) = (Keys::default(), Keys::default());
        for (at, sighting) in sightings.iter().enumerate() {
            ids.entry(sighting.id).or_insert(at as u32);
            urls.entry(sighting.url).or_insert(at as u32);
        }
        ids.remove(&0);
        urls.remove(&0);
        Self { sightings, pages, ids, urls }
    }

    /// Returns the sighting that a sighting refers to as its parent.
    pub fn parent(&self, of: &Sighting, names: &Names, threads: &mut ThreadSets) -> Option<u32> {
        match of.parent {
            ParentKey::None | ParentKey::Quote => None,
            ParentKey::Id(id) => {
                let within = within_thread(id, of.thread, names, threads);
                self.ids.get(&within).or_else(|| self.ids.get(&id)).copied()
            }
            ParentKey::Url(url) => self.urls.get(&url).copied(),
            ParentKey::Index(index) => {
                let page = &self.pages[of.page as usize];
                let at = page.first.checked_add(index).filter(|_| index < page.posts)?;
                self.sightings.get(at as usize).map(|_| at)
            }
        }
    }
}

/// Removes the parents of posts that would answer themselves through others.
pub(super) fn break_cycles(parents: &mut [u32]) {
    // The number of the walk that has been at a post; 0 of none.
    let mut seen = vec![0_u32; parents.len()];
    for start in 0..parents.len() {
        let walk = start as u32 + 1;
        let mut at = start;
        while seen[at] == 0 {
            seen[at] = walk;
            match parents[at] {
                NONE => break,
                above if seen[above as usize] == walk => {
                    parents[at] = NONE;
                    break;
                }
                above => at = above as usize,
            }
        }
    }
}

/// Returns whether a post answers another one, itself or through others, or too many have to be followed to tell.
pub(super) fn answers(parents: &[u32], post: u32, other: u32) -> bool {
    let mut at = post;
    for _ in 0..STEPS_MAX {
        if at == other {
            return true;
        }
        match parents[at as usize] {
            NONE => return false,
            above => at = above,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_broken_where_they_close() {
        let mut parents = [1, 2, 0, 2, 4, NONE, 5];
        break_cycles(&mut parents);
        assert_eq!(parents, [1, 2, NONE, 2, NONE, NONE, 5]);
    }

    #[test]
    fn answers_are_followed() {
        let parents = [NONE, 0, 1, 3];
        assert!(answers(&parents, 2, 0) && answers(&parents, 2, 2) && answers(&parents, 3, 1));
        assert!(!answers(&parents, 1, 2));
    }
}
