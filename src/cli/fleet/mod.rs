//! `harvestman fleet`: crawls with several machines (cargo feature `fleet`).

mod demo;
mod join;
mod leave;
mod rebalance;
mod status;

use super::exit::{Exit, Failure};
use super::settings::SettingArgs;
use harvestman_core::config::{Config, Flag, FlagValue};

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Fleet {
    /// Add this machine to the crawl of a fleet
    Join(Box<join::JoinArgs>),
    /// Remove a node from its fleet; the others take over its work
    Leave(leave::LeaveArgs),
    /// Rebalance the load of a fleet over its nodes now
    Rebalance(Box<rebalance::RebalanceArgs>),
    /// Show the nodes of a fleet, their shares and their progress
    Status(Box<status::FleetStatusArgs>),
    Demo(demo::FleetDemoArgs),
}

/// Runs the subcommand.
pub fn run(what: &Fleet) -> Result<Exit, Failure> {
    if !cfg!(feature = "fleet") {
        return Err(Failure::usage(harvestman_pipeline::NO_FLEET));
    }
    match what {
        Fleet::Join(args) => join::run(args),
        Fleet::Leave(args) => leave::run(args).map(|()| Exit::Done),
        Fleet::Rebalance(args) => rebalance::run(args).map(|()| Exit::Done),
        Fleet::Demo(args) => demo::run(args),
        Fleet::Status(args) => status::run(args).map(|()| Exit::Done),
    }
}

/// Loads the settings of a client of these servers.
fn settings(settings: &SettingArgs, servers: &str) -> Result<Config, Failure> {
    settings.load(vec![Flag {
        flag: "nats://HOST:PORT".to_owned(),
        name: "fleet.servers".to_owned(),
        value: FlagValue::Text(servers.to_owned()),
    }])
}
