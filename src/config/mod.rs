//! Settings: one file of options a stage; the defaults and their documentation stand there and nowhere else.

pub mod archive;
pub mod options;
pub mod values;

pub use values::{ByteSize, Period};
