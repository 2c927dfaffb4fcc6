//! Where the seeds of a crawl redirect to.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

/// Maximum number of places. A crawl has as many as seeds that redirect to another host.
const PLACES_MAX: usize = 10_000;

/// What becomes of the redirect of a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeedMove {
    /// It leads to a URL whose host belongs to the crawl anyway.
    Within,
    /// It leads to another host of the same site, which belongs to the crawl from now on.
    Followed,
    /// It leads to a host that does not belong to the crawl.
    Elsewhere,
}

/// The hosts, or the directories of hosts, that belong to a crawl because a seed redirects to them.
#[derive(Debug)]
pub(super) struct MovedSeeds {
    /// Whether redirects of seeds are followed at all.
    is_on: bool,
    /// Whether there is any place: nearly all crawls have none, and must not pay for the lock.
    has_any: AtomicBool,
    places: RwLock<BTreeSet<Box<str>>>,
}

impl MovedSeeds {
    pub(super) fn new(is_on: bool) -> Self {
        Self { is_on, has_any: AtomicBool::new(false), places: RwLock::default() }
    }

    /// Adds a place. Returns whether it is one now.
    pub(super) fn add(&self, place: String) -> bool {
        let mut places = self.places.write().unwrap_or_else(PoisonError::into_inner);
        if !self.is_on || places.len() >= PLACES_MAX {
            return false;
        }
        places.insert(place.into());
        self.has_any.store(true, Ordering::Release);
        true
    }

    /// Returns whether an authority is such a place.
    pub(super) fn has(&self, authority: &str) -> bool {
        self.has_any.load(Ordering::Acquire) && self.read().contains(authority)
    }

    /// Returns whether a URL without its scheme starts with such a place.
    pub(super) fn has_start_of(&self, url: &str) -> bool {
        self.has_any.load(Ordering::Acquire) && self.read().iter().any(|place| url.starts_with(&**place))
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, BTreeSet<Box<str>>> {
        self.places.read().unwrap_or_else(PoisonError::into_inner)
    }
}
