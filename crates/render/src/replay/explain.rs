//! Explains the values that a part of a URL has in the requests of a slot.
//!
//! Every explanation that is proposed was tried on each request, so proposals may be generous. They are made from one
//! request and from an index of the texts on its page, which takes far less time than trying all places.

use super::extract::{Encoding, decode, extracts};
use super::places::Places;
use super::source::{Copied, PartSource, Pick, Situation};
use super::template::{PartPlan, PiecePlan};

/// Maximum number of explanations that are kept for a part.
const SOURCES_MAX: usize = 8;
/// Maximum number of explanations of one sort that are kept.
const SOURCES_OF_SORT_MAX: usize = 4;
/// What separates the pieces of a part.
const SEPARATORS: [&str; 11] = ["%2C", "%3A", "%2F", "-", "_", ".", ",", ":", ";", "~", "|"];
/// Maximum number of pieces of a part.
const PIECES_MAX: usize = 12;

/// A value that is to be explained, and the situation in which it was requested.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    pub value: &'a str,
    pub situation: Situation<'a>,
}

impl<'a> Row<'a> {
    /// Returns the same situation with a part of the value.
    fn with_value(self, value: &'a str) -> Self {
        Self { value, ..self }
    }
}

/// Returns how a part can be made as a whole, or else in pieces; `None` if neither explains all rows.
pub(super) fn explain(rows: &[Row<'_>]) -> Option<PartPlan> {
    let sources = sources(rows);
    if !sources.is_empty() {
        return Some(PartPlan { pieces: vec![PiecePlan { sources, separator: String::new() }] });
    }
    let cut: Vec<Vec<(&str, &str)>> = rows.iter().map(|row| pieces(row.value)).collect();
    let first = cut.first().filter(|pieces| (2..=PIECES_MAX).contains(&pieces.len()))?;
    let is_alike = |pieces: &Vec<(&str, &str)>| {
        pieces.len() == first.len() && pieces.iter().zip(first).all(|((_, a), (_, b))| a == b)
    };
    cut.iter().all(is_alike).then_some(())?;
    let plan = |(index, (_, separator)): (usize, &(&str, &str))| {
        let rows: Vec<Row<'_>> = rows.iter().zip(&cut).map(|(row, pieces)| row.with_value(pieces[index].0)).collect();
        let sources = self::sources(&rows);
        (!sources.is_empty()).then_some(PiecePlan { sources, separator: (*separator).to_owned() })
    };
    let pieces = first.iter().enumerate().map(plan).collect::<Option<Vec<_>>>()?;
    Some(PartPlan { pieces })
}

/// Cuts a value into pieces, each with the separator behind it.
fn pieces(value: &str) -> Vec<(&str, &str)> {
    let (mut pieces, mut from, mut at) = (Vec::new(), 0, 0);
    while at < value.len() {
        // Separators and percent signs are ASCII, so they start and end at characters.
        let starts = |separator: &&&str| value.as_bytes()[at..].starts_with(separator.as_bytes());
        let Some(separator) = SEPARATORS.iter().find(starts) else {
            at += 1;
            continue;
        };
        pieces.push((&value[from..at], &value[at..at + separator.len()]));
        at += separator.len();
        from = at;
    }
    pieces.push((&value[from..], ""));
    pieces
}

/// Returns the explanations that hold for all rows, in order of preference.
pub(super) fn sources(rows: &[Row<'_>]) -> Vec<PartSource> {
    let mut sources = page_url_sources(rows);
    let Some(first) = rows.first() else { return sources };
    let each = Encoding::ALL.into_iter().map(PartSource::Each);
    sources.extend(each.filter(|source| holds(source, rows)).take(1));
    sources.extend(copied(first, first.situation.page, PartSource::Page, rows));
    sources.extend(answers(rows));
    sources.extend(counter(rows));
    sources.extend(first_then(rows));
    sources.truncate(SOURCES_MAX);
    sources
}

/// Returns the texts that a value may encode: in forms `+` is a space.
fn decoded_forms(value: &str) -> [String; 2] {
    [decode(value), decode(&value.replace('+', " "))]
}

/// Returns whether a source gives the value of each row.
pub(super) fn holds(source: &PartSource, rows: &[Row<'_>]) -> bool {
    rows.iter().all(|row| source.text(&row.situation).as_deref() == Some(row.value))
}

/// Returns the constant and the parts of the page's URL that explain all rows.
pub(super) fn page_url_sources(rows: &[Row<'_>]) -> Vec<PartSource> {
    let Some(first) = rows.first() else { return Vec::new() };
    let constant = PartSource::Constant(first.value.to_owned());
    let [wanted, spaced] = decoded_forms(first.value);
    let is_wanted = |text: &str| text == wanted || text == spaced;
    let found = extracts(first.situation.page_url).into_iter().filter(|(_, text)| is_wanted(&decode(text)));
    let copies = found.flat_map(|(way, _)| Encoding::ALL.map(|encoding| PartSource::PageUrl(way.clone(), encoding)));
    let mut sources: Vec<PartSource> =
        Some(constant).into_iter().chain(copies).filter(|source| holds(source, rows)).collect();
    // Another encoding of the same text adds nothing unless a later page shows the difference.
    sources.truncate(SOURCES_OF_SORT_MAX + 1);
    sources
}

/// Returns the places that explain all rows, proposed by one row and what was known in it.
fn copied(row: &Row<'_>, known: &Places, to_source: fn(Copied) -> PartSource, rows: &[Row<'_>]) -> Vec<PartSource> {
    let forms = decoded_forms(row.value);
    let mut found = Vec::new();
    let texts = forms.iter().take(if forms[0] == forms[1] { 1 } else { 2 });
    for (place, extract) in texts.flat_map(|text| known.origins_of(text)) {
        let ways =
            [Pick::First, Pick::Last].into_iter().flat_map(|pick| Encoding::ALL.map(|encoding| (pick, encoding)));
        let mut sources = ways.map(|(pick, encoding)| {
            to_source(Copied { place: place.clone(), pick, extract: extract.clone(), encoding })
        });
        found.extend(sources.find(|source| holds(source, rows)));
        if found.len() >= SOURCES_OF_SORT_MAX {
            break;
        }
    }
    found
}

/// Returns the places of previous answers that explain all rows.
fn answers(rows: &[Row<'_>]) -> Vec<PartSource> {
    let proposal = rows.first().and_then(|row| Some((row, row.situation.previous?)));
    proposal.map(|(row, answer)| copied(row, answer, PartSource::Answer, rows)).unwrap_or_default()
}

/// Returns the counter that explains all rows.
fn counter(rows: &[Row<'_>]) -> Option<PartSource> {
    let number = |index: usize| rows.iter().find(|row| row.situation.index == index)?.value.parse::<i64>().ok();
    let (first, second) = (number(0)?, number(1)?);
    let source = PartSource::Counter { first, step: second.checked_sub(first)? };
    (first != second && holds(&source, rows)).then_some(source)
}

/// Returns the explanations of the first requests of chains, each with one of the later ones.
fn first_then(rows: &[Row<'_>]) -> Option<PartSource> {
    let (first, later): (Vec<Row<'_>>, Vec<Row<'_>>) = rows.iter().partition(|row| row.situation.index == 0);
    let then = answers(&later).into_iter().next()?;
    let start = sources(&first).into_iter().next()?;
    (start != then).then(|| PartSource::FirstThen(Box::new(start), Box::new(then)))
}
