//! What the program `harvestman` shares with embedded crawls. No part of the stable interface.

mod configuration;
pub mod contact;
pub mod seeds;
mod text_file;
mod topic_file;

pub use configuration::{CONFIG_FILE, Owner, complete, directory_flags, full_settings, read_seeds};
pub use topic_file::read_topics;
