//! Whoever asks while the servers choose who leads waits for the answer.

use std::collections::BTreeSet;
use std::time::Duration;

use harvestman::pipeline;

use super::metrics::{Node, PARTITIONS, config, holds, site, until};
use super::server::Servers;

/// The keys of the crawl that [`config`] names.
const KEYS: &str = "KV_hm-counted";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fleet_answers_who_asks_while_its_leader_is_chosen() {
    let Some(mut servers) = Servers::three().await else { return };
    let (site, dir) = (site(), tempfile::tempdir().unwrap());
    let config = config(site.world().seeds(), &servers, dir.path(), "a");
    let mut node = Node::start("a", config.clone());
    until("it crawls", &mut [&mut node], |nodes| holds(nodes[0]) == PARTITIONS).await;
    let given = BTreeSet::from(["fetch.private_addresses".to_owned()]);
    for turn in 0..3 {
        let leader = servers.leader(KEYS).await;
        servers.servers[leader].kill();
        let settings = pipeline::fleet_configuration(&config, &given).await;
        assert_eq!(
            settings.map(|settings| settings.fleet.partitions).map_err(|error| error.to_string()),
            Ok(config.fleet.partitions),
            "turn {turn}"
        );
        servers.servers[leader].restart().await;
    }
    let leader = servers.leader(KEYS).await;
    servers.servers[leader].kill();
    let status = pipeline::fleet_status(&config).await;
    assert_eq!(status.map(|status| status.nodes.len()).map_err(|error| error.to_string()), Ok(1));
    servers.servers[leader].restart().await;
    node.hooks.stop.request();
    node.ended.recv_timeout(Duration::from_secs(120)).unwrap();
}
