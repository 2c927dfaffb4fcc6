//! The harvest of a crawl with full knowledge of the site: the reference for every policy.
//!
//! The problem: choose at most `budget` URLs such that each is a start or linked by a chosen one, along a chain that
//! begins at a start, and as many of them as possible are wanted. It contains set cover, so that no exact solution is
//! feasible. [`SiteGraph::greedy`] gives a good choice, [`SiteGraph::bound`] a number that no choice exceeds; the
//! optimum lies between.

mod bound;
mod greedy;
#[cfg(test)]
mod tests;

use std::sync::Arc;

/// The URLs of a site, numbered from 0, with their links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteGraph {
    /// For each URL, those that are known once it is requested: those that it links or redirects to.
    pub links: Arc<[Vec<u32>]>,
    /// For each URL, whether it is wanted.
    pub wanted: Vec<bool>,
    /// The URLs that are known before the first request.
    pub starts: Vec<u32>,
}

impl SiteGraph {
    /// Returns the number of wanted URLs among these.
    pub fn harvest(&self, order: &[u32]) -> u64 {
        order.iter().filter(|url| self.is_wanted(**url)).count() as u64
    }

    fn len(&self) -> usize {
        self.links.len()
    }

    fn links(&self, url: u32) -> impl Iterator<Item = u32> {
        self.links[url as usize].iter().copied()
    }

    fn is_wanted(&self, url: u32) -> bool {
        self.wanted[url as usize]
    }

    /// Marks the URLs that can be reached from `from`, themselves included, over URLs for which `passes` holds.
    fn reach(&self, from: impl IntoIterator<Item = u32>, passes: impl Fn(u32) -> bool) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        let mut stack: Vec<u32> = from.into_iter().filter(|url| passes(*url)).collect();
        while let Some(url) = stack.pop() {
            if !std::mem::replace(&mut reached[url as usize], true) {
                stack.extend(self.links(url).filter(|to| !reached[*to as usize] && passes(*to)));
            }
        }
        reached
    }
}
