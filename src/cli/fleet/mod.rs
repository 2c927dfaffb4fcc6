//! `harvestman fleet`: many machines that crawl together.

mod demo;
mod join;
mod leave;
mod rebalance;
mod status;

use super::exit::{Exit, Failure};
use super::settings::SettingArgs;
use harvestman_core::config::{Config, Flag, FlagValue};

/// What to do with a fleet.
#[derive(Debug, clap::Subcommand)]
pub enum Fleet {
    /// Take part in a crawl of a fleet with this machine
    Join(Box<join::JoinArgs>),
    /// Let the node that crawls into a directory leave its fleet: the others go on with what it holds
    Leave(leave::LeaveArgs),
    /// Spread a fleet's load evenly over its nodes, now
    Rebalance(Box<rebalance::RebalanceArgs>),
    /// Say where a fleet stands: its nodes, what they hold, how far they are
    Status(Box<status::StatusArgs>),
    /// Start a NATS server and three nodes on this machine, kill one, and show that nothing is lost
    Demo(demo::DemoArgs),
}

/// Does what is asked.
pub fn run(what: &Fleet) -> Result<Exit, Failure> {
    match what {
        Fleet::Join(args) => join::run(args),
        Fleet::Leave(args) => leave::run(args).map(|()| Exit::Done),
        Fleet::Rebalance(args) => rebalance::run(args).map(|()| Exit::Done),
        Fleet::Demo(args) => demo::run(args),
        Fleet::Status(args) => status::run(args).map(|()| Exit::Done),
    }
}

/// The settings of who asks these servers.
fn settings(settings: &SettingArgs, servers: &str) -> Result<Config, Failure> {
    settings.load(vec![Flag {
        flag: "nats://HOST:PORT".to_owned(),
        name: "fleet.servers".to_owned(),
        value: FlagValue::Text(servers.to_owned()),
    }])
}
