//! The trees of pages that were processed a moment ago, for a reader that follows the crawl by its page log.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::clock::Instant;
use crate::model::PageTree;
use crate::model::path_hash::{fold_run, step};

/// Trees, up to a number of bytes: beyond that the oldest are dropped, since all of them can be made again from the
/// archive. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct RecentTrees {
    /// `None` if nobody takes them.
    kept: Option<Arc<Mutex<Kept>>>,
}

#[derive(Debug, Default)]
struct Kept {
    trees: HashMap<u64, PageTree>,
    /// Keys, the oldest first; those of taken trees too.
    order: VecDeque<u64>,
    bytes: usize,
    bytes_max: usize,
}

impl RecentTrees {
    /// Keeps trees of up to `bytes_max` bytes in all.
    pub fn new(bytes_max: usize) -> Self {
        Self { kept: Some(Arc::new(Mutex::new(Kept { bytes_max, ..Kept::default() }))) }
    }

    /// Returns whether trees are wanted.
    pub fn are_wanted(&self) -> bool {
        self.kept.is_some()
    }

    /// Keeps the tree of a page that was requested at this time.
    pub fn put(&self, url: &str, requested: Instant, tree: PageTree) {
        let Some(mut kept) = self.kept() else { return };
        let key = key(url, requested);
        kept.bytes += tree.bytes_in_memory();
        if let Some(before) = kept.trees.insert(key, tree) {
            kept.bytes -= before.bytes_in_memory();
        } else {
            kept.order.push_back(key);
        }
        while kept.bytes > kept.bytes_max || kept.order.len() > 2 * kept.trees.len() + 16 {
            let Some(oldest) = kept.order.pop_front() else { break };
            kept.remove(oldest);
        }
    }

    /// Takes the tree of a page out, if it is there.
    pub fn take(&self, url: &str, requested: Instant) -> Option<PageTree> {
        self.kept()?.remove(key(url, requested))
    }

    fn kept(&self) -> Option<MutexGuard<'_, Kept>> {
        // A tree is there or not, whatever happened to the thread that put it.
        self.kept.as_ref().map(|kept| kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Kept {
    fn remove(&mut self, key: u64) -> Option<PageTree> {
        let tree = self.trees.remove(&key)?;
        self.bytes -= tree.bytes_in_memory();
        Some(tree)
    }
}

fn key(url: &str, requested: Instant) -> u64 {
    step(fold_run(url.as_bytes()), requested.as_micros())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ROOT;

    fn tree(text: &str) -> PageTree {
        let mut tree = PageTree::default();
        tree.push_text(ROOT, text);
        tree
    }

    #[test]
    fn a_tree_is_taken_once() {
        let trees = RecentTrees::new(1 << 20);
        trees.put("http://a/", Instant::EPOCH, tree("a"));
        assert_eq!(trees.take("http://a/", Instant::from_micros(1)), None);
        assert_eq!(trees.take("http://a/", Instant::EPOCH), Some(tree("a")));
        assert_eq!(trees.take("http://a/", Instant::EPOCH), None);
    }

    #[test]
    fn the_oldest_are_dropped() {
        let one = tree("a").bytes_in_memory();
        let trees = RecentTrees::new(3 * one);
        for number in 0..5 {
            trees.put("http://a/", Instant::from_micros(number), tree("a"));
        }
        let left: Vec<bool> =
            (0..5).map(|number| trees.take("http://a/", Instant::from_micros(number)).is_some()).collect();
        assert_eq!(left, [false, false, true, true, true]);
    }

    #[test]
    fn keys_of_taken_trees_do_not_pile_up() {
        let trees = RecentTrees::new(1 << 20);
        for number in 0..1_000 {
            trees.put("http://a/", Instant::from_micros(number), tree("a"));
            assert!(trees.take("http://a/", Instant::from_micros(number)).is_some());
        }
        assert!(trees.kept().unwrap().order.len() <= 32 && trees.kept().unwrap().bytes == 0);
    }

    #[test]
    fn nothing_is_kept_for_nobody() {
        let trees = RecentTrees::default();
        trees.put("http://a/", Instant::EPOCH, tree("a"));
        assert!(!trees.are_wanted() && trees.take("http://a/", Instant::EPOCH).is_none());
    }
}
