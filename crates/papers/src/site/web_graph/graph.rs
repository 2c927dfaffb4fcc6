//! The web graph of a site (xCrawl 2009, section 2.1): nodes are visited pages and URLs that were not visited yet.
//!
//! A node is numbered in the order of its discovery and costs about 55 bytes, an edge 28. The graph is simple as far as
//! weights go: a page that links twice to a URL has one successor there, and links of a page to itself are left out.
//! The places of repeated links are kept, because each of them may lead to the sub-tree of a list.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::{HashSet, HashTable};

use super::node::{Ends, Node, Place, REPEATED};
use harvestman_core::model::Apath;
use harvestman_core::url::Fingerprint;

/// Maximum number of links of a page that are used; pages seldom have more than a few hundred.
const LINKS_MAX: usize = 10_000;
/// Minimum number of known authorities that a hub links to. The paper says *many*; one link makes no list.
const HUB_AUTHORITIES_MIN: u32 = 2;

/// The bounds of a [`WebGraph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphLimits {
    /// Maximum number of nodes. Links to further URLs are left out.
    pub nodes_max: u32,
    /// Maximum number of edges. Further ones are left out.
    pub edges_max: u32,
}

impl Default for GraphLimits {
    /// A million each: at most 85 MB.
    fn default() -> Self {
        Self { nodes_max: 1_000_000, edges_max: 1_000_000 }
    }
}

/// A link of a page, with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebLink {
    /// The target.
    pub url: Fingerprint,
    /// The Apath of the link.
    pub apath: Apath,
    /// The number of the element that contains it.
    pub parent: u32,
    /// The number of that element's parent. If both are 0, the elements are unknown.
    pub grandparent: u32,
}

/// The same link, with the target as a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedEdge {
    /// The node that it leads to.
    pub to: u32,
    /// The Apath of the link.
    pub apath: Apath,
    /// The number of the element that contains it.
    pub parent: u32,
    /// The number of that element's parent.
    pub grandparent: u32,
}

/// What did not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Pages and links whose URL found no room.
    pub nodes: u64,
    /// Links that found no room though their URL is a node.
    pub edges: u64,
}

/// Pages, URLs, and the links between them. Functions that take a node return what is true of a node without links if
/// there is no such node.
#[derive(Debug, Clone)]
pub struct WebGraph {
    limits: GraphLimits,
    /// Nodes by the hashes of their URLs.
    table: HashTable<u32>,
    urls: Vec<Fingerprint>,
    nodes: Vec<Node>,
    ends: Vec<Ends>,
    places: Vec<Place>,
    authorities: Vec<u32>,
    /// Nodes in the order in which they became hubs; some may have become authorities since.
    hubs: Vec<u32>,
    left_out: LeftOut,
}

impl Default for WebGraph {
    fn default() -> Self {
        Self::new(GraphLimits::default())
    }
}

impl WebGraph {
    /// Creates an empty graph with these bounds.
    pub fn new(limits: GraphLimits) -> Self {
        // The largest two numbers mark ends of lists.
        let limits = GraphLimits { edges_max: limits.edges_max.min(REPEATED), ..limits };
        Self {
            limits,
            table: HashTable::new(),
            urls: Vec::new(),
            nodes: Vec::new(),
            ends: Vec::new(),
            places: Vec::new(),
            authorities: Vec::new(),
            hubs: Vec::new(),
            left_out: LeftOut::default(),
        }
    }

    /// Adds a URL, unless it is known. Returns its node; `None` if there is no room.
    pub fn enter(&mut self, url: Fingerprint) -> Option<u32> {
        let urls = &self.urls;
        let known = self.table.find(hash(url), |node| urls[*node as usize] == url);
        if let Some(node) = known {
            return Some(*node);
        }
        let node = u32::try_from(self.urls.len()).ok().filter(|node| *node < self.limits.nodes_max);
        let Some(node) = node else {
            self.left_out.nodes += 1;
            return None;
        };
        self.urls.push(url);
        self.nodes.push(Node::NEW);
        let urls = &self.urls;
        self.table.insert_unique(hash(url), node, |node| hash(urls[*node as usize]));
        Some(node)
    }

    /// Adds a page that was fetched, and its links in page order. The first visit counts: a page that was visited
    /// before keeps the links that it had. Returns its node; `None` if there is no room.
    pub fn visit(&mut self, url: Fingerprint, links: impl IntoIterator<Item = WebLink>) -> Option<u32> {
        let page = self.enter(url)?;
        if std::mem::replace(&mut self.nodes[page as usize].visited, true) {
            return Some(page);
        }
        self.nodes[page as usize].first_out = self.ends.len() as u32;
        let mut linked: HashSet<u32, FixedState> = HashSet::default();
        for (at, link) in links.into_iter().filter(|link| link.url != url).enumerate() {
            if at >= LINKS_MAX || self.ends.len() >= self.limits.edges_max as usize {
                self.left_out.edges += 1;
            } else if let Some(to) = self.enter(link.url) {
                self.add_edge(page, to, link, linked.insert(to));
            }
        }
        self.note_hub(page);
        Some(page)
    }

