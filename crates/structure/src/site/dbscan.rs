//! DBSCAN (Ester et al. 1996) over a sample of pages, and how well a clustering separates its pages (Rousseeuw 1987),
//! taking into account the pages left out.

use super::Label;
use super::distances::Distances;

/// Number of pages within eps, the page included, that make it a core point.
pub const MIN_PTS: u32 = 4;

/// Returns the cluster of each page, with clusters numbered by first member; `None` for noise (SOUrCe's *outliers*).
///
/// A page is *core* if at least `min_pts` pages, itself included, are within `eps`; core pages within `eps` of one
/// another belong to one cluster. A page that is not core but within `eps` of a core page belongs to the cluster of the
/// nearest one (of equals, the first). This makes the result independent of the order of pages, which the textbook's is
/// not.
pub fn dbscan(distances: &Distances, eps: f32, min_pts: u32) -> Vec<Label> {
    let points = dbscan_points(distances, eps, min_pts);
    distances.point_of_page().iter().map(|point| points[*point as usize]).collect()
}

/// Does the same for each distinct vector.
pub fn dbscan_points(distances: &Distances, eps: f32, min_pts: u32) -> Vec<Label> {
    let core: Vec<bool> = (0..distances.points()).map(|point| is_core(distances, point, eps, min_pts)).collect();
    let mut labels: Vec<Label> = vec![None; core.len()];
    let mut clusters = 0;
    let mut reached = Vec::new();
    for seed in 0..core.len() {
        if !core[seed] || labels[seed].is_some() {
            continue;
        }
        labels[seed] = Some(clusters);
        reached.push(seed);
        while let Some(point) = reached.pop() {
            for other in 0..core.len() {
                if core[other] && labels[other].is_none() && distances.at(point, other) <= eps {
                    labels[other] = Some(clusters);
                    reached.push(other);
                }
            }
        }
        clusters += 1;
    }
    let ownership: Vec<_> = (0..core.len()).filter(|point| !core[*point]).collect();
    for point in ownership {
        labels[point] = nearest_core(distances, &core, point, eps).and_then(|nearest| labels[nearest]);
    }
    number_by_first_member(&mut labels);
    labels
}

fn is_core(distances: &Distances, point: usize, eps: f32, min_pts: u32) -> bool {
    let near = (0..distances.points()).filter(|&other| distances.at(point, other) <= eps);
    near.map(|other| u64::from(distances.copies(other))).sum::<u64>() >= u64::from(min_pts)
}

fn nearest_core(distances: &Distances, core: &[bool], point: usize, eps: f32) -> Option<usize> {
    let near = (0..core.len()).filter(|&other| core[other] && distances.at(point, other) <= eps);
    near.min_by(|&one, &other| distances.at(point, one).total_cmp(&distances.at(point, other)))
}

/// Renames the clusters so that each new number appears after all smaller ones.
fn number_by_first_member(labels: &mut [Label]) {
    let mut names = vec![None; labels.len()];
    let mut next = 0;
    for cluster in labels.iter_mut().flatten() {
        let name = names[*cluster as usize].get_or_insert_with(|| {
            next += 1;
            next - 1
        });
        *cluster = *name;
    }
}

/// Returns the mean silhouette of the clustered pages times the share of pages that are clustered, in -1 … 1. A
/// clustering with fewer than two clusters separates nothing and has 0, as has a page that is alone in its cluster.
/// `labels` has one label for each distinct vector.
pub fn silhouette_times_coverage(distances: &Distances, labels: &[Label]) -> f64 {
    let clusters = labels.iter().flatten().max().map_or(0, |last| *last as usize + 1);
    if clusters < 2 {
        return 0.0;
    }
    let mut sizes = vec![0.0; clusters];
    for (point, cluster) in clustered(labels) {
        sizes[cluster] += f64::from(distances.copies(point));
    }
    let mut sums = vec![0.0; clusters];
    let mut total = 0.0;
    for (point, cluster) in clustered(labels) {
        sums.fill(0.0);
        for (other, its_cluster) in clustered(labels) {
            sums[its_cluster] += f64::from(distances.at(point, other)) * f64::from(distances.copies(other));
        }
        total += f64::from(distances.copies(point)) * silhouette(&sums, &sizes, cluster);
    }
    // Mean over the clustered, times clustered by all.
    total / distances.pages() as f64
}

/// Returns the clustered among the points, each with its cluster.
fn clustered(labels: &[Label]) -> impl Iterator<Item = (usize, usize)> + '_ {
    labels.iter().enumerate().filter_map(|(point, label)| Some((point, (*label)? as usize)))
}

