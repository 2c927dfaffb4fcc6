//! The text of records: the element that has what differs between them, and little else.

use harvestman_core::model::path_hash::fold;

use super::hints::{Hint, is_aside, is_quoted};
use super::{PageNode, PageParts, Place, Placed, Places, SHARE_MIN, counts, records_of};
use crate::maps::{HashMap, HashSet};
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

/// Number of records from which texts with dates at a place are notes.
const NOTES_MIN: usize = 2;
/// Number of elements around a text that may show it as a date.
const DATE_ELEMENTS: usize = 5;
/// How often a text repeats on a page that is a label, and the share of the texts of a place that are labels then.
const LABEL_TIMES: u32 = 3;
const LABEL_MIN: f64 = 0.7;

/// The number of words of texts that are a record's own.
type OwnWords = HashMap<PageNode, usize>;

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
        own.retain(|(page, node), _| !self.pages[*page].tree.node(*node).is_linked);
        let words = |record: usize| self.at(record, place).map(|node| self.own_in(&own, record, node)).sum();
        Some((place, (0..self.number()).map(words).collect()))
    }

    /// Returns the F-measure of the records' own words in the elements at a place, by the share of records that have
    /// it.
    fn text_score(&self, nodes: &Placed, own: &OwnWords, total: usize) -> f64 {
        let words: usize = nodes.iter().map(|(record, node)| self.own_in(own, *record, *node)).sum();
        let all: usize = nodes.iter().map(|(record, node)| self.tree(*record).node(*node).words).sum();
        if words == 0 {
            return 0.0;
        }
        let (recall, precision) = (words as f64 / total as f64, words as f64 / all as f64);
        let measure = 2.0 * recall * precision / (recall + precision);
        let (record, first) = nodes[0];
        measure * self.share(nodes) * Hint::of(self.tree(record), first).weight()
    }

    /// Returns the places within texts that are no part of them: names, dates, labels and other fields.
    pub(super) fn asides(&self, author: Option<Place>) -> HashSet<Place> {
        let own = self.own_words(author);
        let is_aside = |(place, nodes): &(&Place, &Placed)| {
            let is_quoted = || nodes.iter().any(|(record, node)| is_quoted(self.tree(*record), *node));
            let is_text = !self.is_element(nodes);
            Some(**place) == author || (is_text && self.is_usual(nodes) && !self.is_own(&own, nodes) && !is_quoted())
        };
        self.by_place.iter().filter(is_aside).map(|(place, _)| *place).collect()
    }

    /// Returns whether a place is one of the template, not of a text: most records have it, or its texts repeat, or all
    /// of them have a date, as notes of edits do.
    fn is_usual(&self, nodes: &Placed) -> bool {
        let has_date = |(record, node): &(usize, NodeIndex)| self.is_date(*record, *node);
        self.share(nodes) >= SHARE_MIN
            || self.is_label(nodes)
            || (records_of(nodes).len() >= NOTES_MIN && nodes.iter().all(has_date))
    }

    /// Returns whether most texts of a place repeat on their page, although few records have it.
    fn is_label(&self, nodes: &Placed) -> bool {
        let hashes =
            nodes.iter().filter_map(|(record, node)| Some((self.page_of[*record], self.text_hash(*record, *node)?)));
        let times = counts(hashes);
        let repeated: u32 = times.values().filter(|times| **times >= LABEL_TIMES).sum();
        f64::from(repeated) >= LABEL_MIN * nodes.len() as f64
    }

    /// Returns whether enough records have texts of their own at a place.
    fn is_own(&self, own: &OwnWords, nodes: &Placed) -> bool {
        let has_own = |(record, node): &&(usize, NodeIndex)| own.contains_key(&(self.page_of[*record], *node));
        let with_own: HashSet<usize> = nodes.iter().filter(has_own).map(|(record, _)| *record).collect();
        with_own.len() as f64 >= OWN_MIN * records_of(nodes).len() as f64
    }

    pub(super) fn is_element(&self, nodes: &Placed) -> bool {
        let is_element =
            |(record, node): &(usize, NodeIndex)| matches!(self.tree(*record).content(*node), Content::Element(..));
        nodes.first().is_some_and(is_element)
    }

    fn own_in(&self, own: &OwnWords, record: usize, node: NodeIndex) -> usize {
        self.tree(record).inside(node).filter_map(|node| own.get(&(self.page_of[record], node))).sum()
    }

    /// Returns the number of words of the texts that differ between records and are no field of the record or its
    /// author.
    fn own_words(&self, author: Option<Place>) -> OwnWords {
        let names: Vec<Option<u64>> = (0..self.number()).map(|record| self.name_hash(record, author)).collect();
        let limit = |records: usize| (records / LABEL_SHARE).max(1) as u32;
        let on_page = |record: usize| limit(self.pages[self.page_of[record]].records.len());
        let mut own = HashMap::default();
        for (place, nodes) in &self.by_place {
            if Some(*place) == author
                || self.is_element(nodes)
                || self.is_field(nodes)
                || self.is_of_author(nodes, &names)
            {
                continue;
            }
            let texts =
                nodes.iter().filter_map(|(record, node)| Some(((*record, *node), self.text_hash(*record, *node)?)));
            let texts: Vec<_> = texts.collect();
            let distinct: HashSet<(u64, usize)> = texts.iter().map(|((record, _), hash)| (*hash, *record)).collect();
            let times = counts(distinct.iter().map(|(hash, _)| *hash));
            let times_on_page = counts(distinct.into_iter().map(|(hash, record)| (hash, self.page_of[record])));
            // A label is the same on all pages, or, as the title of a thread, in all records of a page.
            let is_rare = |record: usize, hash: u64| {
                times[&hash] <= limit(self.number()) && times_on_page[&(hash, self.page_of[record])] <= on_page(record)
            };
            let is_kept = |((record, node), hash): &((usize, NodeIndex), u64)| {
                is_rare(*record, *hash) && !self.is_apart(*record, *node)
            };
            let kept = texts.into_iter().filter(is_kept);
            own.extend(
                kept.map(|((record, node), _)| ((self.page_of[record], node), self.tree(record).node(node).words)),
            );
        }
        own
    }

    /// Returns whether a text is a date or belongs to the author.
    fn is_apart(&self, record: usize, node: NodeIndex) -> bool {
        self.is_date(record, node) || is_aside(self.tree(record), node)
    }

    fn is_date(&self, record: usize, node: NodeIndex) -> bool {
        let PageParts { tree, dates, .. } = &self.pages[self.page_of[record]];
        tree.upwards(node).take(DATE_ELEMENTS).any(|above| dates.contains(&above))
    }

    /// Returns a hash of the name of a record's author; `None` if another page has the same record, which would tell
    /// that all texts of it are the same wherever the author is.
    fn name_hash(&self, record: usize, author: Option<Place>) -> Option<u64> {
        if self.is_copy[record] {
            return None;
        }
        self.at(record, author?).next().map(|node| fold(self.tree(record).text(node).as_bytes()))
    }

    /// Returns whether a place has one short text in most records.
    fn is_field(&self, nodes: &Placed) -> bool {
        let words = |(record, node): &(usize, NodeIndex)| self.tree(*record).node(*node).words;
        let (sum, longest) =
            nodes.iter().map(words).fold((0, 0), |(sum, longest), words| (sum + words, longest.max(words)));
        nodes.len() as f64 <= FIELD_NODES_MAX * records_of(nodes).len() as f64
            && self.share(nodes) >= SHARE_MIN
            && sum as f64 <= FIELD_WORDS_MAX * nodes.len() as f64
            && longest <= FIELD_WORDS_LONGEST
    }

    /// Returns whether the texts of a place repeat on records of the same author.
    fn is_of_author(&self, nodes: &Placed, names: &[Option<u64>]) -> bool {
        let mut by_name: HashMap<u64, Vec<u64>> = HashMap::default();
        for (record, node) in nodes {
            if let (Some(name), Some(hash)) = (names[*record], self.text_hash(*record, *node)) {
                by_name.entry(name).or_default().push(hash);
            }
        }
        let pairs = || by_name.values().flat_map(|hashes| hashes.windows(2));
        let (all, same) = (pairs().count(), pairs().filter(|pair| pair[0] == pair[1]).count());
        all > 0 && same * 2 >= all
    }
}
