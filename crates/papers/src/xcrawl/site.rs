//! What is known of the site: the web graph, and which of its URLs wait.

use crate::site::{GraphLimits, WebGraph, WebLink};
use harvestman_core::model::Apath;
use harvestman_core::url::Fingerprint;
use harvestman_policy::{Observation, Outcome, PlacedLink};

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
            Outcome::Redirected | Outcome::Document | Outcome::Failed | Outcome::Search(_) => {}
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observed::{failed, page};
    use harvestman_core::model::LinkClass;
    use harvestman_core::url::CanonicalUrl;
    use harvestman_policy::NewLink;

    const LISTED: LinkClass = LinkClass::unclassified(Apath(10));

    fn node(site: &Site, name: &str) -> u32 {
        site.graph().node(Fingerprint::of(&format!("http://h.test/{name}"))).unwrap()
    }

    #[test]
    fn new_links_wait_until_they_were_fetched_or_waited_for_in_vain() {
        let mut site = Site::new(GraphLimits::default());
        site.add(&page("", LISTED, &[(LISTED, "a"), (LISTED, "b"), (LISTED, "c")], &["rejected"]));
        assert_eq!(site.waiting(), 3);
        assert!(!site.is_waiting(node(&site, "rejected")), "it was not new");
        site.add(&failed("http://h.test/a", LISTED));
        site.add(&page("b", LISTED, &[], &[]));
        site.give_up(node(&site, "c"));
        site.give_up(node(&site, "b"));
        assert_eq!((site.waiting(), site.is_waiting(node(&site, "c"))), (0, false));
        assert_eq!(["a", "b"].map(|name| site.graph().is_visited(node(&site, name))), [false, true]);
    }

    #[test]
    fn a_redirect_is_a_page_that_links_to_its_target() {
        let mut site = Site::new(GraphLimits::default());
        let target = NewLink::new(LISTED, CanonicalUrl::from_canonical("http://h.test/b"));
        let redirected =
            Observation { outcome: Outcome::Redirected, new: vec![target], ..failed("http://h.test/a", LISTED) };
        let from = site.add(&redirected).unwrap();
        assert_eq!(site.graph().successors(from).collect::<Vec<_>>(), [node(&site, "b")]);
        assert!(site.graph().is_visited(from) && site.is_waiting(node(&site, "b")));
        let nowhere = Observation {
            new: Vec::new(),
            ..Observation { outcome: Outcome::Redirected, ..failed("http://h.test/c", LISTED) }
        };
        assert!(site.add(&nowhere).is_some_and(|node| !site.graph().is_visited(node)));
    }

    #[test]
    fn what_finds_no_room_is_in_no_walk() {
        let mut site = Site::new(GraphLimits { nodes_max: 1, edges_max: 1 });
        assert_eq!(site.add(&page("", LISTED, &[(LISTED, "a")], &[])), Some(0));
        assert_eq!((site.waiting(), site.add(&failed("http://h.test/a", LISTED))), (0, None));
    }
}
