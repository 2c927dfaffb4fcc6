//! The status of a fleet, derived from its keys.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::node::records::{self, CrawlState, Heartbeat};
use super::node::view::FleetView;
use super::orders::Orders;
use super::rebalance_report::deviation;
use super::{Partitions, SessionId};

/// A node of the fleet, or one that has not been evicted yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeStatus {
    /// The name.
    pub node: String,
    /// The session.
    pub session: String,
    /// Whether it leads: it publishes the seeds, removes data that is no longer needed, and detects the end of the
    /// crawl.
    pub leads: bool,
    /// `live`; `leaving`: it is handing over its partitions; `silent`: it sent no heartbeat while the status was
    /// watched.
    pub state: String,
    /// Its share of the work relative to other nodes.
    pub weight: u32,
    /// Its load: the approximate number of known URLs in the partitions that it has caught up with.
    pub known: u64,
    /// The number of partitions that it holds, and of how many of them it has caught up with the exchange.
    pub partitions: u64,
    /// See `partitions`.
    pub caught_up: u64,
    /// URLs that wait.
    pub waiting: u64,
    /// Requests in flight, and results that are not committed yet.
    pub under_way: u64,
    /// Pages fetched in this session.
    pub pages: u64,
    /// Requests sent.
    pub requests: u64,
    /// Bytes of bodies received.
    pub bytes: u64,
    /// Messages of the exchange that it has yet to log, over all shards that it reads.
    pub behind: u64,
    /// Whether it has a working browser; unknown if the crawl renders no pages.
    #[serde(default)]
    pub browser: Option<bool>,
}

/// The progress of a running node and its fleet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FleetProgress {
    /// The session of the node.
    pub session: String,
    /// The remaining time in seconds that it may fetch without renewing its lease; 0 if it may not fetch.
    pub margin_seconds: f64,
    /// The fleet, as the node sees it.
    pub fleet: FleetStatus,
}

/// The status of a fleet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetStatus {
    /// The name of the crawl.
    pub name: String,
    /// `planting`, `running` or `over`; `paused` or `stopped` by an order; `spent` if a budget is used up; `none` if
    /// the crawl was never started.
    pub state: String,
    /// The number of partitions.
    pub partitions: u64,
    /// The number of partitions held by a live node.
    pub held: u64,
    /// The number of partitions with pages that need a browser.
    #[serde(default)]
    pub need_browser: u64,
    /// The number of nodes.
    pub size: u64,
    /// The nodes, by name. If not all are shown, the first.
    pub nodes: Vec<NodeStatus>,
    /// The sequence number of the last message of each shard of the exchange.
    pub exchange: Vec<u64>,
}

impl FleetStatus {
    /// Derives the status of the crawl `name` from a view. `heard`: the sessions that sent a heartbeat while the view
    /// was watched. `ends`: the last message of each shard.
    pub fn of(
        name: &str,
        view: &FleetView,
        heard: &BTreeSet<SessionId>,
        partitions: &Partitions,
        ends: &[u64],
    ) -> Self {
        let mut holds: BTreeMap<&SessionId, u64> = BTreeMap::new();
        let owners = view.partitions.values().filter_map(|(record, _)| record.owner.as_ref());
        owners.for_each(|owner| *holds.entry(owner).or_default() += 1);
        let leader = view.leader();
        let mut nodes: Vec<NodeStatus> = view
            .live()
            .map(|(session, beat)| NodeStatus {
                node: session.node().to_owned(),
                session: session.to_string(),
                leads: leader == Some(session),
                state: if !heard.contains(session) {
                    "silent"
                } else if beat.leaving {
                    "leaving"
                } else {
                    "live"
                }
                .to_owned(),
                weight: beat.weight,
                known: beat.known.iter().sum(),
                partitions: holds.get(session).copied().unwrap_or(0),
                caught_up: beat.held.len() as u64,
                waiting: beat.waiting,
                under_way: beat.under_way,
                pages: beat.pages,
                requests: beat.requests,
                bytes: beat.bytes,
                behind: behind(beat, partitions, ends),
                browser: beat.browser,
            })
            .collect();
        nodes.sort_by(|one, other| one.node.cmp(&other.node));
        let held: u64 = nodes.iter().map(|node| node.partitions).sum();
        let need_browser = view.partitions.values().filter(|(record, _)| record.needs_browser).count() as u64;
        let state = view.crawl.as_ref().map_or("none", |(crawl, _)| match crawl.state {
            CrawlState::Planting => "planting",
            CrawlState::Running => overriding_state(view).unwrap_or("running"),
            CrawlState::Over => "over",
        });
        let (state, size, partitions) = (state.to_owned(), nodes.len() as u64, u64::from(partitions.count()));
        Self { name: name.to_owned(), state, partitions, held, need_browser, size, nodes, exchange: ends.to_vec() }
    }
}

