//! Combines the statements about a page into a bounded list that does not depend on their order.

use std::collections::BTreeSet;

use harvestman_core::model::Statement;

/// Maximum number of statements about one page that are only recorded.
pub const RECORDED_MAX: usize = 16;

/// Returns the statements in a fixed order, each once: of those with the same wish, kind and place only the first is
/// kept, so that no wish is lost and their number is bounded by the kinds; of those that are only recorded the first
/// [`RECORDED_MAX`].
pub fn combined(statements: impl IntoIterator<Item = Statement>) -> Vec<Statement> {
    let all: BTreeSet<Statement> = statements.into_iter().collect();
    let (mut kept, mut recorded) = (Vec::<Statement>::new(), 0);
    for statement in all {
        let is_same = |other: &Statement| {
            (other.signal, other.stated_in, other.wish) == (statement.signal, statement.stated_in, statement.wish)
        };
        let is_kept = match statement.wish {
            Some(_) => !kept.last().is_some_and(is_same),
            None => recorded < RECORDED_MAX,
        };
        recorded += usize::from(statement.wish.is_none());
        kept.extend(is_kept.then_some(statement));
    }
    kept
}
