//! The live view: activity is recorded where it happens ([`LiveBoard`]), and views are built while there are viewers.

mod board;
mod forms;
mod readings;
mod site;
mod view;

pub(super) use board::LiveBoard;
pub(super) use view::{LiveSources, LiveViewer};
