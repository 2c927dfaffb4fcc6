//! The site that is built in the browser: its ground truth is what plain requests for its data find, and its server
//! counts what no crawler sends.
#![allow(clippy::unwrap_used, reason = "the shared parts of a test may panic as the tests themselves may")]

mod server;
mod walk;
mod world;

use harvestman_core::seed::Seed;
use harvestman_sim::{Family, World, WorldOptions};

/// The host of a world of one site.
const HOST: &str = "client1.localhost";

fn options(pages: u64) -> WorldOptions {
    let families = vec![Family::Client];
    WorldOptions { pages, hosts: 1, families, page_bytes: 800, links: 16, ..WorldOptions::default() }
}

fn world(options: &WorldOptions, seed: u64) -> World {
    World::new(options, Seed(seed)).unwrap()
}

/// The body of an answer with this status.
fn get(world: &World, path: &str, status: u16) -> String {
    let response = world.respond(HOST, path);
    assert_eq!(response.status, status, "{path}");
    String::from_utf8(response.body.to_vec()).unwrap()
}
