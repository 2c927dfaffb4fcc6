//! The parser, the algorithms on site structure and the page classifier: pure functions over values.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

pub mod classify;
pub mod link_context;
pub mod naive_bayes;
pub mod parse;
pub mod site;
pub mod substitutes;
