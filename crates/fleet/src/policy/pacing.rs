//! How fast observations travel to the holder of the policy, and publications back.
//!
//! The first pages of a site teach the most, and pages fetched before that is known everywhere are fetched with little
//! benefit. So at first everything is sent sooner, although in smaller pieces; later, saving traffic matters more.

use std::time::Duration;

/// The number of pages below which everything is sent sooner.
const EARLY: u64 = 2_000;
const EARLY_DELAY: Duration = Duration::from_millis(200);
const DELAY: Duration = Duration::from_secs(1);
/// The bytes per second that all nodes together may load as publications.
const BYTES_PER_SECOND: u64 = 16 << 20;

/// Returns the longest time that an observation waits for others of its batch, after a node has seen this many pages.
pub const fn batch_delay(seen: u64) -> Duration {
    if seen < EARLY { EARLY_DELAY } else { DELAY }
}

/// Returns the minimum interval after a publication of this size, for this many nodes, after this many pages were
/// shown.
pub fn spacing(shown: u64, bytes: u64, nodes: u64) -> Duration {
    let loaded = Duration::from_micros(bytes.saturating_mul(nodes).saturating_mul(1_000_000) / BYTES_PER_SECOND);
    loaded.max(batch_delay(shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_pages_are_in_haste_and_many_nodes_are_not_flooded() {
        assert_eq!((batch_delay(0), batch_delay(EARLY - 1), batch_delay(EARLY)), (EARLY_DELAY, EARLY_DELAY, DELAY));
        assert_eq!(spacing(0, 100 << 10, 3), EARLY_DELAY);
        assert_eq!(spacing(EARLY, 100 << 10, 3), DELAY);
        assert_eq!(spacing(EARLY, 1 << 20, 3), DELAY);
        assert_eq!(spacing(0, 1 << 20, 1_000), Duration::from_micros(62_500_000));
        assert!(spacing(0, u64::MAX, u64::MAX) > DELAY);
    }
}
