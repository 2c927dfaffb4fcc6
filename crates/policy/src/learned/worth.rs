//! The worth of a fetch.

/// The worth of a fetch, as far as the policy can tell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Worth {
    /// The amount, 0 to 1, from which scores are made.
    pub value: f64,
    /// Whether the fetch returned a wanted, new page, as counted by a crawl's yield.
    pub wanted: bool,
}

impl Worth {
    /// The worth of a fetch without result.
    pub const NOTHING: Self = Self { value: 0.0, wanted: false };

    /// 1 where the page is wanted and new, otherwise 0.
    pub fn count(self) -> f64 {
        f64::from(u8::from(self.wanted))
    }
}

/// The number of fetches over which [`RecentYield`] fades.
const MEMORY: f64 = 60.0;

/// The share of recent fetches that were wanted, fading exponentially.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RecentYield(f64);

impl Default for RecentYield {
    /// Before the first fetch the yield is assumed to be 1.
    fn default() -> Self {
        Self(1.0)
    }
}

impl RecentYield {
    /// Counts a fetch.
    pub fn see(&mut self, worth: Worth) {
        self.expect(worth.count());
    }

    /// Counts a fetch that was wanted with probability `wanted`.
    pub fn expect(&mut self, wanted: f64) {
        self.0 += (wanted - self.0) / MEMORY;
    }

    /// What was counted since it was `before`, by a single fetch.
    pub const fn latest_since(self, before: Self) -> f64 {
        before.0 + (self.0 - before.0) * MEMORY
    }

    /// The share, 0 to 1.
    pub const fn share(self) -> f64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_fetches_outweigh_those_before() {
        let mut recent_yield = RecentYield::default();
        let wanted = Worth { value: 0.4, wanted: true };
        (0..400).for_each(|_| recent_yield.see(Worth::NOTHING));
        assert!(recent_yield.share() < 0.01);
        (0..60).for_each(|_| recent_yield.see(wanted));
        assert!((recent_yield.share() - 0.63).abs() < 0.02, "{recent_yield:?}");
        (0..400).for_each(|at| recent_yield.see(if at % 2 == 0 { wanted } else { Worth::NOTHING }));
        assert!((recent_yield.share() - 0.5).abs() < 0.02, "{recent_yield:?}");
    }
}
