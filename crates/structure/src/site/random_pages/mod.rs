//! Random page sampling (ClusterGraph 2009, section 4.1, Algorithm 1): which of the waiting URLs to fetch next, so that the
//! sample shows the whole site and not only what lies around the seeds.
//!
//! A URL that is drawn at random from a queue has the better a chance the longer it waits. So each URL keeps account of the
//! probability s that it would have been sampled by now and r = 1 - s that it would not; it is to be sampled with probability ξ
//! in all, so that p = ξ - s is left, and it is drawn with probability q = p / Σp. After each draw s += r·q and r *= 1 - q for all
//! others; where nothing is left, p ≤ 0, the URL is withdrawn.
//!
//! As printed a step costs O(waiting URLs). But URLs that entered between the same two draws have the same s and r for ever: they
//! are a [cohort](cohorts), drawn with probability (their number)·q and uniformly among themselves. A step costs O(cohorts) and
//! draws exactly as the printed one. Cohorts grow by at most one a draw; beyond [`RandomPagesOptions::cohorts_max`] the nearest are
//! merged, which keeps Σs and Σr, and from then on a step is O(1) in the size of the site and its probabilities are approximate.

mod cohorts;
#[cfg(test)]
mod literal;
mod rate;
#[cfg(test)]
mod tests;

use std::num::NonZeroU32;

use rand::Rng;

use cohorts::Cohorts;
use rate::Rate;

/// The parameters of [`RandomPages`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RandomPagesOptions {
    /// α in ξ = 1/K + (1 - 1/K)/α: the larger, the faster the sample leaves the seeds behind. The paper names no value.
    pub alpha: NonZeroU32,
    /// Cohorts that are told apart; with fewer than two, two. The sample is drawn exactly as the paper has it until there are more.
    pub cohorts_max: usize,
    /// URLs that wait at most, those that were withdrawn among them.
    pub waiting_max: usize,
}

impl Default for RandomPagesOptions {
    /// α = 5; 1,024 cohorts, with which a draw takes some two microseconds; a million URLs.
    fn default() -> Self {
        const ALPHA: NonZeroU32 = NonZeroU32::new(5).expect("5 is not 0");
        Self { alpha: ALPHA, cohorts_max: 1_024, waiting_max: 1_000_000 }
    }
}

/// URLs (or their numbers) of which one after another is drawn, so that the sample shows the whole site (ClusterGraph 2009,
/// Algorithm 1). The cycle is [`add`](Self::add), [`draw`](Self::draw), [`crawled`](Self::crawled); several draws may be under way.
#[derive(Debug, Clone)]
pub struct RandomPages<T> {
    options: RandomPagesOptions,
    rate: Rate,
    waiting: Cohorts<T>,
    /// Whose sampling probability is used up.
    withdrawn: Vec<T>,
}

impl<T> RandomPages<T> {
    /// Without URLs.
    pub const fn new(options: RandomPagesOptions) -> Self {
        Self { options, rate: Rate::new(options.alpha), waiting: Cohorts::new(), withdrawn: Vec::new() }
    }

    /// Lets new URLs wait: seeds, or what a crawled page links to. They must not have been added before. Those that there is no
    /// room for are left out; the answer is how many there was room for.
    pub fn add(&mut self, urls: impl IntoIterator<Item = T>) -> usize {
        let room = self.options.waiting_max.saturating_sub(self.waiting.urls() + self.withdrawn.len());
        self.waiting.add(urls.into_iter().take(room))
    }

    /// Draws the URL to crawl next, and lets all others age; none where there are none. O(cohorts).
    ///
    /// If every URL was withdrawn, they all return as if they were new (the paper does not say how the crawl goes on then).
    pub fn draw(&mut self, rng: &mut impl Rng) -> Option<T> {
        let desired = self.desired();
        self.waiting.withdraw(desired, &mut self.withdrawn);
        if self.waiting.urls() == 0 {
            self.waiting.add(self.withdrawn.drain(..));
        }
        let drawn = self.waiting.draw(desired, rng.random())?;
        self.waiting.merge(self.options.cohorts_max.max(2));
        Some(drawn)
    }

    /// Takes note of what was crawled: to how many distinct URLs the page links, known ones too.
    pub fn crawled(&mut self, unique_out_degree: usize) {
        self.rate.see(unique_out_degree);
    }

    /// ξ as of now: with which probability each URL is to be sampled.
    pub fn desired(&self) -> f64 {
        self.rate.desired()
    }

    /// URLs that can still be drawn, withdrawn ones (which return when all others are gone) among them.
    pub fn len(&self) -> usize {
        self.waiting.urls() + self.withdrawn.len()
    }

    /// Whether nothing can be drawn.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// URLs that were withdrawn and did not return.
    pub fn withdrawn(&self) -> usize {
        self.withdrawn.len()
    }

    /// Cohorts that are told apart: what a draw costs.
    pub fn cohorts(&self) -> usize {
        self.waiting.len()
    }
}
