//! Draws charts as SVG.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{Bar, Chart, Group, Length, Series};
use crate::figures;

/// How a plot is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Width and height in pixels. A plot of many groups of bars is wider; the height of bars below each other depends
    /// on their number.
    pub size: (u32, u32),
    /// Whether to draw the title, the legend and a white background too; otherwise the page around the plot has them.
    pub alone: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { size: (900, 420), alone: true }
    }
}

/// The width of a group of bars with its name, in pixels.
const GROUP_WIDTH: usize = 180;
/// The maximum width of a plot, in pixels.
const WIDTH_MAX: u32 = 4_000;
/// The height of a bar with its name above it, in pixels.
const ROW_HEIGHT: u32 = 42;
/// The height of the bar itself, in pixels.
const BAR_HEIGHT: i32 = 12;
/// Colours that people with any kind of colour vision can tell apart (Okabe and Ito 2008).
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(213, 94, 0),
    RGBColor(86, 180, 233),
    RGBColor(120, 120, 120),
    RGBColor(0, 0, 0),
];

const GREY: RGBColor = RGBColor(120, 120, 120);

/// The result of drawing. Errors are texts, because every layer has its own error type.
type Drawn<T = ()> = Result<T, String>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws the chart as an SVG element.
///
/// # Errors
/// States what could not be drawn.
pub fn svg(chart: &Chart, look: Look) -> Drawn<String> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size(chart, look)).into_drawing_area();
        if look.alone {
            area.fill(&WHITE).map_err(said)?;
        }
        match chart {
            Chart::Lines { title, x, y, series } => lines(&area, title, x, y, series, look)?,
            Chart::Bars { title, y, groups } => bars(&area, title, y, groups)?,
            Chart::Lengths { lengths, .. } => below_each_other(&area, lengths)?,
        }
        area.present().map_err(said)?;
    }
    Ok(text)
}

