//! Random page sampling (ClusterGraph 2009, section 4.1, Algorithm 1): which of the waiting URLs to fetch next, so that
//! the sample shows the whole site and not only the part around the seeds.
//!
//! A URL that is drawn at random from a queue is more likely to be drawn the longer it waits. So each URL has the
//! probability s that it would have been sampled by now and r = 1 - s that it would not; it is to be sampled with
//! probability ξ in all, so that p = ξ - s is left, and it is drawn with probability q = p / Σp. After each draw s +=
//! r·q and r *= 1 - q for all others; a URL with nothing left, p ≤ 0, is withdrawn.
//!
//! As printed, a step costs O(waiting URLs). But URLs that entered between the same two draws have the same s and r
//! forever: they are a [cohort](cohorts), drawn with probability (their number)·q and uniformly among themselves. A
//! step costs O(cohorts) and draws exactly as the printed one. The number of cohorts grows by at most one per draw;
//! beyond [`RandomPagesOptions::cohorts_max`] the nearest are merged, which preserves Σs and Σr, and from then on a
//! step is O(1) in the size of the site and its probabilities are approximate.

mod cohorts;

use std::num::NonZeroU32;

use rand::Rng;

use cohorts::Cohorts;

/// The parameters of [`RandomPages`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomPagesOptions {
    /// α in ξ = 1/K + (1 - 1/K)/α: the larger it is, the faster the sample moves away from the seeds. The paper gives
    /// no value.
    pub alpha: NonZeroU32,
    /// Maximum number of cohorts; at least two are used. The sample is drawn exactly as in the paper until there are
    /// more.
    pub cohorts_max: usize,
    /// Maximum number of waiting URLs, including withdrawn ones.
    pub waiting_max: usize,
}

impl Default for RandomPagesOptions {
    /// α = 5; 1,024 cohorts, with which a draw takes about two microseconds; a million URLs.
    fn default() -> Self {
        const ALPHA: NonZeroU32 = NonZeroU32::new(5).expect("5 is not 0");
        Self { alpha: ALPHA, cohorts_max: 1_024, waiting_max: 1_000_000 }
    }
}

/// URLs (or their numbers), one of which is drawn at a time, so that the sample shows the whole site (ClusterGraph
/// 2009, Algorithm 1). The cycle is [`add`](Self::add), [`draw`](Self::draw), [`crawled`](Self::crawled); several draws
/// may be in progress.
#[derive(Debug, Clone)]
pub struct RandomPages<T> {
    options: RandomPagesOptions,
    rate: Rate,
    waiting: Cohorts<T>,
    /// URLs whose sampling probability is used up.
    withdrawn: Vec<T>,
}

impl<T> RandomPages<T> {
    /// Creates a sampler without URLs.
    pub const fn new(options: RandomPagesOptions) -> Self {
        Self { options, rate: Rate::new(options.alpha), waiting: Cohorts::new(), withdrawn: Vec::new() }
    }

    /// Adds new URLs: seeds, or the links of a crawled page. They must not have been added before. URLs beyond the
    /// limit are dropped. Returns the number of URLs that were added.
    pub fn add(&mut self, urls: impl IntoIterator<Item = T>) -> usize {
        let room = self.options.waiting_max.saturating_sub(self.waiting.urls() + self.withdrawn.len());
        self.waiting.add(urls.into_iter().take(room))
    }

    /// Draws the URL to crawl next, and updates all others; `None` if there are none. O(cohorts).
    ///
    /// If every URL was withdrawn, all of them return as if they were new (the paper does not define how the crawl
    /// continues then).
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

    /// Records a crawled page by the number of distinct URLs that it links to, including known ones.
    pub fn crawled(&mut self, unique_out_degree: usize) {
        self.rate.see(unique_out_degree);
    }

    /// Returns the current ξ, the probability with which each URL is to be sampled.
    pub fn desired(&self) -> f64 {
        self.rate.desired()
    }

    /// Returns the number of URLs that can still be drawn, including withdrawn ones (which return when all others are
    /// gone).
    pub fn len(&self) -> usize {
        self.waiting.urls() + self.withdrawn.len()
    }

    /// Returns whether nothing can be drawn.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of URLs that were withdrawn and did not return.
    pub fn withdrawn(&self) -> usize {
        self.withdrawn.len()
    }

    /// Returns the number of cohorts, which is the cost of a draw.
    pub fn cohorts(&self) -> usize {
        self.waiting.len()
    }
}

/// ξ = 1/K + (1 - 1/K)/α, where K is the mean number of distinct URLs that a page links to, over the pages crawled so
/// far.
#[derive(Debug, Clone, Copy)]
struct Rate {
    alpha: NonZeroU32,
    pages: u64,
    links: u64,
}

impl Rate {
    const fn new(alpha: NonZeroU32) -> Self {
        Self { alpha, pages: 0, links: 0 }
    }

    const fn see(&mut self, unique_out_degree: usize) {
        self.pages += 1;
        self.links += unique_out_degree as u64;
    }

    /// Returns ξ, in (0, 1]. It is 1 before anything was crawled, and if pages have on average one link or less.
    fn desired(self) -> f64 {
        let local = self.pages as f64 / self.links.max(self.pages).max(1) as f64;
        let local = if self.pages == 0 { 1.0 } else { local };
        local + (1.0 - local) / f64::from(self.alpha.get())
    }
}

#[cfg(test)]
mod literal_tests;

#[cfg(test)]
mod tests;
