//! The changes of a site over time, as a pure function of seed, item and site time.
//!
//! New items arrive as a Poisson process. So do events of an item (replies, comments, edits), with a rate that falls
//! with the age of the item as (1 + age/half)^−3/2 down to a floor, times a log-normal factor per item: a few items are
//! busy, most are quiet, and which is not visible from outside. Events are drawn as exponential gaps in the integral of
//! the rate.

use rand::RngCore;

use super::host::{Host, SiteTime};
use harvestman_core::seed::{Rng, Seed};

/// The frequency of events for the items of one kind. Rates are events per day.
#[derive(Debug, Clone, Copy)]
pub(super) struct Activity {
    /// The rate of a new item.
    pub peak: f64,
    /// The age in days at which the rate has fallen to about a third.
    pub half: f64,
    /// The minimum rate.
    pub floor: f64,
    /// The variation between items: the standard deviation of the logarithm of their factors.
    pub spread: f64,
}

impl Activity {
    /// Creates a constant rate, independent of age.
    pub const fn steady(rate: f64, spread: f64) -> Self {
        Self { peak: 0.0, half: 1.0, floor: rate, spread }
    }

    /// Returns the expected number of events between two ages, in days.
    fn expected(&self, from: f64, to: f64) -> f64 {
        let fallen = |age: f64| (1.0 + age / self.half).powf(-0.5);
        2.0 * self.peak * self.half * (fallen(from) - fallen(to)) + self.floor * (to - from)
    }

    /// Returns the age at which the given number of events is expected since `from`, by bisection.
    fn age_at(&self, from: f64, expected: f64, most: f64) -> f64 {
        let (mut low, mut high) = (from, most);
        for _ in 0..40 {
            let middle = low.midpoint(high);
            if self.expected(from, middle) < expected { low = middle } else { high = middle }
        }
        low
    }
}

/// The events of an item since the start of the site.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Happened {
    /// Number of events.
    pub events: u64,
    /// Time of the last one, in days from the start of the site; before the start if there was none since.
    pub last: f64,
}

/// The arrival of items of a kind, of which `at_start` existed at the start.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrivals {
    pub at_start: u64,
    /// Items per day.
    pub rate: f64,
}

impl Host {
    fn days(&self) -> Option<f64> {
        self.shape.time.as_ref().map(SiteTime::days)
    }

    /// Returns whether it changes at all.
    pub fn changes(&self) -> bool {
        self.shape.time.is_some()
    }

    /// Returns the current number of items.
    pub fn arrived(&self, kind: &str, arrivals: Arrivals) -> u64 {
        let Some(now) = self.days().filter(|now| *now > 0.0) else { return arrivals.at_start };
        arrivals.at_start + gaps(self.seed.child(kind).child("arrivals"), now * arrivals.rate).count() as u64
    }

    /// Returns when item `id` arrived, in days from the start; initial items arrived one after the other before it.
    pub fn arrival(&self, kind: &str, id: u64, arrivals: Arrivals) -> f64 {
        match id.checked_sub(arrivals.at_start) {
            None => -((arrivals.at_start - id) as f64) / arrivals.rate.max(1e-9),
            Some(new) => {
                let mut rng = self.seed.child(kind).child("arrivals").rng();
                (0..=new).map(|_| exponential(&mut rng)).sum::<f64>() / arrivals.rate.max(1e-9)
            }
        }
    }

    /// Returns the events of item `id`, which arrived at `born`.
    pub fn happened(&self, kind: &str, id: u64, born: f64, activity: Activity) -> Happened {
        let Some(now) = self.days().filter(|now| *now > born.max(0.0)) else {
            return Happened { events: 0, last: born };
        };
        let seed = self.seed.child(kind).child("events").nth(id);
        let factor = (activity.spread * normal(&mut seed.child("factor").rng())).exp();
        let (from, to) = ((-born).max(0.0), now - born);
        let expected = factor * activity.expected(from, to);
        let (events, last) = gaps(seed, expected).fold((0, None), |(count, _), at| (count + 1, Some(at)));
        let last = last.map_or(born, |at| born + activity.age_at(from, at / factor, to));
        Happened { events, last }
    }

    /// Returns how often an initial item has changed.
    pub fn edits(&self, kind: &str, id: u64, rate: f64) -> u64 {
        self.happened(kind, id, -1.0, Activity::steady(rate, 1.0)).events
    }
}

/// Returns the positions of events of rate one, up to `end`.
fn gaps(seed: Seed, end: f64) -> impl Iterator<Item = f64> {
    let mut rng = seed.rng();
    let mut at = 0.0;
    std::iter::from_fn(move || {
        at += exponential(&mut rng);
        (at <= end).then_some(at)
    })
}

fn uniform(rng: &mut Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

fn exponential(rng: &mut Rng) -> f64 {
    -uniform(rng).ln()
}

fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * uniform(rng).ln()).sqrt() * (std::f64::consts::TAU * uniform(rng)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLIES: Activity = Activity { peak: 2.0, half: 2.0, floor: 0.01, spread: 1.0 };

    #[test]
    fn the_integral_of_the_rate_matches_its_definition() {
        let rate = |age: f64| REPLIES.peak * (1.0 + age / REPLIES.half).powf(-1.5) + REPLIES.floor;
        let steps = 100_000;
        let (from, to) = (0.5, 30.0);
        let step = (to - from) / f64::from(steps);
        let sum: f64 = (0..steps).map(|n| rate(from + (f64::from(n) + 0.5) * step) * step).sum();
        assert!((sum - REPLIES.expected(from, to)).abs() < 1e-4);
        let age = REPLIES.age_at(from, sum / 2.0, to);
        assert!((REPLIES.expected(from, age) - sum / 2.0).abs() < 1e-6);
    }

    #[test]
    fn the_number_of_events_matches_the_integral() {
        let mean = (0..4_000).map(|id| gaps(Seed(9).nth(id), 2.5).count()).sum::<usize>() as f64 / 4_000.0;
        assert!((mean - 2.5).abs() < 0.1, "{mean}");
    }
}
