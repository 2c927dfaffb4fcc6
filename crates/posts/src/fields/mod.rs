//! Finds the fields of records: what is in the same place of each.

mod author;
mod hints;
mod lists;
mod text;

use std::collections::BTreeMap;

use harvestman_core::model::path_hash::{fold, step};

use crate::maps::{HashMap, HashSet};
use crate::segments::Record;
use crate::tree::{Content, NodeIndex, Tree};

/// Number of elements whose names and classes make a place.
const PLACE_ELEMENTS: usize = 3;
/// Elements with labels, and the maximum number of their words.
const LABEL_ELEMENTS: [&str; 5] = ["b", "strong", "em", "span", "label"];
const LABEL_WORDS_MAX: usize = 3;
/// Elements that have a label and what it names, and the maximum number of words of both.
const CELLS: [&str; 6] = ["th", "td", "li", "dd", "span", "div"];
const CELL_WORDS_MAX: usize = 8;
/// Share of the records that have a field.
const SHARE_MIN: f64 = 0.5;
/// Share of the records that have a place which most have.
const COMMON_MIN: f64 = 0.8;
/// Share of such places that a record without a date has.
pub const ALIKE_MIN: f64 = 0.7;

/// The place of a node in a record: a hash of the names and classes of the elements next to it. Only these count,
/// because a first post may be in other elements than those after it.
pub type Place = u64;

/// The places of the fields of records of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields {
    /// The element with the text.
    pub text: Option<Place>,
    /// The links to the author, or the elements with the name: the best place first, others for records without it.
    pub authors: Vec<Place>,
    /// Places within texts that are no part of them: names, dates, labels and other fields.
    pub asides: HashSet<Place>,
    /// The link to what each record is about, if they are those of a list.
    pub target: Option<Place>,
}

/// Nodes, each with the number of its record.
type Placed = Vec<(usize, NodeIndex)>;

/// A node of one of several pages.
type PageNode = (usize, NodeIndex);

/// The records of a page.
#[derive(Debug, Clone)]
pub struct PageParts<'t> {
    /// The page.
    pub tree: &'t Tree,
    /// The elements that show dates.
    pub dates: HashSet<NodeIndex>,
    /// The records.
    pub records: Vec<Record>,
}

/// The nodes of the records of some pages by their places. Records are numbered through all pages.
pub struct Places<'t> {
    pages: &'t [PageParts<'t>],
    /// The page of each record.
    page_of: Vec<usize>,
    /// Whether each record is on an earlier page too, as the first replies to a post at two addresses of its thread
    /// are.
    is_copy: Vec<bool>,
    by_place: BTreeMap<Place, Placed>,
}

impl<'t> Places<'t> {
    /// Collects the places.
    pub fn of(pages: &'t [PageParts<'t>]) -> Self {
        let mut by_place: BTreeMap<Place, Placed> = BTreeMap::new();
        let mut page_of = Vec::new();
        for (page, PageParts { tree, records, .. }) in pages.iter().enumerate() {
            for record in records {
                let number = page_of.len();
                page_of.push(page);
                for (node, part) in record.nodes(tree) {
                    let nodes = by_place.entry(place_of(tree, node, part)).or_default();
                    // Not what is within another node of its place.
                    let is_within = |last: &(usize, NodeIndex)| last.0 == number && tree.range(last.1).contains(&node);
                    if !nodes.last().is_some_and(is_within) {
                        nodes.push((number, node));
                    }
                }
            }
        }
        Self { pages, page_of, is_copy: copies(pages), by_place }
    }

    /// Finds the fields, and the number of words of each record's text that are its own.
    pub fn fields(&self) -> (Fields, Vec<usize>) {
        let text = self.text(None).map(|(place, _)| place);
        let authors = self.authors(text);
        let author = authors.first().copied();
        let text = self.text(author);
        let (text, words) = text.map_or_else(|| (None, vec![0; self.number()]), |(place, words)| (Some(place), words));
        let target = self.target(&authors, text);
        let mut asides = self.asides(author);
        asides.extend(target);
        (Fields { text, asides, authors, target }, words)
    }

    /// Returns the nodes of a record at a place.
    fn at(&self, record: usize, place: Place) -> impl Iterator<Item = NodeIndex> + '_ {
        let nodes = self.by_place.get(&place).map_or(&[][..], Vec::as_slice);
        let from = nodes.partition_point(|(of, _)| *of < record);
        nodes[from..].iter().take_while(move |(of, _)| *of == record).map(|(_, node)| *node)
    }

    /// Returns the page that a record is on.
    fn tree(&self, record: usize) -> &'t Tree {
        self.pages[self.page_of[record]].tree
    }

    fn number(&self) -> usize {
        self.page_of.len()
    }

    /// Returns whether the nodes at a place are in elements with one of these names.
    pub fn is_in(&self, place: Place, names: &[&str]) -> bool {
        let nodes = self.by_place.get(&place).map_or(&[][..], Vec::as_slice);
        nodes.iter().all(|(record, node)| {
            let tree = self.tree(*record);
            tree.upwards(*node).take(PLACE_ELEMENTS).any(|above| names.contains(&tree.name(above)))
        })
    }

    /// Returns the places that most of the records have which are sure.
    pub fn common(&self, sure: &[bool]) -> HashSet<Place> {
        let sure_number = sure.iter().filter(|is_sure| **is_sure).count();
        let is_common = |(_, nodes): &(&Place, &Placed)| {
            let with_it = records_of(nodes).into_iter().filter(|record| sure[*record]).count();
            with_it as f64 >= COMMON_MIN * sure_number as f64
        };
        self.by_place.iter().filter(is_common).map(|(place, _)| *place).collect()
    }

    /// Returns which records have these places, but for a few.
    pub fn alike(&self, sure: &[bool], common: &HashSet<Place>) -> Vec<bool> {
        let mut alike = vec![0_u32; self.number()];
        for nodes in common.iter().filter_map(|place| self.by_place.get(place)) {
            records_of(nodes).into_iter().for_each(|record| alike[record] += 1);
        }
        let is_alike = |record: usize| f64::from(alike[record]) > ALIKE_MIN * common.len() as f64;
        (0..sure.len()).map(|record| sure[record] || is_alike(record)).collect()
    }

    /// Returns the share of the records that have a place.
    fn share(&self, nodes: &Placed) -> f64 {
        records_of(nodes).len() as f64 / self.number().max(1) as f64
    }

    /// Returns a hash of a text without its digits; `None` of an element.
    fn text_hash(&self, record: usize, node: NodeIndex) -> Option<u64> {
        let Content::Text(text) = self.tree(record).content(node) else { return None };
        // Commas between links are no text.
        if !text.contains(char::is_alphanumeric) && text.is_ascii() {
            return None;
        }
        Some(
            text.trim().bytes().filter(|byte| !byte.is_ascii_digit()).fold(3, |hash, byte| step(hash, u64::from(byte))),
        )
    }
}

