//! Settings: one file of options a stage; the defaults and their documentation stand there and nowhere else.

pub mod fetch;
pub mod options;
pub mod values;

pub use fetch::FetchOptions;
pub use values::{ByteSize, Period};
