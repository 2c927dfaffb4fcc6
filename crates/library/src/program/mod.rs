//! What the program `harvestman` shares with embedded crawls. No part of the stable interface.

mod configuration;
pub mod seeds;
mod text_file;

pub use configuration::{CONFIG_FILE, Owner, complete, directory_flags, full_settings, missing_contact, read_seeds};
pub use text_file::read_topics;
