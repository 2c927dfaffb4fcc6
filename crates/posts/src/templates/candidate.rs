//! Templates that may be those of a site: where their fields are, and what they are worth.

use std::collections::BTreeMap;

use url::Url;

use super::sample::SamplePage;
use super::template::{Template, worth};
use crate::anchors::Anchor;
use crate::details::IdRules;
use crate::fields::{PageParts, Places};
use crate::segments::Record;

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
