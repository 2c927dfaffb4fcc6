//! Clusterings by other authors, for comparison (SOUrCe 2018, section 5.2): functions from bags of leaf paths to
//! labels.

mod mdl;
mod repetitive_regions;

pub use mdl::{MdlOptions, mdl};
pub use repetitive_regions::repetitive_regions;
