//! Settings: one file of options a stage; the defaults and their documentation stand there and nowhere else.

pub mod options;
pub mod parse;
pub mod values;

pub use parse::ParseOptions;
pub use values::{ByteSize, Period};
