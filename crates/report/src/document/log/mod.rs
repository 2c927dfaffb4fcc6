//! One pass over a page log, in bounded memory: all figures that a report shows of it.

mod figures;
mod reading;

pub use figures::{FileFigures, LogFigures, LoggedFate, MediaType};
pub use reading::{LogReading, Origin, within};
