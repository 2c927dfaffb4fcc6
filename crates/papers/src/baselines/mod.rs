//! Baseline policies by other authors: crawls that do not learn a site's structure, or learn less of it.
//!
//! Each is written from its authors' description; its module lists the simplifications. They are pure, take their
//! randomness from a seed, and remember an amount that their options bound.

mod apprentice;
mod cash;
mod irobot;
mod opic;
mod random;
mod sb;
mod tpm;
pub(crate) mod versions;
mod wanted;

pub use apprentice::Apprentice;
pub(crate) use cash::Cash;
pub use irobot::{IRobot, IRobotOptions, RegionOptions, Regions, single_link};
pub(crate) use opic::{BUCKETS, Mean, level};
pub use opic::{Opic, OpicOptions};
pub use random::Random;
pub use sb::{SbOptions, SleepingBandit, Spelling};
pub use tpm::Tpm;
pub use wanted::Wanted;
