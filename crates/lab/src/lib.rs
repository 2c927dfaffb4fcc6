//! The laboratory: experiments and measurements on crawls, without contacting any real site.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

pub mod cli;
pub mod clusterings;
pub mod corpus;
pub mod experiments;
pub mod index;
pub mod measures;
pub mod oracle;
pub mod posts;
pub mod recording;
pub mod replay;
pub mod tables;
