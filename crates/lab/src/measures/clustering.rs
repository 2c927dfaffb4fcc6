//! The agreement of clusters with page types.

use std::collections::BTreeMap;

use super::ratio;

/// The agreement of a clustering with the types of its pages. An outlier counts as a cluster of its own.
///
/// With n(C,T) the number of pages of cluster C and type T, and N the number of all pages: purity = Σ_C max_T n(C,T) /
/// N, and F(C,T) = 2 n(C,T) / (|C| + |T|). By types, F(T) = max_C F(C,T), averaged over types either weighted by pages
/// (micro) or evenly (macro). By clusters it is the reverse; outliers dominate that macro average, so the first is the
/// comparable one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clustering {
    /// Pages.
    pub pages: u64,
    /// Types among them.
    pub types: u64,
    /// Clusters, without outliers.
    pub clusters: u64,
    /// Pages in no cluster.
    pub outliers: u64,
    /// Share of pages with the most frequent type of their cluster.
    pub purity: f64,
    /// F by types, averaged over pages.
    pub micro_f: f64,
    /// F by types, averaged evenly.
    pub macro_f: f64,
    /// F by clusters, averaged over pages.
    pub micro_f_of_clusters: f64,
    /// F by clusters, averaged evenly.
    pub macro_f_of_clusters: f64,
}

/// A cluster, or the outlier at this index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part<C> {
    Cluster(C),
    Outlier(usize),
}

impl Clustering {
    /// Measures pages given as (cluster, type), with `None` for outliers. Returns `None` if there are no pages. O(n log
    /// n).
    pub fn of<C: Ord + Copy, T: Ord + Copy>(pages: impl IntoIterator<Item = (Option<C>, T)>) -> Option<Self> {
        let mut cells = BTreeMap::new();
        let (mut parts, mut types) = (BTreeMap::new(), BTreeMap::new());
        let (mut count, mut outliers) = (0_u64, 0);
        for (at, (cluster, page_type)) in pages.into_iter().enumerate() {
            let part = cluster.map_or(Part::Outlier(at), Part::Cluster);
            *cells.entry((part, page_type)).or_insert(0_u64) += 1;
            *parts.entry(part).or_insert(0_u64) += 1;
            *types.entry(page_type).or_insert(0_u64) += 1;
            count += 1;
            outliers += u64::from(cluster.is_none());
        }
        let (mut of_parts, mut of_types) = (BTreeMap::new(), BTreeMap::new());
        let mut largest = BTreeMap::new();
        for (&(part, page_type), &pages) in &cells {
            let f = ratio(2 * pages, parts[&part] + types[&page_type])?;
            raise(&mut of_parts, part, f);
            raise(&mut of_types, page_type, f);
            raise(&mut largest, part, pages);
        }
        Some(Self {
            pages: count,
            types: types.len() as u64,
            clusters: parts.len() as u64 - outliers,
            outliers,
            purity: ratio(largest.values().sum(), count)?,
            micro_f: weighted(&of_types, &types)?,
            macro_f: even(&of_types)?,
            micro_f_of_clusters: weighted(&of_parts, &parts)?,
            macro_f_of_clusters: even(&of_parts)?,
        })
    }
}

fn raise<K: Ord, V: PartialOrd + Copy>(best: &mut BTreeMap<K, V>, key: K, value: V) {
    let held = best.entry(key).or_insert(value);
    if value > *held {
        *held = value;
    }
}

fn weighted<K: Ord>(values: &BTreeMap<K, f64>, weights: &BTreeMap<K, u64>) -> Option<f64> {
    let all = weights.values().sum();
    values.iter().map(|(key, value)| Some(value * ratio(*weights.get(key)?, all)?)).sum()
}

