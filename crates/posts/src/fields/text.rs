//! The text of records: the element that has what differs between them, and little else.

use std::collections::{HashMap, HashSet};

use harvestman_core::model::path_hash::fold;

use super::hints::{Hint, is_aside, is_quoted};
use super::{Place, Placed, Places, SHARE_MIN, counts, records_of};
use crate::tree::{Content, NodeIndex};

/// Share of the records beyond which the same text is a label.
const LABEL_SHARE: usize = 5;
/// Maximum number of nodes of a record at the place of a field, on average.
const FIELD_NODES_MAX: f64 = 1.2;
/// Maximum number of words of a field, on average and of one.
const FIELD_WORDS_MAX: f64 = 5.0;
const FIELD_WORDS_LONGEST: usize = 10;
/// Share of the records whose texts at a place are their own, below which the place is no part of the text.
const OWN_MIN: f64 = 0.3;

impl Places<'_> {
    /// Returns the place of the text, and the number of words of each record's text that are its own and no link.
    pub(super) fn text(&self, author: Option<Place>) -> Option<(Place, Vec<usize>)> {
        let mut own = self.own_words(author);
        let total: usize = own.values().sum();
        let elements =
            self.by_place.iter().filter(|(_, nodes)| self.is_element(nodes) && self.share(nodes) >= SHARE_MIN);
        let scored = elements.map(|(place, nodes)| (self.text_score(nodes, &own, total), *place));
        // The first of equals: maximum of the score, then the place, so that the result is always the same.
        let (score, place) = scored.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
        if score <= 0.0 {
            return None;
        }
        own.retain(|node, _| !self.tree.node(*node).is_linked);
        let words = |record: usize| self.at(record, place).map(|node| self.own_in(&own, node)).sum();
        Some((place, (0..self.number).map(words).collect()))
    }

    /// Returns the F-measure of the records' own words in the elements at a place, by the share of records that have it.
    fn text_score(&self, nodes: &Placed, own: &HashMap<NodeIndex, usize>, total: usize) -> f64 {
        let words: usize = nodes.iter().map(|(_, node)| self.own_in(own, *node)).sum();
        let all: usize = nodes.iter().map(|(_, node)| self.tree.node(*node).words).sum();
        if words == 0 {
            return 0.0;
        }
        let (recall, precision) = (words as f64 / total as f64, words as f64 / all as f64);
        let measure = 2.0 * recall * precision / (recall + precision);
        measure * self.share(nodes) * Hint::of(self.tree, nodes[0].1).weight()
    }

    /// Returns the nodes within texts that are no part of them: names, dates, labels and other fields.
    pub fn asides(&self, author: Option<Place>) -> HashSet<NodeIndex> {
        let own = self.own_words(author);
        let mut asides = HashSet::new();
        for (place, nodes) in &self.by_place {
            if Some(*place) == author {
                asides.extend(nodes.iter().map(|(_, node)| *node));
                continue;
            }
            let with_own: HashSet<usize> =
                nodes.iter().filter(|(_, node)| own.contains_key(node)).map(|(record, _)| *record).collect();
            let has_own = with_own.len() as f64 >= OWN_MIN * records_of(nodes).len() as f64;
            if self.share(nodes) >= SHARE_MIN && !has_own && !nodes.iter().any(|(_, node)| is_quoted(self.tree, *node))
            {
                asides.extend(nodes.iter().filter(|(_, node)| !self.is_element_at(*node)).map(|(_, node)| *node));
            }
        }
        asides
    }

    fn is_element(&self, nodes: &Placed) -> bool {
        nodes.first().is_some_and(|(_, node)| self.is_element_at(*node))
    }

    pub(super) fn is_element_at(&self, node: NodeIndex) -> bool {
        matches!(self.tree.node(node).content, Content::Element(..))
    }

    fn own_in(&self, own: &HashMap<NodeIndex, usize>, node: NodeIndex) -> usize {
        self.tree.range(node).filter_map(|node| own.get(&node)).sum()
    }

    /// Returns the number of words of the texts that differ between records and are no field of the record or its author.
    fn own_words(&self, author: Option<Place>) -> HashMap<NodeIndex, usize> {
        let names: Vec<Option<u64>> = (0..self.number).map(|record| self.name_hash(record, author)).collect();
        let limit = (self.number / LABEL_SHARE).max(1) as u32;
        let mut own = HashMap::new();
        for (place, nodes) in &self.by_place {
            if Some(*place) == author
                || self.is_element(nodes)
                || self.is_field(nodes)
                || self.is_of_author(nodes, &names)
            {
                continue;
            }
            let texts = nodes.iter().filter_map(|(record, node)| Some((*record, *node, self.text_hash(*node)?)));
            let texts: Vec<_> = texts.collect();
            let distinct: HashSet<(u64, usize)> = texts.iter().map(|(record, _, hash)| (*hash, *record)).collect();
            let times = counts(distinct.into_iter().map(|(hash, _)| hash));
            let kept = texts.into_iter().filter(|(_, node, hash)| times[hash] <= limit && !self.is_apart(*node));
            own.extend(kept.map(|(_, node, _)| (node, self.tree.node(node).words)));
        }
        own
    }

    /// Returns whether a text is a date or belongs to the author.
    fn is_apart(&self, node: NodeIndex) -> bool {
        self.tree.upwards(node).take(5).any(|above| self.dates.contains(&above)) || is_aside(self.tree, node)
    }

    fn name_hash(&self, record: usize, author: Option<Place>) -> Option<u64> {
        self.at(record, author?).next().map(|node| fold(self.tree.text(node).as_bytes()))
    }

    /// Returns whether a place has one short text in most records.
    fn is_field(&self, nodes: &Placed) -> bool {
        let words = |(_, node): &(usize, NodeIndex)| self.tree.node(*node).words;
        let (sum, longest) =
            nodes.iter().map(words).fold((0, 0), |(sum, longest), words| (sum + words, longest.max(words)));
        nodes.len() as f64 <= FIELD_NODES_MAX * records_of(nodes).len() as f64
            && self.share(nodes) >= SHARE_MIN
            && sum as f64 <= FIELD_WORDS_MAX * nodes.len() as f64
            && longest <= FIELD_WORDS_LONGEST
    }

    /// Returns whether the texts of a place repeat on records of the same author.
    fn is_of_author(&self, nodes: &Placed, names: &[Option<u64>]) -> bool {
        let mut by_name: HashMap<u64, Vec<u64>> = HashMap::new();
        for (record, node) in nodes {
            if let (Some(name), Some(hash)) = (names[*record], self.text_hash(*node)) {
                by_name.entry(name).or_default().push(hash);
            }
        }
        let pairs = || by_name.values().flat_map(|hashes| hashes.windows(2));
        let (all, same) = (pairs().count(), pairs().filter(|pair| pair[0] == pair[1]).count());
        all > 0 && same * 2 >= all
    }
}
