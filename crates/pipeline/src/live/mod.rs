//! What the live page shows: gathered where it happens ([`LiveBoard`]), put together while somebody watches.

mod board;
mod forms;
mod site;
mod view;

pub(super) use board::LiveBoard;
pub(super) use view::{LiveSources, LiveViewer};
