//! Settings: one file of options a stage; the defaults and their documentation stand there and nowhere else.

pub mod filter;
pub mod frontier;
pub mod host;
pub mod archive;
pub mod fetch;
pub mod options;
pub mod robots;
pub mod url;
pub mod values;

pub use robots::RobotsOptions;
pub use fetch::FetchOptions;
pub use values::{ByteSize, Period};
