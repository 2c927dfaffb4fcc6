//! The order of waiting URLs, the best of many classes, and the queue of hosts that may be contacted now. The best
//! class is found by a winner tree over the ranks of their heads.
//!
//! A heap would be enough for popping. In a winner tree, the rank of any class can be changed as cheaply as that of the
//! best one, which exploration needs; and ranking all classes again is one pass over a flat list that moves no entry.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::select_unpredictable;

use harvestman_core::url::HostKey;

/// The rank of a URL: the score of its class, then its depth, then the order of discovery. Greater is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    score: ScoreKey,
    turn: Turn,
}

/// The order among URLs of equal scores.
type Turn = (Reverse<u16>, Reverse<u64>);

impl Rank {
    /// Returns the rank of a URL of this depth, the `order`-th that was discovered, in a class of this score.
    pub(super) fn new(score: f64, depth: u16, order: u64) -> Self {
        Self { score: ScoreKey::of(score), turn: (Reverse(depth), Reverse(order)) }
    }
}

/// A score as an integer of the same order, which is compared without a branch; NaN equals negative infinity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ScoreKey(i64);

impl ScoreKey {
    /// Less than every score: the class is empty.
    const NONE: Self = Self(i64::MIN);

    fn of(score: f64) -> Self {
        // Adding zero makes the two zeros equal, whose bits differ.
        let score = if score.is_nan() { f64::NEG_INFINITY } else { score + 0.0 };
        let bits = score.to_bits().cast_signed();
        // As `f64::total_cmp`: the bits of negative numbers increase with the magnitude, so all but the sign are
        // inverted.
        Self(bits ^ (bits >> 63 & i64::MAX))
    }
}

/// The ranks of numbered classes, and the best of them.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    /// By class, up to [`Ranking::leaves`]. Beside one another, so that the scores of thousands of classes stay in the
    /// cache.
    scores: Vec<ScoreKey>,
    /// By class; undefined where the score is [`ScoreKey::NONE`].
    turns: Vec<Turn>,
    /// `winners[n]` is the better of `winners[2n]` and `winners[2n + 1]`, from index 1; class `c` is at `leaves() + c`.
    winners: Vec<u32>,
}

impl Ranking {
    /// Returns the best class and its rank.
    pub(super) fn best(&self) -> Option<(usize, Rank)> {
        let class = *self.winners.get(1)? as usize;
        Some((class, self.rank(class)?))
    }

    /// Returns the rank of a class; `None` if it is empty or unknown.
    pub(super) fn rank(&self, class: usize) -> Option<Rank> {
        let score = *self.scores.get(class)?;
        (score != ScoreKey::NONE).then(|| Rank { score, turn: self.turns[class] })
    }

    /// Returns the classes that have a rank, in the order of their numbers.
    pub(super) fn ranked(&self) -> impl Iterator<Item = (usize, Rank)> {
        (0..self.leaves()).filter_map(|class| Some((class, self.rank(class)?)))
    }

    /// Sets the rank of one class: O(log classes).
    pub(super) fn set(&mut self, class: usize, rank: Option<Rank>) {
        if class >= self.leaves() {
            self.grow(class + 1);
        }
        self.scores[class] = rank.map_or(ScoreKey::NONE, |rank| rank.score);
        if let Some(rank) = rank {
            self.turns[class] = rank.turn;
        }
        let mut node = (self.leaves() + class) / 2;
        while node > 0 {
            self.winners[node] = self.winner(node);
            node /= 2;
        }
    }

    /// Sets the score of each class that has a rank: O(classes).
    pub(super) fn rescore(&mut self, score: impl Fn(usize) -> f64) {
        for (class, known) in self.scores.iter_mut().enumerate() {
            if *known != ScoreKey::NONE {
                *known = ScoreKey::of(score(class));
            }
        }
        self.play();
    }

    /// Makes room for at least `classes`, a power of two.
    fn grow(&mut self, classes: usize) {
        let leaves = classes.next_power_of_two();
        self.scores.resize(leaves, ScoreKey::NONE);
        self.turns.resize(leaves, (Reverse(0), Reverse(0)));
        self.winners = vec![0; 2 * leaves];
        for (class, leaf) in (0..).zip(&mut self.winners[leaves..]) {
            *leaf = class;
        }
        self.play();
    }

    fn play(&mut self) {
        for node in (1..self.leaves()).rev() {
            self.winners[node] = self.winner(node);
        }
    }

