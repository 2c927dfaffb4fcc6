//! TODO

pub mod retry_after;
pub mod robots;
pub mod sitemap;
