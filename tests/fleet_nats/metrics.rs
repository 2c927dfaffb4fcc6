//! Every metric of a fleet is counted by two nodes that crawl over a real server, and all that they show names the
//! node.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use bytes::Bytes;
use harvestman::config::{Config, Period};
use harvestman::fleet::bus::{Bus, WatchEvent};
use harvestman::fleet::nats::{NatsBus, NatsOptions};
use harvestman::fleet::node::records::{Heartbeat, SessionRecord, written};
use harvestman::metrics::{Metrics, catalogue};
use harvestman::pipeline;
use harvestman::report::{Hooks, StopReason};
use harvestman::seed::Seed;
use harvestman::sim::{Family, Server, ServerOptions, World, WorldOptions};
use tokio::time::timeout;

use super::PATIENCE;
use super::server::Servers;

/// Metrics that these crawls need not move, and why.
const SPECIAL: [(&str, &str); 2] = [
    ("harvestman_fleet_behind_messages", "asks for a node that is slower than those that feed it"),
    ("harvestman_fleet_dropped_observations_total", "asks for servers that are away during thousands of fetches"),
];

pub const PARTITIONS: i64 = 16;
/// How long the servers are away at most: longer than a call to them waits for an answer, and shorter than the lease.
const SILENCE: Duration = Duration::from_secs(6);

/// A site that lasts longer than the test, and asks for little of the machine.
pub fn site() -> Server {
    let world = WorldOptions {
        pages: 60_000,
        hosts: 24,
        families: vec![Family::Forum],
        page_bytes: 300,
        elsewhere: 4,
        ..WorldOptions::default()
    };
    let world = World::new(&world, Seed(5)).unwrap();
    Server::start(Arc::new(world), "127.0.0.1:0".parse().unwrap(), ServerOptions::default()).unwrap()
}

pub fn config(seeds: Vec<String>, servers: &Servers, dir: &Path, node: &str) -> Config {
    let mut config = Config::default();
    config.crawl.seeds = seeds;
    (config.crawl.threads, config.crawl.io_threads) = (1, 1);
    config.crawl.out = dir.join(node).display().to_string();
    config.scope.hosts = vec!["*.localhost".to_owned()];
    config.fetch.private_addresses = true;
    config.fetch.contact = "tests@localhost".to_owned();
    (config.host.delay, config.host.connections_per_host) = (Period::millis(60), 1);
    config.host.connections_per_ip = 64;
    let fleet = &mut config.fleet;
    (fleet.servers, fleet.name, fleet.node) = (servers.url(), "counted".to_owned(), node.to_owned());
    (fleet.partitions, fleet.shards) = (PARTITIONS as u32, 2);
    (fleet.lease, fleet.checkpoint) = (Period::secs(8), Period::secs(1));
    config
}

/// A node that crawls, and what it has shown to be other than it was at the start.
pub struct Node {
    pub hooks: Hooks,
    pub ended: mpsc::Receiver<StopReason>,
    name: &'static str,
    fresh: BTreeMap<String, String>,
    moved: BTreeSet<String>,
}

fn series(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.rsplit_once(' ')).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

impl Node {
    pub fn start(name: &'static str, config: Config) -> Self {
        let hooks = Hooks { metrics: pipeline::metrics(&config), ..Hooks::none() };
        let (sender, ended) = mpsc::channel();
        let own = hooks.clone();
        std::thread::spawn(move || {
            let report = pipeline::runtime(&config).block_on(pipeline::run(&config, own)).unwrap();
            let _ = sender.send(report.stop_reason);
        });
        let fresh = series(&Metrics::of_node(name).encode());
        Self { hooks, ended, name, fresh, moved: BTreeSet::new() }
    }

    fn look(&mut self) {
        let text = self.hooks.metrics.encode();
        let nameless =
            text.lines().find(|line| !line.starts_with('#') && !line.contains(&format!("node=\"{}\"", self.name)));
        assert_eq!(nameless, None, "it does not say of which node");
        let moved = series(&text).into_iter().filter(|(name, value)| self.fresh.get(name) != Some(value));
        self.moved.extend(moved.map(|(name, _)| name.split('{').next().unwrap_or_default().to_owned()));
    }

    /// What it has counted so far, for whoever asks why a test failed.
    fn shows(&self) -> String {
        let is_asked = |line: &&str| !line.starts_with('#') && !line.contains("_bucket") && !line.ends_with(" 0");
        self.hooks.metrics.encode().lines().filter(is_asked).map(|line| format!("{line}\n")).collect()
    }

    fn has_moved(&self, metric: &str) -> bool {
        ["", "_count"].iter().any(|end| self.moved.contains(&format!("{metric}{end}")))
    }
}