/// Returns (b - a) / max(a, b): a is the mean distance to the other pages of the page's own cluster, b that to the
/// nearest other cluster.
fn silhouette(sums: &[f64], sizes: &[f64], own: usize) -> f64 {
    if sizes[own] < 2.0 {
        return 0.0;
    }
    let within = sums[own] / (sizes[own] - 1.0);
    let others = sums.iter().zip(sizes).enumerate().filter(|(cluster, _)| *cluster != own);
    let between = others.map(|(_, (sum, size))| sum / size).fold(f64::INFINITY, f64::min);
    let larger = within.max(between);
    if larger > 0.0 { (between - within) / larger } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::site::vector::SparseVector;

    fn line(places: &[f32]) -> Vec<SparseVector> {
        places.iter().map(|place| SparseVector::new(vec![(0, *place)])).collect()
    }

    fn cluster(places: &[f32], eps: f32, min_pts: u32) -> Vec<Label> {
        dbscan(&Distances::between(&line(places)), eps, min_pts)
    }

    #[test]
    fn two_groups_and_a_page_far_from_both() {
        let labels = cluster(&[10.0, 1.0, 10.5, 1.5, 50.0, 11.0, 2.0, 2.5, 11.5], 1.0, 3);
        let (a, b) = (Some(0), Some(1));
        assert_eq!(labels, [a, b, a, b, None, a, b, b, a]);
    }

    #[test]
    fn a_chain_of_core_points_is_one_cluster_and_its_ends_are_borders() {
        assert_eq!(cluster(&[1.0, 2.0, 3.0, 4.0], 1.0, 3), [Some(0); 4]);
        assert_eq!(cluster(&[1.0, 2.0, 3.0, 4.0], 0.9, 3), [None; 4]);
    }

    #[test]
    fn a_border_page_belongs_to_the_nearest_core_page() {
        // Both groups reach 5.25; the second is nearer.
        let labels = cluster(&[3.0, 3.5, 4.0, 5.25, 6.25, 6.75, 7.25], 1.25, 4);
        assert_eq!(labels[3], labels[4]);
        assert_ne!(labels[3], labels[2]);
    }

    #[test]
    fn copies_count_as_neighbours_even_at_eps_zero() {
        assert_eq!(cluster(&[1.0, 2.0, 1.0, 1.0, 1.0], 0.0, 4), [Some(0), None, Some(0), Some(0), Some(0)]);
        assert_eq!(cluster(&[1.0; 3], 0.0, 4), [None; 3]);
        assert_eq!(cluster(&[], 1.0, 4), []);
    }

    /// The textbook algorithm over pages, without merging of identical ones: returns the core pages, their connected
    /// components, and whether a page is noise.
    fn naive(pages: &[SparseVector], eps: f32, min_pts: u32) -> (Vec<bool>, Vec<Option<usize>>) {
        let near = |i: usize| (0..pages.len()).filter(move |&j| pages[i].distance(&pages[j]) <= eps);
        let core: Vec<bool> = (0..pages.len()).map(|i| near(i).count() >= min_pts as usize).collect();
        let mut component: Vec<Option<usize>> = (0..pages.len()).map(|i| core[i].then_some(i)).collect();
        for _ in 0..pages.len() {
            for i in (0..pages.len()).filter(|&i| core[i]) {
                component[i] = near(i).filter(|&j| core[j]).filter_map(|j| component[j]).min();
            }
        }
        (core, component)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn clusters_are_those_of_the_textbook(
            places in proptest::collection::vec((1..30_u8, 1..4_u8), 0..40), eps in 0.0..4.0_f32, min_pts in 1..6_u32,
        ) {
            let pages: Vec<_> = places.iter()
                .map(|(x, y)| SparseVector::new(vec![(0, f32::from(*x)), (1, f32::from(*y))])).collect();
            let labels = dbscan(&Distances::between(&pages), eps, min_pts);
            let (core, component) = naive(&pages, eps, min_pts);
            for i in 0..pages.len() {
                for j in 0..pages.len() {
                    if core[i] && core[j] {
                        prop_assert_eq!(labels[i] == labels[j], component[i] == component[j]);
                    }
                }
                let reach = (0..pages.len()).filter(|&j| core[j] && pages[i].distance(&pages[j]) <= eps);
                let reached: Vec<_> = reach.map(|j| labels[j]).collect();
                prop_assert!(labels[i].is_some() || reached.is_empty(), "noise is far from every core page");
                prop_assert!(labels[i].is_none() || reached.contains(&labels[i]));
            }
            let mut seen = 0;
            for cluster in labels.iter().flatten() {
                prop_assert!(*cluster <= seen, "numbered by first member");
                seen = seen.max(cluster + 1);
            }
        }
    }

    fn line_distances(places: &[f32]) -> Distances {
        Distances::between(&places.iter().map(|place| SparseVector::new(vec![(0, *place)])).collect::<Vec<_>>())
    }

    #[test]
    fn the_silhouette_is_that_of_its_definition() {
        let distances = line_distances(&[1.0, 2.0, 5.0, 6.0]);
        // Outer pages: a = 1, b = 4.5; inner pages: a = 1, b = 3.5.
        let expected = ((1.0 - 1.0 / 4.5) + (1.0 - 1.0 / 3.5)) / 2.0;
        let value = silhouette_times_coverage(&distances, &[Some(0), Some(0), Some(1), Some(1)]);
        assert!((value - expected).abs() < 1e-6, "{value} is not {expected}");
    }

    #[test]
    fn what_is_left_out_lowers_it() {
        let distances = line_distances(&[1.0, 2.0, 5.0, 6.0, 90.0]);
        let kept =
            silhouette_times_coverage(&line_distances(&[1.0, 2.0, 5.0, 6.0]), &[Some(0), Some(0), Some(1), Some(1)]);
        let labels = [Some(0), Some(0), Some(1), Some(1), None];
        assert!((silhouette_times_coverage(&distances, &labels) - 0.8 * kept).abs() < 1e-9);
    }

    #[test]
    fn copies_count_like_pages_and_perfect_groups_have_one() {
        let distances = line_distances(&[1.0, 1.0, 5.0, 5.0]);
        assert_eq!(silhouette_times_coverage(&distances, &[Some(0), Some(1)]), 1.0);
    }

    #[test]
    fn nothing_is_separated_by_no_cluster_or_one() {
        let distances = line_distances(&[1.0, 2.0]);
        assert_eq!(silhouette_times_coverage(&distances, &[None, None]), 0.0);
        assert_eq!(silhouette_times_coverage(&distances, &[Some(0), Some(0)]), 0.0);
    }
}
