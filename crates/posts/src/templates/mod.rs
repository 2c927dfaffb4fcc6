//! Templates: where the records of a kind of page are, and where their fields are in them. They are learned from several pages of
//! a site at once, because more pages tell better what repeats.

mod learn;
mod opener;
mod single;

use std::collections::{BTreeMap, HashSet};

use harvestman_core::model::path_hash::step;

use crate::anchors::Anchor;
use crate::details::IdRules;
use crate::fields::{ALIKE_MIN, Fields, Place, place_of};
use crate::records::PagePost;
use crate::segments::{Cuts, DatedPage, Record};
use crate::tree::{Content, NodeIndex, Tree};

pub use learn::{SamplePage, learn_templates};
use opener::Opener;

/// Number of words of a post beyond which more do not count: a page has many posts rather than a long one.
const WORDS_MAX: usize = 60;
/// The factor of records without an author.
const NO_AUTHOR: f64 = 0.5;
/// What records without words of their own take from the worth, at most.
const EMPTY: f64 = 0.7;
/// Minimum share of records with words of their own that are no link: others are lists of links.
const FILLED_MIN: f64 = 0.3;
/// Words for writing behind the name of an author.
const VERBS: [&str; 5] = [" says", " said", " wrote", " writes", " schrieb"];
/// Number of elements that make the place of a date on the page.
const NEAR_ELEMENTS: usize = 3;

/// The place of dates on the pages of a template, more or less exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DatePlace {
    /// Under the same elements with the same classes.
    Path(u64),
    /// Under the same elements.
    Tags(u64),
    /// Next to the same elements.
    Near(u64),
}

impl DatePlace {
    /// Returns the places of a date.
    pub fn of(tree: &Tree, node: NodeIndex) -> [Self; 3] {
        let near = tree.upwards(node).take(NEAR_ELEMENTS).fold(1, |hash, above| step(hash, tree.node(above).word));
        [Self::Path(tree.node(node).path), Self::Tags(tree.node(node).tags), Self::Near(near)]
    }
}

/// Returns the dates of a page at each place.
pub fn dates_by_place(tree: &Tree, anchors: &[Anchor]) -> BTreeMap<DatePlace, Vec<usize>> {
    let mut groups: BTreeMap<DatePlace, Vec<usize>> = BTreeMap::new();
    for (number, anchor) in anchors.iter().enumerate() {
        for place in DatePlace::of(tree, anchor.node) {
            groups.entry(place).or_default().push(number);
        }
    }
    groups
}

/// The records of a kind of page.
#[derive(Debug, Clone)]
pub struct Template {
    /// Where their dates are.
    pub dates: DatePlace,
    cuts: Cuts,
    fields: Fields,
    /// The places that most records have.
    common: HashSet<Place>,
    /// The opening post, if its elements are others.
    opener: Option<Opener>,
    /// What tells the records apart.
    ids: IdRules,
}

/// What a template finds on a page.
#[derive(Debug, Clone, Default)]
pub struct Extracted {
    /// The posts.
    pub posts: Vec<PagePost>,
    /// The record of each.
    pub records: Vec<Record>,
    /// What tells them apart.
    pub ids: IdRules,
    /// How well they fit posts.
    pub worth: f64,
    /// Whether the page is that of one post.
    pub is_single: bool,
}

/// The templates of a site.
#[derive(Debug, Clone, Default)]
pub struct Templates {
    /// Those of pages with several records, those of the most worth first.
    lists: Vec<Template>,
    /// Those of pages with one post.
    singles: Vec<Opener>,
}

impl Templates {
    /// Returns what the template finds that fits a page best.
    pub fn extract(&self, tree: &Tree, anchors: &[Anchor]) -> Extracted {
        let groups = dates_by_place(tree, anchors);
        let found = self.lists.iter().filter_map(|template| {
            let group = groups.get(&template.dates)?;
            Some(template.extract(tree, anchors, group))
        });
        // The first of equals: that of the most worth on the sample.
        let best = found.reduce(|best, next| if next.worth > best.worth { next } else { best }).unwrap_or_default();
        if best.posts.is_empty() { self.single(tree, anchors) } else { best }
    }

    fn single(&self, tree: &Tree, anchors: &[Anchor]) -> Extracted {
        let found = self.singles.iter().filter_map(|single| {
            let record = single.find(tree, anchors, None)?;
            let fields = Found::of(&single.fields, tree, &record);
            let (worth, post) = (worth_of(fields.words), post(tree, anchors, (&record, &fields)));
            let is_post = post.author.is_some() && !post.text.is_empty();
            is_post.then(|| Extracted {
                posts: vec![post],
                records: vec![record],
                worth,
                is_single: true,
                ..Extracted::default()
            })
        });
        found.reduce(|best, next| if next.worth > best.worth { next } else { best }).unwrap_or_default()
    }
}

