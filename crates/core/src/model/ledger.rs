//! The account of every link ever discovered (invariant ACC-1): discovered = sum of the fates + queued + leased.

use serde::{Deserialize, Serialize};

use super::{Fate, Fates};

/// Counts what was discovered and what became of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    discovered: u64,
    fates: Fates,
    pages: u64,
    bytes: u64,
    requests: u64,
}

impl Ledger {
    /// Books links that were discovered on one page: `settled` are those whose fate was clear at once, `accepted` the rest.
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
    pub fn let_go(&mut self, fate: Fate, count: u64) {
        self.fates.add(fate, count);
    }

    /// Books one request and the bytes of its answer's body.
    pub fn request(&mut self, bytes: u64) {
        self.requests += 1;
        self.bytes += bytes;
    }

    /// Books the crawl's own requests (robots.txt, sitemaps).
    pub fn own_requests(&mut self, requests: u64, bytes: u64) {
        self.requests += requests;
        self.bytes += bytes;
    }

    /// Links discovered.
    pub const fn discovered(&self) -> u64 {
        self.discovered
    }

    /// Pages fetched with success.
    pub const fn pages(&self) -> u64 {
        self.pages
    }

    /// Bytes of bodies received.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Requests sent, errands (robots.txt, sitemaps) among them.
    pub const fn requests(&self) -> u64 {
        self.requests
    }

    /// The fates, with `open` links (waiting or leased) as `queued`.
    pub fn fates(&self, open: u64) -> Fates {
        let mut fates = self.fates.clone();
        fates.add(Fate::Queued, open);
        fates
    }

    /// Links whose fate is not settled: waiting or leased, if the account is right.
    pub fn open(&self) -> u64 {
        self.discovered.saturating_sub(self.fates.total())
    }

    /// Whether the account is right while `open` links wait or are leased.
    pub fn balances(&self, open: u64) -> bool {
        self.discovered == self.fates.total() + open
    }
}
