//! Learns the templates of a site from some of its pages: candidates, each with the places of its fields and what it is
//! worth, of which the best are kept.
//!
//! Records of another kind may be within those of a template: comments on answers, which have their dates at a place of
//! their own.

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use super::opener::{Opener, SampleRecords};
use super::sample::{DatePlace, SamplePage, dates_by_place};
use super::template::{Template, around, cut, worth};
use crate::anchors::Anchor;
use crate::details::IdRules;
use crate::fields::{PageParts, Place, Places};
use crate::maps::HashSet;
use crate::segments::{Cuts, DatedPage, Record};

/// Minimum number of dates of one place on a page, for it to have records.
const RECORDS_MIN: usize = 2;
/// A template takes the pages where its worth is at least this share of the best one's.
const GOOD_ENOUGH: f64 = 0.8;
/// Maximum number of places of dates that may be those of records: each is compared with all others. Those with most
/// dates count.
const GROUPS_MAX: usize = 128;
/// Maximum number of templates of a site.
const TEMPLATES_MAX: usize = 32;

/// The dates at a place, on each page that has some.
type Group = Vec<(usize, Vec<usize>)>;

/// Learns the templates of pages with several records, and returns them with the pages that none finds posts on.
pub fn learn_lists(sample: &[SamplePage<'_>]) -> (Vec<Template>, BTreeSet<usize>) {
    let candidates = groups(sample).into_iter().filter_map(|(place, group)| candidate(sample, place, &group));
    let mut candidates: Vec<Candidate> = candidates.collect();
    nest(sample, &mut candidates);
    let with_posts: BTreeSet<usize> = candidates.iter().flat_map(Candidate::pages).collect();
    let others = (0..sample.len()).filter(|page| !with_posts.contains(page)).collect();
    (select(sample, candidates), others)
}

/// Returns the dates of each place. Of places with the same dates the most exact stays.
fn groups(sample: &[SamplePage<'_>]) -> Vec<(DatePlace, Group)> {
    let mut groups: BTreeMap<DatePlace, Group> = BTreeMap::new();
    for (number, page) in sample.iter().enumerate() {
        for (place, anchors) in dates_by_place(page.tree, page.anchors) {
            groups.entry(place).or_default().push((number, anchors));
        }
    }
    let mut seen: BTreeSet<Group> = BTreeSet::new();
    let several = groups.into_iter().filter(|(_, group)| group.iter().any(|(_, anchors)| anchors.len() >= RECORDS_MIN));
    most_dates(several.filter(|(_, group)| seen.insert(group.clone())).collect())
}

/// Returns the groups with most dates, in their order.
fn most_dates(mut groups: Vec<(DatePlace, Group)>) -> Vec<(DatePlace, Group)> {
    if groups.len() > GROUPS_MAX {
        let dates = |(_, group): &(DatePlace, Group)| group.iter().map(|(_, anchors)| anchors.len()).sum::<usize>();
        groups.sort_by_key(|group| (std::cmp::Reverse(dates(group)), group.0));
        groups.truncate(GROUPS_MAX);
        groups.sort_by_key(|(place, _)| *place);
    }
    groups
}

fn candidate(sample: &[SamplePage<'_>], dates: DatePlace, group: &Group) -> Option<Candidate> {
    let dated = |(page, anchors): &(usize, Vec<usize>)| {
        let SamplePage { tree, anchors: all, .. } = sample[*page];
        (DatedPage { tree, all, anchors: &[] }, anchors.clone())
    };
    let mut cuts = Cuts::default();
    for (page, anchors) in group.iter().map(dated).filter(|(_, anchors)| anchors.len() >= RECORDS_MIN) {
        cuts.learn(DatedPage { anchors: &anchors, ..page });
    }
    let mut parts: Vec<PageParts<'_>> = Vec::new();
    for (page, anchors) in group.iter().map(dated) {
        let records = cuts.records(DatedPage { anchors: &anchors, ..page });
        let dates = page.all.iter().map(|anchor| anchor.node).collect();
        parts.push(PageParts { tree: page.tree, dates, records });
    }
    let common = drop_unlike(&mut parts);
    let pages: Vec<usize> = group.iter().map(|(page, _)| *page).collect();
    let template = Template { dates, cuts, common, ..Template::default() };
    filled(sample, template, &pages, parts)
}

/// Removes records without a date that do not look as those with one. Returns the places that most of these have.
fn drop_unlike(parts: &mut [PageParts<'_>]) -> HashSet<Place> {
    let (alike, common) = {
        let sure: Vec<bool> =
            parts.iter().flat_map(|part| &part.records).map(|record| record.anchor.is_some()).collect();
        let places = Places::of(parts);
        let common = places.common(&sure);
        (places.alike(&sure, &common), common)
    };
    let mut alike = alike.into_iter();
    for part in parts {
        part.records.retain(|_| alike.next().unwrap_or(true));
    }
    common
}

/// Selects the templates that are worth most, each together with the pages that it takes.
fn select(sample: &[SamplePage<'_>], mut candidates: Vec<Candidate>) -> Vec<Template> {
    let mut best = vec![0.0_f64; sample.len()];
    for (page, worth) in candidates.iter().flat_map(|candidate| &candidate.worth) {
        best[*page] = best[*page].max(*worth);
    }
    let mut open: BTreeSet<usize> = (0..sample.len()).filter(|page| best[*page] > 0.0).collect();
    let mut selected = Vec::new();
    while !open.is_empty() && selected.len() < TEMPLATES_MAX {
        let taken = |candidate: &Candidate| -> Vec<usize> {
            let good = |(page, worth): &(&usize, &f64)| open.contains(page) && **worth >= GOOD_ENOUGH * best[**page];
            candidate.worth.iter().filter(good).map(|(page, _)| *page).collect()
        };
        let value = |candidate: &Candidate| taken(candidate).iter().map(|page| candidate.worth[page]).sum::<f64>();
        let values: Vec<f64> = candidates.iter().map(value).collect();
        // The first of equals: the most exact place.
        let most = (0..values.len()).rev().max_by(|one, other| values[*one].total_cmp(&values[*other]));
        let Some(most) = most.filter(|most| values[*most] > 0.0) else { break };
        let pages = taken(&candidates[most]);
        for page in &pages {
            open.remove(page);
        }
        selected.push(with_opener(sample, candidates.swap_remove(most), &pages));
    }
    selected
}

/// Adds the opening post to a template that takes these pages.
fn with_opener(sample: &[SamplePage<'_>], mut candidate: Candidate, pages: &[usize]) -> Template {
    let taken = |page: &usize| {
        let records = candidate.records.remove(page).unwrap_or_default();
        let worth = candidate.worth[page] / records.len().max(1) as f64;
        SampleRecords { page: sample[*page], records, worth }
    };
    let pages: Vec<SampleRecords<'_>> = pages.iter().map(taken).collect();
    Template { opener: Opener::learn(&pages), ..candidate.template }
}

/// Minimum number of words of the texts of a list, on average, for them to be excerpts.
const EXCERPT_WORDS_MIN: f64 = 15.0;
/// Minimum number of words of posts on average.
const POST_WORDS_MIN: f64 = 2.0;

/// A template with its records and their worth on each page of the sample.
pub(super) struct Candidate {
    pub template: Template,
    pub records: BTreeMap<usize, Vec<Record>>,
    pub worth: BTreeMap<usize, f64>,
}

impl Candidate {
    /// Returns the pages where it finds posts.
    pub fn pages(&self) -> impl Iterator<Item = usize> + '_ {
        self.worth.iter().filter(|(_, worth)| **worth > 0.0).map(|(page, _)| *page)
    }
}

/// Learns where the fields of the records of some pages are; `None` if these are no posts.
pub(super) fn filled(
    sample: &[SamplePage<'_>],
    template: Template,
    pages: &[usize],
    parts: Vec<PageParts<'_>>,
) -> Option<Candidate> {
    let (fields, words) = Places::of(&parts).fields();
    // A list without excerpts has no posts, nor have tables of changes and of numbers.
    let mean = words.iter().sum::<usize>() as f64 / words.len().max(1) as f64;
    if mean < if fields.target.is_some() { EXCERPT_WORDS_MIN } else { POST_WORDS_MIN } {
        return None;
    }
    let mut worths = BTreeMap::new();
    let mut from = 0;
    for (page, part) in pages.iter().zip(&parts) {
        let words = words.get(from..from + part.records.len())?;
        from += part.records.len();
        worths.insert(*page, worth(part.tree, sample[*page].anchors, &part.records, words, !fields.authors.is_empty()));
    }
    let urls: Vec<&Url> = pages.iter().map(|page| sample[*page].url).collect();
    let anchors: Vec<&[Anchor]> = pages.iter().map(|page| sample[*page].anchors).collect();
    let ids = IdRules::learn(&parts, &urls, &anchors);
    let records = pages.iter().zip(parts).map(|(page, part)| (*page, part.records)).collect();
    Some(Candidate { template: Template { fields, ids, ..template }, records, worth: worths })
}

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
