//! What the graph is learnt from.

use serde::{Deserialize, Serialize};

/// URLs of one kind, numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cluster(pub u32);

impl Cluster {
    /// As an index into a list with an entry for each cluster.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a link leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphLink {
    /// Names the URL: equal for equal canonical URLs.
    pub url: u64,
    /// The URL's cluster; none where it belongs to none.
    pub cluster: Option<Cluster>,
}

/// A page of the sample: a URL that was fetched, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphPage {
    /// Names the URL, as [`GraphLink::url`] does.
    pub url: u64,
    /// The URL's cluster; none where it belongs to none.
    pub cluster: Option<Cluster>,
    /// What made it: a number for each template. None where that is not known or does not matter.
    pub maker: Option<u32>,
    /// What the URL shows, whatever its media type: equal for URLs that show the same or nearly. None where it shows nothing:
    /// errors, redirects.
    pub content: Option<u64>,
    /// Whether what it shows is nothing but a form to fill in, with what others show around it at most.
    pub bare: bool,
    /// Where it redirected to.
    pub redirects_to: Option<GraphLink>,
    /// How elaborate its address is, such as the number of its query parameters: of two clusters that show the same, the one
    /// with the plainer addresses is the original. 0 throughout where nothing is known of it.
    pub detours: u32,
    /// How long its address is, such as the number of the segments of its path: decides where nothing else does.
    pub segments: u32,
    /// The distinct URLs that it links to.
    pub links: Vec<GraphLink>,
}

impl GraphPage {
    /// Every URL that it leads to, by link or by redirect, but itself.
    pub(super) fn leads_to(&self) -> impl Iterator<Item = GraphLink> {
        self.links.iter().chain(&self.redirects_to).copied().filter(|link| link.url != self.url)
    }
}
