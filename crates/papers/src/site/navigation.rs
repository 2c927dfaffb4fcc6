//! Where link places lead (SOUrCe 2018, section 3.5).

use std::collections::BTreeMap;

use super::adjacency::Adjacency;
use harvestman_core::model::Apath;
use harvestman_structure::site::Label;

/// A link place: the cluster of the page and the Apath on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkPlace {
    /// The cluster of the page; `None` for outliers.
    pub source: Label,
    /// The place on the page.
    pub apath: Apath,
}

/// Choices that the paper leaves open, or that do better than the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NavigationOptions {
    /// How links to outliers count in eq. 5.
    pub outlier_destinations: OutlierDestinations,
    /// Whether links on outliers have a key (eq. 4).
    pub outlier_sources: OutlierSources,
    /// What eq. 6 counts.
    pub weight: AdjacencyWeight,
}

/// How links to outliers count in eq. 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutlierDestinations {
    /// Not at all: shares are among the clusters (the paper).
    #[default]
    LeftOut,
    /// As a destination of no value.
    WorthNothing,
}

/// Whether links on outliers have a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutlierSources {
    /// They have none: it is not known where they lead (the paper).
    #[default]
    Unknown,
    /// Outliers are a source like a cluster.
    LikeACluster,
}

/// What eq. 6 counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AdjacencyWeight {
    /// Links, so that clusters of many pages are large hubs (the paper).
    #[default]
    Links,
    /// Links per page of the source cluster.
    LinksPerPage,
}

/// For each place, the number of links there and, where known, the clusters of their destinations.
///
/// It is bounded: links at places beyond the limit are counted and otherwise ignored.
#[derive(Debug, Clone)]
pub struct NavigationTable {
    options: NavigationOptions,
    places: BTreeMap<LinkPlace, Destinations>,
    places_max: usize,
    refused: u64,
}

#[derive(Debug, Clone, Default)]
struct Destinations {
    /// |U|: all links, with known and unknown destination.
    links: u64,
    clusters: BTreeMap<u32, u64>,
    outliers: u64,
}

impl NavigationTable {
    /// Creates an empty table for at most `places_max` places (about 200 bytes each).
    pub fn new(options: NavigationOptions, places_max: usize) -> Self {
        Self { options, places: BTreeMap::new(), places_max, refused: 0 }
    }

    /// Counts links at `place` (eq. 4: U concatenates the links of all pages of the cluster, with repetitions).
    pub fn add_links(&mut self, place: LinkPlace, links: u64) {
        if let Some(destinations) = self.entry(place) {
            destinations.links += links;
        }
    }

    /// Counts links at `place`, counted before, whose destination has now been found to be a page of `destination`.
    pub fn add_destinations(&mut self, place: LinkPlace, destination: Label, links: u64) {
        let Some(destinations) = self.entry(place) else { return };
        match destination {
            Some(cluster) => *destinations.clusters.entry(cluster).or_default() += links,
            None => destinations.outliers += links,
        }
    }

    fn entry(&mut self, place: LinkPlace) -> Option<&mut Destinations> {
        if self.places.len() >= self.places_max && !self.places.contains_key(&place) {
            self.refused += 1;
            return None;
        }
        Some(self.places.entry(place).or_default())
    }

    /// Returns the number of known places.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns whether no place is known.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the number of additions that were ignored because the table is full.
    pub const fn refused(&self) -> u64 {
        self.refused
    }

