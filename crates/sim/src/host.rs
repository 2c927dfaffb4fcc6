//! The hosts of a world, the time of a changing one, and the draws that belong to the items of hosts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::options::WorldOptions;
use super::text::Text;
use harvestman_core::seed::Seed;

/// The properties shared by all hosts of a world.
#[derive(Debug)]
pub(super) struct Shape {
    pub options: WorldOptions,
    pub text: Text,
    /// The names of all hosts except the portal, in the order of the portal's list.
    pub hosts: Vec<String>,
    /// The name of the portal host, if there is one.
    pub portal: Option<String>,
    /// The time of a site that changes.
    pub time: Option<SiteTime>,
}

impl Shape {
    /// Returns the number of items on one page of a list.
    pub fn per_page(&self) -> u64 {
        (self.options.links as u64 / 2).clamp(4, 50)
    }

    /// Returns the number of links in a sidebar.
    pub fn aside(&self) -> u64 {
        (self.options.links as u64 / 4).clamp(1, 30)
    }

    /// Returns the number of additional sort orders of lists: none without duplicates, else one or two.
    pub fn sort_orders(&self) -> u64 {
        (self.options.duplicates * 2.0).ceil() as u64
    }
}

/// One host of the world: its name and its random seed.
#[derive(Debug, Clone)]
pub(super) struct Host {
    pub name: String,
    pub seed: Seed,
    pub shape: Arc<Shape>,
}

impl Host {
    /// Returns whether item `id` is among the `share` of its `kind`.
    pub fn coin(&self, kind: &str, id: u64, share: f64) -> bool {
        self.fraction(kind, id) < share
    }

    /// Returns a number from 0 up to but excluding `end` that belongs to item `id`.
    pub fn below(&self, kind: &str, id: u64, end: u64) -> u64 {
        self.seed.child(kind).nth(id).0 % end.max(1)
    }

    /// Returns a heavy-tailed number from 0 to `most`: half of the items have less than an eighth of it.
    pub fn heavy(&self, kind: &str, id: u64, most: u64) -> u64 {
        (self.fraction(kind, id).powi(3) * (most + 1) as f64) as u64
    }

    /// Returns whether item `id` is listed but gone.
    pub fn is_dead(&self, kind: &str, id: u64) -> bool {
        self.coin(kind, id, self.shape.options.dead_links)
    }

    /// Appends the title of item `id`, its words separated by `separator`.
    pub fn title(&self, kind: &str, id: u64, separator: char, out: &mut String) {
        self.shape.text.title(self.seed.child(kind).nth(id), separator, out);
    }

    fn fraction(&self, kind: &str, id: u64) -> f64 {
        (self.seed.child(kind).nth(id).0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The time of a changing site, in seconds from its start. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct SiteTime(Arc<AtomicU64>);

impl SiteTime {
    /// Returns the time.
    pub fn seconds(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Advances the time; it never goes back.
    pub fn set(&self, seconds: u64) {
        self.0.fetch_max(seconds, Ordering::Relaxed);
    }

    pub(super) fn days(&self) -> f64 {
        self.seconds() as f64 / 86_400.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_never_goes_back() {
        let time = SiteTime::default();
        time.clone().set(20);
        time.set(10);
        assert_eq!(time.seconds(), 20);
    }
}
