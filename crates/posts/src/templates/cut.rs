//! Takes records out of those of another kind that they are in.

use std::borrow::Borrow;

use crate::anchors::Anchor;
use crate::segments::Record;
use crate::tree::{NodeIndex, Tree};

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
