//! How well a clustering separates its pages (Rousseeuw 1987), taking into account the pages left out.

use super::Label;
use super::distances::Distances;

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
    use super::*;
    use crate::site::vector::SparseVector;

    fn line(places: &[f32]) -> Distances {
        Distances::between(&places.iter().map(|place| SparseVector::new(vec![(0, *place)])).collect::<Vec<_>>())
    }

    #[test]
    fn the_silhouette_is_that_of_its_definition() {
        let distances = line(&[1.0, 2.0, 5.0, 6.0]);
        // Outer pages: a = 1, b = 4.5; inner pages: a = 1, b = 3.5.
        let expected = ((1.0 - 1.0 / 4.5) + (1.0 - 1.0 / 3.5)) / 2.0;
        let value = silhouette_times_coverage(&distances, &[Some(0), Some(0), Some(1), Some(1)]);
        assert!((value - expected).abs() < 1e-6, "{value} is not {expected}");
    }

    #[test]
    fn what_is_left_out_lowers_it() {
        let distances = line(&[1.0, 2.0, 5.0, 6.0, 90.0]);
        let kept = silhouette_times_coverage(&line(&[1.0, 2.0, 5.0, 6.0]), &[Some(0), Some(0), Some(1), Some(1)]);
        let labels = [Some(0), Some(0), Some(1), Some(1), None];
        assert!((silhouette_times_coverage(&distances, &labels) - 0.8 * kept).abs() < 1e-9);
    }

    #[test]
    fn copies_count_like_pages_and_perfect_groups_have_one() {
        let distances = line(&[1.0, 1.0, 5.0, 5.0]);
        assert_eq!(silhouette_times_coverage(&distances, &[Some(0), Some(1)]), 1.0);
    }

    #[test]
    fn nothing_is_separated_by_no_cluster_or_one() {
        let distances = line(&[1.0, 2.0]);
        assert_eq!(silhouette_times_coverage(&distances, &[None, None]), 0.0);
        assert_eq!(silhouette_times_coverage(&distances, &[Some(0), Some(0)]), 0.0);
    }
}
