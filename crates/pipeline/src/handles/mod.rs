//! Handles: the only ways from one stage of a crawl to another.
//!
//! A handle is made before its stage, from the sink to the source, so that nothing is set late. Handles are cheap to
//! clone.

mod archive;
mod frontier;
mod hosts;
pub(crate) mod job;
mod pages;
mod state;

pub(crate) use self::archive::{ArchiveHandle, Writing};
pub(crate) use self::frontier::{CrawlHold, FrontierHandle};
pub(crate) use self::hosts::HostsHandle;
pub(crate) use self::pages::PageQueue;
pub(crate) use self::state::{StateHandle, StateQueue, Task};
