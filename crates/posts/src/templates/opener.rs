//! The opening post of a thread, where its elements are others than those of the replies: a question before its
//! answers, an article before its comments. It is before the records, has a date at one place, and no record in it.

use std::collections::BTreeMap;

use super::record_fields::worth_of;
use super::sample::{DatePlace, SamplePage};
use crate::anchors::Anchor;
use crate::fields::{Fields, PageParts, Places};
use crate::maps::HashSet;
use crate::segments::Record;
use crate::tree::{NodeIndex, Tree};

/// Minimum number of pages that it is learned from, and their share of those of the template.
const PAGES_MIN: usize = 2;
const PAGES_SHARE: f64 = 0.6;
/// Minimum worth of an opening post, as a share of that of a reply: a heading with a date is none.
const WORTH_MIN: f64 = 0.5;
/// Share of its pages on which it is older than the first reply.
const OLDER_MIN: f64 = 0.8;
/// Maximum number of words of a line with the date and the author, and of elements behind it that belong to the post.
const LINE_WORDS_MAX: usize = 16;
const PARTS_MAX: usize = 200;
/// Names of headings.
const HEADINGS: [&str; 4] = ["h1", "h2", "h3", "h4"];

/// Where the opening post of a thread is.
#[derive(Debug, Clone)]
pub struct Opener {
    /// Where its date is.
    pub dates: DatePlace,
    /// The paths of its element on the pages that it was learned from.
    pub paths: HashSet<u64>,
    /// Where its fields are.
    pub fields: Fields,
}

/// The records of a page of the sample.
pub struct SampleRecords<'s> {
    /// The page.
    pub page: SamplePage<'s>,
    /// Its records.
    pub records: Vec<Record>,
    /// What one of them is worth on average.
    pub worth: f64,
}

impl Opener {
    /// Learns from the pages of a template.
    pub fn learn(pages: &[SampleRecords<'_>]) -> Option<Self> {
        let found = groups(pages).into_iter().filter_map(|(dates, group)| candidate(pages, dates, &group));
        let best = found.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
        let usual = pages.iter().map(|taken| taken.worth).sum::<f64>() / pages.len() as f64;
        Some(best).filter(|(_, worth)| *worth >= WORTH_MIN * usual).map(|(opener, _)| opener)
    }

    /// Returns the opening post of a page whose records begin at this node, if there are any.
    pub fn find(&self, tree: &Tree, anchors: &[Anchor], first: Option<NodeIndex>) -> Option<Record> {
        let end = first.unwrap_or(tree.nodes().len());
        let before = anchors.iter().enumerate().take_while(|(_, anchor)| anchor.node < end);
        let at = before
            .filter(|(_, anchor)| !anchor.is_later)
            .find(|(_, anchor)| DatePlace::of(tree, anchor.node).contains(&self.dates));
        let (number, anchor) = at?;
        let known = tree.upwards(anchor.node).find(|node| self.paths.contains(&tree.node(*node).path));
        let known = known.filter(|node| !contains(tree, *node, first));
        let element = known.or_else(|| first.and_then(|first| largest(tree, anchor.node, first)))?;
        Some(Record::new(Some(number), parts(tree, element, first)))
    }
}

fn contains(tree: &Tree, node: NodeIndex, first: Option<NodeIndex>) -> bool {
    first.is_some_and(|first| tree.range(node).contains(&first))
}

/// Returns the largest element around a date that does not contain the first record.
fn largest(tree: &Tree, date: NodeIndex, first: NodeIndex) -> Option<NodeIndex> {
    tree.upwards(date).take_while(|node| !tree.range(*node).contains(&first)).last()
}

/// Returns an element with the date of an opening post; if it shows little else, with the siblings behind it.
fn parts(tree: &Tree, element: NodeIndex, first: Option<NodeIndex>) -> Vec<NodeIndex> {
    let mut parts = vec![element];
    if let (Some(parent), Some(first)) = (tree.parent(element), first)
        && tree.node(element).words <= LINE_WORDS_MAX
        && tree.range(parent).contains(&first)
    {
        let behind = tree.children(parent).filter(|child| *child > element);
        parts.extend(behind.take_while(|child| !tree.range(*child).contains(&first)).take(PARTS_MAX));
    }
    parts
}

/// Returns the dates before the records that are the only ones at their place: page and date.
fn groups(pages: &[SampleRecords<'_>]) -> BTreeMap<DatePlace, Vec<(usize, usize)>> {
    let mut groups: BTreeMap<DatePlace, Vec<(usize, usize)>> = BTreeMap::new();
    for (number, SampleRecords { page, records, .. }) in pages.iter().enumerate() {
        let Some(first) = first_node(records) else { continue };
        let before = page.anchors.iter().take_while(|anchor| anchor.node < first).enumerate();
        for (at, anchor) in before.filter(|(_, anchor)| !anchor.is_later) {
            DatePlace::of(page.tree, anchor.node)
                .into_iter()
                .for_each(|place| groups.entry(place).or_default().push((number, at)));
        }
    }
    let is_single = |group: &Vec<(usize, usize)>| group.windows(2).all(|pair| pair[0].0 != pair[1].0);
    let is_usual = |group: &Vec<(usize, usize)>| group.len() as f64 >= PAGES_SHARE * pages.len() as f64;
    groups.retain(|_, group| group.len() >= PAGES_MIN && is_usual(group) && is_single(group));
    groups
}

/// Returns the opening post with its date at a place, and its average worth.
fn candidate(pages: &[SampleRecords<'_>], dates: DatePlace, group: &[(usize, usize)]) -> Option<(Opener, f64)> {
    let (mut parts, mut paths, mut older) = (Vec::new(), HashSet::default(), 0_u32);
    for (page, at) in group {
        let SampleRecords { page: SamplePage { tree, anchors, .. }, records, .. } = &pages[*page];
        let first = first_node(records)?;
        let element = largest(tree, anchors[*at].node, first)?;
        paths.insert(tree.node(element).path);
        let moment = |anchor: usize| (anchors[anchor].date.date, anchors[anchor].date.time);
        older += u32::from(records.iter().filter_map(|record| record.anchor).all(|other| moment(*at) <= moment(other)));
        let dates = anchors.iter().map(|anchor| anchor.node).collect();
        parts.push(PageParts {
            tree,
            dates,
            records: vec![Record::new(Some(*at), self::parts(tree, element, Some(first)))],
        });
    }
    let places = Places::of(&parts);
    let (fields, words) = places.fields();
    let is_heading = fields.text.is_none_or(|text| places.is_in(text, &HEADINGS));
    if is_heading || f64::from(older) < OLDER_MIN * group.len() as f64 {
        return None;
    }
    let worth = words.iter().map(|words| worth_of(*words)).sum::<f64>() / words.len() as f64;
    Some((Opener { dates, paths, fields }, worth))
}

fn first_node(records: &[Record]) -> Option<NodeIndex> {
    records.iter().map(|record| record.parts[0]).min()
}
