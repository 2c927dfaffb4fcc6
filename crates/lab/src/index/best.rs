//! Collects the best documents of a search: those with the highest score, ties by the order of their addresses.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::ColumnValues;
use tantivy::{DocId, Score, SegmentOrdinal, SegmentReader};

/// A document that matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Match {
    /// The BM25 score.
    pub score: Score,
    /// The place of its address among those of all documents, from 0.
    pub rank: u32,
}

impl Eq for Match {}

impl Ord for Match {
    /// A better one is less.
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.rank.cmp(&other.rank))
    }
}

impl PartialOrd for Match {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The number of documents that match, and the best of them, in no order.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    pub hits: u64,
    /// The worst one is at the top.
    best: BinaryHeap<Match>,
}

impl Matches {
    /// Keeps `found` if it is among the `limit` best ones.
    fn keep(&mut self, found: Match, limit: usize) {
        if self.best.len() < limit {
            self.best.push(found);
        } else if let Some(mut worst) = self.best.peek_mut()
            && found < *worst
        {
            *worst = found;
        }
    }

    /// Returns the best documents, the best one first.
    pub fn into_best(self) -> Vec<Match> {
        self.best.into_sorted_vec()
    }
}

/// Collects the `limit` best documents.
pub(crate) struct Best {
    pub limit: usize,
    /// Name of the column that holds the number of a document.
    pub number_field: &'static str,
    /// The rank of each document, by its number.
    pub ranks: Arc<[u32]>,
}

/// The same, of one segment.
pub(crate) struct BestOfSegment {
    limit: usize,
    numbers: Arc<dyn ColumnValues<u64>>,
    ranks: Arc<[u32]>,
    matches: Matches,
}

impl Collector for Best {
    type Fruit = Matches;
    type Child = BestOfSegment;

    fn for_segment(&self, _: SegmentOrdinal, segment: &SegmentReader) -> tantivy::Result<BestOfSegment> {
        let numbers = segment.fast_fields().u64(self.number_field)?.first_or_default_col(0);
        Ok(BestOfSegment { limit: self.limit, numbers, ranks: Arc::clone(&self.ranks), matches: Matches::default() })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, of_segments: Vec<Matches>) -> tantivy::Result<Matches> {
        let mut all = Matches::default();
        for matches in of_segments {
            all.hits += matches.hits;
            matches.best.into_iter().for_each(|found| all.keep(found, self.limit));
        }
        Ok(all)
    }
}

impl SegmentCollector for BestOfSegment {
    type Fruit = Matches;

    fn collect(&mut self, document: DocId, score: Score) {
        self.matches.hits += 1;
        let number = usize::try_from(self.numbers.get_val(document)).ok();
        if let Some(rank) = number.and_then(|number| self.ranks.get(number)) {
            self.matches.keep(Match { score, rank: *rank }, self.limit);
        }
    }

    fn harvest(self) -> Matches {
        self.matches
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_best_matches_are_the_first_of_all_sorted(scores in prop::collection::vec(0_u8..5, 0..40), limit in 0_usize..20) {
            let ranked = scores.iter().enumerate();
            let mut all: Vec<(i32, u32)> = ranked.map(|(at, score)| (-i32::from(*score), at as u32)).collect();
            let mut matches = Matches::default();
            for (score, rank) in all.iter().rev() {
                matches.keep(Match { score: -*score as f32, rank: *rank }, limit);
            }
            all.sort_unstable();
            all.truncate(limit);
            let best: Vec<(i32, u32)> = matches.into_best().iter().map(|found| (-found.score as i32, found.rank)).collect();
            prop_assert_eq!(best, all);
        }
    }
}
