//! Which segments are retained. As in a crawl directory: the first observations for good, because templates and
//! patterns are learned from them and clusters get their names from them; of the others the latest.

use super::Segment;

/// Limits of the retained observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionLimits {
    /// The number of observations after which a segment is full.
    pub segment: u64,
    /// The number of bytes after which a segment is full.
    pub segment_bytes: u64,
    /// The number of first observations that are retained for good: as many as policies learn templates and patterns
    /// from.
    pub first: u64,
    /// The total number of retained observations: as many as policies remember.
    pub kept: u64,
    /// The total number of their bytes.
    pub kept_bytes: u64,
}

impl Default for RetentionLimits {
    fn default() -> Self {
        Self { segment: 1_024, segment_bytes: 4 << 20, first: 4_096, kept: 20_480, kept_bytes: 128 << 20 }
    }
}

impl RetentionLimits {
    /// Returns whether a segment of this size is full.
    pub const fn is_full(&self, observations: u64, bytes: u64) -> bool {
        observations >= self.segment || bytes >= self.segment_bytes
    }

    /// Returns the index of the segment to drop next, if a limit is exceeded: the oldest after the first observations,
    /// or if there is none, the latest but the last. Never the first and never the last.
    pub fn to_drop(&self, segments: &[Segment]) -> Option<usize> {
        let observations: u64 = segments.iter().map(|segment| segment.observations).sum();
        let bytes: u64 = segments.iter().map(|segment| segment.bytes).sum();
        if (observations <= self.kept && bytes <= self.kept_bytes) || segments.len() < 3 {
            return None;
        }
        let mut before = 0;
        let droppable = |segment: &Segment| {
            let is_later = before >= self.first;
            before += segment.observations;
            is_later
        };
        let last = segments.len() - 1;
        let oldest = segments[..last].iter().position(droppable);
        Some(oldest.unwrap_or(last - 1).max(1))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn segments(sizes: &[(u64, u64)]) -> Vec<Segment> {
        let segment = |(number, (observations, bytes)): (usize, &(u64, u64))| Segment {
            object: number.to_string(),
            observations: *observations,
            bytes: *bytes,
        };
        sizes.iter().enumerate().map(segment).collect()
    }

    #[test]
    fn the_first_are_kept_for_good_and_of_the_others_the_latest() {
        let bounds = RetentionLimits::default();
        let to_drop = |segments: &[Segment]| bounds.to_drop(segments);
        let sizes = vec![(1_024, 1); 20];
        assert_eq!(to_drop(&segments(&sizes)), None);
        let sizes = vec![(1_024, 1); 21];
        assert_eq!(to_drop(&segments(&sizes)), Some(4));
        assert_eq!(to_drop(&segments(&[(9, 100 << 20), (9, 30 << 20)])), None, "the first and the last stay");
        assert_eq!(to_drop(&segments(&[(9, 100 << 20), (9, 30 << 20), (9, 9)])), Some(1));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_kept_has_a_bound(sizes in prop::collection::vec((1_u64..3_000, 1_u64..(9 << 20)), 0..80)) {
            let (bounds, mut kept) = (RetentionLimits::default(), Vec::<Segment>::new());
            for segment in segments(&sizes) {
                kept.push(segment);
                while let Some(at) = bounds.to_drop(&kept) {
                    prop_assert!(at > 0 && at + 1 < kept.len());
                    kept.remove(at);
                }
                let (observations, bytes) =
                    kept.iter().fold((0, 0), |sum, one| (sum.0 + one.observations, sum.1 + one.bytes));
                prop_assert!(kept.len() <= 2 || (observations <= bounds.kept && bytes <= bounds.kept_bytes));
            }
            prop_assert_eq!(kept.first().map(|one| one.object.clone()), (!sizes.is_empty()).then(|| "0".to_owned()));
        }
    }
}
