//! The harvest curve of a log of any length over requests and over time, in a bounded number of points.

use std::time::Duration;

use serde::Serialize;

use crate::figures;
use crate::plot::{Chart, Series};
use crate::render::block::{Block, Cell, Table};
use harvestman_core::clock::Instant;

/// The least number of points, if the log has that many lines; the most is twice as many.
pub const POINTS: usize = 150;
/// The least time without a request that counts as a break between two runs, or as a pause. Breaks are left out of the
/// time.
const BREAK: Duration = Duration::from_secs(600);

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
    fn of_points(wanted: usize) -> Self {
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

/// Rows of the table that has the figures of the plots.
const ROWS: u64 = 10;

pub(super) fn blocks(points: &[CurvePoint], breaks: &Breaks) -> Vec<Block> {
    let Some(end) = points.last().filter(|end| end.requests > 0) else { return Vec::new() };
    let mut blocks = vec![
        Block::Text(summary(end)),
        Block::Plot(over_requests(points), described(points, end, Axis::Requests)),
        Block::Plot(over_time(points), described(points, end, Axis::Time)),
    ];
    if breaks.count > 0 {
        let time = figures::time(Duration::try_from_secs_f64(breaks.seconds).unwrap_or_default());
        let breaks = breaks.count;
        blocks.push(Block::Text(format!(
            "The time axis leaves out {breaks} breaks of ten minutes or more ({time} in total)."
        )));
    }
    blocks.push(Block::Table(table(points, end)));
    blocks
}

fn summary(end: &CurvePoint) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
    let share = |count: f64| 100.0 * count / end.requests as f64;
    #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
    let mut text = format!("{:.1} % of the requests for pages returned one.", share(end.pages as f64));
    if end.worth > 0.0 {
        text.push_str(&format!(
            " To the policy a page has a worth between 0 and 1: the present mean worth of the cluster assigned when it was fetched. The pages \
             fetched have a total worth of {:.0}, which is {:.1} % of the requests.",
            end.worth,
            share(end.worth)
        ));
    }
    if end.changed > 0 {
        text.push_str(&format!(" {} visits found a changed page.", figures::count(end.changed)));
    }
    text
}

/// The horizontal axis of a plot.
#[derive(Debug, Clone, Copy)]
enum Axis {
    Requests,
    Time,
}

/// Describes a plot.
fn described(points: &[CurvePoint], end: &CurvePoint, axis: Axis) -> String {
    let is_half = |point: &&CurvePoint| match axis {
        Axis::Requests => point.requests * 2 >= end.requests,
        Axis::Time => point.seconds * 2.0 >= end.seconds,
    };
    let half = points.iter().find(is_half).map_or(0, |point| point.pages);
    let of = match axis {
        Axis::Requests => "requests",
        Axis::Time => "time",
    };
    let (pages, requests, half) = (figures::count(end.pages), figures::count(end.requests), figures::count(half));
    format!("{pages} pages were fetched with {requests} requests; {half} of them in the first half of the {of}.")
}

#[expect(clippy::cast_precision_loss, reason = "counts of pages are far below 2^52")]
fn series(points: &[CurvePoint], x: impl Fn(&CurvePoint) -> f64) -> Vec<Series> {
    let line = |name: &str, y: fn(&CurvePoint) -> f64| Series {
        name: name.to_owned(),
        points: points.iter().map(|point| (x(point), y(point))).collect(),
        dashed: false,
    };
    let mut lines = vec![line("pages fetched", |point| point.pages as f64)];
    let end = points.last().copied().unwrap_or_default();
    if end.worth > 0.0 {
        lines.push(line("worth of these pages", |point| point.worth));
    }
    if end.changed > 0 {
        lines.push(line("changed pages", |point| point.changed as f64));
    }
    lines
}

#[expect(clippy::cast_precision_loss, reason = "counts of requests are far below 2^52")]
fn over_requests(points: &[CurvePoint]) -> Chart {
    let mut series = series(points, |point| point.requests as f64);
    let all = points.last().map_or(0.0, |end| end.requests as f64);
    // The upper bound, for comparison.
    series.push(Series { name: "one page per request".to_owned(), points: vec![(0.0, 0.0), (all, all)], dashed: true });
    let (title, x, y) = ("Pages over requests", "requests for pages", "pages");
    Chart::Lines { title: title.to_owned(), x: x.to_owned(), y: y.to_owned(), series }
}

fn over_time(points: &[CurvePoint]) -> Chart {
    let (unit, name) = match points.last().map_or(0.0, |end| end.seconds) {
        ..180.0 => (1.0, "seconds"),
        ..10_800.0 => (60.0, "minutes"),
        ..259_200.0 => (3_600.0, "hours"),
        _ => (86_400.0, "days"),
    };
    let series = series(points, |point| point.seconds / unit);
    let (title, y) = ("Pages over time", "pages");
    Chart::Lines { title: title.to_owned(), x: format!("{name} since the first request"), y: y.to_owned(), series }
}

fn table(points: &[CurvePoint], end: &CurvePoint) -> Table {
    let wanted = (1..=ROWS).map(|tenth| end.requests * tenth / ROWS);
    let mut chosen: Vec<&CurvePoint> =
        wanted.filter_map(|at| points.iter().find(|point| point.requests >= at)).collect();
    chosen.dedup_by_key(|point| point.requests);
    let (worth, changed) = (end.worth > 0.0, end.changed > 0);
    let mut header = vec!["requests", "time", "pages", "received"];
    header.extend(worth.then_some("worth"));
    header.extend(changed.then_some("changed"));
    let rows = chosen.into_iter().map(|point| {
        let mut row = vec![
            Cell::count(point.requests),
            Cell::millis(point.seconds * 1e3),
            Cell::count(point.pages),
            Cell::bytes(point.bytes),
        ];
        row.extend(worth.then(|| Cell::score(point.worth)));
        row.extend(changed.then(|| Cell::count(point.changed)));
        row
    });
    Table { caption: "Harvest in figures".to_owned(), header, rows: rows.collect() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
