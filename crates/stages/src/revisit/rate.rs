//! Estimates rates of change: how often a page changes, from visits that each tell only whether it has changed since
//! the previous one.
//!
//! Cho and Garcia-Molina, "Estimating frequency of change", ACM Transactions on Internet Technology 3(3), 2003: changes
//! are a Poisson process of rate λ, so a visit after the time τ finds one or more with probability 1 − exp(−λτ). A page
//! that changes several times between visits is found changed once, so counting the found changes underestimates λ.

use harvestman_core::model::History;

/// Returns the probability that a page of this rate (changes per second) has changed in `seconds`: 1 − exp(−λτ).
pub fn chance_of_change(rate: f64, seconds: f64) -> f64 {
    -(-rate * seconds).exp_m1()
}

/// Estimates the rate from visits at equal intervals of `seconds`: −ln((n − X + ½) / (n + ½)) / τ, where X of n visits
/// found a change. The halves keep it finite if all visits did, and remove most of the bias for few visits (section 4.2
/// of the paper).
pub fn regular_rate(visits: u32, changed: u32, seconds: f64) -> f64 {
    let (visits, changed) = (f64::from(visits), f64::from(changed.min(visits)));
    -((visits - changed + 0.5) / (visits + 0.5)).ln() / seconds
}

/// Estimates the rate from visits at any intervals, by maximum likelihood: the λ for which Σ τ/(exp(λτ) − 1) over the
/// visits that found a change equals Σ τ over the others (section 5 of the paper). 0 if none found a change; `None` if
/// all did, because then the likelihood has no maximum.
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

/// The prior of a rate, before a page's own visits: a gamma distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gamma {
    /// Its mean, in changes per second.
    pub mean: f64,
    /// Its shape: the number of changes that it counts for. The greater, the more a page is assumed to be like the
    /// others.
    pub shape: f64,
}

/// Estimates a page's rate from its own visits, shrunk towards the prior from similar pages.
///
/// Returns the mode, over ln λ, of the posterior under a gamma prior of shape a and rate b = a/mean, which is the
/// solution of a/λ + Σ τ/(exp(λτ) − 1) over the visits that found a change = b + Σ τ over the others. It is the prior's
/// mean if there are no visits, and near [`irregular_rate`] if there are many.
pub fn shrunk_rate(prior: Gamma, history: &History) -> f64 {
    let changed = f64::from(history.changed);
    let interval = history.changed_seconds as f64 / changed.max(1.0);
    let quiet = prior.shape / prior.mean + history.unchanged_seconds as f64;
    if changed < 1.0 || interval <= 0.0 {
        // Conjugate, since no change was found.
        return prior.shape / quiet;
    }
    root(|rate| prior.shape / rate + changed * pull(rate, interval) - quiet)
}

/// Returns what a visit after `seconds` that found a change adds to the derivative of the likelihood: τ/(exp(λτ) − 1).
fn pull(rate: f64, seconds: f64) -> f64 {
    let grown = (rate * seconds).exp_m1();
    if grown.is_finite() { seconds / grown } else { 0.0 }
}

/// Returns the zero of a strictly decreasing function of a rate, by bisection of the rate's logarithm.
fn root(falling: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-60.0_f64, 20.0_f64);
    // After this the interval is below the precision of a float.
    for _ in 0..60 {
        let middle = low.midpoint(high);
        if falling(middle.exp()) > 0.0 { low = middle } else { high = middle }
    }
    low.midpoint(high).exp()
}

#[cfg(test)]
#[path = "rate_tests.rs"]
mod tests;