impl Template {
    /// Finds the records of a page with these dates, of which those at the place of the template are `group`.
    pub fn extract(&self, tree: &Tree, all: &[Anchor], group: &[usize]) -> Extracted {
        let mut records = self.cuts.records(DatedPage { tree, all, anchors: group });
        let mut found: Vec<Found> = records.iter().map(|record| Found::of(&self.fields, tree, record)).collect();
        let stays: Vec<bool> =
            records.iter().zip(&found).map(|(record, found)| self.is_record(tree, record, found)).collect();
        keep(&mut records, &stays);
        keep(&mut found, &stays);
        let words: Vec<usize> = found.iter().map(|found| found.words).collect();
        let worth = worth(tree, all, &records, (&words, !self.fields.authors.is_empty()));
        let mut posts: Vec<PagePost> = records.iter().zip(&found).map(|found| post(tree, all, found)).collect();
        let first = records.iter().map(|record| record.parts[0]).min();
        let opening = self.opener.as_ref().and_then(|opener| Some((opener, opener.find(tree, all, first)?)));
        if let Some((opener, record)) = opening {
            posts.insert(0, post(tree, all, (&record, &Found::of(&opener.fields, tree, &record))));
            records.insert(0, record);
        }
        let is_post = |post: &PagePost| !post.text.is_empty() || (post.author.is_some() && post.date.is_some());
        let stays: Vec<bool> = posts.iter().map(is_post).collect();
        keep(&mut posts, &stays);
        keep(&mut records, &stays);
        if worth <= 0.0 {
            return Extracted::default();
        }
        Extracted { posts, records, ids: self.ids.clone(), worth, is_single: false }
    }

    /// Returns whether it has a date, or looks as those that have one.
    fn is_record(&self, tree: &Tree, record: &Record, found: &Found) -> bool {
        let has_author = || self.fields.authors.is_empty() || found.authors.iter().any(Option::is_some);
        record.anchor.is_some() || (has_author() && self.is_alike(tree, record))
    }

    fn is_alike(&self, tree: &Tree, record: &Record) -> bool {
        let places: HashSet<Place> = record.nodes(tree).map(|node| place_of(tree, node)).collect();
        let alike = self.common.iter().filter(|place| places.contains(place)).count();
        alike as f64 > ALIKE_MIN * self.common.len() as f64
    }
}

fn post(tree: &Tree, all: &[Anchor], (record, found): (&Record, &Found)) -> PagePost {
    let author = found.authors.iter().flatten().next().copied();
    let texts = found.texts.iter().map(|node| tree.text_without(*node, &|node| found.asides.contains(&node)));
    PagePost {
        author: author.map(|node| name_in(&tree.text(node))).filter(|name| !name.is_empty()),
        author_url: author.and_then(|node| link_at(tree, node)),
        date: record.anchor.map(|anchor| all[anchor].date.to_string()),
        text: texts.collect::<Vec<_>>().join(" ").trim().to_owned(),
        title: found.target.map(|node| tree.text(node)),
        url: found.target.and_then(|node| link_at(tree, node)),
        is_excerpt: found.target.is_some(),
        confidence: 1.0,
        ..PagePost::default()
    }
}

fn keep<T>(of: &mut Vec<T>, stays: &[bool]) {
    let mut stays = stays.iter();
    of.retain(|_| stays.next().copied().unwrap_or_default());
}

/// The nodes of a record's fields.
#[derive(Debug, Default)]
struct Found {
    texts: Vec<NodeIndex>,
    authors: Vec<Option<NodeIndex>>,
    asides: HashSet<NodeIndex>,
    target: Option<NodeIndex>,
    /// Number of words of the text.
    words: usize,
}

impl Found {
    /// Finds the fields of a record.
    fn of(fields: &Fields, tree: &Tree, record: &Record) -> Self {
        let mut found = Self { authors: vec![None; fields.authors.len()], ..Self::default() };
        let mut text_end = 0;
        for (node, part) in record.nodes(tree) {
            let place = place_of(tree, (node, part));
            if Some(place) == fields.text && node >= text_end {
                found.texts.push(node);
                text_end = tree.node(node).end;
            }
            if let Some(author) = fields.authors.iter().position(|author| *author == place)
                && tree.node(node).words > 0
            {
                found.authors[author].get_or_insert(node);
            }
            if Some(place) == fields.target {
                found.target.get_or_insert(node);
            }
            if fields.asides.contains(&place) {
                found.asides.insert(node);
            } else if node < text_end && matches!(tree.node(node).content, Content::Text(_)) {
                found.words += tree.node(node).words - tree.node(node).linked_words;
            }
        }
        found
    }
}

/// Returns what a number of words of its own is worth in a post.
fn worth_of(words: usize) -> f64 {
    (words.min(WORDS_MAX) as f64).sqrt()
}

/// Returns how well records fit posts: they have words of their own, an author, a date, and their dates are in order.
fn worth(tree: &Tree, all: &[Anchor], records: &[Record], (words, has_author): (&[usize], bool)) -> f64 {
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

/// Returns a name without what stands around it: a colon before it, an address of mail or a word for writing behind it.
fn name_in(text: &str) -> String {
    let name = text.trim_start_matches([':', '@', ' ']);
    let name = name.split(['<', '(']).next().filter(|name| !name.trim().is_empty()).unwrap_or(name);
    let name = name.trim().trim_end_matches([':', ',']).trim_end();
    let verb = VERBS.iter().find_map(|verb| name.strip_suffix(verb)).filter(|name| !name.is_empty());
    verb.unwrap_or(name).trim_end().to_owned()
}

/// Returns the address of the link that is in an element, or that it is in.
fn link_at(tree: &Tree, node: NodeIndex) -> Option<String> {
    let nodes = tree.range(node).chain(tree.upwards(node).take(NEAR_ELEMENTS));
    nodes.filter_map(|node| tree.attribute(node, "href")).next().map(str::to_owned)
}
