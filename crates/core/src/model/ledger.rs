//! The ledger of every link ever discovered (invariant ACC-1): discovered = sum of the fates + queued + leased.

use serde::{Deserialize, Serialize};

use super::{Fate, Fates};

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
