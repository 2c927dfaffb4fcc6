//! One pass over a page log: all that a report says of it, in bounded memory.

mod figures;
mod reading;

pub use figures::{FileFigures, LogFigures, LoggedFate, MediaType};
pub use reading::{LogReading, Origin, within};
