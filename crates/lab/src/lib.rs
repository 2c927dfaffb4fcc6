//! The laboratory: what crawls are tried on and measured with, without touching anybody's site.

pub mod clusterings;
pub mod compare;
pub mod corpus;
pub mod experiments;
pub mod measures;
pub mod replay;
pub mod scale;
pub mod tables;
