//! The harvest curve of a log of any length, in a bounded number of points.
//!
//! Every `k`-th line is a point. When there are twice as many points as wanted, every second one is removed and `k`
//! doubles. So the points are evenly spaced over the whole curve, however long it gets. O(1) per line, O(points)
//! memory.

use std::time::Duration;

use serde::Serialize;

use harvestman_core::clock::Instant;

/// The least number of points, if the log has that many lines; the most is twice as many.
pub const POINTS: usize = 150;
/// The least time without a request that counts as a break between two runs, or as a pause. Breaks are left out of the
/// time.
pub const BREAK: Duration = Duration::from_secs(600);

/// The counts after some lines of the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Requests for pages.
    pub requests: u64,
    /// Seconds since the first request, without breaks.
    pub seconds: f64,
    /// Pages fetched.
    pub pages: u64,
    /// The sum of their worth to the policy; that of a page is the mean worth of its cluster.
    pub worth: f64,
    /// Visits that found a change.
    pub changed: u64,
    /// Bytes of bodies.
    pub bytes: u64,
}

/// Collects the points of a curve.
#[derive(Debug, Clone)]
pub struct Curve {
    wanted: usize,
    every: u64,
    lines: u64,
    at: CurvePoint,
    points: Vec<CurvePoint>,
    latest: Option<Instant>,
    active: Duration,
    breaks: Breaks,
}

/// The breaks in a log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Breaks {
    /// The number of breaks.
    pub count: u64,
    /// Their total duration.
    pub seconds: f64,
}

impl Default for Curve {
    fn default() -> Self {
        Self::of_points(POINTS)
    }
}

impl Curve {
    /// Creates a curve of at least `wanted` points, if there are that many lines.
    pub fn of_points(wanted: usize) -> Self {
        let points = vec![CurvePoint::default()];
        let (at, latest, breaks) = (CurvePoint::default(), None, Breaks::default());
        Self { wanted: wanted.max(1), every: 1, lines: 0, at, points, latest, active: Duration::ZERO, breaks }
    }

    /// Adds a line: what it adds to the counts, and when its request started.
    pub fn add(&mut self, gain: CurvePoint, started: Option<Instant>) {
        self.advance(started);
        let at = &mut self.at;
        at.requests += gain.requests;
        at.pages += gain.pages;
        at.worth += gain.worth;
        at.changed += gain.changed;
        at.bytes += gain.bytes;
        at.seconds = self.active.as_secs_f64();
        self.lines += 1;
        if self.lines.is_multiple_of(self.every) {
            self.points.push(self.at);
            if self.points.len() > 2 * self.wanted {
                let mut at = 0..;
                self.points.retain(|_| at.next().is_some_and(|at: u64| at.is_multiple_of(2)));
                self.every *= 2;
            }
        }
    }

    /// Advances the time. Lines are in the order in which they were written, which is about that of their requests.
    fn advance(&mut self, started: Option<Instant>) {
        let Some(started) = started else { return };
        let latest = *self.latest.get_or_insert(started);
        let passed = started.since(latest);
        if passed > BREAK {
            self.breaks.count += 1;
            self.breaks.seconds += passed.as_secs_f64();
        } else {
            self.active += passed;
        }
        self.latest = Some(latest.max(started));
    }

    /// Returns the last point.
    pub fn end(&self) -> CurvePoint {
        self.at
    }

    /// Returns the breaks.
    pub fn breaks(&self) -> Breaks {
        self.breaks
    }

    /// Returns the points, including the first (all zero) and the last.
    pub fn points(&self) -> Vec<CurvePoint> {
        let mut points = self.points.clone();
        if points.last() != Some(&self.at) {
            points.push(self.at);
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(fetched: bool, attempts: u64) -> CurvePoint {
        CurvePoint { requests: attempts, pages: u64::from(fetched), bytes: 10, worth: 0.5, ..CurvePoint::default() }
    }

    /// A reference implementation: stores all points and selects afterwards.
    fn naive(lines: &[(bool, u64)], wanted: usize) -> Vec<(u64, u64)> {
        let mut all = vec![(0, 0)];
        for (fetched, attempts) in lines {
            let (requests, pages) = all[all.len() - 1];
            all.push((requests + attempts, pages + u64::from(*fetched)));
        }
        let mut every = 1;
        while lines.len() / every + 1 > 2 * wanted {
            every *= 2;
        }
        let mut points: Vec<_> = all.iter().copied().step_by(every).collect();
        if points.last() != all.last() {
            points.extend(all.last());
        }
        points
    }

    proptest! {
        #[test]
        fn the_points_are_every_kth_of_the_whole_curve(
            lines in prop::collection::vec((any::<bool>(), 1u64..4), 0..600),
            wanted in 1usize..40,
        ) {
            let mut curve = Curve::of_points(wanted);
            lines.iter().for_each(|(fetched, attempts)| curve.add(line(*fetched, *attempts), None));
            let points: Vec<_> = curve.points().iter().map(|point| (point.requests, point.pages)).collect();
            prop_assert_eq!(&points, &naive(&lines, wanted));
            prop_assert!(points.len() <= 2 * wanted + 1);
        }
    }

    #[test]
    fn breaks_are_left_out_of_the_time_and_counted() {
        let mut curve = Curve::default();
        for second in [100, 101, 99, 103, 103 + 3_600, 3_710] {
            curve.add(line(true, 1), Some(Instant::from_micros(second * 1_000_000)));
        }
        let seconds: Vec<f64> = curve.points().iter().map(|point| point.seconds).collect();
        assert_eq!(seconds, [0.0, 0.0, 1.0, 1.0, 3.0, 3.0, 10.0]);
        assert_eq!(curve.breaks(), Breaks { count: 1, seconds: 3_600.0 });
    }

    #[test]
    fn an_empty_log_has_a_curve_of_zero() {
        assert_eq!(Curve::default().points(), [CurvePoint::default()]);
    }
}