fn size(chart: &Chart, look: Look) -> (u32, u32) {
    let (width, height) = look.size;
    match chart {
        Chart::Lines { .. } => (width, height),
        Chart::Bars { groups, .. } => {
            let needed = u32::try_from(groups.len() * GROUP_WIDTH).unwrap_or(WIDTH_MAX);
            (needed.clamp(width, WIDTH_MAX.max(width)), height)
        }
        Chart::Lengths { lengths, .. } => (width, ROW_HEIGHT * u32::try_from(lengths.len().max(1)).unwrap_or(1)),
    }
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn colour(at: usize) -> RGBColor {
    COLOURS[at % COLOURS.len()]
}

/// Returns the range from 0 to slightly above the largest of `values`; 0 to 1 if there is none above 0.
fn axis(values: impl Iterator<Item = f64>) -> Range<f64> {
    let most = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
    0.0..if most > 0.0 { most * 1.05 } else { 1.0 }
}

fn lines(area: &Area<'_>, title: &str, x: &str, y: &str, series: &[Series], look: Look) -> Drawn {
    let points = || series.iter().flat_map(|series| &series.points);
    let mut builder = ChartBuilder::on(area);
    if look.alone {
        builder.caption(title, ("sans-serif", 18));
    }
    builder.margin(10).x_label_area_size(40).y_label_area_size(70);
    let (xs, ys) = (axis(points().map(|point| point.0)), axis(points().map(|point| point.1)));
    let mut chart = builder.build_cartesian_2d(xs, ys).map_err(said)?;
    let mut mesh = chart.configure_mesh();
    let ticks = (look.size.0 / 90) as usize;
    mesh.x_desc(x).y_desc(y).light_line_style(WHITE).x_labels(ticks.min(10)).y_labels(6);
    mesh.label_style(("sans-serif", 13)).x_label_formatter(&tick).y_label_formatter(&tick);
    mesh.draw().map_err(said)?;
    for (at, line) in series.iter().enumerate() {
        // A reference line is grey if the page has the legend.
        let colour = if line.dashed && !look.alone { GREY } else { colour(at) };
        let style = colour.stroke_width(2);
        let points = line.points.iter().copied();
        let drawn = if line.dashed {
            chart.draw_series(DashedLineSeries::new(points, 6, 4, style))
        } else {
            chart.draw_series(LineSeries::new(points, style))
        };
        drawn.map_err(said)?.label(&line.name).legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
    }
    // The curves grow, so the upper left corner is free.
    if look.alone { legend(&mut chart, SeriesLabelPosition::UpperLeft) } else { Ok(()) }
}

/// Formats a figure on an axis: `12,000`, `0.25`.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the library requires this signature")]
fn tick(value: &f64) -> String {
    let (value, sign) = (value.abs(), if *value < 0.0 { "-" } else { "" });
    let text = format!("{value:.3}");
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let (whole, part) = (whole.parse().map_or_else(|_| whole.to_owned(), figures::count), part.trim_end_matches('0'));
    if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

/// Draws bars over the whole width, each below its name (left) and its figure (right).
fn below_each_other(area: &Area<'_>, lengths: &[Length]) -> Drawn {
    let width = i32::try_from(area.dim_in_pixel().0).unwrap_or(i32::MAX);
    let longest = axis(lengths.iter().map(|length| length.value)).end / 1.05;
    let style = |at| TextStyle::from(("sans-serif", 14)).pos(Pos::new(at, VPos::Top));
    for (at, length) in (0..).zip(lengths) {
        let top = at * i32::try_from(ROW_HEIGHT).unwrap_or(0) + 4;
        let bar = (f64::from(width - 2) * (length.value / longest).clamp(0.0, 1.0)).max(1.0) as i32;
        let (bar_top, fill) = (top + 18, colour(0).filled());
        area.draw(&Text::new(length.name.as_str(), (1, top), style(HPos::Left))).map_err(said)?;
        area.draw(&Text::new(length.shown.as_str(), (width - 1, top), style(HPos::Right))).map_err(said)?;
        area.draw(&Rectangle::new([(1, bar_top), (1 + bar, bar_top + BAR_HEIGHT)], fill)).map_err(said)?;
    }
    Ok(())
}

fn bars(area: &Area<'_>, title: &str, y: &str, groups: &[Group]) -> Drawn {
    let mut builder = ChartBuilder::on(area);
    builder.caption(title, ("sans-serif", 18)).margin(10).x_label_area_size(40).y_label_area_size(70);
    let heights = groups.iter().flat_map(|group| &group.bars).map(|bar| bar.value + bar.deviation);
    // A quarter more to the right, for the legend.
    let width = groups.len().max(1) as f64 * 1.25;
    let mut chart = builder.build_cartesian_2d(0.0..width, axis(heights)).map_err(said)?;
    let name = |x: &f64| groups.get(x.floor() as usize).map_or_else(String::new, |group| group.name.clone());
    let mut mesh = chart.configure_mesh();
    mesh.y_desc(y).disable_x_mesh().x_labels(0).light_line_style(WHITE).draw().map_err(said)?;
    for (at, name) in names(groups).into_iter().enumerate() {
        let style = colour(at).filled();
        let rectangles =
            placed(groups, name).map(|(x, bar)| Rectangle::new([(x.start, 0.0), (x.end, bar.value)], style));
        let drawn = chart.draw_series(rectangles).map_err(said)?.label(name);
        drawn.legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], style));
        let spreads = placed(groups, name).filter(|(_, bar)| bar.deviation > 0.0).map(|(x, bar)| {
            let middle = x.start.midpoint(x.end);
            let ends = [(middle, (bar.value - bar.deviation).max(0.0)), (middle, bar.value + bar.deviation)];
            PathElement::new(ends, BLACK.stroke_width(1))
        });
        chart.draw_series(spreads).map_err(said)?;
    }
    let labels = (0..groups.len()).map(|at| {
        let style = TextStyle::from(("sans-serif", 13)).pos(Pos::new(HPos::Center, VPos::Top));
        EmptyElement::at((at as f64 + 0.5, 0.0)) + Text::new(name(&(at as f64)), (0, 8), style)
    });
    chart.draw_series(labels).map_err(said)?;
    legend(&mut chart, SeriesLabelPosition::UpperRight)
}

/// Returns the distinct names of the bars, in the order of their first occurrence.
fn names(groups: &[Group]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for bar in groups.iter().flat_map(|group| &group.bars) {
        if !names.contains(&bar.name.as_str()) {
            names.push(&bar.name);
        }
    }
    names
}

