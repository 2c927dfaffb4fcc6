//! A number of wanted URLs that no choice exceeds: the Lagrangian dual of a relaxation.
//!
//! Wanted URLs that reach one another over wanted URLs only form a *component*. One is *closed* if nothing wanted
//! outside it links into it and it contains no start: whoever requests any of its URLs has requested an unwanted URL
//! that links into it. The relaxation keeps only that and the budget; the way to the unwanted URLs is free. With `x`
//! the number of requested URLs of a component of `n`, and `y` whether an unwanted URL is requested:
//!
//! maximise Σ x, where x ≤ n, Σ x + Σ y ≤ budget, and x ≤ n Σ y over the unwanted URLs that link into it, if it is
//! closed.
//!
//! Any price μ of a request and any prices p of the components' last condition give an upper bound, μ budget + Σ n
//! max(0, 1 − μ − p) + Σ over the unwanted URLs of max(0, Σ n p of the components that they link into − μ). Subgradient
//! steps lower it. Every value is a bound, however good the prices are.

use super::SiteGraph;

/// Number of subgradient steps for each price of a request.
const STEPS: u32 = 120;
/// Prices of a request that are tried: multiples of one in this many.
const PRICES: u32 = 40;

impl SiteGraph {
    /// Returns a number of wanted URLs that no crawl of at most `budget` requests exceeds. O(links), times a constant
    /// of some thousands for links from unwanted URLs into closed components.
    pub fn bound(&self, budget: usize) -> usize {
        let relaxed = Relaxation::of(self);
        let most = relaxed.wanted.min(budget);
        let dual = (0..=PRICES).map(|price| relaxed.dual(f64::from(price) / f64::from(PRICES), budget as f64));
        let lowest = dual.fold(f64::INFINITY, f64::min);
        // The sum has rounding errors far below a page.
        most.min((lowest + 1e-6).floor() as usize)
    }
}

/// What of a site the relaxation keeps.
struct Relaxation {
    /// Number of wanted URLs that can be reached.
    wanted: usize,
    /// Number of those that are in no closed component.
    free: usize,
    /// The number of URLs of each closed component.
    sizes: Vec<f64>,
    /// For each unwanted URL that links into closed components, these, each once.
    into: Vec<Vec<u32>>,
}

impl Relaxation {
    fn of(graph: &SiteGraph) -> Self {
        let reached = graph.reach(graph.starts.iter().copied(), |_| true);
        let is_wanted = |url: u32| reached[url as usize] && graph.is_wanted(url);
        let urls = || 0..u32::try_from(graph.len()).unwrap_or(u32::MAX);
        let (component, count) = components(graph, is_wanted);
        let mut is_closed = vec![true; count];
        for url in urls().filter(|url| is_wanted(*url)) {
            let own = component[url as usize];
            for to in graph.links(url).filter(|to| is_wanted(*to) && component[*to as usize] != own) {
                is_closed[component[to as usize] as usize] = false;
            }
        }
        for url in graph.starts.iter().copied().filter(|url| is_wanted(*url)) {
            is_closed[component[url as usize] as usize] = false;
        }
        let mut sizes = vec![0.0; count];
        let (mut wanted, mut free) = (0, 0);
        for url in urls().filter(|url| is_wanted(*url)) {
            let own = component[url as usize] as usize;
            sizes[own] += 1.0;
            wanted += 1;
            free += usize::from(!is_closed[own]);
        }
        let closed_among = |url: u32| {
            let to = graph.links(url).filter(|to| is_wanted(*to)).map(|to| component[to as usize]);
            let mut into: Vec<u32> = to.filter(|to| is_closed[*to as usize]).collect();
            into.sort_unstable();
            into.dedup();
            into
        };
        let unwanted = urls().filter(|url| reached[*url as usize] && !graph.is_wanted(*url));
        let into = unwanted.map(closed_among).filter(|into| !into.is_empty()).collect();
        let closed_sizes = sizes.iter().zip(&is_closed).map(|(size, closed)| if *closed { *size } else { 0.0 });
        Self { wanted, free, sizes: closed_sizes.collect(), into }
    }

    /// The lowest value of the dual that the steps find where a request costs `price`.
    fn dual(&self, price: f64, budget: f64) -> f64 {
        let fixed = price * budget + self.free as f64 * (1.0 - price).max(0.0);
        // A component of p = 1 - μ brings nothing, so that higher prices only cost.
        let highest = (1.0 - price).max(0.0);
        let mut prices = vec![highest / 2.0; self.sizes.len()];
        let mut lowest = f64::INFINITY;
        for step in 1..=STEPS {
            let mut value = fixed;
            let mut slope: Vec<f64> = vec![0.0; self.sizes.len()];
            for ((size, own), slope) in self.sizes.iter().zip(&prices).zip(&mut slope) {
                value += size * (highest - own).max(0.0);
                *slope = if *own < highest { -1.0 } else { 0.0 };
            }
            for into in &self.into {
                let sum: f64 = into.iter().map(|at| self.sizes[*at as usize] * prices[*at as usize]).sum();
                if sum > price {
                    value += sum - price;
                    into.iter().for_each(|at| slope[*at as usize] += 1.0);
                }
            }
            lowest = lowest.min(value);
            let length = highest / 4.0 / f64::from(step).sqrt();
            for (own, slope) in prices.iter_mut().zip(slope) {
                *own = (*own - length * slope.clamp(-1.0, 1.0)).clamp(0.0, highest);
            }
        }
        lowest
    }
}

/// Numbers the strongly connected components among the URLs for which `passes` holds (Tarjan 1972, without recursion).
/// Returns the component of each URL, which means nothing for other URLs, and their number.
fn components(graph: &SiteGraph, passes: impl Fn(u32) -> bool) -> (Vec<u32>, usize) {
    const NONE: u32 = u32::MAX;
    let count = graph.len();
    let (mut number, mut low, mut component) = (vec![NONE; count], vec![NONE; count], vec![NONE; count]);
    let (mut next, mut found) = (0_u32, 0_u32);
    let mut path: Vec<u32> = Vec::new();
    for root in (0..u32::try_from(count).unwrap_or(u32::MAX)).filter(|url| passes(*url)) {
        if number[root as usize] != NONE {
            continue;
        }
        // Each entry is a URL and the number of its links that were followed to the end.
        let mut calls: Vec<(u32, usize)> = vec![(root, 0)];
        while let Some((url, done)) = calls.pop() {
            let own = url as usize;
            if number[own] == NONE {
                (number[own], low[own]) = (next, next);
                next += 1;
                path.push(url);
            }
            let mut deeper = None;
            for (at, to) in graph.links[own].iter().copied().enumerate().skip(done).filter(|(_, to)| passes(*to)) {
                if number[to as usize] == NONE {
                    deeper = Some((at, to));
                    break;
                }
                if component[to as usize] == NONE {
                    low[own] = low[own].min(low[to as usize]);
                }
            }
            if let Some((at, to)) = deeper {
                // This link is looked at again when all that it leads to is numbered.
                calls.extend([(url, at), (to, 0)]);
                continue;
            }
            if low[own] == number[own] {
                while let Some(member) = path.pop() {
                    component[member as usize] = found;
                    if member == url {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    (component, found as usize)
}
