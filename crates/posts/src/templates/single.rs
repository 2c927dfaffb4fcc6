//! Pages with one post and nothing that repeats, such as messages of mailing lists: what differs from page to page is
//! the post.

use std::collections::{BTreeMap, BTreeSet};

use super::opener::Opener;
use super::record_fields::{author_of_byline, worth_of};
use super::sample::{DatePlace, SamplePage, dates_by_place};
use crate::fields::{PageParts, Places};
use crate::maps::HashSet;
use crate::segments::Record;

/// Minimum number of pages of a template of single posts.
const PAGES_MIN: usize = 5;
/// Minimum number of words of their texts on average.
const WORDS_MIN: f64 = 15.0;
/// Minimum share of the pages with words of their own.
const FILLED_MIN: f64 = 0.8;
/// Maximum number of such templates of a site.
const TEMPLATES_MAX: usize = 8;

/// Learns the templates of the pages of a sample that are left over.
pub fn learn_singles(sample: &[SamplePage<'_>], mut open: BTreeSet<usize>) -> Vec<Opener> {
    let mut groups: BTreeMap<DatePlace, Vec<(usize, usize)>> = BTreeMap::new();
    // On how many pages a place has a single date.
    let mut alone: BTreeMap<DatePlace, usize> = BTreeMap::new();
    for page in &open {
        let SamplePage { tree, anchors, .. } = sample[*page];
        for (place, _) in dates_by_place(tree, anchors).into_iter().filter(|(_, dates)| dates.len() == 1) {
            *alone.entry(place).or_default() += 1;
        }
        for (at, anchor) in anchors.iter().enumerate().filter(|(_, anchor)| !anchor.is_later) {
            for place in DatePlace::of(tree, anchor.node) {
                let group = groups.entry(place).or_default();
                // The first date of the place counts.
                if group.last().is_none_or(|(last, _)| last != page) {
                    group.push((*page, at));
                }
            }
        }
    }
    groups.retain(|_, group| group.len() >= PAGES_MIN);
    let found = groups.into_iter().filter_map(|(dates, group)| {
        let (opener, worth) = candidate(sample, dates, &group)?;
        Some((worth, alone.get(&dates).copied().unwrap_or_default(), opener, group))
    });
    let mut found: Vec<_> = found.collect();
    // Of dates of the same pages that is the one of the post that is alone at its place: others are of a table of
    // changes.
    found.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
    let mut singles = Vec::new();
    for (.., opener, group) in found {
        let pages: Vec<usize> = group.into_iter().map(|(page, _)| page).filter(|page| open.contains(page)).collect();
        if pages.len() >= PAGES_MIN && singles.len() < TEMPLATES_MAX {
            pages.iter().for_each(|page| {
                open.remove(page);
            });
            singles.push(opener);
        }
    }
    singles
}

fn candidate(sample: &[SamplePage<'_>], dates: DatePlace, group: &[(usize, usize)]) -> Option<(Opener, f64)> {
    let part = |(page, at): &(usize, usize)| {
        let SamplePage { tree, anchors, .. } = sample[*page];
        // All of the page, but for its root, which is no element.
        let element = tree.upwards(anchors[*at].node).take_while(|node| *node != 0).last()?;
        let dates = anchors.iter().map(|anchor| anchor.node).collect();
        Some(PageParts { tree, dates, records: vec![Record::new(Some(*at), vec![element])] })
    };
    let parts: Vec<PageParts<'_>> = group.iter().map(part).collect::<Option<_>>()?;
    let places = Places::of(&parts);
    let (fields, words) = places.fields();
    let number = words.len() as f64;
    let filled = words.iter().filter(|words| **words > 0).count() as f64;
    let mean = words.iter().sum::<usize>() as f64 / number;
    let in_line = |(page, at): &&(usize, usize)| {
        let SamplePage { tree, anchors, .. } = sample[*page];
        author_of_byline(&tree.text(anchors[*at].node)).is_some()
    };
    // The author may be named only in the line with the date.
    let has_line = || group.iter().filter(in_line).count() as f64 >= FILLED_MIN * number;
    let is_named = fields.authors.first().is_some_and(|author| places.tells_person(*author));
    if fields.text.is_none() || !(is_named || has_line()) || mean < WORDS_MIN || filled < FILLED_MIN * number {
        return None;
    }
    let paths: HashSet<u64> = parts.iter().map(|part| part.tree.node(part.records[0].parts[0]).path).collect();
    let worth = words.iter().map(|words| worth_of(*words)).sum::<f64>();
    Some((Opener { dates, paths, fields }, worth))
}
