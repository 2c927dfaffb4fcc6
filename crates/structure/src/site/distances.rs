//! All distances between the pages of a sample.

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
}
