//! The examples of a goal: what became of each, and the likeness of pages to the one that they resemble most.

use super::goal::Likeness;
use super::note::ExampleStatus;
use harvestman_core::model::ClusterId;
use harvestman_structure::site::{UrlKind, UrlPatterns};

/// Maximum number of examples; the others are ignored.
pub const EXAMPLES_MAX: usize = 64;

/// An example.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Its canonical URL.
    pub url: String,
    /// What became of it.
    pub status: ExampleStatus,
    /// How pages like it are recognised, without counts of pages.
    pub likeness: Likeness,
}

/// Several examples.
///
/// A page is as like them as it is like the one that it resembles most. Examples with the same cluster and the same
/// kind of address have the same likeness to every page, so each such group is compared with a page once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Examples {
    /// In the order of their URLs, each once.
    all: Vec<Example>,
    /// The likenesses that differ, with counts.
    distinct: Vec<Likeness>,
}

impl Examples {
    /// The examples at these canonical URLs, in any order.
    pub fn new(urls: &[String], status: ExampleStatus, patterns: &UrlPatterns) -> Self {
        let mut urls = urls.to_vec();
        urls.sort_unstable();
        urls.dedup();
        urls.truncate(EXAMPLES_MAX);
        let known = |url| Example { url, status, likeness: Likeness::default() };
        let mut examples = Self { all: urls.into_iter().map(known).collect(), distinct: Vec::new() };
        examples.classify(patterns);
        examples
    }

    /// All of them, in the order of their URLs.
    pub fn all(&self) -> &[Example] {
        &self.all
    }

    /// The example at a URL, if there is one.
    pub fn at(&mut self, url: &str) -> Option<&mut Example> {
        let at = self.all.binary_search_by(|example| example.url.as_str().cmp(url)).ok()?;
        self.all.get_mut(at)
    }

    /// Recognises their addresses by these patterns.
    pub fn classify(&mut self, patterns: &UrlPatterns) {
        self.all.iter_mut().for_each(|example| example.likeness.kind = patterns.kind(&example.url));
        self.merge();
    }

    /// Updates each example, then counts the known pages, each with its cluster and the kind of its address.
    pub fn update(&mut self, pages: &[(ClusterId, UrlKind)], each: impl FnMut(&mut Example)) {
        self.all.iter_mut().for_each(each);
        self.distinct.clear();
        self.merge();
        self.distinct.iter_mut().filter(|likeness| likeness.cluster.is_some()).for_each(|known| known.count(pages));
    }

    /// Learns the cluster of the example at a URL where counts are no longer learned.
    pub fn recognise(&mut self, url: &str, cluster: Option<ClusterId>) {
        if let Some(example) = self.at(url) {
            example.likeness.cluster = cluster;
            self.merge();
        }
    }

    /// Merges equal likenesses. Those that were known before keep their counts.
    fn merge(&mut self) {
        let known = std::mem::take(&mut self.distinct);
        for Example { likeness, .. } in &self.all {
            if !self.distinct.iter().any(|other| other.is_of_the_same(likeness)) {
                let counted = known.iter().find(|other| other.is_of_the_same(likeness));
                self.distinct.push(counted.unwrap_or(likeness).clone());
            }
        }
    }

    /// The likeness of a page of `cluster` with an address of `kind`, from 0 to 1.
    pub fn of(&self, cluster: ClusterId, kind: UrlKind) -> f64 {
        self.distinct.iter().map(|known| known.of(cluster, kind)).fold(0.0, f64::max)
    }

    /// The likeness of an address, from 0 to 1.
    pub fn of_address(&self, kind: UrlKind) -> f64 {
        self.distinct.iter().map(|known| known.of_address(kind)).fold(0.0, f64::max)
    }

    /// Whether one of them was requested and is no page.
    pub fn is_one_missing(&self) -> bool {
        self.all.iter().any(|example| matches!(example.status, ExampleStatus::Missing { .. }))
    }

    /// Notes for missing examples that a wanted page has an address of this kind.
    pub fn find_missing(&mut self, kind: UrlKind) {
        for Example { status, likeness, .. } in &mut self.all {
            if let ExampleStatus::Missing { found } = status {
                *found |= likeness.of_address(kind) > 0.0;
            }
        }
    }

    /// Forgets for missing examples whether pages with such addresses were found.
    pub fn forget_found(&mut self) {
        for Example { status, .. } in &mut self.all {
            if let ExampleStatus::Missing { found } = status {
                *found = false;
            }
        }
    }

    /// Whether there are examples, all of them are missing, and no page with an address like theirs was found.
    pub fn are_lost(&self) -> bool {
        let is_lost = |example: &Example| example.status == ExampleStatus::Missing { found: false };
        !self.all.is_empty() && self.all.iter().all(is_lost)
    }
}

#[cfg(test)]
#[path = "examples_tests.rs"]
mod tests;
