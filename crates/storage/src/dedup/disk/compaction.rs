//! Selects the runs that a new run is merged with.

/// Returns how many of the youngest runs are merged with a new run of `new` fingerprints. `counts` are the sizes of the
/// existing runs, oldest first.
///
/// The merge starts at the oldest run that has at most `ratio` times as many fingerprints as all younger runs together.
/// Each remaining run therefore has more than `ratio` times as many fingerprints as all younger runs together: for N
/// fingerprints written M at a time there are at most 1 + log(N / M) / log(1 + ratio) runs. A rewritten fingerprint
/// moves to a run that is larger by a factor of at least 1 + 1 / `ratio`, so it is written at most 1 + log(N / M) /
/// log(1 + 1 / ratio) times. With an unbounded `ratio` there is one run, as in DRUM, and a fingerprint is written up to
/// N / M times.
pub(super) fn runs_to_merge(counts: impl DoubleEndedIterator<Item = u64>, new: u64, ratio: u64) -> usize {
    let (mut younger, mut merged) = (new, 0);
    for (count, runs) in counts.rev().zip(1..) {
        if count <= younger.saturating_mul(ratio) {
            merged = runs;
        }
        younger = younger.saturating_add(count);
    }
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Runs after `writes` writes of one fingerprint each, and the total number of fingerprints written.
    fn written(writes: u64, ratio: u64) -> (Vec<u64>, u64) {
        let (mut runs, mut all) = (Vec::<u64>::new(), 0);
        for _ in 0..writes {
            let retained = runs.len() - runs_to_merge(runs.iter().copied(), 1, ratio);
            let sum = 1 + runs.drain(retained..).sum::<u64>();
            runs.push(sum);
            all += sum;
        }
        (runs, all)
    }

    #[test]
    fn a_ratio_of_one_counts_in_binary() {
        assert_eq!(written(7, 1).0, [4, 2, 1]);
        assert_eq!(written(8, 1).0, [8]);
    }

    #[test]
    fn a_large_run_does_not_hide_an_older_run_that_has_become_too_small() {
        assert_eq!(runs_to_merge([100, 40, 11].into_iter(), 1, 2), 3, "100 <= 2 * (40 + 11 + 1)");
        assert_eq!(runs_to_merge([105, 40, 11].into_iter(), 1, 2), 0);
    }

    #[test]
    fn an_unbounded_ratio_maintains_one_run_and_rewrites_it_each_time() {
        assert_eq!(written(100, u64::MAX), (vec![100], 100 * 101 / 2));
    }

    proptest! {
        #[test]
        fn runs_and_rewrites_stay_within_their_bounds(writes in 1..3_000_u64, ratio in 1..12_u64) {
            let (runs, all) = written(writes, ratio);
            let steps = |base: f64| 1.0 + (writes as f64).ln() / base.ln();
            prop_assert_eq!(runs.iter().sum::<u64>(), writes);
            prop_assert!(runs.len() as f64 <= steps(1.0 + ratio as f64) + 1e-9);
            prop_assert!(all as f64 <= writes as f64 * steps(1.0 + 1.0 / ratio as f64) + 1e-9);
        }
    }
}
