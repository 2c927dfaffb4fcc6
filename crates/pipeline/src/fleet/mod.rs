//! A crawl as part of a fleet: the same stages, between the exchange on one side and the session's log on the other.
//!
//! Links to hosts that other nodes hold leave with the group of changes that they were found in; links that other nodes
//! found arrive like links that are discovered here. A group is committed when its links are on the exchange and its
//! entry is in the log.

mod agreed;
mod before;
mod budget;
mod commit_tracker;
mod engine;
mod environment;
mod fleet_size;
mod handback;
mod journal;
mod lapse;
mod loads;
mod log;
mod node_setup;
mod orders;
mod policy;
mod rebalance;
mod run;
mod session;
mod shared_secrets;
mod start;
mod status;

pub(super) use node_setup::node_name;
pub(super) use rebalance::rebalance;
pub(super) use run::{configuration, resume, run};
pub(super) use status::status;
