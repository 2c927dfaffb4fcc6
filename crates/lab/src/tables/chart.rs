//! The charts of experiments.

use super::{Bar, Chart, Group, Measure, Row, Series, Summary};
use crate::measures::CurvePoint;

/// What the curves of crawls are drawn over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurveAxis {
    /// Requests.
    Fetches,
    /// Seconds, where each host is asked once a second.
    Seconds,
}

/// Returns the curves of crawls with their names: fetches or seconds, and valid pages so far (without duplicate views,
/// if `unique`).
#[expect(clippy::cast_precision_loss, reason = "counts of pages are far below 2^52")]
pub fn curves(title: &str, crawls: &[(String, Vec<CurvePoint>)], axis: CurveAxis, unique: bool) -> Chart {
    let series = crawls.iter().map(|(name, points)| {
        let valid = |point: &CurvePoint| if unique { point.valid_unique } else { point.valid };
        let along = |point: &CurvePoint| if axis == CurveAxis::Fetches { point.fetches } else { point.seconds };
        let points = points.iter().map(|point| (along(point) as f64, valid(point) as f64)).collect();
        Series { name: name.clone(), points, dashed: false }
    });
    let y = if unique { "valid pages without duplicate views" } else { "valid pages" };
    let x = if axis == CurveAxis::Fetches { "fetches" } else { "seconds, with one request a second to each host" };
    Chart::Lines { title: title.to_owned(), x: x.to_owned(), y: y.to_owned(), series: series.collect() }
}

/// Returns a bar chart of a measure by policy and variant, one group per corpus (and target), with the paper's figures
/// as an additional group.
pub fn bars(title: &str, measure: Measure, summaries: &[Summary], beside: &[Row]) -> Chart {
    let own = summaries.iter().map(|summary| {
        let deviation = summary.spreads.get(&measure).map_or(0.0, |spread| spread.deviation);
        (&summary.mean, deviation)
    });
    let mut groups: Vec<Group> = Vec::new();
    for (row, deviation) in own.chain(beside.iter().map(|row| (row, 0.0))) {
        let Some(value) = row.measures.get(&measure) else { continue };
        let name = joined(&row.corpus, row.target.as_deref(), ": ");
        let whose = joined(&row.policy, row.variant.as_deref(), " ");
        let whose = joined(&joined(&whose, row.order.as_deref(), ", "), row.store.as_deref(), ", ");
        let bar = Bar { name: whose, value: *value, deviation };
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.bars.push(bar),
            None => groups.push(Group { name, bars: vec![bar] }),
        }
    }
    Chart::Bars { title: title.to_owned(), y: measure.name().to_owned(), groups }
}

fn joined(first: &str, second: Option<&str>, separator: &str) -> String {
    second.map_or_else(|| first.to_owned(), |second| format!("{first}{separator}{second}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{paper, summaries};

    #[test]
    fn bars_are_grouped_by_corpus_with_the_paper_beside() {
        let row = |corpus: &str, policy: &str, seed, ratio: f64| {
            Row { seed: Some(seed), ..Row::new(corpus, "ucc", policy) }.with(Measure::ValidRatio, ratio)
        };
        let rows =
            [row("a", "bfs", 1, 0.5), row("b", "bfs", 1, 0.25), row("a", "source", 1, 0.5), row("a", "source", 2, 1.0)];
        let chart = bars("VR", Measure::ValidRatio, &summaries(&rows), &paper::averages(paper::ucc()));
        let Chart::Bars { groups, .. } = chart else { panic!("expected bars") };
        let shape: Vec<_> = groups.iter().map(|group| (group.name.as_str(), group.bars.len())).collect();
        assert_eq!(shape, [("a", 2), ("b", 1), ("paper", 3)]);
        assert_eq!((groups[0].bars[1].value, groups[2].bars[0].value), (0.75, 0.9989));
        assert!(groups[0].bars[1].deviation > 0.35);
    }

    #[test]
    fn a_curve_shows_valid_pages_over_fetches_or_seconds() {
        let points = vec![CurvePoint { fetches: 10, seconds: 5, valid: 7, valid_unique: 3 }];
        let line = |axis, unique| match curves("t", &[("bfs".to_owned(), points.clone())], axis, unique) {
            Chart::Lines { series, .. } => series[0].points.clone(),
            Chart::Bars { .. } | Chart::Lengths { .. } => Vec::new(),
        };
        let of = |axis| (line(axis, false), line(axis, true));
        assert_eq!(of(CurveAxis::Fetches), (vec![(10.0, 7.0)], vec![(10.0, 3.0)]));
        assert_eq!(of(CurveAxis::Seconds), (vec![(5.0, 7.0)], vec![(5.0, 3.0)]));
    }
}
