//! What a crawl says about itself: while it runs ([`CrawlStatus`], [`progress`]) and when it has ended ([`Report`]).

mod advice;
mod closing;
mod commands;
mod dedup;
pub mod document;
pub mod figures;
mod hooks;
pub mod live;
pub mod plot;
pub mod progress;
mod recrawl;
pub mod render;
mod status;
mod text;
mod usage;

pub use advice::remedy;
pub use closing::{FleetFigures, HostTrouble, Report, Run, StopReason};
pub use commands::{Command, Commands, Given, InForce};
pub use dedup::SeenFigures;
pub use hooks::{Hooks, PauseSwitch, StopFlag};
pub use recrawl::RecrawlFigures;
pub use status::{BudgetKind, BudgetUse, CrawlStatus, HostWait, Waits};
pub use usage::Usage;
