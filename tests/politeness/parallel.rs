//! Requests at once, where no delay is set: never more than set, to a host and to an address.

use std::time::Duration;

use harvestman::sim::{Server, ServerOptions};

use super::{blogs, most_in_flight};
use crate::crawling::{config, crawl, serve};

/// Crawls 32 hosts without delay; all of it, so that no request may get lost between the limits.
fn without_delay(per_host: u32, per_ip: u32) -> Server {
    let options = ServerOptions {
        latency: Duration::from_millis(15),
        jitter: Duration::from_millis(10),
        ..ServerOptions::default()
    };
    let server = serve(&blogs(32, 1_000), options);
    let mut config = config(server.world().seeds());
    (config.host.connections_per_host, config.host.connections_per_ip) = (per_host, per_ip);
    let crawled = crawl(config);
    crawled.check_complete(&server);
    server
}

fn most_to_a_host(server: &Server) -> u32 {
    server.log().most_in_flight().into_values().max().unwrap()
}

#[test]
fn no_host_has_more_requests_in_flight_than_set() {
    for (per_host, least) in [(1, 1), (3, 2)] {
        let server = without_delay(per_host, 1_000);
        let most = most_to_a_host(&server);
        assert!((least..=per_host).contains(&most), "{most} in flight, {per_host} allowed");
        // Connections are not opened beside those in use either.
        assert!(server.log().most_open().into_values().all(|open| open <= per_host), "{:?}", server.log().most_open());
    }
}

#[test]
fn no_address_has_more_requests_in_flight_than_set() {
    for per_ip in [1, 4] {
        let server = without_delay(3, per_ip);
        let most = most_in_flight(&server);
        assert!((1..=i64::from(per_ip)).contains(&most), "{most} in flight, {per_ip} allowed");
        assert!(most > 1 || per_ip == 1, "{most} in flight, {per_ip} allowed");
    }
}
