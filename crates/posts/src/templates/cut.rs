//! Takes records out of those of another kind that they are in.

use crate::anchors::Anchor;
use crate::segments::Record;
use crate::tree::Tree;

/// Cuts records out of those that they are in, and drops those that are in none.
pub fn cut<'r>(tree: &Tree, anchors: &[Anchor], inner: &mut Vec<Record>, outer: impl Iterator<Item = &'r mut Record>) {
    let mut outer: Vec<&mut Record> = outer.collect();
    inner.retain_mut(|record| {
        let first = record.parts[0];
        let at = outer.partition_point(|other| other.parts[0] < first).checked_sub(1);
        let Some(around) = at.and_then(|at| outer.get_mut(at)) else { return false };
        let date = around.anchor.map(|anchor| anchors[anchor].node);
        let has_date = date.is_some_and(|date| record.parts.iter().any(|part| tree.range(*part).contains(&date)));
        record.is_inner = around.contains(tree, first) && !has_date;
        if record.is_inner {
            around.cut.extend(&record.parts);
        }
        record.is_inner
    });
}
