//! What a build without the feature `fleet` answers.

use std::collections::BTreeSet;

use crate::error::{Error, NO_FLEET};
use harvestman_core::config::Config;
use harvestman_core::model::FleetStatus;
use harvestman_report::{Hooks, Report};

fn not_built<T>() -> Result<T, Error> {
    Err(Error::Configuration(NO_FLEET.to_owned()))
}

pub(super) async fn run(_: &Config, _: Hooks) -> Result<Report, Error> {
    not_built()
}

pub(super) async fn configuration(_: &Config, _: &BTreeSet<String>) -> Result<Config, Error> {
    not_built()
}

pub(super) async fn resume(_: &Config) -> Result<(), Error> {
    not_built()
}

pub(super) async fn status(_: &Config) -> Result<FleetStatus, Error> {
    not_built()
}

pub(super) async fn rebalance(_: &Config) -> Result<String, Error> {
    not_built()
}

/// Returns the configured name of the node.
pub(super) fn node_name(config: &Config) -> String {
    config.fleet.node.clone()
}
