//! Which pages of a host are learned from.

use std::collections::HashMap;

/// Number of first pages of a host that are all learned from.
const FIRST: u64 = 200;
/// Of later pages one of this many is learned from.
const EACH: u64 = 50;
/// Maximum number of pages of a host that are learned from.
const PAGES_MAX: u64 = 1_000;
/// Maximum number of hosts that are learned from.
const HOSTS_MAX: usize = 10_000;

/// Chooses pages: the first ones of each host, and some of the others.
#[derive(Debug, Default)]
pub struct Sample {
    hosts: HashMap<String, HostPages>,
}

#[derive(Debug, Default)]
struct HostPages {
    seen: u64,
    chosen: u64,
}

impl Sample {
    /// Returns whether the next page of a host is to be learned from.
    pub fn chooses(&mut self, host: &str) -> bool {
        if self.hosts.len() >= HOSTS_MAX && !self.hosts.contains_key(host) {
            return false;
        }
        let pages = self.hosts.entry(host.to_owned()).or_default();
        pages.seen += 1;
        let is_chosen = pages.chosen < PAGES_MAX && (pages.seen <= FIRST || pages.seen.is_multiple_of(EACH));
        pages.chosen += u64::from(is_chosen);
        is_chosen
    }

    /// Returns whether the number of the pages chosen from a host has doubled: kinds of pages that came up since count
    /// then.
    pub fn has_doubled(&self, host: &str) -> bool {
        self.hosts.get(host).is_some_and(|pages| pages.chosen > FIRST && pages.chosen.is_power_of_two())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_pages_and_some_of_the_others_are_chosen() {
        let mut sample = Sample::default();
        let chosen = |sample: &mut Sample, count| (0..count).filter(|_| sample.chooses("h")).count();
        assert_eq!((chosen(&mut sample, 200), chosen(&mut sample, 500)), (200, 10));
        assert!(sample.chooses("other"));
        assert_eq!(chosen(&mut sample, 1_000_000), 790);
    }
}
