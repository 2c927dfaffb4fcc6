//! The reader of a browser's messages, for a fuzz target.

use crate::browser;

/// Reads bytes from the pipe of a browser. Returns the number of events that matter to a page.
pub fn events(bytes: &[u8]) -> usize {
    browser::events_in(bytes)
}
