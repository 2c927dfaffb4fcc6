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

pub use chromium::{Chromium, ChromiumSettings};
pub use executable::{Executable, INSTALL_ADVICE};
pub use flags::Confinement;
