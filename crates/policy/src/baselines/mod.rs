//! Policies of others, to compare with: what a crawl would do that did not learn a site's structure, or learnt less of it.
//!
//! Each is written from its authors' description; its module says what is simplified. They are pure, take their randomness
//! from a seed, and what they remember is bounded by their options.

mod cash;
mod irobot;
mod opic;
mod random;
mod sb;
mod tpm;
mod versions;
mod wanted;

pub use irobot::{IRobot, IRobotOptions, RegionOptions, Regions, single_link};
pub use opic::{Opic, OpicOptions};
pub use random::Random;
pub use sb::{SbOptions, SleepingBandit, Spelling};
pub use tpm::Tpm;
pub use wanted::Wanted;
