//! Finds the fields of records: what is in the same place of each.

mod author;
mod hints;
mod text;

use std::collections::{BTreeMap, HashMap, HashSet};

use harvestman_core::model::path_hash::{fold, step};

use crate::segments::Record;
use crate::tree::{Content, NodeIndex, Tree};

/// Number of elements whose names and classes make a place.
const PLACE_ELEMENTS: usize = 3;
/// Share of the records that have a field.
const SHARE_MIN: f64 = 0.5;
/// Share of the records that have a place which most have.
const COMMON_MIN: f64 = 0.8;
/// Share of such places that a record without a date has.
const ALIKE_MIN: f64 = 0.7;

/// The place of a node in a record: a hash of the names and classes of the elements next to it. Only these count, because a
/// first post may be in other elements than those after it.
pub type Place = u64;

/// The places of the fields of records of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields {
    /// The element with the text.
    pub text: Option<Place>,
    /// Number of words of each record's text that are its own.
    pub words: Vec<usize>,
    /// The links to the author, or the elements with the name: the best place first, others for records without it.
    pub authors: Vec<Place>,
}

/// Nodes, each with the number of its record.
type Placed = Vec<(usize, NodeIndex)>;

/// The nodes of records by their places.
pub struct Places<'t> {
    tree: &'t Tree,
    number: usize,
    by_place: BTreeMap<Place, Placed>,
    dates: HashSet<NodeIndex>,
}

impl<'t> Places<'t> {
    /// Collects the places of records, on a page with these elements that show dates.
    pub fn of(tree: &'t Tree, records: &[Record], dates: HashSet<NodeIndex>) -> Self {
        let mut by_place: BTreeMap<Place, Placed> = BTreeMap::new();
        for (number, record) in records.iter().enumerate() {
            for (node, part) in record.parts.iter().flat_map(|part| tree.range(*part).map(move |node| (node, *part))) {
                let nodes = by_place.entry(place_of(tree, (node, part))).or_default();
                // Not what is within another node of its place.
                if nodes.last().is_none_or(|(_, last)| !tree.range(*last).contains(&node)) {
                    nodes.push((number, node));
                }
            }
        }
        Self { tree, number: records.len(), by_place, dates }
    }

    /// Finds the fields.
    pub fn fields(&self) -> Fields {
        let text = self.text(None).map(|(place, _)| place);
        let authors = self.authors(text);
        let text = self.text(authors.first().copied());
        let (text, words) = text.map_or_else(Default::default, |(place, words)| (Some(place), words));
        Fields { text, words, authors }
    }

    /// Returns the nodes of a record at a place.
    pub fn at(&self, record: usize, place: Place) -> impl Iterator<Item = NodeIndex> + '_ {
        let nodes = self.by_place.get(&place).map_or(&[][..], Vec::as_slice);
        let from = nodes.partition_point(|(of, _)| *of < record);
        nodes[from..].iter().take_while(move |(of, _)| *of == record).map(|(_, node)| *node)
    }

    /// Returns which records look like those that are sure.
    pub fn alike(&self, sure: &[bool]) -> Vec<bool> {
        let sure_number = sure.iter().filter(|is_sure| **is_sure).count();
        let (mut all, mut common) = (0_u32, vec![0_u32; self.number]);
        for nodes in self.by_place.values() {
            let records = records_of(nodes);
            if records.iter().filter(|record| sure[**record]).count() as f64 >= COMMON_MIN * sure_number as f64 {
                all += 1;
                records.into_iter().for_each(|record| common[record] += 1);
            }
        }
        let is_alike = |record: usize| f64::from(common[record]) > ALIKE_MIN * f64::from(all);
        (0..sure.len()).map(|record| sure[record] || is_alike(record)).collect()
    }

    /// Returns the share of the records that have a place.
    fn share(&self, nodes: &Placed) -> f64 {
        records_of(nodes).len() as f64 / self.number.max(1) as f64
    }

    /// Returns a hash of a text without its digits; `None` of an element.
    fn text_hash(&self, node: NodeIndex) -> Option<u64> {
        let Content::Text(text) = &self.tree.node(node).content else { return None };
        Some(
            text.trim().bytes().filter(|byte| !byte.is_ascii_digit()).fold(3, |hash, byte| step(hash, u64::from(byte))),
        )
    }
}

fn place_of(tree: &Tree, (node, part): (NodeIndex, NodeIndex)) -> Place {
    let inside = tree.upwards(node).take(PLACE_ELEMENTS).take_while(|above| *above >= part);
    // Classes of the record itself tell its state, such as unread or deleted.
    let word = |at: NodeIndex| if at == part { fold(tree.name(at).as_bytes()) } else { tree.node(at).word };
    inside.fold(1, |place, at| step(place, word(at)))
}

/// Returns the records of nodes, in order.
fn records_of(nodes: &Placed) -> Vec<usize> {
    let mut records: Vec<usize> = nodes.iter().map(|(record, _)| *record).collect();
    records.dedup();
    records
}

/// Counts equal values.
fn counts<T: std::hash::Hash + Eq>(values: impl Iterator<Item = T>) -> HashMap<T, u32> {
    let mut counts = HashMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    counts
}
