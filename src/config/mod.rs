//! Settings: one file of options a stage; the defaults and their documentation stand there and nowhere else.

pub mod options;
pub mod url;
pub mod values;

pub use values::{ByteSize, Period};
