//! Rates of change: how often a page changes, judged by visits that each tell only whether it has changed since the one before.
//!
//! Cho and Garcia-Molina, "Estimating frequency of change", ACM Transactions on Internet Technology 3(3), 2003: changes are a Poisson
//! process of rate λ, so a visit after the time τ finds one or more with the chance 1 − exp(−λτ). A page that changes between visits
//! several times is found changed once, which is why counting the changes found underestimates λ.

use harvestman_core::model::History;

/// The chance that a page of this rate (changes a second) has changed in `seconds`: 1 − exp(−λτ).
pub fn chance_of_change(rate: f64, seconds: f64) -> f64 {
    -(-rate * seconds).exp_m1()
}

/// The rate by visits at equal intervals of `seconds`: −ln((n − X + ½) / (n + ½)) / τ, with X of n visits that found a change. The
/// halves keep it finite where each did, and take away most of the bias for few visits (section 4.2 of the paper).
pub fn regular_rate(visits: u32, changed: u32, seconds: f64) -> f64 {
    let (visits, changed) = (f64::from(visits), f64::from(changed.min(visits)));
    -((visits - changed + 0.5) / (visits + 0.5)).ln() / seconds
}

/// The rate by visits at any intervals, by maximum likelihood: the λ with Σ τ/(exp(λτ) − 1) over the visits that found a change equal
/// to Σ τ over the others (section 5 of the paper). 0 where none found one; none where all did, as no rate is then too high.
pub fn irregular_rate(visits: impl Iterator<Item = (bool, f64)> + Clone) -> Option<f64> {
    let quiet: f64 = visits.clone().filter(|(changed, _)| !changed).map(|(_, seconds)| seconds).sum();
    if visits.clone().all(|(changed, _)| !changed) {
        return Some(0.0);
    }
    let excess = |rate: f64| {
        let changed = visits.clone().filter(|(changed, _)| *changed);
        changed.map(|(_, seconds)| pull(rate, seconds)).sum::<f64>() - quiet
    };
    (quiet > 0.0).then(|| root(excess))
}

/// What is held of a rate before a page's own visits are looked at: a gamma distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gamma {
    /// Its mean: changes a second.
    pub mean: f64,
    /// Its shape: as many changes as it weighs. The greater, the more a page is taken to be like the others.
    pub shape: f64,
}

/// A page's rate by its own visits, leaning on what is held of pages like it.
///
/// The mode, over ln λ, of the posterior under a gamma prior of shape a and rate b = a/mean:
/// a/λ + Σ τ/(exp(λτ) − 1) over the visits that found a change = b + Σ τ over the others.
/// It is the prior's mean where there are no visits, and near [`irregular_rate`] where there are many.
pub fn shrunk_rate(prior: Gamma, history: &History) -> f64 {
    let changed = f64::from(history.changed);
    let interval = history.changed_seconds as f64 / changed.max(1.0);
    let quiet = prior.shape / prior.mean + history.unchanged_seconds as f64;
    if changed < 1.0 || interval <= 0.0 {
        // No change found: conjugate.
        return prior.shape / quiet;
    }
    root(|rate| prior.shape / rate + changed * pull(rate, interval) - quiet)
}

/// What a visit after `seconds` that found a change adds to the derivative of the likelihood: τ/(exp(λτ) − 1).
fn pull(rate: f64, seconds: f64) -> f64 {
    let grown = (rate * seconds).exp_m1();
    if grown.is_finite() { seconds / grown } else { 0.0 }
}

/// Where a function of a rate that falls everywhere crosses zero, by bisection of its logarithm.
fn root(falling: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-60.0_f64, 20.0_f64);
    // Beyond this the interval is narrower than a float can tell.
    for _ in 0..60 {
        let middle = low.midpoint(high);
        if falling(middle.exp()) > 0.0 { low = middle } else { high = middle }
    }
    low.midpoint(high).exp()
}

#[cfg(test)]
#[path = "rate_tests.rs"]
mod tests;
