//! What is known of a site once some of its pages were scored.

use std::collections::{BTreeMap, HashSet};

use super::tally::PostTally;
use super::truth::{Field, PostTruth};
use super::words::Words;
use harvestman_posts::ParentRef;
use harvestman_posts::site::Collector;

/// The posts found so far, with the truth.
#[derive(Debug)]
pub(super) struct Collected<'t> {
    pub truth: &'t [PostTruth],
    /// The readings of the text of each true post.
    pub readings: Vec<Vec<Words>>,
    /// The posts of which a scored page shows the whole.
    pub expected: HashSet<usize>,
    /// Counts by type of page.
    pub tallies: BTreeMap<String, PostTally>,
    pub found: Vec<Occurrence>,
    /// Finds out which of these are the same post, as an export does.
    pub records: Collector,
}

/// A post found on a page, reduced to what is compared once all pages are known.
#[derive(Debug)]
pub(super) struct Occurrence {
    /// The type of its page.
    pub page_type: String,
    /// Whether it is a part of a post only.
    pub is_excerpt: bool,
    /// The post that it is, if its text is right.
    pub of: Option<usize>,
    /// The fields that its page lacks.
    pub lacks: Vec<Field>,
    pub id: Option<String>,
    pub url: Option<String>,
    pub thread: Option<String>,
    pub parent: Option<ParentRef>,
    /// The posts found on its page, by their order; empty unless its parent is given by an index.
    pub on_page: Vec<Option<usize>>,
}

impl<'t> Collected<'t> {
    /// Creates it without found posts.
    pub fn new(truth: &'t [PostTruth]) -> Self {
        let readings =
            |post: &PostTruth| std::iter::once(&post.text).chain(&post.variants).map(|text| Words::of(text)).collect();
        let readings = truth.iter().map(readings).collect();
        let (expected, tallies, records) = (HashSet::new(), BTreeMap::new(), Collector::default());
        Self { truth, readings, expected, tallies, found: Vec::new(), records }
    }

    /// Returns whether a page that lacks some fields shows this one of a post.
    pub fn shows(&self, of: usize, field: Field, lacks: &[Field]) -> bool {
        let post = &self.truth[of];
        let exists = match field {
            Field::Author => post.author.is_some(),
            Field::Minute => post.time.is_some() && post.time_shown,
            Field::Day => post.time.is_some(),
            Field::Thread => post.thread.is_some(),
            Field::Parent => !post.parent.0.is_empty(),
            Field::Url => post.url.is_some(),
        };
        exists && !lacks.contains(&field)
    }
}

/// Counts a field of a post with the right text.
pub(super) fn record(tally: &mut PostTally, field: Field, is_given: bool, is_right: bool) {
    let counts = tally.fields.entry(field).or_default();
    counts.found += 1;
    counts.given += u64::from(is_given);
    counts.right += u64::from(is_right);
}
