//! How far two readings of pages agree.

use crate::tree::{Bag, Found};

/// What is compared by degrees.
const WHAT: [&str; 4] = ["leaf paths", "leaf paths with class names", "links", "units"];

/// Sums over pages.
#[derive(Default)]
pub struct Agreement {
    pub pages: u32,
    sums: [f64; WHAT.len()],
}

impl Agreement {
    /// Compares two readings of one page; returns the least agreement.
    pub fn add(&mut self, one: &Found, other: &Found) -> f64 {
        let bags = |found: &Found| [&found.leaves, &found.rich, &found.links, &found.units].map(Bag::clone);
        let (one, other) = (bags(one), bags(other));
        let mut least = 1.0_f64;
        for (sum, (one, other)) in self.sums.iter_mut().zip(one.iter().zip(&other)) {
            let agreement = jaccard(one, other);
            *sum += agreement;
            least = least.min(agreement);
        }
        self.pages += 1;
        least
    }

    /// Tells the means and asserts that each is at least `least`.
    pub fn assert(&self, name: &str, least: f64) {
        let means = WHAT.iter().zip(self.sums.map(|sum| sum / f64::from(self.pages)));
        let told: Vec<String> = means.clone().map(|(what, mean)| format!("{what} {mean:.5}")).collect();
        let told = format!("{name}: {} pages; agreement with the tree: {}", self.pages, told.join(", "));
        eprintln!("{told}");
        assert!(means.clone().all(|(_, mean)| mean >= least), "{told}");
    }
}

/// Size of the intersection by size of the union, counting occurrences.
fn jaccard(one: &Bag, other: &Bag) -> f64 {
    let (mut common, mut all) = (0, 0);
    for key in one.keys().chain(other.keys().filter(|key| !one.contains_key(*key))) {
        let (a, b) = (one.get(key).copied().unwrap_or(0), other.get(key).copied().unwrap_or(0));
        common += a.min(b);
        all += a.max(b);
    }
    if all == 0 { 1.0 } else { f64::from(common) / f64::from(all) }
}
