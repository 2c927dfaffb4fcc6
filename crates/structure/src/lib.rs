//! Parser, site structure algorithms and page classifier: pure functions over values.

pub mod classify;
pub mod parse;
pub mod site;
