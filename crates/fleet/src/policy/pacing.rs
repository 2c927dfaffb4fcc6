//! How soon what nodes have seen comes to the holder of the policy, and what it makes of that comes to them.
//!
//! The first pages of a site teach the most, and until that is known everywhere pages are fetched for little. So everything is sent sooner
//! at first, though it travels in smaller pieces then; later what is saved on the wire counts for more.

use std::time::Duration;

/// While fewer pages were seen, everything is sent sooner.
const EARLY: u64 = 2_000;
const EARLY_PAUSE: Duration = Duration::from_millis(200);
const PAUSE: Duration = Duration::from_secs(1);
/// Bytes of publications a second that all nodes together load, at most.
const BYTES_A_SECOND: u64 = 16 << 20;

/// How long an observation waits for others to travel with, at most, where a node has seen so many pages.
pub const fn patience(seen: u64) -> Duration {
    if seen < EARLY { EARLY_PAUSE } else { PAUSE }
}

/// How long after a publication of so many bytes, for so many nodes, the next one comes at the soonest, where so many pages were shown.
pub fn spacing(shown: u64, bytes: u64, nodes: u64) -> Duration {
    let loaded = Duration::from_micros(bytes.saturating_mul(nodes).saturating_mul(1_000_000) / BYTES_A_SECOND);
    loaded.max(patience(shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_pages_are_in_haste_and_many_nodes_are_not_flooded() {
        assert_eq!((patience(0), patience(EARLY - 1), patience(EARLY)), (EARLY_PAUSE, EARLY_PAUSE, PAUSE));
        assert_eq!(spacing(0, 100 << 10, 3), EARLY_PAUSE);
        assert_eq!(spacing(EARLY, 100 << 10, 3), PAUSE);
        assert_eq!(spacing(EARLY, 1 << 20, 3), PAUSE);
        assert_eq!(spacing(0, 1 << 20, 1_000), Duration::from_micros(62_500_000));
        assert!(spacing(0, u64::MAX, u64::MAX) > PAUSE);
    }
}
