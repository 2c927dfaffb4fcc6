//! Measures of clusterings, classifications and crawls: pure functions over plain values.
//!
//! The definitions are those of SOUrCe (Li, Pantel and Callan 2018): purity and F of a clustering and precision of a
//! classification (section 5.2); valid ratio, recall, F and entropy of a crawl (section 5.3, eq. 13); harvest rate
//! (section 5.4). The *unique* variants of measures exclude duplicate views.

mod clustering;
mod curve;
mod folds;
mod harvest;
mod host_time;
mod judge;
mod precision;
mod spread;
mod topic;
mod value;

pub use clustering::Clustering;
pub use curve::{CurvePoint, curve};
pub use folds::stratified_folds;
pub use harvest::{Fetched, Harvest};
pub use host_time::HostTime;
pub use judge::{Judge, Task};
pub use precision::Precision;
pub use spread::Spread;
pub use topic::Topic;
pub use value::{Quality, Value};

/// Returns the harmonic mean of two ratios: F1. Zero if both are zero.
pub fn f_measure(precision: f64, recall: f64) -> f64 {
    if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
}

/// Returns `part` of `whole` as a ratio; `None` if the whole is zero.
#[expect(clippy::cast_precision_loss, reason = "counts of pages are far below 2^52")]
pub(crate) fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
