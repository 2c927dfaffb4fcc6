use super::*;
use crate::corpus::Corpus;
use harvestman_core::clock::Clock;
use harvestman_core::seed::Seed;
use harvestman_sim::{Family, World, WorldOptions};

fn costs() -> Costs {
    Costs {
        pages: 1_000,
        hosts: 50,
        links: 40.0,
        new: 4.0,
        handed: 2.0,
        batch_bytes: 200.0,
        link_bytes: 20.0,
        entry_bytes: 200.0,
        page_bytes: 150.0,
        waiting_bytes: 30.0,
        ended_bytes: 16.0,
        rebuilt: 1e6,
        seen_memory: 2.2,
        beat_bytes: (400.0, 4.0),
        partition_bytes: 300.0,
    }
}

fn fleet() -> Fleet {
    Fleet {
        nodes: 10.0,
        urls: 1e9,
        pages: 100.0,
        servers: 3.0,
        replicas: 3.0,
        partitions: 256.0,
        shards: 4.0,
        renew: 1.0,
        lease: 10.0,
        commit_every: 1.0,
        commit_pages: 64.0,
        checkpoint: 60.0,
        parts_max: 8.0,
        stream_messages: 8_000.0,
        server_bytes: 1e9,
        server_deliveries: 1e6,
        server_disk: 1e13,
        node_bytes: 1e8,
        node_memory: 1.6e10,
    }
}

fn asked(forecast: &Forecast, what: &str) -> f64 {
    forecast.demands.iter().find(|demand| demand.what == what).unwrap().asked
}

#[test]
fn the_forecast_matches_a_manual_computation() {
    let found = forecast(&costs(), &fleet());
    // 64 pages are complete after 0.64 s: 15.625 groups per second of ten nodes, 115.2 links each, 28.8 per shard.
    assert!((found.links_a_message - 28.8).abs() < 1e-6, "{}", found.links_a_message);
    assert!((found.bytes_a_link - (20.0 + 200.0 / 28.8)).abs() < 1e-6);
    assert!((found.messages_a_page - 5.0 / 64.0).abs() < 1e-9);
    assert!((asked(&found, "the key-value stream") - 10.0).abs() < 1e-9);
    assert!((asked(&found, "a log stream") - 15.625 / 4.0).abs() < 1e-9);
    // A quarter of the URLs has been fetched.
    assert!((found.fetched - 2.5e8).abs() < 1.0 && (found.seconds - 2.5e5).abs() < 1.0);
    let parts = 2.5e8 * 16.0 + 7.5e8 * 30.0;
    let log = 60.0 * (15.625 * 200.0 + 1_000.0 * 150.0);
    assert!((found.stored - 3.0 * (2.0 * parts + log)).abs() < 1.0);
}

#[test]
fn heartbeat_deliveries_grow_with_the_square_of_the_nodes() {
    let beats = |nodes| {
        let quiet = Costs { handed: 0.0, ..costs() };
        asked(&forecast(&quiet, &Fleet { nodes, ..fleet() }), "deliveries of a server")
    };
    assert!(beats(1_000.0) / beats(100.0) > 90.0);
}

#[test]
fn the_scarcest_resource_comes_first_and_is_exhausted_first() {
    let found = forecast(&costs(), &fleet());
    assert!(found.demands.windows(2).all(|pair| pair[0].share() >= pair[1].share()));
    let (nodes, what) = least(&costs(), &fleet()).unwrap();
    let at = |nodes: f64| {
        let (urls, partitions) = (1e8 * nodes, (4.0 * nodes).max(256.0));
        forecast(&costs(), &Fleet { nodes, urls, partitions, ..fleet() }).demands.remove(0)
    };
    assert!(at(nodes).share() > 1.0 && at(nodes).what == what && at(nodes / 2.0).share() <= 1.0);
    let small = Fleet { server_disk: 1.0, ..fleet() };
    assert_eq!(forecast(&costs(), &small).demands[0].what, "the disk of a server");
}

#[test]
fn costs_are_measured_on_a_corpus() {
    let options = WorldOptions { pages: 150, hosts: 1, families: vec![Family::Forum], ..WorldOptions::default() };
    let corpus = Corpus::from_world(&World::new(&options, Seed(4)).unwrap()).unwrap();
    let sample = Sample::of(&corpus, 100);
    assert_eq!(sample.pages.len(), 100);
    let measured = measure(&sample, &Clock::system());
    assert!(measured.links >= measured.new && measured.new > 0.5, "{measured:?}");
    // A single host hands over no links.
    assert_eq!((measured.hosts, measured.handed), (1, 0.0));
    // A fingerprint has sixteen bytes and is incompressible.
    assert!((16.0..17.0).contains(&measured.ended_bytes), "{measured:?}");
    assert!(
        (2.0..200.0).contains(&measured.waiting_bytes) && (2.0..200.0).contains(&measured.link_bytes),
        "{measured:?}"
    );
    assert!(measured.rebuilt > 1_000.0 && measured.page_bytes > 16.0);
    let text = text(&measured, &fleet(), &forecast(&measured, &fleet()));
    assert!(text.contains("exhausted first") && !text.contains("NaN") && !text.contains("inf"), "{text}");
}
