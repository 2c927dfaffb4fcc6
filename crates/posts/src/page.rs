//! Finds the posts of one page.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use harvestman_core::model::path_hash::step;
use jiff::civil::DateTime;

use crate::anchors::{Anchor, find_anchors};
use crate::fields::{Fields, Place, Places};
use crate::records::PagePost;
use crate::segments::{Record, records};
use crate::tree::{NodeIndex, Tree};

/// Minimum number of records of a page.
const RECORDS_MIN: usize = 2;
/// Number of words of a post beyond which more do not count: a page has many posts rather than a long one.
const WORDS_MAX: f64 = 150.0;
/// The factor of records without an author.
const NO_AUTHOR: f64 = 0.5;
/// What records without words of their own take from the worth, at most.
const EMPTY: f64 = 0.7;
/// Number of elements that make the place of a date on the page.
const NEAR_ELEMENTS: usize = 3;

/// A way to part a page into records.
struct Parting {
    records: Vec<Record>,
    fields: Fields,
    worth: f64,
}

/// Finds the posts of a page that was fetched at this local time, in their order on the page.
pub fn find_posts(tree: &Tree, now: DateTime) -> Vec<PagePost> {
    let anchors = find_anchors(tree, now);
    let partings = groups(tree, &anchors).into_iter().map(|group| parting(tree, &anchors, &group));
    let best = partings.max_by(|one, other| one.worth.total_cmp(&other.worth)).filter(|best| best.worth > 0.0);
    best.map_or_else(Vec::new, |best| posts(tree, &anchors, &best))
}

/// Returns the dates that are at one place of the template: under the same elements with the same classes, under the same
/// elements, or next to the same elements.
fn groups(tree: &Tree, anchors: &[Anchor]) -> BTreeSet<Vec<usize>> {
    let mut groups: BTreeMap<(u8, u64), Vec<usize>> = BTreeMap::new();
    for (number, anchor) in anchors.iter().enumerate() {
        let node = tree.node(anchor.node);
        let near = tree.upwards(anchor.node).take(NEAR_ELEMENTS);
        let near = near.fold(1, |hash, above| step(hash, tree.node(above).word));
        for key in [(0, node.path), (1, node.tags), (2, near)] {
            groups.entry(key).or_default().push(number);
        }
    }
    groups.into_values().filter(|group| group.len() >= RECORDS_MIN).collect()
}

fn parting(tree: &Tree, all: &[Anchor], group: &[usize]) -> Parting {
    let mut records = records(tree, all, group);
    let sure: Vec<bool> = records.iter().map(|record| record.anchor.is_some()).collect();
    if sure.contains(&false) {
        let mut alike = places(tree, all, &records).alike(&sure).into_iter();
        records.retain(|_| alike.next().unwrap_or(true));
    }
    let fields = places(tree, all, &records).fields();
    let worth = worth(all, &records, &fields);
    Parting { records, fields, worth }
}

fn places<'t>(tree: &'t Tree, all: &[Anchor], records: &[Record]) -> Places<'t> {
    Places::of(tree, records, all.iter().map(|anchor| anchor.node).collect())
}

/// Returns how well records fit posts: they have words of their own, an author, a date, and their dates are in order.
fn worth(all: &[Anchor], records: &[Record], fields: &Fields) -> f64 {
    let number = records.len().max(1) as f64;
    let words: f64 = fields.words.iter().map(|words| (*words as f64).min(WORDS_MAX).sqrt()).sum();
    let dated = records.iter().filter(|record| record.anchor.is_some()).count() as f64 / number;
    let filled = fields.words.iter().filter(|words| **words > 0).count() as f64 / number;
    let author = if fields.authors.is_empty() { NO_AUTHOR } else { 1.0 };
    words * author * dated * order(all, records) * (1.0 - EMPTY + EMPTY * filled)
}

/// Returns the share of neighbours whose dates are in the order that most are in. Dates of posts are in order, those on
/// which their authors joined are not.
fn order(all: &[Anchor], records: &[Record]) -> f64 {
    let moment = |anchor: usize| (all[anchor].date.date, all[anchor].date.time);
    let moments: Vec<_> = records.iter().filter_map(|record| record.anchor.map(moment)).collect();
    let (mut up, mut down) = (0_u32, 0_u32);
    for pair in moments.windows(2) {
        up += u32::from(pair[0] <= pair[1]);
        down += u32::from(pair[0] >= pair[1]);
    }
    f64::from(up.max(down)) / moments.len().saturating_sub(1).max(1) as f64
}

fn posts(tree: &Tree, all: &[Anchor], parting: &Parting) -> Vec<PagePost> {
    let places = places(tree, all, &parting.records);
    let asides = places.asides(parting.fields.authors.first().copied());
    let post = |(number, record): (usize, &Record)| {
        let author = parting.fields.authors.iter().find_map(|place| places.at(number, *place).next());
        PagePost {
            author: author.map(|node| tree.text(node)),
            author_url: author.and_then(|node| link_at(tree, node)),
            date: record.anchor.map(|anchor| all[anchor].date.to_string()),
            text: text_of(tree, &places, (number, parting.fields.text), &asides),
            confidence: 1.0,
            ..PagePost::default()
        }
    };
    let posts = parting.records.iter().enumerate().map(post);
    posts.filter(|post| !post.text.is_empty() || (post.author.is_some() && post.date.is_some())).collect()
}

fn text_of(
    tree: &Tree,
    places: &Places<'_>,
    (record, place): (usize, Option<Place>),
    asides: &HashSet<NodeIndex>,
) -> String {
    let Some(place) = place else { return String::new() };
    let texts = places.at(record, place).map(|node| tree.text_without(node, &|node| asides.contains(&node)));
    texts.collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// Returns the address of the link that is in an element, or that it is in.
fn link_at(tree: &Tree, node: NodeIndex) -> Option<String> {
    let nodes = tree.range(node).chain(tree.upwards(node).take(NEAR_ELEMENTS));
    nodes.filter_map(|node| tree.attribute(node, "href")).next().map(str::to_owned)
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
