//! A node that is told to stop stops, at a bad moment too.

use std::time::Duration;

use harvestman::report::StopReason;

use super::PATIENCE;
use super::metrics::{Node, PARTITIONS, beside, config, evict, holds, site, until};
use super::server::Servers;

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_node_that_begins_anew_and_reaches_nobody_stops_with_the_report_that_it_has() {
    let Some(servers) = Servers::one("").await else { return };
    let (site, dir) = (site(), tempfile::tempdir().unwrap());
    let mut node = Node::start("b", config(site.world().seeds(), &servers, dir.path(), "b"));
    until("it crawls", &mut [&mut node], |nodes| holds(nodes[0]) == PARTITIONS).await;
    evict(&beside(&servers).await, "b").await;
    until("it loses its session", &mut [&mut node], |nodes| nodes[0].hooks.metrics.fleet.sessions_lost.get() > 0).await;
    servers.servers[0].pause();
    // It has closed what it had by then, and asks what it was told meanwhile.
    tokio::time::sleep(Duration::from_secs(2)).await;
    node.hooks.stop.request();
    assert_eq!(node.ended.recv_timeout(2 * PATIENCE).unwrap(), StopReason::Interrupted);
    servers.servers[0].resume();
}
