//! A template of pages with several records. Records of another kind that are in them are taken out.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use super::opener::Opener;
use super::record_fields::{FieldNodes, post, worth_of};
use super::sample::{DateGroups, DatePlace};
use crate::anchors::Anchor;
use crate::details::{IdRules, Marks};
use crate::fields::{ALIKE_MIN, Fields, Place, place_of};
use crate::maps::HashSet;
use crate::records::PagePost;
use crate::segments::{Cuts, DatedPage, Record};
use crate::tree::{NodeIndex, Tree};

/// The factor of records without an author.
const NO_AUTHOR: f64 = 0.5;
/// What records without words of their own take from the worth, at most.
const EMPTY: f64 = 0.7;
/// Number of elements around a date that make its place, whatever shows it.
const AROUND_ELEMENTS: usize = 2;
/// Minimum share of records with words of their own that are no link: others are lists of links.
const FILLED_MIN: f64 = 0.3;

/// The records of a kind of page.
#[derive(Debug, Clone, Default)]
pub struct Template {
    /// Where their dates are.
    pub dates: DatePlace,
    /// How they are parted.
    pub cuts: Cuts,
    /// Where their fields are.
    pub fields: Fields,
    /// The places that most records have.
    pub common: HashSet<Place>,
    /// The opening post, if its elements are others.
    pub opener: Option<Opener>,
    /// What tells the records apart.
    pub ids: IdRules,
    /// Records of another kind in these, such as comments on answers.
    pub inner: Option<Box<Self>>,
}

/// What a template finds on a page.
#[derive(Debug, Clone, Default)]
pub struct TemplateMatch {
    /// The posts.
    pub posts: Vec<PagePost>,
    /// The record of each.
    pub records: Vec<Record>,
    /// What tells them apart, and what tells those apart that are in others.
    pub ids: IdRules,
    pub inner_ids: IdRules,
    /// The identifier and the address of each record, once they are known.
    pub marks: Vec<Marks>,
    /// How well they fit posts.
    pub worth: f64,
    /// Whether the page is that of one post.
    pub is_single: bool,
    /// Whether users named the elements of the records.
    pub is_taught: bool,
    /// The template, as its index among those of its kind.
    pub template: usize,
}

impl TemplateMatch {
    /// Keeps some of the records, with what belongs to each.
    pub fn keep(&mut self, stays: &[bool]) {
        keep(&mut self.posts, stays);
        keep(&mut self.records, stays);
        keep(&mut self.marks, stays);
    }
}

/// Records with the posts that they make, and how well these fit posts.
struct Filled {
    posts: Vec<PagePost>,
    records: Vec<Record>,
    worth: f64,
}

impl Template {
    /// Finds the records of a page with dates at these places; `None` if none is at that of the template.
    pub fn extract(&self, tree: &Tree, all: &[Anchor], groups: &DateGroups) -> Option<TemplateMatch> {
        let mut records = self.dated(tree, all, groups.get(&self.dates)?);
        let first = records.iter().map(|record| record.parts[0]).min();
        let opening = self.opener.as_ref().and_then(|opener| Some((opener, opener.find(tree, all, first)?)));
        let (opener, mut opening) = opening.unzip();
        let inner = self.inner.as_deref().and_then(|inner| Some((inner, groups.get(&inner.dates)?)));
        let inner = inner.map(|(inner, group)| {
            let mut of_inner = inner.dated(tree, all, group);
            cut(tree, all, &mut of_inner, opening.iter_mut().chain(&mut records));
            inner.filled(tree, all, of_inner)
        });
        let Filled { mut posts, mut records, mut worth } = self.filled(tree, all, records);
        if !posts.iter().any(is_post) {
            return None;
        }
        if let (Some(opener), Some(record)) = (opener, opening) {
            posts.insert(0, post(tree, all, &record, &FieldNodes::of(&opener.fields, tree, &record)));
            records.insert(0, record);
        }
        if let Some(inner) = inner {
            worth += inner.worth;
            let mut both: Vec<(Record, PagePost)> =
                records.into_iter().chain(inner.records).zip(posts.into_iter().chain(inner.posts)).collect();
            both.sort_by_key(|(record, _)| record.parts[0]);
            (records, posts) = both.into_iter().unzip();
        }
        let stays: Vec<bool> = posts.iter().map(is_post).collect();
        keep(&mut posts, &stays);
        keep(&mut records, &stays);
        if worth <= 0.0 {
            return Some(TemplateMatch::default());
        }
        let inner_ids = self.inner.as_ref().map(|inner| inner.ids.clone()).unwrap_or_default();
        Some(TemplateMatch { posts, records, ids: self.ids.clone(), inner_ids, worth, ..TemplateMatch::default() })
    }

    /// Returns the parts of a page with dates at the place of the template.
    fn dated(&self, tree: &Tree, all: &[Anchor], group: &[usize]) -> Vec<Record> {
        let mut records = self.cuts.records(DatedPage { tree, all, anchors: group });
        date_beside(tree, all, &mut records);
        records
    }

