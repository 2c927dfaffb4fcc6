//! The growth of a crawl's harvest over its fetches.

use super::Fetched;

/// The harvest after some of the fetches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CurvePoint {
    /// Fetches so far.
    pub fetches: u64,
    /// Seconds so far, where each host is asked once a second.
    pub seconds: u64,
    /// Valid pages so far.
    pub valid: u64,
    /// Those that are not duplicate views.
    pub valid_unique: u64,
}

/// Returns at most `points_max` evenly spaced points of a crawl's curve besides its start; the last one is its end.
pub fn curve(fetches: &[Fetched], points_max: usize) -> Vec<CurvePoint> {
    let step = fetches.len().div_ceil(points_max.max(1)).max(1);
    let mut point = CurvePoint { fetches: 0, seconds: 0, valid: 0, valid_unique: 0 };
    let mut points = vec![point];
    for piece in fetches.chunks(step) {
        point.fetches += piece.len() as u64;
        point.seconds = piece.iter().map(|fetched| fetched.second).fold(point.seconds, u64::max);
        point.valid += piece.iter().filter(|fetched| fetched.valid).count() as u64;
        point.valid_unique += piece.iter().filter(|fetched| fetched.valid_unique).count() as u64;
        points.push(point);
    }
    points
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fetches(valid: &[bool]) -> Vec<Fetched> {
        valid.iter().map(|valid| Fetched { valid: *valid, ..Fetched::default() }).collect()
    }

    #[test]
    fn a_curve_starts_at_zero_and_ends_at_the_end() {
        let points = curve(&fetches(&[true, true, false, true, true]), 2);
        let points: Vec<_> = points.iter().map(|point| (point.fetches, point.valid)).collect();
        assert_eq!(points, [(0, 0), (3, 2), (5, 4)]);
        assert_eq!(curve(&[], 10).len(), 1);
        assert_eq!(curve(&fetches(&[true]), 0).len(), 2);
    }

    proptest! {
        #[test]
        fn every_point_counts_the_valid_pages_before_it(
            valid in prop::collection::vec(any::<bool>(), 0..200), points_max in 1_usize..30,
        ) {
            let points = curve(&fetches(&valid), points_max);
            prop_assert!(points.len() <= points_max + 1);
            for point in points {
                let before = valid[..point.fetches as usize].iter().filter(|valid| **valid).count() as u64;
                prop_assert_eq!(point.valid, before);
            }
        }
    }
}
