//! By what a site is recognised as one of a known program: the places of links on its pages.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use crate::{Observation, Outcome};
use harvestman_core::model::Apath;

/// Sites share a model if at least this share of the places of links on a page is known from the other.
pub(super) const SAME_PROGRAM: f64 = 0.6;
/// Fewer places tell nothing.
const PLACES_MIN: usize = 5;
/// Maximum number of places of a program that are remembered.
const PLACES_MAX: usize = 4_096;

/// Places of links.
#[derive(Debug, Clone, Default)]
pub(super) struct Places(HashSet<Apath, FixedState>);

impl Places {
    /// Those of the new links of a page.
    pub(super) fn of(seen: &Observation) -> Self {
        let mut places = Self::default();
        places.add(seen);
        places
    }

    /// Adds those of the new links of a page.
    pub(super) fn add(&mut self, seen: &Observation) {
        if !matches!(seen.outcome, Outcome::Page(_)) {
            return;
        }
        for link in &seen.new {
            if self.0.len() < PLACES_MAX {
                self.0.insert(link.class.apath);
            }
        }
    }

    /// Those that were stored with a model.
    pub(super) fn stored(places: Vec<Apath>) -> Self {
        Self(places.into_iter().take(PLACES_MAX).collect())
    }

    /// All, in order.
    pub(super) fn sorted(&self) -> Vec<Apath> {
        let mut places: Vec<_> = self.0.iter().copied().collect();
        places.sort_unstable();
        places
    }

    /// The share of the places of a page that are among these, from 0 to 1.
    pub(super) fn share_of(&self, page: &Self) -> f64 {
        if page.0.len() < PLACES_MIN {
            return 0.0;
        }
        page.0.intersection(&self.0).count() as f64 / page.0.len() as f64
    }
}
