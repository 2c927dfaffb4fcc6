//! The view of a running crawl that the live page shows: one value, rebuilt about twice per second while it is watched.
//!
//! Lists are short (the first [`ROWS`] entries, with the total number), so that the cost of a view does not depend on
//! the size of the crawl.

mod history;
mod watch;

use serde::Serialize;
use serde_json::Value;

use super::{CrawlStatus, FunnelStep};
use harvestman_core::model::RenderingSummary;

pub use history::{History, Sample};
pub use watch::{Live, LiveState};

/// The maximum number of rows of a list.
pub const ROWS: usize = 50;
/// The maximum number of nodes of the site map.
pub const NODES: usize = 60;

/// A view of a running crawl for the live page.
#[derive(Debug, Clone, Default, Serialize)]
pub struct LiveView {
    /// When the view was made.
    pub time: String,
    /// The identity of the crawl.
    pub crawl: CrawlNamed,
    /// The status of the crawl.
    pub status: CrawlStatus,
    /// The funnel from links to pages.
    pub funnel: Vec<FunnelStep>,
    /// The funnel's counts since the start of this run.
    pub history: History,
    /// Page types, and where their links lead.
    pub site: SiteMap,
    /// Waiting URLs by link class.
    pub classes: ClassTable,
    /// Hosts with waiting URLs.
    pub hosts: HostTable,
    /// The latest outcomes, the newest first.
    pub fetches: Vec<FetchRow>,
    /// Failures, the most frequent first.
    pub errors: Vec<ErrorRow>,
    /// What was learned of rendering, with the first [`ROWS`] classes; `None` if no page is rendered.
    pub rendering: Option<RenderingSummary>,
}

/// The identity of a crawl.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CrawlNamed {
    /// The first [`ROWS`] seeds.
    pub seeds: Vec<String>,
    /// The policy.
    pub policy: String,
    /// The crawl directory, as given by the user.
    pub out: String,
    /// The version of Harvestman.
    pub version: &'static str,
}

/// A site as a graph of page types.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SiteMap {
    /// The kind of the nodes.
    pub kind: NodeKind,
    /// Why there is nothing to show.
    pub note: Option<String>,
    /// The nodes, those with the most pages first, at most [`NODES`].
    pub nodes: Vec<SiteNode>,
    /// The edges between these nodes.
    pub edges: Vec<SiteEdge>,
    /// The number of nodes that are not shown.
    pub left_out: usize,
}

/// The kind of the nodes of a site map.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// There are no nodes.
    #[default]
    None,
    /// A cluster of pages made by one template.
    Clusters,
    /// Pages whose URLs have one form.
    Forms,
}

/// A page type.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SiteNode {
    /// Its number. `ban` and `pin` accept it, except for URL forms.
    pub id: u32,
    /// The number of its pages that are retained.
    pub pages: u64,
    /// The mean worth of its pages to the crawl, 0 to 1, if known.
    pub worth: Option<f64>,
    /// The most frequent shape of its titles.
    pub title: Option<String>,
    /// The pattern of its first example.
    pub pattern: Option<String>,
    /// Some of its pages.
    pub examples: Vec<String>,
    /// Whether it is pinned.
    pub pinned: bool,
    /// Whether it is banned.
    pub banned: bool,
    /// The most frequent link classes of its pages.
    pub links: Vec<SiteLinks>,
}

/// A link class on the pages of a node.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SiteLinks {
    /// The place of these links on their pages.
    pub place: String,
    /// The pattern of their URLs.
    pub pattern: String,
    /// Whether such links are refused.
    pub refused: bool,
    /// Their share of the new links on these pages.
    pub share: f64,
    /// Where followed links led, the most frequent first.
    pub leads_to: Vec<LedTo>,
}

/// A destination of followed links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LedTo {
    /// The node; `None` for responses that are no pages.
    pub cluster: Option<u32>,
    /// The number of fetches.
    pub fetches: u64,
}

/// The links between two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SiteEdge {
    /// The node whose pages have the links.
    pub from: u32,
    /// The node that they lead to.
    pub to: u32,
    /// The number of followed links.
    pub fetches: u64,
    /// Their share of the followed links of `from`.
    pub share: f64,
}

/// Waiting URLs by link class.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ClassTable {
    /// The number of classes with waiting URLs.
    pub total: u64,
    /// The number of waiting URLs.
    pub waiting: u64,
    /// The classes with the best scores.
    pub rows: Vec<ClassRow>,
}

/// A link class with waiting URLs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ClassRow {
    /// Its name. `ban` and `pin` accept it too.
    pub class: String,
    /// The cluster of the pages that have its links.
    pub cluster: u32,
    /// The place of the links on these pages.
    pub place: String,
    /// The pattern of their URLs.
    pub pattern: Option<String>,
    /// The URL that is fetched next.
    pub example: String,
    /// The number of waiting URLs, over all hosts.
    pub waiting: u64,
    /// Its score, if it is a number.
    pub score: Option<f64>,
    /// The terms of the score, if the policy states them.
    pub terms: Option<Value>,
    /// The cluster that such links lead to, if known.
    pub leads_to: Option<u32>,
    /// `pinned`: it is pinned; `last`: it waits until no other class has URLs waiting.
    pub standing: Option<&'static str>,
}

/// The hosts with waiting URLs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HostTable {
    /// The number of these hosts.
    pub total: u64,
    /// Those with the most waiting URLs.
    pub rows: Vec<HostRow>,
}

/// A host with its politeness state.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HostRow {
    /// Scheme, name and port.
    pub host: String,
    /// Waiting URLs of the host.
    pub waiting: u64,
    /// Requests in flight.
    pub under_way: u32,
    /// `ready`, `busy`, `given_up`, or why the host is not contacted (`delay`, `back_off`, `breaker`, `robots`,
    /// `blocked`, `group`, `address`).
    pub state: &'static str,
    /// Seconds until the next request may be sent; `None` if it may be sent now, or if that is not known.
    pub next_seconds: Option<f64>,
    /// The current minimum time between two requests, in seconds.
    pub delay_seconds: f64,
    /// Failures in a row.
    pub failures: u32,
}

/// The outcome of a fetch.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FetchRow {
    /// The URL.
    pub url: String,
    /// When the request was sent, if one was.
    pub time: Option<String>,
    /// The fate.
    pub fate: String,
    /// The reason, if the fate has reasons.
    pub reason: Option<String>,
    /// The status of the response.
    pub status: Option<u16>,
    /// Bytes of the body.
    pub bytes: u64,
    /// The duration of the fetch.
    pub duration_ms: Option<u64>,
    /// The cluster of the page.
    pub cluster: Option<u32>,
    /// The score by which the URL was selected.
    pub score: Option<f64>,
    /// The title of the page.
    pub title: Option<String>,
}

/// Failures with one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ErrorRow {
    /// The reason.
    pub reason: String,
    /// The number of failed requests; every attempt counts.
    pub count: u64,
    /// The remedy.
    pub advice: Option<&'static str>,
    /// The latest URLs that failed permanently for this reason.
    pub examples: Vec<String>,
}
