//! K-dist: the distance of each page to its K-th nearest neighbour (SOUrCe 2018, section 3.3).

use super::distances::Distances;

/// Number of neighbours that K-dist looks at besides the page itself. With K = minPts - 1, a K-dist of at most eps is
/// equivalent to "core point of DBSCAN". (The text says K = minPts, its figure 4 shows K = 3.)
pub const K: u32 = 3;

/// What counts as a neighbour, and as a page of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Every page.
    Pages,
    /// Every distinct vector, once.
    Distinct,
}

/// Returns the distances to the `k`-th nearest other page, ascending, one for each page (or distinct vector). With
/// fewer than `k` other pages it is the distance to the farthest, without any it is 0.
pub fn k_dist(distances: &Distances, k: u32, counting: Counting) -> Vec<f32> {
    let copies = |point| match counting {
        Counting::Pages => distances.copies(point),
        Counting::Distinct => 1,
    };
    let mut row = Vec::with_capacity(distances.points());
    let mut all = Vec::new();
    for point in 0..distances.points() {
        let own = copies(point);
        row.clear();
        row.extend((0..distances.points()).filter(|&other| other != point).map(|other| {
            let neighbours = copies(other);
            (distances.at(point, other), neighbours)
        }));
        let value = kth(&mut row, own - 1, k);
        all.extend(std::iter::repeat_n(value, own as usize));
    }
    all.sort_unstable_by(f32::total_cmp);
    all
}

/// Returns the distance at which `k` neighbours are reached, `at_zero` of which are copies of the page itself.
fn kth(row: &mut [(f32, u32)], at_zero: u32, k: u32) -> f32 {
    if at_zero >= k {
        return 0.0;
    }
    // No more than k points are needed to reach k neighbours.
    let nearest = (k as usize).min(row.len());
    if nearest == 0 {
        return 0.0;
    }
    row.select_nth_unstable_by(nearest - 1, |one, other| one.0.total_cmp(&other.0));
    let row = &mut row[..nearest];
    row.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let mut reached = at_zero;
    for (distance, neighbours) in row.iter() {
        reached = reached.saturating_add(*neighbours);
        if reached >= k {
            return *distance;
        }
    }
    row[nearest - 1].0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::site::vector::SparseVector;

    /// Returns pages on a line.
    fn line(places: &[f32]) -> Vec<SparseVector> {
        places.iter().map(|place| SparseVector::new(vec![(0, *place)])).collect()
    }

    #[test]
    fn k_dist_is_the_distance_to_the_kth_other_page() {
        let distances = Distances::between(&line(&[1.0, 2.0, 4.0, 8.0]));
        assert_eq!(k_dist(&distances, 1, Counting::Pages), [1.0, 1.0, 2.0, 4.0]);
        assert_eq!(k_dist(&distances, 2, Counting::Pages), [2.0, 3.0, 3.0, 6.0]);
    }

    #[test]
    fn copies_are_neighbours_at_distance_zero_unless_only_distinct_vectors_count() {
        let distances = Distances::between(&line(&[1.0, 1.0, 1.0, 4.0]));
        assert_eq!(k_dist(&distances, 2, Counting::Pages), [0.0, 0.0, 0.0, 3.0]);
        assert_eq!(k_dist(&distances, 2, Counting::Distinct), [3.0, 3.0]);
    }

    #[test]
    fn few_pages_and_identical_pages_have_a_k_dist_too() {
        let of = |places: &[f32]| k_dist(&Distances::between(&line(places)), 3, Counting::Pages);
        assert!(of(&[]).is_empty());
        assert_eq!(of(&[1.0]), [0.0]);
        assert_eq!(of(&[1.0, 3.0]), [2.0, 2.0]);
        assert_eq!(of(&[1.0; 6]), [0.0; 6]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn k_dist_is_what_sorting_all_pages_gives(places in proptest::collection::vec(1..9_u8, 0..14), k in 1..5_u32) {
            let pages = line(&places.iter().map(|place| f32::from(*place)).collect::<Vec<_>>());
            let mut naive: Vec<f32> = (0..pages.len()).map(|i| {
                let others = pages.iter().enumerate().filter(|(j, _)| *j != i);
                let mut row: Vec<f32> = others.map(|(_, other)| pages[i].distance(other)).collect();
                row.sort_by(f32::total_cmp);
                row.get(k as usize - 1).or(row.last()).copied().unwrap_or(0.0)
            }).collect();
            naive.sort_by(f32::total_cmp);
            prop_assert_eq!(k_dist(&Distances::between(&pages), k, Counting::Pages), naive);
        }
    }
}