    /// Returns the posts of those parts of a page that are records of the template.
    fn filled(&self, tree: &Tree, all: &[Anchor], mut records: Vec<Record>) -> Filled {
        let mut found: Vec<FieldNodes> =
            records.iter().map(|record| FieldNodes::of(&self.fields, tree, record)).collect();
        let stays: Vec<bool> =
            records.iter().zip(&found).map(|(record, found)| self.is_record(tree, record, found)).collect();
        keep(&mut records, &stays);
        keep(&mut found, &stays);
        let words: Vec<usize> = found.iter().map(|found| found.words).collect();
        let worth = worth(tree, all, &records, &words, !self.fields.authors.is_empty());
        let posts = records.iter().zip(&found).map(|(record, found)| post(tree, all, record, found)).collect();
        Filled { posts, records, worth }
    }

    /// Returns whether it has a date, or looks as those that have one.
    fn is_record(&self, tree: &Tree, record: &Record, found: &FieldNodes) -> bool {
        let has_author = || self.fields.authors.is_empty() || found.authors.iter().any(Option::is_some);
        record.anchor.is_some() || (has_author() && self.is_alike(tree, record))
    }

    fn is_alike(&self, tree: &Tree, record: &Record) -> bool {
        let places: HashSet<Place> = record.nodes(tree).map(|(node, part)| place_of(tree, node, part)).collect();
        let alike = self.common.iter().filter(|place| places.contains(place)).count();
        alike as f64 > ALIKE_MIN * self.common.len() as f64
    }
}

/// Finds the dates of records that have them in another element at the place of the other dates: where recent dates are
/// shown in another way, for example.
fn date_beside(tree: &Tree, all: &[Anchor], records: &mut [Record]) {
    let around = |anchor: usize| {
        let above = tree.upwards(all[anchor].node).skip(1).take(AROUND_ELEMENTS);
        above.map(|above| tree.node(above).word).collect::<Vec<u64>>()
    };
    let known: HashSet<Vec<u64>> = records.iter().filter_map(|record| record.anchor).map(around).collect();
    for record in records.iter_mut().filter(|record| record.anchor.is_none()) {
        let mut within = record.parts.iter().flat_map(|part| {
            let from = |node: NodeIndex| all.partition_point(|anchor| anchor.node < node);
            from(*part)..from(tree.node(*part).end)
        });
        record.anchor = within.find(|anchor| known.contains(&around(*anchor)));
    }
}

fn is_post(post: &PagePost) -> bool {
    !post.text.is_empty() || (post.author.is_some() && post.date.is_some())
}

fn keep<T>(of: &mut Vec<T>, stays: &[bool]) {
    let mut stays = stays.iter();
    of.retain(|_| stays.next().copied().unwrap_or_default());
}

/// Returns how well records fit posts: they have words of their own, an author, a date, and their dates are in order.
pub fn worth(tree: &Tree, all: &[Anchor], records: &[Record], words: &[usize], has_author: bool) -> f64 {
    let number = records.len().max(1) as f64;
    let sum: f64 = words.iter().map(|words| worth_of(*words)).sum();
    let dated = records.iter().filter(|record| record.anchor.is_some()).count() as f64 / number;
    let filled = words.iter().filter(|words| **words > 0).count() as f64 / number;
    let author = if has_author { 1.0 } else { NO_AUTHOR };
    if filled < FILLED_MIN {
        return 0.0;
    }
    sum * author * dated * order(tree, all, records) * (1.0 - EMPTY + EMPTY * filled)
}

/// Returns the share of neighbours whose dates are in the order that most are in. Dates of posts are in order, those on
/// which their authors joined are not. Replies are in order among themselves.
fn order(tree: &Tree, all: &[Anchor], records: &[Record]) -> f64 {
    let moment = |anchor: usize| (all[anchor].date.date, all[anchor].date.time);
    let mut of_parent: BTreeMap<NodeIndex, Vec<_>> = BTreeMap::new();
    for record in records {
        let moments = of_parent.entry(tree.node(record.parts[0]).parent).or_default();
        moments.extend(record.anchor.map(moment));
    }
    let (mut up, mut down, mut pairs) = (0_u32, 0_u32, 0_u32);
    for pair in of_parent.values().flat_map(|moments| moments.windows(2)) {
        up += u32::from(pair[0] <= pair[1]);
        down += u32::from(pair[0] >= pair[1]);
        pairs += 1;
    }
    if pairs == 0 { 1.0 } else { f64::from(up.max(down)) / f64::from(pairs) }
}

/// Cuts records out of those that they are in, and drops those that are in none.
pub fn cut<'r>(tree: &Tree, anchors: &[Anchor], inner: &mut Vec<Record>, outer: impl Iterator<Item = &'r mut Record>) {
    let mut outer: Vec<&mut Record> = outer.collect();
    inner.retain_mut(|record| {
        let around = around(tree, anchors, &outer, record);
        if let Some(number) = around {
            outer[number].cut.extend(&record.parts);
        }
        record.is_inner = around.is_some();
        record.is_inner
    });
}

/// Returns the number of the record that another one is in, without its date.
pub fn around(tree: &Tree, anchors: &[Anchor], outer: &[impl Borrow<Record>], inner: &Record) -> Option<usize> {
    let first = inner.parts[0];
    let number = outer.partition_point(|record| record.borrow().parts[0] < first).checked_sub(1)?;
    let record: &Record = outer[number].borrow();
    let has_date = |date: NodeIndex| inner.parts.iter().any(|part| tree.range(*part).contains(&date));
    let is_around = record.contains(tree, first) && !record.anchor.is_some_and(|at| has_date(anchors[at].node));
    is_around.then_some(number)
}
