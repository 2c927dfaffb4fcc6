//! All distances between the pages of a sample, and K-dist: the distance of each page to its K-th nearest neighbour
//! (SOUrCe 2018, section 3.3).

use std::collections::HashMap;

use super::vector::{SparseVector, distance};

/// The distances between the *distinct* vectors of a sample, which are numbered by first member.
///
/// Forums answer many addresses with the same page (log-in forms), so identical vectors are one point that counts
/// several times. Memory is 2 d² bytes for d distinct vectors: 2 MB for the usual sample of 1,000 pages.
#[derive(Debug, Clone, Default)]
pub struct Distances {
    of_page: Vec<u32>,
    copies: Vec<u32>,
    /// Row i has the distances to 0 … i-1.
    triangle: Vec<f32>,
}

impl Distances {
    /// Computes all distances between `vectors`, one per page.
    pub fn between(vectors: &[SparseVector]) -> Self {
        let mut point_of: HashMap<&SparseVector, u32> = HashMap::new();
        let (mut points, mut copies, mut of_page) = (Vec::new(), Vec::new(), Vec::with_capacity(vectors.len()));
        for vector in vectors {
            let point = *point_of.entry(vector).or_insert_with(|| {
                points.push(vector);
                copies.push(0);
                copies.len() as u32 - 1
            });
            copies[point as usize] += 1;
            of_page.push(point);
        }
        Self { of_page, copies, triangle: triangle(&points) }
    }

    /// Returns the number of pages.
    pub fn pages(&self) -> usize {
        self.of_page.len()
    }

    /// Returns the number of distinct vectors.
    pub fn points(&self) -> usize {
        self.copies.len()
    }

    /// Returns the distinct vector of each page.
    pub fn point_of_page(&self) -> &[u32] {
        &self.of_page
    }

    /// Returns the number of pages with the vector `point`.
    pub fn copies(&self, point: usize) -> u32 {
        self.copies[point]
    }

    /// Returns the distance between two distinct vectors.
    pub fn at(&self, one: usize, other: usize) -> f32 {
        let (low, high) = if one < other { (one, other) } else { (other, one) };
        if low == high { 0.0 } else { self.triangle[high * (high - 1) / 2 + low] }
    }
}

/// Computes the distances of each point to all points before it, through an inverted index that grows with the points.
fn triangle(points: &[&SparseVector]) -> Vec<f32> {
    let mut postings: HashMap<u32, Vec<(u32, f32)>> = HashMap::new();
    let mut dots = vec![0.0; points.len()];
    let mut triangle = Vec::with_capacity(points.len() * points.len().saturating_sub(1) / 2);
    for (i, point) in points.iter().enumerate() {
        dots[..i].fill(0.0);
        for (feature, weight) in point.iter() {
            let posting = postings.entry(feature).or_default();
            for (j, other) in posting.iter() {
                dots[*j as usize] += f64::from(weight) * f64::from(*other);
            }
            posting.push((i as u32, weight));
        }
        let to = |(other, dot): (&&SparseVector, &f64)| distance(point.squared_norm(), other.squared_norm(), *dot);
        triangle.extend(points[..i].iter().zip(&dots).map(to));
    }
    triangle
}

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

    #[test]
    fn identical_vectors_are_one_point_numbered_by_its_first_page() {
        let (a, b) = (SparseVector::new(vec![(1, 1.0)]), SparseVector::new(vec![(2, 1.0)]));
        let distances = Distances::between(&[b.clone(), a.clone(), a, b.clone(), b]);
        assert_eq!(distances.point_of_page(), [0, 1, 1, 0, 0]);
        assert_eq!((distances.points(), distances.copies(0), distances.copies(1)), (2, 3, 2));
        assert_eq!((distances.at(0, 1), distances.at(1, 0), distances.at(1, 1)), (2.0_f32.sqrt(), 2.0_f32.sqrt(), 0.0));
    }

    #[test]
    fn no_pages_have_no_distances() {
        let distances = Distances::between(&[]);
        assert_eq!((distances.pages(), distances.points()), (0, 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn distances_are_to_the_bit_those_of_each_pair(
            pages in proptest::collection::vec(proptest::collection::vec((0..6_u32, 0.0..1.0_f32), 0..5), 0..12)
        ) {
            let vectors: Vec<_> = pages.into_iter().map(SparseVector::new).collect();
            let distances = Distances::between(&vectors);
            for (i, one) in vectors.iter().enumerate() {
                for (j, other) in vectors.iter().enumerate() {
                    let [p, q] = [i, j].map(|page| distances.point_of_page()[page] as usize);
                    prop_assert_eq!(distances.at(p, q).to_bits(), one.distance(other).to_bits());
                }
            }
        }
    }

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
