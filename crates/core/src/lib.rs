//! Values, settings, URLs, time and randomness that every other part stands on.

pub mod clock;
pub mod config;
pub mod model;
pub mod seed;
pub mod url;
