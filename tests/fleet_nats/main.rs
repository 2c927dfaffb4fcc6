//! The bus on real NATS servers.

#![cfg(feature = "fleet")]
#![allow(clippy::unwrap_used, reason = "the shared parts of a test may panic as the tests themselves may")]
#![allow(clippy::disallowed_methods, reason = "a test of a real server may look at the clock")]

mod cluster;
mod connecting;
mod keys;
mod latecomer;
mod leaderless;
mod metrics;
mod objects;
mod orders;
mod policy;
#[allow(dead_code, reason = "other tests use the rest of it")]
#[path = "../crawl/scripted.rs"]
mod scripted;
mod sealed;
mod server;
mod stopping;
mod streams;

use std::time::Duration;

use harvestman::fleet::bus::{BusError, Message, WatchEvent};
use harvestman::fleet::nats::{NatsBus, NatsOptions};
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;

/// How long anything may take before a test says that it never came.
const PATIENCE: Duration = Duration::from_secs(60);

fn options(url: impl Into<String>) -> NatsOptions {
    NatsOptions { shards: 2, log_shards: 2, connect_timeout: PATIENCE, ..NatsOptions::new(url, "test-crawl_1") }
}

/// A bus of a crawl that is there.
async fn bus(url: impl Into<String>) -> NatsBus {
    let bus = NatsBus::connect(options(url)).await.unwrap();
    bus.create_crawl().await.unwrap();
    bus
}

/// A server and a bus of a crawl on it.
async fn one() -> Option<(server::Servers, NatsBus)> {
    let servers = server::Servers::one("").await?;
    let bus = bus(servers.url()).await;
    Some((servers, bus))
}

/// What comes next.
async fn next<T>(from: &mut Receiver<T>) -> T {
    timeout(PATIENCE, from.recv()).await.expect("something comes").expect("it goes on")
}

/// The numbers and texts of so many messages.
async fn take(from: &mut Receiver<Message>, count: usize) -> Vec<(u64, String)> {
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        let message = next(from).await;
        all.push((message.sequence, String::from_utf8(message.payload.to_vec()).unwrap()));
    }
    all
}

/// The keys and values up to where everything has been told.
async fn until_up_to_date(from: &mut Receiver<WatchEvent>) -> Vec<(String, Option<String>)> {
    let mut all = Vec::new();
    loop {
        match next(from).await {
            WatchEvent::Key(key) => {
                all.push((key.key, key.value.map(|value| String::from_utf8(value.to_vec()).unwrap())))
            }
            WatchEvent::UpToDate => return all,
        }
    }
}

/// Does something until the bus can be reached. What it does is done at least once.
async fn again_and_again<T, F: Future<Output = Result<T, BusError>>>(mut what: impl FnMut() -> F) -> T {
    let trying = async {
        loop {
            match what().await {
                Ok(done) => return done,
                Err(BusError::Unreachable(_)) => tokio::time::sleep(Duration::from_millis(50)).await,
                Err(error) => panic!("{error}"),
            }
        }
    };
    timeout(PATIENCE, trying).await.expect("the bus comes back")
}
