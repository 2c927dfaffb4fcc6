//! Repetitive regions, by which iRobot tells page layouts apart (Cai et al. 2008, on repetitive-region-based
//! clustering).
//!
//! The original finds sub-trees of the DOM that repeat. A bag of leaf paths has no trees; here a region is a leaf path
//! that occurs more than once on a page. The parameters have the names under which SOUrCe (2018, section 5.2) sets
//! them; their meaning is interpreted: MinDepth is the region's depth, MinR the share of the pages with the path on
//! which it repeats, and MinEpsilon the radius of single-link clustering over unit vectors.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

use harvestman_core::model::LeafPath;
use harvestman_structure::site::{Distances, Label, SparseVector, dbscan};

/// The parameters of the clustering.
#[derive(Debug, Clone, Copy)]
pub struct RegionOptions {
    /// MinDepth: the minimum number of elements above a leaf. Only paths that are spelt out have a depth; others pass.
    pub min_depth: usize,
    /// MinR: the share of the pages with a path on which it must repeat to be a region.
    pub min_ratio: f64,
    /// MinEpsilon: pages at most this far apart are of one cluster. Unit vectors without a common region are √2 apart.
    pub min_epsilon: f32,
}

impl Default for RegionOptions {
    /// The values that SOUrCe's authors found by a parameter sweep.
    fn default() -> Self {
        Self { min_depth: 3, min_ratio: 0.3, min_epsilon: 0.5 }
    }
}

/// The repetitive regions of a sample of pages.
#[derive(Debug, Clone, Default)]
pub struct Regions {
    features: HashMap<u64, u32, FixedState>,
}

impl Regions {
    /// Finds the regions of these pages.
    pub fn learn(bags: &[&[LeafPath]], options: &RegionOptions) -> Self {
        let mut counts: BTreeMap<u64, (u32, u32)> = BTreeMap::new();
        for leaf in bags.iter().copied().flatten().filter(|leaf| is_deep(leaf, options.min_depth)) {
            let (pages, repeats) = counts.entry(leaf.path).or_default();
            *pages += 1;
            *repeats += u32::from(leaf.count > 1);
        }
        let repeats_often =
            |pages: u32, repeats: u32| repeats > 0 && f64::from(repeats) >= options.min_ratio * f64::from(pages);
        let regions = counts.into_iter().filter(|(_, (pages, repeats))| repeats_often(*pages, *repeats));
        Self { features: regions.map(|(path, _)| path).zip(0..).collect() }
    }

    /// The unit vector of a page: ln(tf + 1) of each region that repeats on it; zero if none does.
    pub fn vector(&self, bag: &[LeafPath]) -> SparseVector {
        let repeated = bag.iter().filter(|leaf| leaf.count > 1);
        let weigh = |leaf: &LeafPath| Some((*self.features.get(&leaf.path)?, f64::from(leaf.count).ln_1p()));
        let weights: Vec<(u32, f64)> = repeated.filter_map(weigh).collect();
        let norm = weights.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        #[expect(clippy::cast_possible_truncation, reason = "single precision is that of vectors")]
        SparseVector::new(weights.into_iter().map(|(region, weight)| (region, (weight / norm) as f32)).collect())
    }
}

fn is_deep(leaf: &LeafPath, min_depth: usize) -> bool {
    // A path that is spelt out has a slash for each element, and one for the leaf.
    leaf.text.as_ref().is_none_or(|text| text.matches('/').count() > min_depth)
}

/// The cluster of each of these vectors by single linkage: the connected components of the vectors within `epsilon`.
pub fn single_link(vectors: &[SparseVector], epsilon: f32) -> Vec<Label> {
    // Where a single page is enough for a core, density does not matter.
    dbscan(&Distances::between(vectors), epsilon, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(path: u64, count: u32) -> LeafPath {
        LeafPath { path, count, text: None }
    }

    #[test]
    fn a_region_is_a_path_that_repeats_on_enough_of_its_pages() {
        let list = vec![leaf(1, 1), leaf(2, 9), leaf(3, 2)];
        let other = vec![leaf(1, 1), leaf(2, 7), leaf(3, 1)];
        let bags: Vec<&[LeafPath]> = vec![&list, &other, &other, &other];
        let regions = Regions::learn(&bags, &RegionOptions::default());
        assert_eq!(regions.features.keys().collect::<Vec<_>>(), [&2], "3 repeats on a quarter of its pages");
        let generous = Regions::learn(&bags, &RegionOptions { min_ratio: 0.25, ..RegionOptions::default() });
        assert_eq!(generous.features.len(), 2);
        assert!((generous.vector(&list).squared_norm() - 1.0).abs() < 1e-6);
        assert_eq!(generous.vector(&other).len(), 1, "what does not repeat here does not count here");
        assert!(generous.vector(&[leaf(1, 5)]).is_empty());
    }

    #[test]
    fn paths_near_the_root_are_no_regions() {
        let spelt = |text: &str| [LeafPath { path: 1, count: 5, text: Some(text.into()) }];
        let regions = |text: &str| {
            let bag = spelt(text);
            Regions::learn(&[&bag], &RegionOptions::default()).features.len()
        };
        assert_eq!((regions("/html/body/#text"), regions("/html/body/div/#text")), (0, 1));
    }
}