/// Returns for each record whether an earlier page has one with the same texts.
fn copies(pages: &[PageParts<'_>]) -> Vec<bool> {
    let mut first_page: HashMap<u64, usize> = HashMap::default();
    let records =
        pages.iter().enumerate().flat_map(|(page, of)| of.records.iter().map(move |record| (page, of, record)));
    let is_copy = records.map(|(page, PageParts { tree, .. }, record)| {
        let texts = record.nodes(tree).filter_map(|(node, _)| match tree.content(node) {
            Content::Text(text) => Some(fold(text.trim().as_bytes())),
            Content::Element(..) => None,
        });
        *first_page.entry(texts.fold(7, step)).or_insert(page) != page
    });
    is_copy.collect()
}

/// Returns the place of a node in a part of a record.
pub fn place_of(tree: &Tree, node: NodeIndex, part: NodeIndex) -> Place {
    let inside = tree.upwards(node).take(PLACE_ELEMENTS).take_while(|above| *above >= part);
    // Classes of the record itself tell its state, such as unread or deleted.
    let word = |at: NodeIndex| if at == part { fold(tree.name(at).as_bytes()) } else { tree.node(at).word };
    let label = if node == part { None } else { label_of(tree, node) };
    inside.fold(label.unwrap_or(1), |place, at| step(place, word(at)))
}

/// Returns the label in a cell that stands beside equal cells, such as `From: Ann` beside `Date: 3 May`.
pub fn label_within(tree: &Tree, node: NodeIndex) -> Option<&str> {
    if !CELLS.contains(&tree.name(node)) || !(2..=CELL_WORDS_MAX).contains(&tree.node(node).words) {
        return None;
    }
    let Content::Text(text) = tree.content(tree.children(node).next()?) else { return None };
    let (label, rest) = text.split_once(':')?;
    let is_label = label.split_whitespace().count() <= LABEL_WORDS_MAX
        && label.contains(char::is_alphabetic)
        && (rest.is_empty() || rest.starts_with(char::is_whitespace));
    let is_equal = |other: NodeIndex| tree.node(other).word == tree.node(node).word;
    let next = Some(tree.node(node).end).filter(|next| *next < tree.node(tree.node(node).parent).end);
    let has_equal = || tree.sibling_before(node).into_iter().chain(next).any(is_equal);
    (is_label && has_equal()).then(|| label.trim())
}

/// Returns a hash of the label of a node, such as `From:`: it tells fields apart that are in equal elements.
fn label_of(tree: &Tree, node: NodeIndex) -> Option<u64> {
    let of = |label: &str| fold(label.to_lowercase().as_bytes());
    label_within(tree, node).map(of).or_else(|| label_before(tree, node).as_deref().map(of))
}

/// Returns the label before a node.
fn label_before(tree: &Tree, node: NodeIndex) -> Option<String> {
    let before = tree.sibling_before(node).filter(|before| tree.node(*before).words <= LABEL_WORDS_MAX)?;
    let is_pair = matches!((tree.name(before), tree.name(node)), ("dt", "dd") | ("th", "td"));
    if !is_pair && !LABEL_ELEMENTS.contains(&tree.name(before)) {
        return None;
    }
    let label = tree.text(before);
    let begins = || matches!(tree.content(node), Content::Text(text) if text.trim_start().starts_with(':'));
    (is_pair || label.ends_with(':') || begins()).then(|| label.trim_end_matches(':').to_owned())
}

/// Returns the records of nodes, in order.
fn records_of(nodes: &Placed) -> Vec<usize> {
    let mut records: Vec<usize> = nodes.iter().map(|(record, _)| *record).collect();
    records.dedup();
    records
}

/// Counts equal values.
fn counts<T: std::hash::Hash + Eq>(values: impl Iterator<Item = T>) -> HashMap<T, u32> {
    let mut counts = HashMap::default();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    counts
}
