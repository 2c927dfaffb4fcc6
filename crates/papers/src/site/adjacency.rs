//! The matrix of links between clusters.

/// A(i, j): the number of links from pages of cluster i to pages of cluster j. Square and dense: a sample of 1,000
/// pages has at most 250 clusters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Adjacency {
    clusters: usize,
    rows: Vec<f64>,
}

impl Adjacency {
    /// Creates a matrix without links between this number of clusters.
    pub fn new(clusters: usize) -> Self {
        Self { clusters, rows: vec![0.0; clusters * clusters] }
    }

    /// Returns the number of clusters.
    pub const fn clusters(&self) -> usize {
        self.clusters
    }

    /// Returns the links from `from` to `to`; 0 if there is no such cluster.
    pub fn at(&self, from: usize, to: usize) -> f64 {
        if to < self.clusters { self.rows.get(from * self.clusters + to).copied().unwrap_or(0.0) } else { 0.0 }
    }

    /// Adds links from `from` to `to`; unknown clusters are ignored.
    pub fn add(&mut self, from: usize, to: usize, links: f64) {
        if from < self.clusters && to < self.clusters {
            self.rows[from * self.clusters + to] += links;
        }
    }

    /// Returns A v: for each cluster the sum of `v` over the clusters that it links to.
    pub fn times(&self, v: &[f64]) -> Vec<f64> {
        (0..self.clusters).map(|from| (0..self.clusters).map(|to| self.at(from, to) * v[to]).sum()).collect()
    }

    /// Returns Aᵀ v: for each cluster the sum of `v` over the clusters that link to it.
    pub fn transposed_times(&self, v: &[f64]) -> Vec<f64> {
        (0..self.clusters).map(|to| (0..self.clusters).map(|from| self.at(from, to) * v[from]).sum()).collect()
    }
}