/// Returns the bars with this name, each with its range on the axis: a group takes 0.8 of a unit.
fn placed<'a>(groups: &'a [Group], name: &'a str) -> impl Iterator<Item = (Range<f64>, &'a Bar)> {
    groups.iter().enumerate().flat_map(move |(group_at, group)| {
        let width = 0.8 / group.bars.len() as f64;
        let bars = group.bars.iter().enumerate().filter(move |(_, bar)| bar.name == name);
        bars.map(move |(at, bar)| {
            let start = group_at as f64 + 0.1 + at as f64 * width;
            (start..start + width * 0.92, bar)
        })
    })
}

type Plane<'a, 'b> = ChartContext<
    'a,
    SVGBackend<'b>,
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>,
>;

fn legend<'a, 'b: 'a>(chart: &mut Plane<'a, 'b>, position: SeriesLabelPosition) -> Drawn {
    let mut labels = chart.configure_series_labels();
    labels.position(position).background_style(WHITE.mix(0.85)).border_style(BLACK.mix(0.2));
    labels.draw().map_err(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.to_owned(), points, dashed: name == "paper" }
    }

    fn lines_of(series: Vec<Series>) -> String {
        let (title, x, y) = ("Title".to_owned(), "fetches".to_owned(), "valid".to_owned());
        svg(&Chart::Lines { title, x, y, series }, Look::default()).unwrap()
    }

    #[test]
    fn lines_are_drawn_with_their_names() {
        let drawn =
            lines_of(vec![line("bfs", vec![(0.0, 0.0), (10.0, 5.0)]), line("paper", vec![(0.0, 1.0), (10.0, 1.0)])]);
        assert!(drawn.starts_with("<svg ") && drawn.trim_end().ends_with("</svg>"));
        for part in ["bfs", "paper", "fetches", "Title", "<polyline"] {
            assert!(drawn.contains(part), "{part}");
        }
    }

    #[test]
    fn bars_are_drawn_in_one_colour_per_name() {
        let bar = |name: &str, value| Bar { name: name.to_owned(), value, deviation: 0.1 };
        let group = |name: &str| Group { name: name.to_owned(), bars: vec![bar("bfs", 0.5), bar("source", 0.75)] };
        let groups = vec![group("machina"), group("spirit")];
        let drawn =
            svg(&Chart::Bars { title: "T".to_owned(), y: "valid_ratio".to_owned(), groups }, Look::default()).unwrap();
        for part in ["machina", "spirit", "bfs", "source", "valid_ratio", "#0072B2", "#E69F00"] {
            assert!(drawn.contains(part), "{part}");
        }
    }

    #[test]
    fn bars_below_each_other_have_their_names_and_figures_and_lengths_in_proportion() {
        let length = |name: &str, value: f64| Length { name: name.to_owned(), shown: tick(&value), value };
        let lengths = vec![length("found", 1_000.0), length("fetched", 250.0), length("none", 0.0)];
        let look = Look { size: (402, 10), alone: false };
        let drawn = svg(&Chart::Lengths { title: String::new(), lengths }, look).unwrap();
        for part in ["found", "1,000", "fetched", "width=\"400\"", "width=\"100\"", "height=\"126\""] {
            assert!(drawn.contains(part), "{part}: {drawn}");
        }
        assert!(!drawn.contains("#FFFFFF"), "the background is the page's");
    }

    #[test]
    fn figures_on_an_axis_are_short() {
        let cases = [(0.0, "0"), (1_200.0, "1,200"), (0.25, "0.25"), (-2.5, "-2.5"), (12_345.678, "12,345.678")];
        for (value, text) in cases {
            assert_eq!(tick(&value), text);
        }
    }

    #[test]
    fn markup_in_names_is_escaped() {
        let drawn = lines_of(vec![line("<script>alert(1)</script>", vec![(0.0, 1.0)])]);
        assert!(!drawn.contains("<script>"), "{drawn}");
    }

    #[test]
    fn empty_charts_are_drawn() {
        assert!(lines_of(vec![]).contains("<svg"));
        assert!(lines_of(vec![line("empty", vec![])]).contains("<svg"));
        assert!(
            lines_of(vec![line("flat", vec![(0.0, 0.0)]), line("odd", vec![(f64::NAN, f64::NAN)])]).contains("<svg")
        );
        let none = Chart::Bars { title: String::new(), y: String::new(), groups: vec![] };
        assert!(svg(&none, Look::default()).unwrap().contains("<svg"));
    }
}
