//! Learns rates of change from the traits of pages.
//!
//! Whether a visit after the time τ finds a page of rate λ changed is a Bernoulli variable with probability 1 −
//! exp(−λτ). If ln λ is a sum of weights, one for each trait of the page, this is a regression with the complementary
//! log-log link and the offset ln τ (McCullagh and Nelder, *Generalized Linear Models*, 1989, section 4.3). Each weight
//! has a normal prior: for a rarely seen trait, the prediction relies on traits that many pages share.
//!
//! The mode of the posterior is found by Newton steps on one weight at a time, which cannot overshoot as joint steps
//! can. O(traits of all visits) per round.

use rand::RngCore;

use harvestman_core::seed::Rng;

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
#[path = "regression_tests.rs"]
mod tests;
