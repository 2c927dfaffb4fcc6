//! The walks over the web graph.

use std::collections::BTreeSet;

use rand::Rng as _;

use super::options::XCrawlOptions;
use super::site::Site;
use crate::site::{HubSearch, select_link};
use harvestman_core::seed::{Rng, Seed};

/// Maximum number of walks at a time.
const WALKERS_MAX: usize = 4_096;
/// Maximum number of steps of a walk over known pages, without a request. Then it starts again.
const STEPS_MAX: u32 = 100;

/// A walk.
#[derive(Debug, Clone, Copy)]
struct Walker {
    at: u32,
    /// The URL that it waits for.
    asked: Option<u32>,
    /// Whether it has followed a link since it began.
    has_moved: bool,
}

/// All walks.
#[derive(Debug, Clone)]
pub(super) struct Walkers {
    all: Vec<Walker>,
    search: HubSearch,
    rng: Rng,
}

impl Walkers {
    pub fn new(seed: Seed, max_iterations: u32) -> Self {
        Self { all: Vec::new(), search: HubSearch::new(max_iterations), rng: seed.rng() }
    }

    /// The search for hubs.
    pub const fn search(&mut self) -> &mut HubSearch {
        &mut self.search
    }

    /// The URLs that walks wait for.
    pub fn asked(&self) -> impl Iterator<Item = u32> {
        self.all.iter().filter_map(|walker| walker.asked)
    }

    /// Records that the fetch of a URL has ended: walks that waited for it are there, or start again if it is no page.
    pub fn arrive(&mut self, node: u32, site: &Site, restart: f64) {
        for at in 0..self.all.len() {
            if self.all[at].asked == Some(node) {
                self.all[at].at = node;
                self.all[at].asked = None;
                if !site.graph().is_visited(node) || self.draws(restart) {
                    self.start_again(at, site);
                }
            }
        }
    }

    /// Gives up the URLs that walks wait for: these walks start again.
    pub fn give_up(&mut self, site: &mut Site) {
        for at in 0..self.all.len() {
            if let Some(node) = self.all[at].asked.take() {
                site.give_up(node);
                self.start_again(at, site);
            }
        }
    }

    /// Continues all walks until each waits for a URL, or has reached none within its steps. If that is true of all of
    /// them, each counts as a walk without a new hub.
    pub fn walk(&mut self, site: &Site, weights: &[f64], options: &XCrawlOptions) {
        let moved = site.waiting().checked_div(options.moved_per_fetch).unwrap_or(0);
        let count = options.walkers.max(moved).clamp(1, WALKERS_MAX);
        self.all.truncate(count);
        while self.all.len() < count {
            let Some(at) = self.random_authority(site) else { return };
            self.all.push(Walker { at, asked: None, has_moved: false });
        }
        let mut asked: BTreeSet<u32> = self.asked().collect();
        for at in 0..count {
            if self.all[at].asked.is_none() {
                self.walk_on(at, site, weights, options, &mut asked);
            }
        }
        if asked.is_empty() {
            (0..count).for_each(|_| self.search.walk_ended(site.graph()));
        }
    }

    fn walk_on(&mut self, at: usize, site: &Site, weights: &[f64], options: &XCrawlOptions, asked: &mut BTreeSet<u32>) {
        let graph = site.graph();
        for _ in 0..STEPS_MAX {
            let open = |node| graph.is_visited(node) || site.is_waiting(node) && !asked.contains(&node);
            match select_link(graph, weights, self.all[at].at, options.choice, open, &mut self.rng) {
                None => self.start_again(at, site),
                Some(node) if !graph.is_visited(node) => {
                    asked.insert(node);
                    (self.all[at].asked, self.all[at].has_moved) = (Some(node), true);
                    return;
                }
                Some(node) => {
                    (self.all[at].at, self.all[at].has_moved) = (node, true);
                    if self.draws(options.restart) {
                        self.start_again(at, site);
                    }
                }
            }
        }
        self.start_again(at, site);
    }

    /// Ends a walk and begins it at a random authority. A walk that has not moved is none: other walks have chosen the
    /// links that it could follow.
    fn start_again(&mut self, at: usize, site: &Site) {
        if std::mem::take(&mut self.all[at].has_moved) {
            self.search.walk_ended(site.graph());
        }
        if let Some(authority) = self.random_authority(site) {
            self.all[at].at = authority;
        }
    }

    fn random_authority(&mut self, site: &Site) -> Option<u32> {
        let authorities = site.graph().authorities();
        (!authorities.is_empty()).then(|| authorities[self.rng.random_range(0..authorities.len())])
    }

    fn draws(&mut self, probability: f64) -> bool {
        self.rng.random::<f64>() < probability
    }
}
