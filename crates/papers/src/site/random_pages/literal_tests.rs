//! Algorithm 1 as printed: each step looks at each URL. The reference implementation for tests of the cohorts.

use rand::Rng;

use super::{RandomPagesOptions, Rate};

pub(super) struct Url {
    pub(super) url: u32,
    /// Number of draws before it entered.
    entered: u32,
    pub(super) s: f64,
    pub(super) r: f64,
    p: f64,
}

pub(super) struct Literal {
    rate: Rate,
    draws: u32,
    /// U, in the order of entry.
    pub(super) queue: Vec<Url>,
    /// W.
    pub(super) withdrawn: Vec<u32>,
    /// Whether something was decided by so little that another order of the same sums may decide it otherwise.
    pub(super) close: bool,
}

/// Far above the rounding errors of probabilities, and far below their differences.
const CLOSE: f64 = 1e-9;

impl Literal {
    pub(super) fn new(options: RandomPagesOptions) -> Self {
        Self { rate: Rate::new(options.alpha), draws: 0, queue: Vec::new(), withdrawn: Vec::new(), close: false }
    }

    /// Selects u_k.
    pub(super) fn draw(&mut self, rng: &mut impl Rng) -> Option<u32> {
        if self.queue.is_empty() {
            let returning = std::mem::take(&mut self.withdrawn);
            self.add(returning);
        }
        let total: f64 = self.queue.iter().map(|url| url.p).sum();
        let mut way = rng.random::<f64>() * total;
        let at = self.queue.iter().position(|url| {
            way -= url.p;
            self.close |= way.abs() < CLOSE;
            way < 0.0
        });
        let drawn = self.take(at.or(self.queue.len().checked_sub(1))?);
        for url in &mut self.queue {
            let q = url.p / total;
            url.s += url.r * q;
            url.r *= 1.0 - q;
        }
        self.draws += 1;
        Some(drawn)
    }

    /// Removes a URL; its place is taken by the last one that entered with it. Any order would do, and this is the
    /// order of the cohorts.
    fn take(&mut self, at: usize) -> u32 {
        let entered = self.queue[at].entered;
        let last = self.queue.iter().rposition(|url| url.entered == entered).unwrap();
        self.queue.swap(at, last);
        self.queue.remove(last).url
    }

    /// Completes the step: u_k is crawled, URLs with nothing left are withdrawn, X enters.
    pub(super) fn crawled(&mut self, out_degree: usize, new: Vec<u32>) {
        self.rate.see(out_degree);
        let desired = self.rate.desired();
        self.queue.iter_mut().for_each(|url| url.p = desired - url.s);
        self.close |= self.queue.iter().any(|url| url.p.abs() < CLOSE);
        let (stay, gone) = std::mem::take(&mut self.queue).into_iter().partition(|url| url.p > 0.0);
        self.queue = stay;
        let gone: Vec<Url> = gone;
        self.withdrawn.extend(gone.into_iter().map(|url| url.url));
        self.add(new);
    }

    pub(super) fn add(&mut self, urls: Vec<u32>) {
        let p = self.rate.desired();
        let entered = self.draws;
        self.queue.extend(urls.into_iter().map(|url| Url { url, entered, s: 0.0, r: 1.0, p }));
    }
}
