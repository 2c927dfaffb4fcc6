//! The ledger of every link ever discovered, and counts of fates (invariant ACC-1): discovered = sum of the fates +
//! queued + leased.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Failure, Fate, RobotsRefusal};

/// Counts of fates. Links are counted, not URLs: a URL linked from a hundred pages is one `fetched` and 99 `duplicate`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fates {
    counts: BTreeMap<Fate, u64>,
}

impl Fates {
    /// Counts `count` links of fate `fate`.
    pub fn add(&mut self, fate: Fate, count: u64) {
        if count > 0 {
            *self.counts.entry(fate).or_default() += count;
        }
    }

    /// Returns the counts without those of `fate`.
    #[must_use]
    pub fn without(mut self, fate: Fate) -> Self {
        self.counts.remove(&fate);
        self
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (fate, count) in &other.counts {
            self.add(*fate, *count);
        }
    }

    /// Returns the number of links with the fate `fate`.
    pub fn of(&self, fate: Fate) -> u64 {
        self.counts.get(&fate).copied().unwrap_or(0)
    }

    /// Returns the number of links with a fate of this name, for any reason.
    pub fn named(&self, name: &str) -> u64 {
        self.counts.iter().filter(|(fate, _)| fate.name() == name).map(|(_, count)| count).sum()
    }

    /// Returns the sum over all fates.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Returns all counts, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (Fate, u64)> + '_ {
        self.counts.iter().map(|(fate, count)| (*fate, *count))
    }
}

/// Counts discovered links and their fates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    discovered: u64,
    fates: Fates,
    pages: u64,
    bytes: u64,
    requests: u64,
}

impl Ledger {
    /// Books the links that were discovered on one page: `settled` are those whose fate was decided at once, `accepted`
    /// the others.
    pub fn discover(&mut self, settled: &Fates, accepted: u64) {
        self.discovered += settled.total() + accepted;
        self.fates.merge(settled);
    }

    /// Books the fate of one link that had been accepted.
    pub fn settle(&mut self, fate: Fate) {
        self.fates.add(fate, 1);
        if fate == Fate::Fetched {
            self.pages += 1;
        }
    }

    /// Books `count` accepted links that are not to be fetched any more.
    pub fn discard(&mut self, fate: Fate, count: u64) {
        self.fates.add(fate, count);
    }

    /// Returns the ledger of a further run: links are open again that the run before left because their hosts had to be
    /// waited for.
    #[must_use]
    pub fn reopened(self) -> Self {
        Self { fates: self.fates.without(Fate::Failed(Failure::WaitOver)), ..self }
    }

    /// Returns how much the crawl has achieved: a figure that grows with each link that is discovered, and with each
    /// that ends otherwise than by trouble of its host.
    pub fn achieved(&self) -> u64 {
        let of_trouble = |fate: Fate| match fate {
            Fate::Failed(why) => why.is_transient() || matches!(why, Failure::HostGivenUp | Failure::WaitOver),
            Fate::Robots(why) => why == RobotsRefusal::Unavailable,
            _ => false,
        };
        let ended = self.fates.iter().filter(|(fate, _)| !of_trouble(*fate)).map(|(_, count)| count).sum::<u64>();
        self.discovered + ended
    }

    /// Books one request and the bytes of its response body.
    pub fn request(&mut self, bytes: u64) {
        self.requests += 1;
        self.bytes += bytes;
    }

    /// Books the crawl's own requests (robots.txt, sitemaps).
    pub fn own_requests(&mut self, requests: u64, bytes: u64) {
        self.requests += requests;
        self.bytes += bytes;
    }

    /// Returns the number of discovered links.
    pub const fn discovered(&self) -> u64 {
        self.discovered
    }

    /// Returns the number of pages fetched successfully.
    pub const fn pages(&self) -> u64 {
        self.pages
    }

    /// Returns the number of bytes of bodies received.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of requests sent, including errands (robots.txt, sitemaps).
    pub const fn requests(&self) -> u64 {
        self.requests
    }

    /// Returns the fates, with `open` links (waiting or leased) as `queued`.
    pub fn fates(&self, open: u64) -> Fates {
        let mut fates = self.fates.clone();
        fates.add(Fate::Queued, open);
        fates
    }

    /// Returns the number of links whose fate is not settled; these are waiting or leased if the ledger balances.
    pub fn open(&self) -> u64 {
        self.discovered.saturating_sub(self.fates.total())
    }

    /// Returns whether the ledger balances with `open` links waiting or leased.
    pub fn balances(&self, open: u64) -> bool {
        self.discovered == self.fates.total() + open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_whose_hosts_were_waited_for_are_open_again_in_a_further_run() {
        let mut ledger = Ledger::default();
        ledger.discover(&Fates::default(), 4);
        let fates = [Fate::Fetched, Fate::Failed(Failure::WaitOver), Fate::Failed(Failure::HostGivenUp)];
        fates.into_iter().for_each(|fate| ledger.settle(fate));
        assert!(ledger.balances(1));
        let reopened = ledger.reopened();
        assert!(reopened.balances(2) && reopened.pages() == 1);
    }

    #[test]
    fn trouble_of_hosts_is_no_achievement() {
        let mut ledger = Ledger::default();
        ledger.discover(&Fates::default(), 9);
        let begun = ledger.achieved();
        for why in [Failure::Http(500), Failure::Connect, Failure::HostGivenUp, Failure::WaitOver] {
            ledger.settle(Fate::Failed(why));
        }
        ledger.settle(Fate::Robots(RobotsRefusal::Unavailable));
        assert_eq!(ledger.achieved(), begun);
        ledger.settle(Fate::Failed(Failure::Http(404)));
        ledger.settle(Fate::Fetched);
        assert_eq!(ledger.achieved(), begun + 2);
        ledger.discover(&Fates::default(), 1);
        assert_eq!(ledger.achieved(), begun + 3);
    }
}