    /// Records that a page, visited or not, is an authority: the validator accepts it. Unknown nodes are ignored.
    pub fn accept(&mut self, node: u32) {
        let Some(accepted) = self.nodes.get_mut(node as usize).filter(|node| !node.accepted) else { return };
        accepted.accepted = true;
        self.authorities.push(node);
        let mut edge = accepted.first_in;
        // The list of incoming edges ends: each edge is in it once.
        while let Some(Ends { from, next_in, .. }) = self.ends.get(edge as usize).copied() {
            self.nodes[from as usize].authority_links += 1;
            if self.nodes[from as usize].authority_links == HUB_AUTHORITIES_MIN {
                self.note_hub(from);
            }
            edge = next_in;
        }
    }

    fn add_edge(&mut self, from: u32, to: u32, link: WebLink, is_first: bool) {
        let edge = self.ends.len() as u32;
        let (accepted, next_in) = {
            let target = &mut self.nodes[to as usize];
            let next_in = if is_first { std::mem::replace(&mut target.first_in, edge) } else { REPEATED };
            (target.accepted, next_in)
        };
        let page = &mut self.nodes[from as usize];
        page.links += 1;
        page.outdegree += u32::from(is_first);
        page.authority_links += u32::from(is_first && accepted);
        self.ends.push(Ends { from, to, next_in });
        self.places.push(Place { apath: link.apath, parent: link.parent, grandparent: link.grandparent });
    }

    fn note_hub(&mut self, node: u32) {
        if self.is_hub(node) {
            self.hubs.push(node);
        }
    }

    fn at(&self, node: u32) -> Node {
        self.nodes.get(node as usize).copied().unwrap_or(Node::NEW)
    }

    /// Returns the number of nodes, numbered from 0.
    pub fn nodes(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Returns the number of edges, repeated links included.
    pub fn edges(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Returns what did not fit.
    pub const fn left_out(&self) -> LeftOut {
        self.left_out
    }

    /// Returns the node of a URL.
    pub fn node(&self, url: Fingerprint) -> Option<u32> {
        self.table.find(hash(url), |node| self.urls[*node as usize] == url).copied()
    }

    /// Returns the URL of a node.
    pub fn url(&self, node: u32) -> Option<Fingerprint> {
        self.urls.get(node as usize).copied()
    }

    /// Returns whether a node is a page that was visited.
    pub fn is_visited(&self, node: u32) -> bool {
        self.at(node).visited
    }

    /// Returns whether a node is a known authority.
    pub fn is_authority(&self, node: u32) -> bool {
        self.at(node).accepted
    }

    /// Returns whether a node is a hub: a visited page that is no authority and links to at least two known ones.
    pub fn is_hub(&self, node: u32) -> bool {
        let node = self.at(node);
        node.visited && !node.accepted && node.authority_links >= HUB_AUTHORITIES_MIN
    }

    /// Returns the known authorities in the order in which they were accepted.
    pub fn authorities(&self) -> &[u32] {
        &self.authorities
    }

    /// Returns the hubs in the order in which they became hubs.
    pub fn hubs(&self) -> impl Iterator<Item = u32> {
        self.hubs.iter().copied().filter(|node| self.is_hub(*node))
    }

    /// Returns how many nodes ever became hubs. It grows with each new hub and never shrinks.
    pub fn hubs_found(&self) -> usize {
        self.hubs.len()
    }

    /// Returns the number of distinct nodes that a node links to.
    pub fn outdegree(&self, node: u32) -> u32 {
        self.at(node).outdegree
    }

    /// Returns the distinct nodes that a node links to, in page order.
    pub fn successors(&self, node: u32) -> impl Iterator<Item = u32> {
        self.out(node).iter().filter(|edge| edge.next_in != REPEATED).map(|edge| edge.to)
    }

    /// Returns the pages that link to a node, the latest one first.
    pub fn predecessors(&self, node: u32) -> impl Iterator<Item = u32> {
        let edge = |edge: u32| self.ends.get(edge as usize).copied();
        std::iter::successors(edge(self.at(node).first_in), move |ends| edge(ends.next_in)).map(|ends| ends.from)
    }

    /// Returns the links of a page in page order, repeated ones included.
    pub fn links(&self, node: u32) -> impl Iterator<Item = PlacedEdge> {
        let places = &self.places[self.range(node)];
        self.out(node).iter().zip(places).map(|(ends, place)| PlacedEdge {
            to: ends.to,
            apath: place.apath,
            parent: place.parent,
            grandparent: place.grandparent,
        })
    }

    fn out(&self, node: u32) -> &[Ends] {
        &self.ends[self.range(node)]
    }

    fn range(&self, node: u32) -> std::ops::Range<usize> {
        let node = self.at(node);
        node.first_out as usize..(node.first_out + node.links) as usize
    }
}

fn hash(url: Fingerprint) -> u64 {
    FixedState::default().hash_one(url)
}
