//! Learns the templates of a site from some of its pages.

use std::collections::{BTreeMap, BTreeSet};

use super::candidate::{Candidate, filled};
use super::inner::nest;
use super::opener::{Opener, SampleRecords};
use super::sample::{DatePlace, SamplePage, dates_by_place};
use super::template::Template;
use crate::fields::{PageParts, Place, Places};
use crate::maps::HashSet;
use crate::segments::{Cuts, DatedPage};

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