/// Looks at the nodes until something is so.
pub async fn until(what: &str, nodes: &mut [&mut Node], is_so: impl Fn(&[&mut Node]) -> bool) {
    let looking = async {
        loop {
            nodes.iter_mut().for_each(|node| node.look());
            if is_so(nodes) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    if timeout(2 * PATIENCE, looking).await.is_err() {
        let shown = nodes.iter().map(|node| node.shows()).collect::<String>();
        panic!("the fleet does not come to this: {what}\n{shown}");
    }
}

pub fn holds(node: &Node) -> i64 {
    node.hooks.metrics.fleet.partitions.by("caught_up").get()
}

/// A bus of the crawl, beside the nodes.
pub async fn beside(servers: &Servers) -> NatsBus {
    let options = NatsOptions { shards: 2, log_shards: 2, ..NatsOptions::new(servers.url(), "counted") };
    let bus = NatsBus::connect(options).await.unwrap();
    bus.open_crawl().await.unwrap();
    bus
}

/// Takes a node for dead that is not: as others do when its lease is over.
pub async fn evict(bus: &NatsBus, node: &str) {
    let mut keys = bus.watch().await.unwrap();
    // What is renewed while it is listed comes after the list.
    let session = timeout(PATIENCE, async {
        loop {
            match keys.recv().await {
                Some(WatchEvent::Key(key)) if key.key.starts_with(&format!("session.{node}.")) => return key.key,
                Some(_) => {}
                None => panic!("the watch has ended"),
            }
        }
    });
    let session = session.await.unwrap();
    // Its own renewals come between, now and then. One that lost its session by itself, as on a machine that stood
    // still, has what was asked for.
    for _ in 0..20 {
        let Some(held) = bus.get(&session).await.unwrap() else { return };
        if bus.update(&session, written(&SessionRecord::Evicted), held.revision).await.is_ok() {
            return;
        }
    }
    panic!("{node} cannot be evicted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn every_metric_of_a_fleet_is_counted_and_names_the_node() {
    let Some(servers) = Servers::one("").await else { return };
    let (site, dir) = (site(), tempfile::tempdir().unwrap());
    let of = |node| config(site.world().seeds(), &servers, dir.path(), node);
    let mut a = Node::start("a", of("a"));
    until("a node alone holds everything", &mut [&mut a], |nodes| holds(nodes[0]) == PARTITIONS).await;

    // Somebody who says once that he is there, and nothing more.
    let bus = beside(&servers).await;
    let ghost: Bytes =
        written(&SessionRecord::Live(Heartbeat { beat: 1, born: u64::MAX, weight: 1, ..Heartbeat::default() }));
    bus.create("session.ghost.1", ghost).await.unwrap();
    let fleet = Arc::clone(&a.hooks.metrics.fleet);
    until("partitions are let go for him, and he is taken for dead", &mut [&mut a], |nodes| {
        fleet.evictions.get() == 1 && nodes[0].has_moved("harvestman_fleet_unheld_partitions")
    })
    .await;

    let mut b = Node::start("b", of("b"));
    until("both hold their share", &mut [&mut a, &mut b], |nodes| {
        holds(nodes[1]) > 0 && holds(nodes[0]) + holds(nodes[1]) == PARTITIONS
    })
    .await;
    until("links go both ways", &mut [&mut a, &mut b], |nodes| {
        // One may know all of the other's hosts from the time when it had them.
        let arrived = |node: &Node| ["new", "duplicate"].map(|what| node.hooks.metrics.fleet.arrived.by(what).get());
        nodes.iter().all(|node| arrived(node) != [0, 0] && node.hooks.metrics.fleet.foreign.by("held_back").get() > 0)
    })
    .await;
    assert_eq!(a.hooks.metrics.fleet.leads.get() + b.hooks.metrics.fleet.leads.get(), 1, "one leads");

    servers.servers[0].pause();
    let silence = async {
        // Whoever looks only afterwards may find that it is reached again.
        while !(a.has_moved("harvestman_fleet_bus_reachable") && b.has_moved("harvestman_fleet_bus_reachable")) {
            [&mut a, &mut b].into_iter().for_each(Node::look);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let _ = timeout(SILENCE, silence).await;
    servers.servers[0].resume();
    until("it is noticed that the bus was away", &mut [&mut a, &mut b], |nodes| {
        nodes.iter().all(|node| {
            node.has_moved("harvestman_fleet_bus_away_seconds_total")
                && node.has_moved("harvestman_fleet_bus_repeats_total")
        })
    })
    .await;

    evict(&bus, "b").await;
    until("it begins again", &mut [&mut a, &mut b], |nodes| {
        let lost = nodes[1].hooks.metrics.fleet.sessions_lost.get();
        // And has part in the crawl: the other one alone may hold everything for a moment.
        lost > 0 && holds(nodes[1]) > 0 && holds(nodes[0]) + holds(nodes[1]) == PARTITIONS
    })
    .await;

    let names: Vec<&str> =
        catalogue::definitions().map(|one| one.name).filter(|name| name.starts_with("harvestman_fleet_")).collect();
    let special = SPECIAL.map(|(name, _)| name);
    let unknown: Vec<_> = special.iter().filter(|name| !names.contains(name)).collect();
    assert!(names.len() > 20 && unknown.is_empty(), "these are no metrics: {unknown:?}");
    let has_moved = |name: &str| a.has_moved(name) || b.has_moved(name);
    let still: Vec<_> = names.iter().filter(|name| !special.contains(name) && !has_moved(name)).collect();
    assert!(still.is_empty(), "declared, and counted by no node: {still:?}");

    for node in [a, b] {
        node.hooks.stop.request();
        assert_eq!(node.ended.recv_timeout(PATIENCE).unwrap(), StopReason::Interrupted, "{}", node.name);
        assert_eq!((holds(&node), node.hooks.metrics.fleet.leads.get()), (0, 0), "it has let all of it go");
    }
}
