//! The elements of one page that corrections match.

use std::collections::BTreeMap;

use super::types::TaughtField;
use crate::anchors::{Anchor, anchor_at};
use crate::parsed_page::Page;
use crate::segments::Record;
use crate::tree::{NodeIndex, Tree};

/// The elements of a page that are said to be a field, and those that are said not to be.
#[derive(Debug, Clone, Default)]
pub(crate) struct Taught {
    right: BTreeMap<TaughtField, Vec<NodeIndex>>,
    wrong: BTreeMap<TaughtField, Vec<NodeIndex>>,
}

impl Taught {
    /// Adds the elements that a correction matches.
    pub(super) fn add(&mut self, field: TaughtField, is_wrong: bool, nodes: Vec<NodeIndex>) {
        let all = if is_wrong { &mut self.wrong } else { &mut self.right };
        let of_field = all.entry(field).or_default();
        of_field.extend(nodes);
        of_field.sort_unstable();
        of_field.dedup();
    }

    /// Returns the elements that are a field.
    pub fn right(&self, field: TaughtField) -> &[NodeIndex] {
        self.right.get(&field).map_or(&[], Vec::as_slice)
    }

    /// Returns the elements that are not a field.
    pub fn wrong(&self, field: TaughtField) -> &[NodeIndex] {
        self.wrong.get(&field).map_or(&[], Vec::as_slice)
    }

    /// Returns the elements of a record that are a field, without those within another one.
    pub fn right_in(&self, tree: &Tree, record: &Record, field: TaughtField) -> Vec<NodeIndex> {
        let mut outer: Vec<NodeIndex> = Vec::new();
        for node in record.parts.iter().flat_map(|part| within(self.right(field), tree.range(*part))) {
            if outer.last().is_none_or(|last| *node >= tree.node(*last).end) {
                outer.push(*node);
            }
        }
        outer
    }

    /// Returns whether an element is, is in, or only has one that is not a field.
    pub fn is_wrong(&self, tree: &Tree, node: NodeIndex, field: TaughtField) -> bool {
        let wrong = self.wrong(field);
        let words = tree.node(node).words;
        let has_only = |inner: &NodeIndex| tree.node(*inner).words == words && words > 0;
        !wrong.is_empty()
            && (tree.upwards(node).any(|above| wrong.binary_search(&above).is_ok())
                || within(wrong, tree.range(node)).iter().any(has_only))
    }

    /// Returns the dates of a page without those that are none of a post, and with those that are only known as such.
    pub fn anchors(&self, page: &Page, mut anchors: Vec<Anchor>) -> Vec<Anchor> {
        let tree = &page.tree;
        anchors.retain(|anchor| !self.is_wrong(tree, anchor.node, TaughtField::Time));
        let times = self.right(TaughtField::Time).iter();
        let more = times.filter(|node| anchor_of(tree, &anchors, **node).is_none());
        let more: Vec<Anchor> = more.filter_map(|node| anchor_at(tree, *node, page.fetched)).collect();
        anchors.extend(more);
        anchors.sort_by_key(|anchor| anchor.node);
        anchors
    }

    /// Returns the date of a record that is said to be its time.
    pub fn time_of(&self, tree: &Tree, record: &Record, anchors: &[Anchor]) -> Option<usize> {
        let times = self.right_in(tree, record, TaughtField::Time);
        times.into_iter().find_map(|node| anchor_of(tree, anchors, node))
    }
}

/// Returns the first date in an element, or the one that it is a part of.
fn anchor_of(tree: &Tree, anchors: &[Anchor], node: NodeIndex) -> Option<usize> {
    let range = tree.range(node);
    let from = anchors.partition_point(|anchor| anchor.node < range.start);
    let inside = anchors.get(from).filter(|anchor| range.contains(&anchor.node)).map(|_| from);
    let around = || from.checked_sub(1).filter(|before| tree.range(anchors[*before].node).contains(&node));
    inside.or_else(around)
}

/// Returns those of some sorted nodes that are in a range.
fn within(nodes: &[NodeIndex], range: std::ops::Range<NodeIndex>) -> &[NodeIndex] {
    let from = nodes.partition_point(|node| *node < range.start);
    let to = nodes.partition_point(|node| *node < range.end);
    &nodes[from..to.max(from)]
}
