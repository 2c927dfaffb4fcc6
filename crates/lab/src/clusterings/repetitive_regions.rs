//! iRobot's clustering by repetitive regions.

use harvestman_core::model::LeafPath;
use harvestman_papers::baselines::{RegionOptions, Regions, single_link};
use harvestman_structure::site::Label;

/// Returns the cluster of each page by the regions that repeat on it (Cai et al. 2008, as closely as bags of leaf paths
/// allow; see [`Regions`]). No page is an outlier: pages without a region form one cluster. Quadratic memory in the
/// number of distinct pages.
pub fn repetitive_regions(bags: &[&[LeafPath]], options: &RegionOptions) -> Vec<Label> {
    let regions = Regions::learn(bags, options);
    let vectors: Vec<_> = bags.iter().map(|bag| regions.vector(bag)).collect();
    single_link(&vectors, options.min_epsilon)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bag(paths: &[(u64, u32)]) -> Vec<LeafPath> {
        paths.iter().map(|&(path, count)| LeafPath { path, count, text: None }).collect()
    }

    fn labels(bags: &[Vec<LeafPath>]) -> Vec<Label> {
        let bags: Vec<&[LeafPath]> = bags.iter().map(Vec::as_slice).collect();
        repetitive_regions(&bags, &RegionOptions::default())
    }

    #[test]
    fn pages_with_the_same_repeated_regions_form_one_cluster() {
        let bags = [
            bag(&[(1, 1), (10, 20), (11, 20)]),
            bag(&[(2, 1), (10, 5), (11, 6)]),
            bag(&[(1, 1), (20, 9)]),
            bag(&[(1, 1), (2, 1)]),
            bag(&[]),
        ];
        assert_eq!(labels(&bags), [Some(0), Some(0), Some(1), Some(2), Some(2)]);
    }

    #[test]
    fn single_linkage_joins_chains_of_close_pages() {
        let bags: Vec<_> = [(20, 2), (20, 7), (20, 20), (7, 20), (2, 20)].map(|(a, b)| bag(&[(1, a), (2, b)])).into();
        assert_eq!(labels(&bags), vec![Some(0); 5]);
        assert_eq!(labels(&[bags[0].clone(), bags[4].clone()]), [Some(0), Some(1)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_order_of_pages_makes_no_difference(
            pages in proptest::collection::vec(proptest::collection::vec((0..6_u64, 1..5_u32), 0..5), 1..12),
            by in 0..12_usize,
        ) {
            let mut bags: Vec<_> = pages.iter().map(|page| bag(page)).collect();
            let before = labels(&bags);
            let by = by % bags.len();
            bags.rotate_left(by);
            let mut after = labels(&bags);
            after.rotate_right(by);
            for one in 0..before.len() {
                for other in 0..one {
                    prop_assert_eq!(before[one] == before[other], after[one] == after[other]);
                }
            }
        }
    }
}
