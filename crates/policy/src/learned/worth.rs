//! What a fetch was worth.

/// What a fetch was worth, as far as the policy can tell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Worth {
    /// How much, 0 to 1: what scores are made of.
    pub value: f64,
    /// Whether it brought a page that is wanted and new: what a crawl's yield counts.
    pub wanted: bool,
}

impl Worth {
    /// What a fetch is worth that brings nothing.
    pub const NOTHING: Self = Self { value: 0.0, wanted: false };

    /// 1 where the page is wanted and new.
    pub fn count(self) -> f64 {
        f64::from(u8::from(self.wanted))
    }
}

/// Fetches over which [`Lately`] forgets.
const MEMORY: f64 = 60.0;

/// The share of the latest fetches that were wanted, fading.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Lately(f64);

impl Default for Lately {
    /// Before anything was fetched nothing speaks against the next fetches.
    fn default() -> Self {
        Self(1.0)
    }
}

impl Lately {
    /// Counts a fetch.
    pub fn see(&mut self, worth: Worth) {
        self.0 += (worth.count() - self.0) / MEMORY;
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
        let mut lately = Lately::default();
        let wanted = Worth { value: 0.4, wanted: true };
        (0..400).for_each(|_| lately.see(Worth::NOTHING));
        assert!(lately.share() < 0.01);
        (0..60).for_each(|_| lately.see(wanted));
        assert!((lately.share() - 0.63).abs() < 0.02, "{lately:?}");
        (0..400).for_each(|at| lately.see(if at % 2 == 0 { wanted } else { Worth::NOTHING }));
        assert!((lately.share() - 0.5).abs() < 0.02, "{lately:?}");
    }
}
