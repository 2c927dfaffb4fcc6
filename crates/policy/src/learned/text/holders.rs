//! Which page each shingle counts for.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::classes::PageClass;
use super::key::ContentId;

/// A shingle or a whole text that pages show.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    /// The page that it counts for.
    pub holder: ContentId,
    /// The latest page.
    pub last: ContentId,
    /// The class of the first page.
    pub class: PageClass,
    /// Whether a page of another class shows it too.
    pub shared: bool,
    pages: u32,
}

/// Shingles and whole texts, with the pages that show them.
#[derive(Debug, Default)]
pub struct Holders {
    shown: HashMap<u64, Shown, FixedState>,
}

impl Holders {
    /// Returns what is known of a shingle or whole text.
    pub fn get_mut(&mut self, key: u64) -> Option<&mut Shown> {
        self.shown.get_mut(&key)
    }

    /// Counts a page of `class` that shows it; a new one counts for that page.
    pub fn add(&mut self, key: u64, page: ContentId, class: PageClass) -> &mut Shown {
        let new = Shown { holder: page, last: page, class, shared: false, pages: 0 };
        let shown = self.shown.entry(key).or_insert(new);
        shown.pages += 1;
        shown.last = page;
        shown
    }

    /// Forgets a page that shows it.
    pub fn remove(&mut self, key: u64) {
        if let Some(shown) = self.shown.get_mut(&key) {
            shown.pages -= 1;
            if shown.pages == 0 {
                self.shown.remove(&key);
            }
        }
    }

    /// Returns the pages that show most of `keys`, most first, with the number of keys for which each is the holder or
    /// the latest page.
    pub fn shared(&self, keys: &[u64]) -> Vec<(ContentId, u32)> {
        let mut shared: HashMap<ContentId, u32, FixedState> = HashMap::default();
        for shown in keys.iter().filter_map(|key| self.shown.get(key)) {
            *shared.entry(shown.holder).or_default() += 1;
            if shown.last != shown.holder {
                *shared.entry(shown.last).or_default() += 1;
            }
        }
        let mut pages: Vec<_> = shared.into_iter().collect();
        // Then the earlier page, so that nothing depends on the order of a map.
        pages.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        pages
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.shown.clear();
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.shown.len()
    }
}
