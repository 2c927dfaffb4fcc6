//! Records of another kind within those of a template: comments on answers, which have their dates at a place of their
//! own.

use super::candidate::{Candidate, filled};
use super::cut::{around, cut};
use super::sample::SamplePage;
use crate::anchors::Anchor;
use crate::fields::PageParts;
use crate::segments::Record;

/// Minimum number of records with several others in them: what each record has once is a field of it.
const SEVERAL_MIN: usize = 2;
/// Share of the records of a kind that are in records of another, and of those that are not older than these.
const INSIDE_MIN: f64 = 0.9;
const LATER_MIN: f64 = 0.8;

/// Replaces templates by such that have records of another one in their own, where there are some.
pub fn nest(sample: &[SamplePage<'_>], candidates: &mut [Candidate]) {
    let nested: Vec<Option<Candidate>> = candidates.iter().map(|outer| with_inner(sample, outer, candidates)).collect();
    for (candidate, nested) in candidates.iter_mut().zip(nested) {
        if let Some(nested) = nested {
            *candidate = nested;
        }
    }
}

/// Returns a template with the records in its own that are worth most.
fn with_inner(sample: &[SamplePage<'_>], outer: &Candidate, all: &[Candidate]) -> Option<Candidate> {
    outer.template.fields.text?;
    let worth = |inner: &Candidate| shared(outer, inner).map(|page| inner.worth[&page]).sum::<f64>();
    let fits = all.iter().filter(|inner| are_inside(sample, outer, inner));
    let rated = fits.map(|inner| (worth(inner), inner));
    let (_, inner) = rated.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    nested(sample, outer, inner)
}

/// Returns the pages on which both find posts.
fn shared<'c>(outer: &'c Candidate, inner: &'c Candidate) -> impl Iterator<Item = usize> + 'c {
    let finds = |of: &Candidate, page: &usize| of.worth.get(page).is_some_and(|worth| *worth > 0.0);
    outer.records.keys().copied().filter(move |page| finds(inner, page))
}

/// Returns whether the records of one template are in those of another: several in one, with dates that are not before
/// its own.
fn are_inside(sample: &[SamplePage<'_>], outer: &Candidate, inner: &Candidate) -> bool {
    let fields = &inner.template.fields;
    if inner.template.dates == outer.template.dates || fields.authors.is_empty() || fields.target.is_some() {
        return false;
    }
    let (mut inside, mut later, mut all, mut several) = (0_usize, 0_usize, 0_usize, 0_usize);
    for page in shared(outer, inner) {
        let SamplePage { tree, anchors, .. } = sample[page];
        let mut last = None;
        let mut in_last = 0;
        for record in &inner.records[&page] {
            all += 1;
            let Some(number) = around(tree, anchors, &outer.records[&page], record) else { continue };
            inside += 1;
            later += usize::from(is_later(anchors, &outer.records[&page][number], record));
            in_last = if last == Some(number) { in_last + 1 } else { 1 };
            last = Some(number);
            several += usize::from(in_last == 2);
        }
    }
    several >= SEVERAL_MIN && inside as f64 >= INSIDE_MIN * all as f64 && later as f64 >= LATER_MIN * inside as f64
}

fn is_later(anchors: &[Anchor], outer: &Record, inner: &Record) -> bool {
    let moment = |record: &Record| record.anchor.map(|anchor| (anchors[anchor].date.date, anchors[anchor].date.time));
    match (moment(outer), moment(inner)) {
        (Some(outer), Some(inner)) => {
            outer.0 < inner.0 || (outer.0 == inner.0 && (outer.1.is_none() || outer <= inner))
        }
        _ => true,
    }
}

/// Returns a template with these records in its own.
fn nested(sample: &[SamplePage<'_>], outer: &Candidate, inner: &Candidate) -> Option<Candidate> {
    let (mut pages, mut parts) = (Vec::new(), Vec::new());
    for (page, records) in &outer.records {
        let SamplePage { tree, anchors, .. } = sample[*page];
        let mut records = records.clone();
        let mut of_inner = inner.records.get(page).cloned().unwrap_or_default();
        cut(tree, anchors, &mut of_inner, records.iter_mut());
        pages.push(*page);
        parts.push(PageParts { tree, dates: anchors.iter().map(|anchor| anchor.node).collect(), records });
    }
    let mut nested = filled(sample, outer.template.clone(), &pages, parts)?;
    for page in shared(outer, inner) {
        *nested.worth.entry(page).or_default() += inner.worth[&page];
    }
    nested.template.inner = Some(Box::new(inner.template.clone()));
    Some(nested)
}
