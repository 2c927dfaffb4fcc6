//! What operators see of a running crawl and tell it.

pub(crate) mod active_orders;
pub(crate) mod control;
pub(crate) mod status;
pub(crate) mod tally;
