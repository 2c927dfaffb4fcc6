//! What the live page shows of a running crawl: one value, made anew about twice a second while somebody watches.
//!
//! Lists are short (the first [`ROWS`] of each, with how many there are), so that a view costs the same however large the crawl is.

mod history;
mod watch;

use serde::Serialize;
use serde_json::Value;

use super::{CrawlStatus, FunnelStep};

pub use history::{History, Sample};
pub use watch::{Live, Shown};

/// Rows of a list at most.
pub const ROWS: usize = 50;
/// Nodes of the site map at most.
pub const NODES: usize = 60;

/// A running crawl as the live page shows it.
#[derive(Debug, Clone, Default, Serialize)]
pub struct LiveView {
    /// When it was made.
    pub time: String,
    /// Which crawl it is.
    pub crawl: CrawlNamed,
    /// Where it stands.
    pub status: CrawlStatus,
    /// What became of links, stage by stage.
    pub funnel: Vec<FunnelStep>,
    /// The funnel's counts since the start of this run.
    pub history: History,
    /// Kinds of pages, and where their links lead.
    pub site: SiteMap,
    /// What waits, by link class.
    pub classes: ClassTable,
    /// Whom it waits for.
    pub hosts: HostTable,
    /// The latest outcomes, the newest first.
    pub fetches: Vec<FetchRow>,
    /// What failed, the commonest first.
    pub errors: Vec<ErrorRow>,
}

/// Which crawl it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CrawlNamed {
    /// Where it started, the first [`ROWS`].
    pub seeds: Vec<String>,
    /// What it is after.
    pub policy: String,
    /// The crawl directory, as it was named.
    pub out: String,
    /// Of Harvestman.
    pub version: &'static str,
}

/// A site as a graph of kinds of pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SiteMap {
    /// What a node is.
    pub kind: NodeKind,
    /// Why there is nothing to show.
    pub note: Option<String>,
    /// Those with most pages first, at most [`NODES`].
    pub nodes: Vec<SiteNode>,
    /// Between nodes that are shown.
    pub edges: Vec<SiteEdge>,
    /// Nodes that had no room.
    pub left_out: usize,
}

/// What a node of the site map is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// There is none.
    #[default]
    None,
    /// A cluster of pages made by one template.
    Clusters,
    /// A cluster of a cluster graph.
    Kinds,
    /// Pages whose addresses are of one form.
    Forms,
}

/// A kind of pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SiteNode {
    /// Its number; `ban` and `pin` take it, but for forms of addresses.
    pub id: u32,
    /// Its pages, those that are remembered.
    pub pages: u64,
    /// What a page of it was worth to the crawl on average, 0 to 1; none where that is not known.
    pub worth: Option<f64>,
    /// Whether links to it are followed, where a cluster graph says so.
    pub standing: Option<&'static str>,
    /// The commonest shape of its titles.
    pub title: Option<String>,
    /// The pattern of its first example.
    pub pattern: Option<String>,
    /// Some of its pages.
    pub examples: Vec<String>,
    /// Whether somebody has put it first.
    pub pinned: bool,
    /// Whether somebody has banned it.
    pub banned: bool,
    /// The commonest link classes of its pages.
    pub links: Vec<SiteLinks>,
}

/// A link class on the pages of a node.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SiteLinks {
    /// Where such links stand on their page.
    pub place: String,
    /// The pattern of their URLs.
    pub pattern: String,
    /// Their share of the new links on these pages.
    pub share: f64,
    /// Where those led that were followed, the commonest first.
    pub leads_to: Vec<LedTo>,
}

/// Where links led.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LedTo {
    /// The node; none for what was no page.
    pub cluster: Option<u32>,
    /// How many fetches.
    pub fetches: u64,
}

/// The links between two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SiteEdge {
    /// The node that they stand on.
    pub from: u32,
    /// The node that they lead to.
    pub to: u32,
    /// How many were followed.
    pub fetches: u64,
    /// Their share of the followed links of `from`.
    pub share: f64,
}

/// What waits in the frontier.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ClassTable {
    /// Classes that have URLs waiting.
    pub total: u64,
    /// URLs that wait.
    pub waiting: u64,
    /// The best, by score.
    pub rows: Vec<ClassRow>,
}

/// A link class that has URLs waiting.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ClassRow {
    /// Its name, which `ban` and `pin` take too.
    pub class: String,
    /// The cluster of the pages that its links stand on.
    pub cluster: u32,
    /// Where they stand there.
    pub place: String,
    /// The pattern of their URLs.
    pub pattern: Option<String>,
    /// The URL whose turn is next.
    pub example: String,
    /// How many wait, over all hosts.
    pub waiting: u64,
    /// Its score; none where that is no number.
    pub score: Option<f64>,
    /// What the score is made of, where the policy says so.
    pub terms: Option<Value>,
    /// The cluster that such links lead to, where that is known.
    pub leads_to: Option<u32>,
    /// `pinned`: somebody has put it first; `last`: it waits until nothing else does.
    pub standing: Option<&'static str>,
}

/// The hosts that have URLs waiting.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HostTable {
    /// How many there are.
    pub total: u64,
    /// Those with most URLs waiting.
    pub rows: Vec<HostRow>,
}

/// A host with its clock.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HostRow {
    /// Scheme, name and port.
    pub host: String,
    /// URLs that wait for it.
    pub waiting: u64,
    /// Requests under way.
    pub under_way: u32,
    /// `ready`, `busy`, why it is left alone (`delay`, `back_off`, `breaker`, `robots`, `blocked`, `group`, `address`), or `given_up`.
    pub state: &'static str,
    /// Seconds until it may be asked again; none where it may be now, or that is not known.
    pub next_seconds: Option<f64>,
    /// The least time between two requests as it holds now, in seconds.
    pub delay_seconds: f64,
    /// Failures in a row.
    pub failures: u32,
}

/// An outcome.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FetchRow {
    /// What was fetched.
    pub url: String,
    /// When; none where nothing was sent.
    pub time: Option<String>,
    /// What became of it.
    pub fate: String,
    /// Why, where the fate has reasons.
    pub reason: Option<String>,
    /// The answer's status.
    pub status: Option<u16>,
    /// Bytes of the body.
    pub bytes: u64,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// The page's cluster.
    pub cluster: Option<u32>,
    /// The score that it was chosen by.
    pub score: Option<f64>,
    /// The page's title.
    pub title: Option<String>,
}

/// A way to fail.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ErrorRow {
    /// Which.
    pub reason: String,
    /// How many requests, each try counted.
    pub count: u64,
    /// What to do about it.
    pub advice: Option<&'static str>,
    /// The latest URLs that failed for good by it.
    pub examples: Vec<String>,
}
