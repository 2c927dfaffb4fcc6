//! Graphs for tests.

use proptest::prelude::*;

use super::{WebGraph, WebLink};
use harvestman_core::model::Apath;
use harvestman_core::url::Fingerprint;

/// The URL of the page with this number.
pub(in crate::site) fn url(page: u32) -> Fingerprint {
    Fingerprint(u128::from(page) + 1_000)
}

/// A link to a page at a place where nothing is known of the elements.
pub(in crate::site) fn link(to: u32) -> WebLink {
    WebLink { url: url(to), apath: Apath(50), parent: 0, grandparent: 0 }
}

/// Pages with their links and whether they are accepted.
#[derive(Debug, Clone)]
pub(in crate::site) struct Made {
    pub pages: Vec<(u32, Vec<u32>, bool)>,
}

impl Made {
    /// Visits these pages in their order; `accepted` lists the authorities.
    pub fn new(pages: &[(u32, &[u32])], accepted: &[u32]) -> Self {
        Self { pages: pages.iter().map(|(page, links)| (*page, links.to_vec(), accepted.contains(page))).collect() }
    }

    /// The graph of the first `count` pages.
    pub fn graph(&self, count: usize) -> WebGraph {
        let mut graph = WebGraph::default();
        self.pages.iter().take(count).for_each(|page| add(&mut graph, page));
        graph
    }

    /// The graph of all pages.
    pub fn whole(&self) -> WebGraph {
        self.graph(usize::MAX)
    }
}

/// Visits a page.
pub(in crate::site) fn add(graph: &mut WebGraph, (page, links, accepted): &(u32, Vec<u32>, bool)) {
    let node = graph.visit(url(*page), links.iter().map(|to| link(*to))).unwrap();
    if *accepted {
        graph.accept(node);
    }
}

/// The nodes of pages.
pub(in crate::site) fn nodes(graph: &WebGraph, pages: &[u32]) -> Vec<u32> {
    pages.iter().map(|page| graph.node(url(*page)).unwrap()).collect()
}

/// Up to 20 visited pages among 30 URLs.
pub(in crate::site) fn made() -> impl Strategy<Value = Made> {
    let page = (prop::collection::vec(0..30_u32, 0..8), prop::bool::weighted(0.4));
    prop::collection::btree_map(0..30_u32, page, 0..20)
        .prop_map(|pages| Made {
            pages: pages.into_iter().map(|(page, (links, accepted))| (page, links, accepted)).collect(),
        })
        .prop_flat_map(|made| Just(made.pages).prop_shuffle().prop_map(|pages| Made { pages }))
}
