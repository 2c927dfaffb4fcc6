//! The status of a fleet, as its nodes and reports show it.

use std::fmt;

use serde::{Deserialize, Serialize};

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
    /// The number of nodes.
    pub size: u64,
    /// The nodes, by name. If not all are shown, the first.
    pub nodes: Vec<NodeStatus>,
    /// The sequence number of the last message of each shard of the exchange.
    pub exchange: Vec<u64>,
}

fn share(known: u64, total: u64) -> String {
    format!("{:.0}%", known as f64 * 100.0 / total.max(1) as f64)
}

/// Formats the deviation of a load from the node's even share, such as `+3%`. `-` if there is no load or no weight.
pub fn load_deviation(known: u64, total: u64, weight: u32, weight_sum: u64) -> String {
    let even = total as f64 * f64::from(weight) / weight_sum.max(1) as f64;
    if even == 0.0 { "-".to_owned() } else { format!("{:+.0}%", (known as f64 / even - 1.0) * 100.0) }
}

impl fmt::Display for FleetStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, state, partitions, held, size, nodes, .. } = self;
        writeln!(f, "crawl `{name}`: {state}, {held} of {partitions} partitions held by {size} nodes")?;
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
        ];
        let row = |node: &NodeStatus| {
            let numbers = [node.partitions, node.waiting, node.under_way, node.pages, node.requests, node.behind];
            let (load, off) = (share(node.known, total), load_deviation(node.known, total, node.weight, weight_sum));
            let state = if node.leads { format!("{}, leads", node.state) } else { node.state.clone() };
            let texts = [node.node.clone(), state, node.weight.to_string(), load, off];
            let numbers = numbers.map(|number| number.to_string());
            texts.into_iter().chain(numbers).collect::<Vec<_>>()
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
        let node = self.session.split_once('.').map_or(&*self.session, |(node, _)| node);
        match self.margin_seconds {
            left if left > 0.0 => writeln!(f, "this is node {}; its lease lasts another {left:.1} s", node),
            _ => {
                writeln!(f, "this is node {}; it may not fetch, because its lease could not be renewed", node)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(nodes: u64, own: &str) -> FleetProgress {
        let node = |number| NodeStatus { session: format!("n{number}.1"), ..NodeStatus::default() };
        let fleet = FleetStatus { size: nodes, nodes: (0..nodes).map(node).collect(), ..FleetStatus::default() };
        FleetProgress { session: own.to_owned(), margin_seconds: 7.25, fleet }
    }

    #[test]
    fn of_many_nodes_the_first_are_shown_and_the_own_one_wherever_it_is() {
        for (own, nodes, rows, shown) in [
            ("n0.1", 5, 3, "n0.1 n1.1 n2.1"),
            ("n4.1", 5, 3, "n0.1 n1.1 n4.1"),
            ("n2.1", 3, 3, "n0.1 n1.1 n2.1"),
            ("gone.1", 5, 3, "n0.1 n1.1"),
            ("n1.1", 5, 0, "n1.1"),
        ] {
            let mut progress = progress(nodes, own);
            progress.keep_first(rows);
            let left: Vec<&str> = progress.fleet.nodes.iter().map(|node| &*node.session).collect();
            assert_eq!((left.join(" "), progress.fleet.size), (shown.to_owned(), nodes), "{own} of {nodes}");
        }
    }

    #[test]
    fn a_node_says_how_long_it_may_fetch_and_is_read_again_as_it_was_written() {
        let mut progress = progress(1, "n0.1");
        assert!(progress.to_string().ends_with("this is node n0; its lease lasts another 7.2 s\n"), "{progress}");
        let text = serde_json::to_string(&progress).unwrap();
        assert_eq!(serde_json::from_str::<FleetProgress>(&text).unwrap(), progress);
        progress.margin_seconds = 0.0;
        assert!(progress.to_string().contains("it may not fetch"), "{progress}");
    }

    #[test]
    fn without_load_or_weight_there_is_no_deviation() {
        assert_eq!(
            [load_deviation(0, 0, 1, 2), load_deviation(5, 10, 0, 1), load_deviation(0, 0, 0, 0)],
            ["-", "-", "-"]
        );
    }
}
