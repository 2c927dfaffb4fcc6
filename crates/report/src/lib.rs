//! Status and reports of a crawl: while it runs ([`CrawlStatus`], [`progress`]) and when it has ended ([`Report`]).
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

mod about;
mod advice;
mod closing;
mod commands;
pub mod document;
mod feature_figures;
pub mod figures;
mod funnel;
mod hooks;
pub mod live;
pub mod plot;
pub mod progress;
mod read;
pub mod render;
mod seconds;
pub mod sections;
mod status;
mod stop_reason;
pub mod terminal;
mod text;
mod usage;

pub use about::{AboutCrawler, about_page};
pub use advice::remedy;
pub use closing::{FleetFigures, HostTrouble, Report, Run};
pub use commands::{CommandRequest, Commands, InForce};
pub use feature_figures::{DedupStats, RENDER_CLASSES_REPORTED, RecrawlFigures, render_class_facts, rendering_line};
pub use funnel::{FUNNEL_UNITS, FunnelExit, FunnelStep, funnel};
pub use harvestman_core::model::Command;
pub use hooks::{Hooks, PauseSwitch, RunLimits, StopFlag};
pub use read::{Malformed, read_object};
pub use status::{BudgetKind, BudgetUse, CrawlStatus, HostWait, PostBoard, PostProgress, Waits};
pub use stop_reason::{ExtensionError, StopReason};
pub use usage::Usage;

#[cfg(test)]
mod files_tests;
