//! A browser without network, spoken to over a pipe: every request of a page waits until the crawl answers it.

mod chromium;
mod connection;
mod events;
mod executable;
mod flags;
mod frames;
mod process;
mod session;
mod tab;
mod using;

/// Reads the messages of a browser. Returns the number of events that matter to a page.
pub(crate) fn events_in(bytes: &[u8]) -> usize {
    connection::events_in(bytes).into_iter().filter_map(events::PageEvent::of).count()
}

pub use chromium::{Chromium, ChromiumSettings};
pub use executable::{Executable, INSTALL_ADVICE};
pub use flags::Confinement;
