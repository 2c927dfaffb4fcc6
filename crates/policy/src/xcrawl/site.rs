//! What is known of the site: the web graph, and which of its URLs wait.

use crate::{Observation, Outcome, PlacedLink};
use harvestman_core::model::Apath;
use harvestman_core::url::Fingerprint;
use harvestman_structure::site::{GraphLimits, WebGraph, WebLink};

/// What the crawl can do with a URL that was not visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum UrlState {
    /// It was only seen as a link: it may have been rejected.
    #[default]
    Seen,
    /// It waits in the frontier.
    Waiting,
    /// It waits, but a walk waited for it in vain.
    GivenUp,
    /// Its fetch has ended: it is no page, or a page now.
    Ended,
}

/// The part of the site that has been seen.
#[derive(Debug, Clone)]
pub(super) struct Site {
    graph: WebGraph,
    /// By node.
    states: Vec<UrlState>,
    waiting: usize,
}

impl Site {
    pub fn new(limits: GraphLimits) -> Self {
        Self { graph: WebGraph::new(limits), states: Vec::new(), waiting: 0 }
    }

    pub const fn graph(&self) -> &WebGraph {
        &self.graph
    }

    /// The number of URLs that wait and may be chosen by a walk.
    pub const fn waiting(&self) -> usize {
        self.waiting
    }

    /// Whether a URL waits and may be chosen by a walk.
    pub fn is_waiting(&self, node: u32) -> bool {
        self.states.get(node as usize) == Some(&UrlState::Waiting)
    }

    /// Adds a fetch. Returns the node of its URL; `None` if there was no room for it.
    pub fn add(&mut self, seen: &Observation) -> Option<u32> {
        let url = seen.url.fingerprint();
        let node = self.graph.enter(url);
        match &seen.outcome {
            Outcome::Page(page) if page.links.is_empty() => self.visit(url, new_links(seen)),
            Outcome::Page(page) => self.visit(url, page.links.iter().map(web_link)),
            // The walk continues at the target.
            Outcome::Redirected if !seen.new.is_empty() => self.visit(url, new_links(seen)),
            Outcome::Redirected | Outcome::Document | Outcome::Failed => {}
        }
        if let (Some(node), Outcome::Page(page)) = (node, &seen.outcome)
            && page.accepted == Some(true)
        {
            self.graph.accept(node);
        }
        for link in &seen.new {
            if let Some(new) = self.graph.enter(link.url.fingerprint()) {
                self.change(new, UrlState::Waiting);
            }
        }
        node.inspect(|node| self.change(*node, UrlState::Ended))
    }

    /// Records that a URL was waited for in vain.
    pub fn give_up(&mut self, node: u32) {
        if self.is_waiting(node) {
            self.change(node, UrlState::GivenUp);
        }
    }

    fn visit(&mut self, url: Fingerprint, links: impl Iterator<Item = WebLink>) {
        // Without room, the page is in no walk.
        let _ = self.graph.visit(url, links);
    }

    fn change(&mut self, node: u32, to: UrlState) {
        self.states.resize(self.graph.nodes() as usize, UrlState::Seen);
        let from = std::mem::replace(&mut self.states[node as usize], to);
        self.waiting += usize::from(to == UrlState::Waiting);
        self.waiting -= usize::from(from == UrlState::Waiting);
    }
}

fn web_link(link: &PlacedLink) -> WebLink {
    WebLink { url: link.url, apath: link.apath, parent: link.place.parent, grandparent: link.place.grandparent }
}

/// The new links of a fetch whose other links are not known.
fn new_links(seen: &Observation) -> impl Iterator<Item = WebLink> {
    let is_redirect = matches!(seen.outcome, Outcome::Redirected);
    seen.new.iter().map(move |link| {
        let apath = if is_redirect { Apath::REDIRECT } else { link.class.apath };
        WebLink { url: link.url.fingerprint(), apath, parent: 0, grandparent: 0 }
    })
}
