//! Tiered compaction of a session's parts: keeps their number small without rewriting any of them too often.
//!
//! Parts are ordered from oldest to youngest. The youngest are merged, as many as needed for every older part to be
//! more than four times as large as all younger ones together. As in a log-structured merge tree with tiers (O'Neil et
//! al. 1996), a URL is rewritten a few times per tier and not with every merge.

/// A part is merged if it is at most this many times as large as all younger parts together.
const SIZE_RATIO_MAX: u64 = 4;

/// Returns the index from which parts are merged into one, or `None` while there are at most `most`.
pub fn merge_from(sizes: &[u64], most: usize) -> Option<usize> {
    if sizes.len() <= most.max(1) {
        return None;
    }
    let mut younger: u64 = sizes.iter().sum();
    let is_small = |(_, size): &(usize, &u64)| {
        younger -= **size;
        **size <= younger.saturating_mul(SIZE_RATIO_MAX)
    };
    let from = sizes.iter().enumerate().find(is_small).map(|(at, _)| at);
    // At least two: the last part has no younger one.
    Some(from.unwrap_or(sizes.len()).min(sizes.len() - 2))
}

/// Returns the write amplification: how often data is written on average, after this many parts of equal size.
/// O(parts).
pub fn write_amplification(parts: u64, most: usize) -> f64 {
    let (mut sizes, mut written) = (Vec::new(), parts);
    for size in std::iter::repeat_n(1, usize::try_from(parts).unwrap_or(usize::MAX)) {
        sizes.push(size);
        if let Some(from) = merge_from(&sizes, most) {
            let merged = sizes.drain(from..).sum();
            sizes.push(merged);
            written += merged;
        }
    }
    written as f64 / parts.max(1) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Adds parts of equal size. Returns the final sizes and the highest number of parts at any time.
    fn grown(count: u64, most: usize) -> (Vec<u64>, usize) {
        let (mut sizes, mut longest) = (Vec::new(), 0);
        for size in std::iter::repeat_n(1, count as usize) {
            sizes.push(size);
            longest = longest.max(sizes.len());
            if let Some(from) = merge_from(&sizes, most) {
                let merged = sizes.drain(from..).sum();
                sizes.push(merged);
            }
        }
        (sizes, longest)
    }

    #[test]
    fn the_large_ones_are_left_alone_until_the_small_ones_weigh() {
        assert_eq!(merge_from(&[100, 1, 1, 1], 4), None);
        assert_eq!(merge_from(&[100, 1, 1, 1, 1], 4), Some(1));
        assert_eq!(merge_from(&[100, 20, 1, 1, 1, 1], 4), Some(2));
        assert_eq!(merge_from(&[200, 20, 3, 1, 1, 1], 4), Some(1));
        assert_eq!(merge_from(&[1, 1, 1, 1, 100], 4), Some(0));
        assert_eq!(merge_from(&[1_000, 100, 10, 1], 3), Some(2), "two at least");
        assert_eq!((merge_from(&[], 0), merge_from(&[1], 0), merge_from(&[0, 0], 0)), (None, None, Some(0)));
    }

    #[test]
    fn a_day_of_checkpoints_is_written_few_times() {
        let (sizes, longest) = grown(1_440, 8);
        assert_eq!((sizes.iter().sum::<u64>(), longest), (1_440, 9));
        // Merging all parts every time would write the data 91 times.
        assert!((9.0..10.0).contains(&write_amplification(1_440, 8)), "{}", write_amplification(1_440, 8));
        assert_eq!((write_amplification(0, 8), write_amplification(8, 8)), (0.0, 1.0));
    }

    proptest! {
        #[test]
        fn there_are_never_more_than_one_too_many_and_nothing_is_lost(count in 1_u64..500, most in 1_usize..12) {
            let (sizes, longest) = grown(count, most);
            prop_assert_eq!(sizes.iter().sum::<u64>(), count);
            prop_assert!(longest <= most + 1 && sizes.len() <= most);
        }
    }
}
