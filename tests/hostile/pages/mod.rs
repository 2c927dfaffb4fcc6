//! Pages that are made to take their readers much time, and everything that reads pages.

mod kinds;
mod make;
mod readers;
mod taken;

pub use kinds::KINDS;
pub use make::Kind;
pub use readers::{READERS, Reader};
pub use taken::taken;
