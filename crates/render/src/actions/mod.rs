//! Clicks on what leads on but is no link: buttons that load more, tabs, elements to which a script gave a way: pure.
//!
//! A class of actions is a class of pages with the path of an element, since what one button of a template does, those
//! of its other pages do too. On each page a few elements of unknown classes are tried; classes whose clicks bring
//! something are used to their end, the others are left alone.

mod clicking;
mod control;
mod harm;
mod learned;

pub(crate) use clicking::{Clicking, Seen};
#[cfg(test)]
pub(crate) use control::Control;
pub use learned::{ActionNote, Actions, Expected, KeptActions, KnownActions};
