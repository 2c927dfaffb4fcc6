//! Durations as JSON numbers: seconds, to the millisecond. For `#[serde(with = "…")]`.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serializer, de::Error};

/// Returns seconds, rounded to the millisecond.
pub(crate) fn rounded(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

/// Writes seconds, rounded to the millisecond.
pub(crate) fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*time))
}

/// Reads seconds, rounded to the millisecond, so that a written value is restored exactly.
///
/// # Errors
/// The value is not a number, negative, or too large for a duration.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let exact = Duration::try_from_secs_f64(f64::deserialize(deserializer)?).map_err(D::Error::custom)?;
    let nanos = exact.subsec_nanos();
    let rounded = (nanos + 500_000) / 1_000_000;
    Ok(Duration::from_secs(exact.as_secs()).saturating_add(Duration::from_millis(u64::from(rounded))))
}
