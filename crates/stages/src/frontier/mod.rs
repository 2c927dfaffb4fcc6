//! The frontier: URLs that are known and not yet fetched, per host and per link class.
//!
//! The pure core ([`Frontier`]) selects the next URL of a host. [`Ledger`](harvestman_core::model::Ledger) counts the
//! fate of every link. The actor ([`FrontierActor`]) grants leases to hosts that may be contacted, best first, within
//! the budgets of the crawl.

mod actor;
mod allowance;
mod budgets;
mod class_table;
mod credit;
mod fifo;
mod forecast;
mod host_queue;
mod messages;
mod queues;
mod ranking;
mod spill;
mod survey;

#[cfg(test)]
mod tests;

pub use actor::{FrontierActivity, FrontierActor, FrontierSetup};
pub use allowance::{Allowance, BudgetShare, Shortages, SpentBudgets};
pub use budgets::{Budgets, EarlyStop, EarlyStopOptions, EndReason, UnderWay};
pub use class_table::CATCH_ALL;
pub use credit::{Credit, CreditPool};
pub use forecast::YieldForecast;
pub use host_queue::{NotReady, Readmit};
pub use messages::{
    ChangePort, Control, DiscoveredLinks, DropHosts, ErrandsAdded, ErrandsDone, FleetEvent, FollowNow, HostDue,
    HostPort, Hosts, LeaseEnded, LeasesCommitted, LeasesOf, LimitsChanged, LinksFound, Order, OrderChanged, OrderSlot,
    Outcome, OwnRequestEnded, PageFindings, ReadmitShared, RetryNow, SitemapLinks, SurveyQuery, TakeOver, WaitingHosts,
};
pub use queues::{Frontier, FrontierLimits};
pub use ranking::Rank;
pub use spill::{ChunkPlace, ChunkStore, SpillStorage};
pub use survey::{QueueSurvey, WaitingClass};