fn share(known: u64, total: u64) -> String {
    format!("{:.0}%", known as f64 * 100.0 / total.max(1) as f64)
}

/// Returns the state that an order or an exhausted budget imposes on a running crawl.
fn overriding_state(view: &FleetView) -> Option<&'static str> {
    let orders = view.orders.as_ref().and_then(|(value, _)| records::read::<Orders>(value).ok()).unwrap_or_default();
    let is_spent = view.budget.as_ref().is_some_and(|(budget, _)| budget.over.is_some());
    let states = [(orders.stopped, "stopped"), (is_spent, "spent"), (orders.paused, "paused")];
    states.into_iter().find(|(is_so, _)| *is_so).map(|(_, state)| state)
}

/// Returns the number of messages in the shards of its partitions that a node has yet to log.
fn behind(beat: &Heartbeat, partitions: &Partitions, ends: &[u64]) -> u64 {
    let shards: BTreeSet<u16> = beat.held.iter().map(|partition| partitions.shard(*partition)).collect();
    let lag = |shard: u16| {
        let (end, position) = (ends.get(usize::from(shard))?, beat.positions.get(usize::from(shard))?);
        Some(end.saturating_sub(*position))
    };
    shards.into_iter().filter_map(lag).sum()
}

impl fmt::Display for FleetStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, state, partitions, held, need_browser, size, nodes, .. } = self;
        write!(f, "crawl `{name}`: {state}, {held} of {partitions} partitions held by {size} nodes")?;
        if *need_browser > 0 {
            write!(f, "; {need_browser} partitions need a browser")?;
        }
        writeln!(f)?;
        if nodes.is_empty() {
            return Ok(());
        }
        let weight_sum: u64 = nodes.iter().map(|node| u64::from(node.weight)).sum();
        let total: u64 = nodes.iter().map(|node| node.known).sum();
        let head = [
            "node",
            "state",
            "weight",
            "load",
            "off even",
            "partitions",
            "waiting",
            "under way",
            "pages",
            "requests",
            "behind",
            "browser",
        ];
        let row = |node: &NodeStatus| {
            let numbers = [node.partitions, node.waiting, node.under_way, node.pages, node.requests, node.behind];
            let (load, off) = (share(node.known, total), deviation(node.known, total, node.weight, weight_sum));
            let state = if node.leads { format!("{}, leads", node.state) } else { node.state.clone() };
            let texts = [node.node.clone(), state, node.weight.to_string(), load, off];
            let browser = node.browser.map_or("-", |has_one| if has_one { "yes" } else { "no" });
            let numbers = numbers.map(|number| number.to_string());
            texts.into_iter().chain(numbers).chain([browser.to_owned()]).collect::<Vec<_>>()
        };
        let rows: Vec<Vec<String>> =
            std::iter::once(head.map(str::to_owned).to_vec()).chain(nodes.iter().map(row)).collect();
        let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        for row in &rows {
            let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| match at {
                0 | 1 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  "))?;
        }
        Ok(())
    }
}

impl FleetProgress {
    /// Keeps the first nodes, and the node's own entry.
    pub fn keep_first(&mut self, rows: usize) {
        let own = &self.session;
        let mut room = rows.saturating_sub(1);
        self.fleet.nodes.retain(|node| {
            let is_own = node.session == *own;
            let has_room = is_own || room > 0;
            room = room.saturating_sub(usize::from(!is_own));
            has_room
        });
    }
}

impl fmt::Display for FleetProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fleet: {}", self.fleet)?;
        let session = SessionId(self.session.clone());
        match self.margin_seconds {
            left if left > 0.0 => writeln!(f, "this is node {}; its lease lasts another {left:.1} s", session.node()),
            _ => {
                writeln!(f, "this is node {}; it may not fetch, because its lease could not be renewed", session.node())
            }
        }
    }
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
