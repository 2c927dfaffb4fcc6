//! The harvest curve over requests and over time.

use std::time::Duration;

use crate::document::Document;
use crate::document::curve::CurvePoint;
use crate::figures;
use crate::plot::{Chart, Series};
use crate::render::block::{Block, Cell, Table};

/// Rows of the table that has the figures of the plots.
const ROWS: u64 = 10;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let log = &document.log;
    let points = &log.curve;
    let Some(end) = points.last().filter(|end| end.requests > 0) else { return Vec::new() };
    let mut blocks = vec![
        Block::Text(summary(end)),
        Block::Plot(over_requests(points), described(points, end, Axis::Requests)),
        Block::Plot(over_time(points), described(points, end, Axis::Time)),
    ];
    if log.breaks.count > 0 {
        let time = figures::time(Duration::try_from_secs_f64(log.breaks.seconds).unwrap_or_default());
        let breaks = log.breaks.count;
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
