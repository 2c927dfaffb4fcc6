//! The systems of the papers as they are printed, and the baselines that they are compared with.
//!
//! Each is a [`Policy`](harvestman_policy::Policy) written from its authors' description; its module names the paper
//! and lists the simplifications. All are pure, take their randomness from a seed, and remember an amount that their
//! options bound. The crawler does not contain them: the laboratory replays them on recordings and crawls live sites by
//! them.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

pub mod baselines;
pub mod cluster_graph;
mod factory;
pub mod site;
pub mod source;
pub mod topic;
pub mod xcrawl;

pub use factory::{APPRENTICE, BASELINES, IROBOT, OPIC, RANDOM, SB, TPM, baseline, source_options};

#[cfg(test)]
use harvestman_policy::{
    BreadthFirst, Link, NewLink, Observation, Outcome, PageFacts, PlacedLink, Policy, PolicySnapshot,
};

#[cfg(test)]
mod observed;
#[cfg(test)]
#[path = "../../policy/src/property_tests.rs"]
mod property_tests;
