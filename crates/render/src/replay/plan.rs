//! Finds plans for the requests of a slot.

use std::collections::BTreeSet;

use super::chains::{Start, is_same_url, whole_fans};
use super::column::{Column, rows, shape};
use super::explain::{Row, explain, sources};
use super::extract::{Encoding, Extract};
use super::facts::Chain;
use super::source::{Copied, PartSource, Pick};
use super::stop::learn_stop;
use super::template::{Fan, PartPlan, PiecePlan, RequestPlan, UrlPlan};
use super::url_parts::{is_token, is_volatile_value};
use super::why::Why;

/// Minimum number of samples from which the parts of a URL are learned.
pub(super) const PARTS_SAMPLES_MIN: usize = 3;
/// Minimum number of samples that show that the whole URL stands in pages.
pub(super) const WHOLE_SAMPLES_MIN: usize = 2;
/// Number of values that a report of an unexplained part has.
const EXAMPLES_MAX: usize = 3;

/// Returns the plans for a slot that starts in one way, the most plausible first; or why there are none.
pub(super) fn plans(start: Start<'_>, start_index: Option<usize>) -> Result<Vec<RequestPlan>, Why> {
    let mut chains = start.one_each().unwrap_or_default();
    // Links of a page do not follow from one another.
    if start.slot.is_link(start.facts) && chains.iter().any(|chain| chain.requests.len() > 1) {
        chains.clear();
    }
    let finish = |url: UrlPlan, fan: Option<Fan>, chains: &[Chain]| {
        let was_repeated = chains.iter().any(|chain| chain.requests.len() > 1);
        let repeats = (was_repeated && url.has_source(PartSource::is_moving)) || url.has_source(PartSource::is_cursor);
        let stop = learn_stop(chains, start.facts);
        RequestPlan { start: start_index, continues: false, fan, url, repeats, stop }
    };
    let mut plans: Vec<RequestPlan> = Vec::new();
    plans.extend(whole(start, &chains).map(|url| finish(url, None, &chains)));
    if plans.is_empty() {
        plans.extend(whole_fan(start).map(|(url, fan, chains)| finish(url, Some(fan), &chains)));
    }
    if start.slot.samples() < PARTS_SAMPLES_MIN {
        let too_few = Why::TooFewSamples(start.slot.samples());
        return if plans.is_empty() { Err(too_few) } else { Ok(plans) };
    }
    let reason = match parts(start, &chains) {
        Ok(url) => {
            plans.push(finish(url, None, &chains));
            return Ok(plans);
        }
        Err(reason) => reason,
    };
    if plans.is_empty() {
        plans.extend(parts_fan(start).map(|(url, fan, chains)| finish(url, Some(fan), &chains)));
    }
    if plans.is_empty() { Err(reason) } else { Ok(plans) }
}

/// Returns how whole URLs are found, one chain for each sample.
fn whole(start: Start<'_>, chains: &[Chain]) -> Option<UrlPlan> {
    let rows = rows(&Column::Whole, chains, start.facts)?;
    let (first, later): (Vec<Row<'_>>, Vec<Row<'_>>) = rows.iter().partition(|row| row.situation.index == 0);
    let page = if start.after.is_none() { whole_sources(&first, false) } else { whole_sources(&first, true) };
    let sources: Vec<PartSource> = if later.is_empty() {
        page
    } else {
        let then = whole_sources(&later, true).into_iter().next()?;
        page.into_iter().map(|first| PartSource::FirstThen(Box::new(first), Box::new(then.clone()))).collect()
    };
    (!sources.is_empty()).then(|| UrlPlan::Whole { sources, shape: shape(start.slot, start.facts) })
}

