//! The simulator's promises: what links lead to is exactly the ground truth, the same seed gives the same bytes, and
//! the server serves and logs just that.
#![allow(clippy::unwrap_used, reason = "the shared parts of a test may panic as the tests themselves may")]

mod server;
mod truth;
mod world;

use std::collections::BTreeMap;

use harvestman::sim::{Family, Response, TruthRow, World, WorldOptions};
use url::Url;

fn get(world: &World, url: &str) -> Response {
    let url = Url::parse(url).unwrap();
    world.respond(&authority(&url), &path_and_query(&url))
}

fn authority(url: &Url) -> String {
    url[url::Position::BeforeHost..url::Position::AfterPort].to_owned()
}

fn path_and_query(url: &Url) -> String {
    url[url::Position::BeforePath..url::Position::AfterQuery].to_owned()
}

fn truth_by_url(world: &World) -> BTreeMap<String, TruthRow> {
    let mut rows = BTreeMap::new();
    for row in world.truth() {
        assert!(rows.insert(row.url.clone(), row.clone()).is_none(), "{} stands twice in the truth", row.url);
    }
    rows
}

fn small(families: &[Family], hosts: u64) -> WorldOptions {
    WorldOptions {
        pages: 200,
        hosts,
        families: families.to_vec(),
        page_bytes: 300,
        links: 16,
        ..WorldOptions::default()
    }
}
