//! Estimates rates of change: how often a page changes, from visits that each tell only whether it has changed since
//! the previous one.
//!
//! Cho and Garcia-Molina, "Estimating frequency of change", ACM Transactions on Internet Technology 3(3), 2003: changes
//! are a Poisson process of rate λ, so a visit after the time τ finds one or more with probability 1 − exp(−λτ). A page
//! that changes several times between visits is found changed once, so counting the found changes underestimates λ.
//!
//! [`Regression`] learns rates of change from the traits of pages.
//!
//! Whether a visit after the time τ finds a page of rate λ changed is a Bernoulli variable with probability 1 −
//! exp(−λτ). If ln λ is a sum of weights, one for each trait of the page, this is a regression with the complementary
//! log-log link and the offset ln τ (McCullagh and Nelder, *Generalized Linear Models*, 1989, section 4.3). Each weight
//! has a normal prior: for a rarely seen trait, the prediction relies on traits that many pages share.
//!
//! The mode of the posterior is found by Newton steps on one weight at a time, which cannot overshoot as joint steps
//! can. O(traits of all visits) per round.

use rand::RngCore;

use harvestman_core::model::History;
use harvestman_core::seed::Rng;

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

/// A visit with a known result.
#[derive(Debug, Clone)]
struct Observation {
    changed: bool,
    /// The number of visits that it represents.
    weight: f64,
    /// The sum of its traits' weights and of ln of the time waited.
    sum: f64,
}

/// One trait's weight.
#[derive(Debug, Clone)]
struct Weight {
    value: f64,
    /// The prior's mean and precision.
    mean: f64,
    precision: f64,
    /// What the visits contribute to its precision (Fisher information).
    information: f64,
    /// The visits to pages that have it, with the amount of it.
    visits: Vec<(u32, f32)>,
}

/// The regression.
#[derive(Debug, Clone, Default)]
pub struct Regression {
    weights: Vec<Weight>,
    observations: Vec<Observation>,
}

/// Weights that move less than this in a round have converged.
const STEP_MIN: f64 = 1e-3;
/// The maximum step of a weight.
const STEP_MAX: f64 = 2.0;
/// Beyond this the probability is practically 0 or 1.
const SUM_MAX: f64 = 30.0;

impl Regression {
    /// Adds a trait whose weight has the prior `mean` ± `deviation`. Returns its number.
    pub fn add_trait(&mut self, mean: f64, deviation: f64) -> usize {
        let precision = 1.0 / (deviation * deviation);
        self.weights.push(Weight { value: mean, mean, precision, information: 0.0, visits: Vec::new() });
        self.weights.len() - 1
    }

    /// Returns the number of traits.
    pub fn traits(&self) -> usize {
        self.weights.len()
    }

    /// Adds the observation that a visit to a page with these traits (and amounts of each) found it changed or not,
    /// where `ln_waited` is the logarithm of the time since the previous visit. Counts as `weight` visits.
    pub fn observe(&mut self, traits: &[(usize, f64)], ln_waited: f64, changed: bool, weight: f64) {
        let number = self.observations.len() as u32;
        for (at, amount) in traits {
            self.weights[*at].visits.push((number, *amount as f32));
        }
        let sum = ln_waited + self.sum(traits);
        self.observations.push(Observation { changed, weight, sum });
    }

    /// Fits the weights, starting from their current values: at most `rounds` steps on each, fewer if they converge.
    pub fn fit(&mut self, rounds: usize) {
        for _ in 0..rounds {
            let moved = (0..self.weights.len()).map(|at| self.step(at).abs()).fold(0.0, f64::max);
            if moved < STEP_MIN {
                return;
            }
        }
    }

    /// Returns ln λ of a page with these traits.
    pub fn log_rate(&self, traits: &[(usize, f64)]) -> f64 {
        self.sum(traits)
    }

    /// Draws a weight from its posterior: normal, with the precision given by the prior and the visits.
    pub fn draw(&self, at: usize, rng: &mut Rng) -> f64 {
        let Weight { value, precision, information, .. } = self.weights[at];
        value + normal(rng) / (precision + information).sqrt()
    }

    /// Returns a weight.
    pub fn weight(&self, at: usize) -> f64 {
        self.weights[at].value
    }

    fn sum(&self, traits: &[(usize, f64)]) -> f64 {
        traits.iter().map(|(at, amount)| self.weights[*at].value * amount).sum()
    }

    /// Makes one Newton step (with the expected information) on one weight. Returns its length.
    fn step(&mut self, at: usize) -> f64 {
        let weight = &mut self.weights[at];
        let (mut slope, mut information) = (0.0, 0.0);
        for (number, amount) in &weight.visits {
            let observation = &self.observations[*number as usize];
            let (first, second) = derivatives(observation.sum, observation.changed);
            let amount = f64::from(*amount);
            slope += observation.weight * amount * first;
            information += observation.weight * amount * amount * second;
        }
        weight.information = information;
        slope -= weight.precision * (weight.value - weight.mean);
        let step = (slope / (information + weight.precision)).clamp(-STEP_MAX, STEP_MAX);
        weight.value += step;
        for (number, amount) in &weight.visits {
            self.observations[*number as usize].sum += step * f64::from(*amount);
        }
        step
    }

    /// Returns the logarithm of the posterior density, up to a constant.
    #[cfg(test)]
    fn log_posterior(&self) -> f64 {
        let seen = self.observations.iter().map(|observation| {
            let mean = observation.sum.clamp(-SUM_MAX, SUM_MAX).exp();
            observation.weight * if observation.changed { (-(-mean).exp_m1()).ln() } else { -mean }
        });
        let held = self.weights.iter().map(|weight| -0.5 * weight.precision * (weight.value - weight.mean).powi(2));
        seen.sum::<f64>() + held.sum::<f64>()
    }
}

/// Returns two derivatives of the log-likelihood by the sum s, with μ = exp(s): its slope, which is μ·exp(−μ)/(1 −
/// exp(−μ)) if a change was found and −μ if not; and the information of such a visit, μ²/(exp(μ) − 1).
fn derivatives(sum: f64, changed: bool) -> (f64, f64) {
    let mean = sum.clamp(-SUM_MAX, 3.4).exp();
    let pull = mean / mean.exp_m1();
    (if changed { pull } else { -mean }, mean * pull)
}

/// Draws from the standard normal distribution (Box and Muller 1958).
fn normal(rng: &mut Rng) -> f64 {
    let mut uniform = || ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    let (one, other) = (uniform(), uniform());
    (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos()
}

#[cfg(test)]
#[path = "rate_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "regression_tests.rs"]
mod regression_tests;