/// Returns the places whose first or last values are the URLs of all rows.
fn whole_sources(rows: &[Row<'_>], in_answer: bool) -> Vec<PartSource> {
    let parse = |text: &str| url::Url::parse(text).ok();
    let proposal = rows.first().and_then(|row| {
        let places = if in_answer { row.situation.previous? } else { row.situation.page };
        Some(whole_fans(places, &parse(row.situation.page_url)?, &parse(row.value)?))
    });
    let to_source = if in_answer { PartSource::Answer } else { PartSource::Page };
    let source = |fan: Fan| {
        let mut picks = [Pick::First, Pick::Last].into_iter().map(|pick| {
            let place = fan.place.clone();
            to_source(Copied { place, pick, extract: Extract::Whole, encoding: Encoding::AsFound })
        });
        picks.find(|source| {
            rows.iter().all(|row| {
                let found = (source.text(&row.situation), parse(row.situation.page_url), parse(row.value));
                matches!(found, (Some(text), Some(base), Some(wanted)) if is_same_url(&base, &text, &wanted))
            })
        })
    };
    proposal.unwrap_or_default().into_iter().filter_map(source).collect()
}

/// Returns a place whose values are the whole URLs of a slot.
fn whole_fan(start: Start<'_>) -> Option<(UrlPlan, Fan, Vec<Chain>)> {
    let shape = shape(start.slot, start.facts);
    let mut fans = start.fans(&Column::Whole, &shape).into_iter();
    fans.find_map(|fan| {
        let chains = start.fanned(&fan, &Column::Whole)?;
        let sources = vec![PartSource::Each(Encoding::AsFound)];
        chains.iter().all(|chain| chain.requests.len() == 1).then_some(())?;
        Some((UrlPlan::Whole { sources, shape: shape.clone() }, fan, chains))
    })
}

/// Returns how URLs are put together if the values of one part start a chain each.
fn parts_fan(start: Start<'_>) -> Option<(UrlPlan, Fan, Vec<Chain>)> {
    let (sample, request) = *start.slot.requests.first()?;
    let first = &start.facts[sample].requests[request];
    let shape = shape(start.slot, start.facts);
    let is_constant = |column: &Column| {
        let values = start.slot.requests.iter().map(|(sample, at)| column.value(&start.facts[*sample].requests[*at]));
        values.collect::<BTreeSet<_>>().len() < 2
    };
    let columns = Column::all(&first.parts).into_iter().filter(|column| !is_constant(column));
    let fans = columns.flat_map(|column| start.fans(&column, &shape).into_iter().map(move |fan| (column.clone(), fan)));
    fans.into_iter().find_map(|(column, fan)| {
        let chains = start.fanned(&fan, &column)?;
        let url = parts(start, &chains).ok()?;
        Some((url, fan, chains))
    })
}

/// Returns how URLs are put together, or which part nothing explains.
fn parts(start: Start<'_>, chains: &[Chain]) -> Result<UrlPlan, Why> {
    let Some(first) = chains.first() else { return Err(Why::TooFewSamples(0)) };
    let columns = Column::all(&start.facts[first.sample].requests[first.requests[0]].parts);
    let (mut origin, mut segments, mut query) = (None, Vec::new(), Vec::new());
    for column in columns {
        let plan = column_plan(&column, chains, start)?;
        match column {
            Column::Segment(_) => segments.push(plan),
            Column::Value(key, _) => query.push((key, plan)),
            Column::Origin | Column::Whole => origin = Some(plan),
        }
    }
    let origin = origin.ok_or(Why::TooFewSamples(0))?;
    Ok(UrlPlan::Parts { origin, segments, query })
}

fn column_plan(column: &Column, chains: &[Chain], start: Start<'_>) -> Result<PartPlan, Why> {
    let values: Vec<Option<&str>> = chains
        .iter()
        .flat_map(|chain| chain.requests.iter().map(|at| column.value(&start.facts[chain.sample].requests[*at])))
        .collect();
    if let Some(mut plan) = rows(column, chains, start.facts).and_then(|rows| plan_of_rows(column, &rows)) {
        prefer_page(column, &mut plan);
        return Ok(plan);
    }
    let first = values.iter().flatten().next().copied().unwrap_or_default();
    if let Column::Value(key, _) = column {
        let is_volatile = |value: &&str| is_volatile_value(key, value);
        if values.iter().any(Option::is_none) || values.iter().flatten().all(is_volatile) {
            let sources = vec![PartSource::LeftOut, PartSource::Sampled(first.to_owned())];
            return Ok(PartPlan { pieces: vec![PiecePlan { sources, separator: String::new() }] });
        }
        if values.iter().flatten().any(|value| is_token(key, value)) {
            return Err(Why::Token(column.name()));
        }
    }
    if matches!(column, Column::Segment(_)) && values.iter().flatten().all(|value| is_token("", value)) {
        return Err(Why::Token(column.name()));
    }
    let examples: BTreeSet<&str> = values.into_iter().flatten().collect();
    Err(Why::Unexplained(column.name(), examples.into_iter().take(EXAMPLES_MAX).map(str::to_owned).collect()))
}

fn plan_of_rows(column: &Column, rows: &[Row<'_>]) -> Option<PartPlan> {
    if *column != Column::Origin {
        return explain(rows);
    }
    let sources = sources(rows);
    (!sources.is_empty()).then(|| PartPlan { pieces: vec![PiecePlan { sources, separator: String::new() }] })
}

/// Puts the segment of the page's URL with the same index first. While all samples are of one forum, its name looks
/// constant, but pages of other forums may belong to the cluster.
fn prefer_page(column: &Column, plan: &mut PartPlan) {
    let wanted = match column {
        Column::Origin => Extract::Origin,
        Column::Segment(index) => Extract::Segment(u8::try_from(*index).unwrap_or(u8::MAX)),
        Column::Value(..) | Column::Whole => return,
    };
    let is_wanted =
        |source: &PartSource| matches!(source, PartSource::PageUrl(extract, Encoding::AsFound) if *extract == wanted);
    for piece in plan.pieces.iter_mut().take(1) {
        piece.sources.sort_by_key(|source| !is_wanted(source));
    }
}

impl UrlPlan {
    /// Returns whether a part may have a source of this sort.
    fn has_source(&self, is_wanted: fn(&PartSource) -> bool) -> bool {
        match self {
            Self::Whole { sources, .. } => sources.iter().any(is_wanted),
            Self::Parts { origin, segments, query } => {
                let parts = Some(origin).into_iter().chain(segments).chain(query.iter().map(|(_, part)| part));
                parts.flat_map(|part| &part.pieces).any(|piece| piece.sources.iter().any(is_wanted))
            }
        }
    }
}
