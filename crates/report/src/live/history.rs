//! The history of the funnel's counts: samples at an even interval, which doubles when there are too many samples.

use std::time::Duration;

use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::FunnelStep;

/// The maximum number of samples, not counting the newest.
const SAMPLES_MAX: usize = 240;
/// The initial interval between samples.
const STEP: Duration = Duration::from_millis(500);

/// The counts of all stages at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Time since the start of the crawl.
    pub elapsed: Duration,
    /// The counts, by stage.
    pub counts: Vec<(&'static str, u64)>,
}

impl Sample {
    /// Takes a sample of a funnel.
    pub fn of(elapsed: Duration, funnel: &[FunnelStep]) -> Self {
        Self { elapsed, counts: funnel.iter().map(|stage| (stage.stage, stage.count)).collect() }
    }
}

/// Samples of a crawl, the oldest first. Serialised as `seconds` and one list per stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    step: Duration,
    samples: Vec<Sample>,
    newest: Option<Sample>,
}

impl Default for History {
    fn default() -> Self {
        Self { step: STEP, samples: Vec::new(), newest: None }
    }
}

impl History {
    /// Adds a sample, which must be later than all before.
    pub fn add(&mut self, sample: Sample) {
        let due = self.samples.last().is_none_or(|last| sample.elapsed >= last.elapsed + self.step);
        if due {
            self.samples.push(sample.clone());
            if self.samples.len() > SAMPLES_MAX {
                self.thin_out();
            }
        }
        self.newest = Some(sample);
    }

    /// Drops every second sample and doubles the interval. The first sample remains.
    fn thin_out(&mut self) {
        let mut retained = false;
        self.samples.retain(|_| {
            retained = !retained;
            retained
        });
        self.step *= 2;
    }

    /// Returns all samples, the current one last.
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        let newest = self.newest.as_ref().filter(|newest| self.samples.last() != Some(newest));
        self.samples.iter().chain(newest)
    }
}

impl Serialize for History {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let seconds: Vec<f64> =
            self.samples().map(|sample| (sample.elapsed.as_secs_f64() * 1e3).round() / 1e3).collect();
        let stages: Vec<&str> =
            self.newest.iter().flat_map(|sample| sample.counts.iter().map(|(stage, _)| *stage)).collect();
        let mut map = serializer.serialize_map(Some(1 + stages.len()))?;
        map.serialize_entry("seconds", &seconds)?;
        for stage in stages {
            let of =
                |sample: &Sample| sample.counts.iter().find(|(name, _)| *name == stage).map_or(0, |(_, count)| *count);
            map.serialize_entry(stage, &self.samples().map(of).collect::<Vec<u64>>())?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample(millis: u64) -> Sample {
        Sample { elapsed: Duration::from_millis(millis), counts: vec![("pages", millis * 3)] }
    }

    #[test]
    fn it_is_serialised_as_one_list_per_stage() {
        let mut history = History::default();
        [0, 100, 600, 700].into_iter().for_each(|millis| history.add(sample(millis)));
        let expected = serde_json::json!({ "seconds": [0.0, 0.6, 0.7], "pages": [0, 1_800, 2_100] });
        assert_eq!(serde_json::to_value(&history).unwrap(), expected);
    }

    proptest! {
        #[test]
        fn a_history_is_bounded_even_and_ends_with_the_newest(steps in prop::collection::vec(1..2_000_u64, 1..3_000)) {
            let mut history = History::default();
            let mut now = 0;
            for step in steps {
                now += step;
                history.add(sample(now));
            }
            let samples: Vec<&Sample> = history.samples().collect();
            prop_assert!(samples.len() <= SAMPLES_MAX + 1);
            prop_assert_eq!(samples.last(), Some(&&sample(now)));
            prop_assert!(samples.windows(2).all(|pair| pair[0].elapsed < pair[1].elapsed));
            let retained = &history.samples;
            prop_assert!(retained.windows(2).all(|pair| pair[1].elapsed - pair[0].elapsed >= history.step));
            // Samples are at most two seconds apart, which is four times the initial interval.
            prop_assert!(retained.windows(2).all(|pair| pair[1].elapsed - pair[0].elapsed <= 5 * history.step));
        }
    }
}
