//! Rates of change by what pages have in common.
//!
//! Whether a visit after the time τ finds a page of rate λ changed is a coin of 1 − exp(−λτ). With ln λ a sum of weights, one for each
//! trait that the page has, that is a regression with the complementary log-log link, ln τ its offset (McCullagh and Nelder,
//! *Generalized Linear Models*, 1989, section 4.3). Each weight leans to 0 by a normal prior: a trait of which little was seen leaves
//! the judgement to those that many pages share.
//!
//! The posterior's mode is found by Newton steps on one weight after the other, which cannot overshoot as steps on all of them can.
//! O(traits of all visits) a round.

use rand::RngCore;

use harvestman_core::seed::Rng;

/// A visit of which is known what it found.
#[derive(Debug, Clone)]
struct Observation {
    changed: bool,
    /// How many visits it stands for.
    weight: f64,
    /// The sum of its traits' weights, and ln of the waited time.
    sum: f64,
}

/// One trait's weight.
#[derive(Debug, Clone)]
struct Weight {
    value: f64,
    /// The prior's mean and precision.
    mean: f64,
    precision: f64,
    /// How much the visits tell of it (Fisher information).
    information: f64,
    /// The visits to pages that have it, with how much of it they have.
    visits: Vec<(u32, f32)>,
}

/// The regression.
#[derive(Debug, Clone, Default)]
pub struct Regression {
    weights: Vec<Weight>,
    observations: Vec<Observation>,
}

/// Weights that move less than this in a round are fitted.
const STEP_MIN: f64 = 1e-3;
/// The longest step of a weight at a time.
const STEP_MAX: f64 = 2.0;
/// Sums beyond this change nothing any more: a chance of 0 or 1.
const SUM_MAX: f64 = 30.0;

impl Regression {
    /// Adds a trait whose weight is held to be `mean` ± `deviation` before anything was seen of it. Returns its number.
    pub fn add_trait(&mut self, mean: f64, deviation: f64) -> usize {
        let precision = 1.0 / (deviation * deviation);
        self.weights.push(Weight { value: mean, mean, precision, information: 0.0, visits: Vec::new() });
        self.weights.len() - 1
    }

    /// How many traits there are.
    pub fn traits(&self) -> usize {
        self.weights.len()
    }

    /// Takes in that a visit to a page with these traits (and so much of each) found it changed or not, `ln_waited` being the logarithm
    /// of the time since the visit before. It counts as `weight` visits.
    pub fn observe(&mut self, traits: &[(usize, f64)], ln_waited: f64, changed: bool, weight: f64) {
        let number = self.observations.len() as u32;
        for (at, amount) in traits {
            self.weights[*at].visits.push((number, *amount as f32));
        }
        let sum = ln_waited + self.sum(traits);
        self.observations.push(Observation { changed, weight, sum });
    }

    /// Fits the weights anew, from where they are: at most `rounds` steps on each, fewer where none moves far any more.
    pub fn fit(&mut self, rounds: usize) {
        for _ in 0..rounds {
            let moved = (0..self.weights.len()).map(|at| self.step(at).abs()).fold(0.0, f64::max);
            if moved < STEP_MIN {
                return;
            }
        }
    }

    /// ln λ of a page with these traits.
    pub fn log_rate(&self, traits: &[(usize, f64)]) -> f64 {
        self.sum(traits)
    }

    /// A weight drawn from what is held of it: normal, by the information that visits gave.
    pub fn draw(&self, at: usize, rng: &mut Rng) -> f64 {
        let Weight { value, precision, information, .. } = self.weights[at];
        value + normal(rng) / (precision + information).sqrt()
    }

    /// A weight.
    pub fn weight(&self, at: usize) -> f64 {
        self.weights[at].value
    }

    fn sum(&self, traits: &[(usize, f64)]) -> f64 {
        traits.iter().map(|(at, amount)| self.weights[*at].value * amount).sum()
    }

    /// One Newton step (with the expected information) on one weight. Says how far it went.
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

    /// The logarithm of the posterior density, but for a constant.
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

/// Of the log-likelihood by the sum s, with μ = exp(s): its slope, μ·exp(−μ)/(1 − exp(−μ)) where a change was found and −μ where none
/// was; and the information that such a visit gives, μ²/(exp(μ) − 1).
fn derivatives(sum: f64, changed: bool) -> (f64, f64) {
    let mean = sum.clamp(-SUM_MAX, 3.4).exp();
    let pull = mean / mean.exp_m1();
    (if changed { pull } else { -mean }, mean * pull)
}

/// A draw from the standard normal distribution (Box and Muller 1958).
fn normal(rng: &mut Rng) -> f64 {
    let mut uniform = || ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    let (one, other) = (uniform(), uniform());
    (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos()
}

#[cfg(test)]
#[path = "regression_tests.rs"]
mod tests;