fn even<K>(values: &BTreeMap<K, f64>) -> Option<f64> {
    Some(values.values().sum::<f64>() * ratio(1, values.len() as u64)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-12
    }

    #[test]
    fn a_small_clustering_matches_the_equations() {
        // A: x x y; B: y y; an outlier x. |x| = 3, |y| = 3.
        let pages =
            [(Some('A'), 'x'), (Some('A'), 'x'), (Some('A'), 'y'), (Some('B'), 'y'), (Some('B'), 'y'), (None, 'x')];
        let measured = Clustering::of(pages).unwrap();
        assert_eq!((measured.pages, measured.types, measured.clusters, measured.outliers), (6, 2, 2, 1));
        assert!(close(measured.purity, 5.0 / 6.0));
        // F(A,x) = 4/6, F(A,y) = 2/6, F(B,y) = 4/5, F(outlier,x) = 2/4.
        assert!(close(measured.micro_f, (3.0 * 4.0 / 6.0 + 3.0 * 0.8) / 6.0));
        assert!(close(measured.macro_f, (4.0 / 6.0 + 0.8) / 2.0));
        assert!(close(measured.micro_f_of_clusters, (3.0 * 4.0 / 6.0 + 2.0 * 0.8 + 0.5) / 6.0));
        assert!(close(measured.macro_f_of_clusters, (4.0 / 6.0 + 0.8 + 0.5) / 3.0));
    }

    #[test]
    fn edge_cases_are_as_expected() {
        assert_eq!(Clustering::of(Vec::<(Option<u8>, u8)>::new()), None);
        let one = Clustering::of([(None::<u8>, 1)]).unwrap();
        assert_eq!((one.purity, one.micro_f, one.macro_f_of_clusters, one.outliers), (1.0, 1.0, 1.0, 1));
        let same = Clustering::of([(Some(1), 'x'); 5]).unwrap();
        assert_eq!((same.purity, same.micro_f, same.macro_f, same.clusters), (1.0, 1.0, 1.0, 1));
        let scattered = Clustering::of([(None::<u8>, 'x'); 4]).unwrap();
        assert!(close(scattered.purity, 1.0) && close(scattered.micro_f, 0.4), "each has 2·1/(1+4)");
    }

    /// Computes purity and the micro F of the types directly from the definitions.
    fn naive(pages: &[(Option<u8>, u8)]) -> (f64, f64) {
        let part = |at: usize| pages[at].0.map_or(1_000 + at, usize::from);
        let all = || 0..pages.len();
        let both = |p: usize, t: u8| all().filter(|at| part(*at) == p && pages[*at].1 == t).count() as f64;
        let size = |p: usize| all().filter(|at| part(*at) == p).count() as f64;
        let of_type = |t: u8| all().filter(|at| pages[*at].1 == t).count() as f64;
        let n = pages.len() as f64;
        // Each page contributes its share of its cluster (or type), so that sums run over pages only.
        let purity: f64 = all()
            .map(|at| all().map(|other| both(part(at), pages[other].1)).fold(0.0, f64::max) / size(part(at)) / n)
            .sum();
        let f = |p: usize, t: u8| 2.0 * both(p, t) / (size(p) + of_type(t));
        let micro: f64 = all().map(|at| all().map(|other| f(part(other), pages[at].1)).fold(0.0, f64::max) / n).sum();
        (purity, micro)
    }

    proptest! {
        #[test]
        fn measures_agree_with_the_definitions(
            pages in prop::collection::vec((prop::option::of(0_u8..4), 0_u8..4), 1..30),
        ) {
            let measured = Clustering::of(pages.iter().copied()).unwrap();
            let (purity, micro) = naive(&pages);
            prop_assert!((measured.purity - purity).abs() < 1e-9);
            prop_assert!((measured.micro_f - micro).abs() < 1e-9);
        }

        #[test]
        fn names_and_order_do_not_matter_and_a_perfect_clustering_is_perfect(
            types in prop::collection::vec(0_u8..5, 1..40),
        ) {
            let perfect = Clustering::of(types.iter().map(|t| (Some(9 - *t), *t))).unwrap();
            let measures = [perfect.purity, perfect.micro_f, perfect.macro_f, perfect.micro_f_of_clusters];
            prop_assert!(measures.iter().all(|value| close(*value, 1.0)));
            let mixed = |types: &mut dyn Iterator<Item = &u8>| Clustering::of(types.map(|t| (Some(*t / 2), *t))).unwrap();
            prop_assert_eq!(mixed(&mut types.iter()), mixed(&mut types.iter().rev()));
        }
    }
}