    /// Selects without a branch unless scores are equal: after a change of all scores, either child wins as often.
    #[inline]
    fn winner(&self, node: usize) -> u32 {
        let (left, right) = (self.winners[2 * node], self.winners[2 * node + 1]);
        let (left_score, right_score) = (self.scores[left as usize], self.scores[right as usize]);
        if left_score == right_score {
            return if self.turns[right as usize] > self.turns[left as usize] { right } else { left };
        }
        select_unpredictable(right_score > left_score, right, left)
    }

    fn leaves(&self) -> usize {
        self.winners.len() / 2
    }
}

/// Hosts that wait for a lease, best first. A host is in it at most once, because it requests again only after an
/// answer.
#[derive(Debug, Default)]
pub(super) struct DueHosts {
    heap: BinaryHeap<(Rank, HostKey)>,
}

impl DueHosts {
    /// Adds a host that may be contacted, with the rank of its best URL.
    pub(super) fn add(&mut self, host: HostKey, rank: Rank) {
        self.heap.push((rank, host));
    }

    /// Returns whether no host waits.
    pub(super) fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Removes hosts that no longer ask for leases.
    pub(super) fn forget(&mut self, hosts: &dyn Fn(&HostKey) -> bool) {
        self.heap.retain(|(_, host)| !hosts(host));
    }

    /// Takes the best host. Its rank dates from when it was added, and scores may have changed since: so `rank_now` is
    /// called, and a host that is now worse than the next one is put back.
    pub(super) fn take(&mut self, mut rank_now: impl FnMut(&HostKey) -> Option<Rank>) -> Option<HostKey> {
        while let Some((rank, host)) = self.heap.pop() {
            let Some(now) = rank_now(&host) else { return Some(host) };
            let beaten = self.heap.peek().is_some_and(|(next, _)| *next > now);
            if now >= rank || !beaten {
                return Some(host);
            }
            self.heap.push((now, host));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_class_is_the_one_that_a_full_search_finds(
            steps in prop::collection::vec((0..40_usize, prop::option::of((0..4_i32, 0..3_u16)), any::<bool>()), 0..200),
        ) {
            let mut ranking = Ranking::default();
            let mut twin = [None; 40];
            for (order, (class, rank, rescored)) in (0..).zip(steps) {
                twin[class] = rank.map(|(score, depth)| Rank::new(score.into(), depth, order));
                ranking.set(class, twin[class]);
                if rescored {
                    let score = |class: usize| ((class as u64 * 7 + order) % 5) as f64;
                    ranking.rescore(score);
                    for (class, rank) in twin.iter_mut().enumerate() {
                        *rank = rank.map(|rank| Rank { score: ScoreKey::of(score(class)), ..rank });
                    }
                }
                let best = twin.iter().copied().enumerate().filter_map(|(class, rank)| Some((class, rank?)));
                prop_assert_eq!(ranking.best(), best.clone().max_by_key(|(_, rank)| *rank));
                prop_assert!(ranking.ranked().eq(best));
            }
        }
    }

    #[test]
    fn no_class_and_one_class_need_no_special_case() {
        let mut ranking = Ranking::default();
        assert_eq!(ranking.best(), None);
        ranking.rescore(|_| 1.0);
        ranking.set(0, None);
        assert_eq!(ranking.best(), None);
        let rank = Rank::new(2.0, 0, 1);
        ranking.set(0, Some(rank));
        assert_eq!(ranking.best(), Some((0, rank)));
    }

    proptest! {
        #[test]
        fn scores_are_ordered_as_numbers_and_above_that_of_no_class(left in any::<f64>(), right in any::<f64>()) {
            let expected = (left + 0.0).total_cmp(&(right + 0.0));
            prop_assume!(!left.is_nan() && !right.is_nan());
            prop_assert_eq!(ScoreKey::of(left).cmp(&ScoreKey::of(right)), expected);
            prop_assert!(ScoreKey::of(left) > ScoreKey::NONE);
        }
    }

    #[test]
    fn nan_is_least_and_both_zeros_are_equal() {
        let rank = |score| Rank::new(score, 0, 0);
        assert!(rank(f64::NAN) < rank(f64::MIN) && rank(f64::NAN) == rank(f64::NEG_INFINITY));
        assert!(ScoreKey::of(f64::NAN) > ScoreKey::NONE);
        assert_eq!(rank(-0.0), rank(0.0));
        assert!(Rank::new(1.0, 2, 9) > Rank::new(1.0, 3, 1) && Rank::new(1.0, 2, 9) < Rank::new(1.0, 2, 8));
    }
}
