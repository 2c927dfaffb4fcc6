//! The laboratory: what crawls are tried on and measured with, without touching anybody's site.

pub mod sim;
