//! The frontier: URLs that are known and not yet fetched, per host and per link class.
//!
//! The pure core ([`Frontier`]) says which URL of a host is next; [`Ledger`](harvestman_core::model::Ledger) keeps the account of what became of every link;
//! the actor ([`FrontierActor`]) hands out leases to hosts that may be contacted, best first, within the crawl's budgets.

mod actor;
mod allowance;
mod budgets;
mod class_table;
mod early_stop;
mod fifo;
mod host_queue;
mod messages;
mod outlook;
mod pulse;
mod queues;
mod ranking;
mod schedule;
mod shelf;
mod survey;
mod varint;

#[cfg(test)]
mod tests;

pub use actor::{FrontierActor, FrontierSetup};
pub use allowance::{Allowance, Lacks, Share, Spent, UnderWay};
pub use budgets::{Budgets, EndReason};
pub use class_table::CATCH_ALL;
pub use early_stop::{EarlyStop, EarlyStopOptions};
pub use host_queue::{ClassOf, NotReady};

pub use messages::{
    ChangePort, Control, DiscoveredLinks, ErrandsAdded, ErrandsDone, FleetEvent, FollowNow, HostDue, HostPort, Hosts,
    Kept, LeaseEnded, LeasesOf, LetGo, LimitsChanged, LinksFound, NewClass, Order, OrderChanged, OrderSlot, Outcome,
    OwnRequestEnded, PageFindings, SurveyWanted, TakeOver,
};
pub use outlook::{Outlook, Waiting, outlook};
pub use pulse::FrontierPulse;
pub use queues::{Frontier, Limits};
pub use ranking::Rank;
pub use shelf::{ChunkPlace, ChunkStore, Shelf};
pub use survey::{Survey, WaitingClass};