    /// Returns all places, in order.
    pub fn places(&self) -> impl Iterator<Item = LinkPlace> + '_ {
        self.places.keys().copied()
    }

    /// Returns |U|, the number of links at `place`.
    pub fn links(&self, place: LinkPlace) -> u64 {
        self.places.get(&place).map_or(0, |destinations| destinations.links)
    }

    /// Returns P(C | C(p), x): the shares of the known destinations that are in each cluster (eq. 5), by ascending
    /// cluster. Empty if no destination is known.
    pub fn shares(&self, place: LinkPlace) -> impl Iterator<Item = (u32, f64)> + '_ {
        let keyed = place.source.is_some() || self.options.outlier_sources == OutlierSources::LikeACluster;
        let destinations = self.places.get(&place).filter(|_| keyed);
        destinations.into_iter().flat_map(|destinations| self.shares_of(destinations))
    }

    fn shares_of<'a>(&self, destinations: &'a Destinations) -> impl Iterator<Item = (u32, f64)> + use<'a> {
        let outliers = match self.options.outlier_destinations {
            OutlierDestinations::LeftOut => 0,
            OutlierDestinations::WorthNothing => destinations.outliers,
        };
        let all = (destinations.clusters.values().sum::<u64>() + outliers) as f64;
        // A caller that counts never enters clusters without links, but a share of 0 / 0 must not get out.
        let known = destinations.clusters.iter().filter(|(_, links)| **links > 0);
        known.map(move |(cluster, links)| (*cluster, *links as f64 / all))
    }

    /// Returns Score(u) = Σ P(C | C(p), x) · Score(C) (eq. 12) of a link at `place`; 0 if nothing is known.
    pub fn expected(&self, place: LinkPlace, score: impl Fn(u32) -> f64) -> f64 {
        self.shares(place).map(|(cluster, share)| share * score(cluster)).sum()
    }

    /// Returns a(i, j) = Σ P(Cj | Ci, x) · |U(Ci, x)| over the places of Ci (eq. 6). `pages` has the number of pages of
    /// each cluster. Outliers have no row and no column.
    pub fn adjacency(&self, pages: &[u64]) -> Adjacency {
        let mut adjacency = Adjacency::new(pages.len());
        for (place, destinations) in &self.places {
            let Some(from) = place.source.map(|cluster| cluster as usize) else { continue };
            let per = match self.options.weight {
                AdjacencyWeight::Links => 1.0,
                AdjacencyWeight::LinksPerPage => pages.get(from).map_or(1.0, |pages| (*pages).max(1) as f64),
            };
            for (to, share) in self.shares_of(destinations) {
                adjacency.add(from, to as usize, share * destinations.links as f64 / per);
            }
        }
        adjacency
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn at(source: Label, apath: u64) -> LinkPlace {
        LinkPlace { source, apath: Apath(apath) }
    }

    /// Returns a table with ten links at one place (four to cluster 0, two to cluster 1, two to outliers, two unknown)
    /// and three at another, one known.
    fn table(options: NavigationOptions) -> NavigationTable {
        let mut table = NavigationTable::new(options, 100);
        table.add_links(at(Some(1), 7), 10);
        table.add_destinations(at(Some(1), 7), Some(0), 4);
        table.add_destinations(at(Some(1), 7), Some(1), 2);
        table.add_destinations(at(Some(1), 7), None, 2);
        table.add_links(at(Some(1), 8), 3);
        table.add_destinations(at(Some(1), 8), Some(0), 1);
        table.add_links(at(None, 7), 5);
        table.add_destinations(at(None, 7), Some(1), 5);
        table
    }

    #[test]
    fn shares_are_those_of_equation_5() {
        let shares = |options, place| table(options).shares(place).collect::<Vec<_>>();
        let paper = NavigationOptions::default();
        assert_eq!(shares(paper, at(Some(1), 7)), [(0, 4.0 / 6.0), (1, 2.0 / 6.0)]);
        assert_eq!(shares(paper, at(None, 7)), []);
        assert_eq!(shares(paper, at(Some(9), 7)), []);
        let worthless = NavigationOptions { outlier_destinations: OutlierDestinations::WorthNothing, ..paper };
        assert_eq!(shares(worthless, at(Some(1), 7)), [(0, 0.5), (1, 0.25)]);
        let pseudo = NavigationOptions { outlier_sources: OutlierSources::LikeACluster, ..paper };
        assert_eq!(shares(pseudo, at(None, 7)), [(1, 1.0)]);
    }

    #[test]
    fn adjacency_is_that_of_equation_6() {
        let close = |one: f64, other: f64| (one - other).abs() < 1e-12;
        let links = table(NavigationOptions::default()).adjacency(&[20, 5]);
        assert!(close(links.at(1, 0), 4.0 / 6.0 * 10.0 + 3.0) && close(links.at(1, 1), 2.0 / 6.0 * 10.0));
        assert_eq!((links.at(0, 0), links.at(0, 1)), (0.0, 0.0), "outliers are no row");
        let options = NavigationOptions { weight: AdjacencyWeight::LinksPerPage, ..NavigationOptions::default() };
        assert!(close(table(options).adjacency(&[20, 5]).at(1, 0), links.at(1, 0) / 5.0));
    }

    #[test]
    fn a_links_score_is_that_of_equation_12() {
        let table = table(NavigationOptions::default());
        let score = |cluster: u32| if cluster == 0 { 0.5 } else { 0.2 };
        let expected = 4.0 / 6.0 * 0.5 + 2.0 / 6.0 * 0.2;
        assert!((table.expected(at(Some(1), 7), score) - expected).abs() < 1e-12);
        assert_eq!(table.expected(at(Some(0), 7), score), 0.0);
    }

    #[test]
    fn a_full_table_goes_on_counting_at_the_places_it_has() {
        let mut table = NavigationTable::new(NavigationOptions::default(), 1);
        table.add_links(at(Some(0), 1), 1);
        table.add_links(at(Some(0), 2), 1);
        table.add_links(at(Some(0), 1), 1);
        assert_eq!((table.len(), table.refused(), table.links(at(Some(0), 1))), (1, 1, 2));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_rows_of_the_matrix_hold_all_links_of_places_with_a_known_destination(
            seen in proptest::collection::vec((0..4_u32, 0..5_u64, proptest::option::of(0..4_u32)), 0..60)
        ) {
            let mut table = NavigationTable::new(NavigationOptions::default(), 100);
            for (source, apath, destination) in &seen {
                table.add_links(at(Some(*source), *apath), 1);
                if destination.is_some() {
                    table.add_destinations(at(Some(*source), *apath), *destination, 1);
                }
            }
            let adjacency = table.adjacency(&[1; 4]);
            for source in 0..4_u32 {
                let known = |apath| seen.iter().any(|(s, a, d)| (*s, *a) == (source, apath) && d.is_some());
                let links = seen.iter().filter(|(s, a, _)| *s == source && known(*a)).count();
                let row: f64 = (0..4).map(|to| adjacency.at(source as usize, to)).sum();
                prop_assert!((row - links as f64).abs() < 1e-9);
            }
        }
    }
}
