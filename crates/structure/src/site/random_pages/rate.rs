//! ξ, the probability with which each URL is to be sampled.

use std::num::NonZeroU32;

/// ξ = 1/K + (1 - 1/K)/α, where K is the mean number of distinct URLs that a page links to, over the pages crawled so
/// far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    alpha: NonZeroU32,
    pages: u64,
    links: u64,
}

impl Rate {
    pub(super) const fn new(alpha: NonZeroU32) -> Self {
        Self { alpha, pages: 0, links: 0 }
    }

    pub(super) const fn see(&mut self, unique_out_degree: usize) {
        self.pages += 1;
        self.links += unique_out_degree as u64;
    }

    /// Returns ξ, in (0, 1]. It is 1 before anything was crawled, and if pages have on average one link or less.
    pub(super) fn desired(self) -> f64 {
        let local = self.pages as f64 / self.links.max(self.pages).max(1) as f64;
        let local = if self.pages == 0 { 1.0 } else { local };
        local + (1.0 - local) / f64::from(self.alpha.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(alpha: u32, out_degrees: &[usize]) -> f64 {
        let mut rate = Rate::new(NonZeroU32::new(alpha).unwrap());
        out_degrees.iter().for_each(|degree| rate.see(*degree));
        rate.desired()
    }

    #[test]
    fn the_rate_is_that_of_the_formula() {
        // K = 10: 0.1 + 0.9 / 5.
        assert!((rate(5, &[4, 16]) - 0.28).abs() < 1e-12);
        // With a large α it falls to 1/K, with α = 1 every page is to be sampled.
        assert!((rate(1_000_000, &[10]) - 0.1).abs() < 1e-5);
        assert!((rate(1, &[10]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn without_links_every_page_is_to_be_sampled() {
        for out_degrees in [&[][..], &[0], &[0, 0, 1], &[1]] {
            assert!((rate(5, out_degrees) - 1.0).abs() < 1e-12, "{out_degrees:?}");
        }
    }
}
