//! Which page each shingle counts for.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::classes::PageClass;
use super::key::{ContentId, TextKey};

/// A shingle or a whole text that pages show. Pages are named by [`ContentId::short`]: there are many of these.
#[derive(Debug, Clone, Copy)]
struct Shown {
    holder: u32,
    last: u32,
    pages: u32,
    /// The class of its pages, as long as all are of one.
    class: Option<PageClass>,
}

/// The classes of the pages that show a shingle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownBy {
    /// No page shows it.
    Nobody,
    /// All are of this class.
    OneClass(PageClass),
    /// They are of several.
    SeveralClasses,
}

/// Shingles and whole texts, with the pages that show them.
#[derive(Debug, Default)]
pub struct Holders {
    shown: HashMap<TextKey, Shown, FixedState>,
    /// Space for [`Self::shared`]: counts by page, all zero between calls.
    counts: Vec<u32>,
}

impl Holders {
    /// Returns the classes of the pages that show a shingle, and notes that a page of `class` will.
    pub fn show(&mut self, key: TextKey, class: PageClass) -> ShownBy {
        let Some(shown) = self.shown.get_mut(&key) else { return ShownBy::Nobody };
        let Some(before) = shown.class else { return ShownBy::SeveralClasses };
        if before != class {
            shown.class = None;
        }
        ShownBy::OneClass(before)
    }

    /// Counts a page of `class` that shows a shingle or whole text. A new one counts for that page, and one that counts
    /// for another page does so too if `wins` says so of the other. Returns whether it counts for the page.
    pub fn add(&mut self, key: TextKey, page: ContentId, class: PageClass, wins: impl FnOnce(u32) -> bool) -> bool {
        let page = page.short();
        let new = Shown { holder: page, last: page, pages: 0, class: Some(class) };
        let shown = self.shown.entry(key).or_insert(new);
        shown.pages += 1;
        shown.last = page;
        if shown.holder != page && wins(shown.holder) {
            shown.holder = page;
        }
        shown.holder == page
    }

    /// Lets a shingle that counts for `from` count for `to`. Returns whether it did.
    pub fn pass(&mut self, key: TextKey, from: ContentId, to: ContentId) -> bool {
        let held = self.shown.get_mut(&key).filter(|shown| shown.holder == from.short());
        held.map(|shown| shown.holder = to.short()).is_some()
    }

    /// Returns the page that a shingle counts for, by [`ContentId::short`], and the number of pages that show it.
    pub fn holder(&self, key: TextKey) -> Option<(u32, u32)> {
        self.shown.get(&key).map(|shown| (shown.holder, shown.pages))
    }

    /// Forgets a page that shows it.
    pub fn remove(&mut self, key: TextKey) {
        if let Some(shown) = self.shown.get_mut(&key) {
            shown.pages -= 1;
            if shown.pages == 0 {
                self.shown.remove(&key);
            }
        }
    }

    /// Returns those of the pages from `first` on, fewer than `pages` in number, that show most of `keys`, most first,
    /// with the number of keys for which each is the holder or the latest page.
    pub fn shared(&mut self, keys: &[TextKey], first: ContentId, pages: usize) -> Vec<(ContentId, u32)> {
        self.counts.resize(pages.max(self.counts.len()), 0);
        let mut found = Vec::new();
        let mut count = |page: u32| {
            let at = page.wrapping_sub(first.short());
            let Some(count) = self.counts.get_mut(at as usize) else { return };
            if *count == 0 {
                found.push(at);
            }
            *count += 1;
        };
        for shown in keys.iter().filter_map(|key| self.shown.get(key)) {
            count(shown.holder);
            if shown.last != shown.holder {
                count(shown.last);
            }
        }
        let take = |at: u32| (ContentId(first.0 + u64::from(at)), std::mem::take(&mut self.counts[at as usize]));
        let mut pages: Vec<_> = found.into_iter().map(take).collect();
        // Then the earlier page, so that nothing depends on the order of a map.
        pages.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        pages
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.shown.clear();
    }

    /// Returns the number of distinct shingles and texts.
    pub fn len(&self) -> usize {
        self.shown.len()
    }
}
