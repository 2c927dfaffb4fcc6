//! Pages that wait with their leases until more is known, and how often URLs were put back: pure, with times handed in.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::clock::Instant;
use crate::url::Fingerprint;

/// URLs of which it is counted how often they were put back, for each reason.
const COUNTED_MAX: usize = 100_000;

/// How many pages are held at a time.
#[derive(Debug, Clone, Copy)]
pub struct HoldLimits {
    /// Pages.
    pub pages: usize,
    /// Bytes of their bodies.
    pub bytes: usize,
}

impl HoldLimits {
    /// As many as there are leases: each page that is held has one.
    pub const LEASES: Self = Self { pages: usize::MAX, bytes: usize::MAX };
}

/// A page that waits.
#[derive(Debug)]
pub struct HeldPage<R, P> {
    /// What it waits for.
    pub reason: R,
    /// The page.
    pub page: P,
    /// When it began to wait.
    pub since: Instant,
    bytes: usize,
}

/// The pages that wait for the same kind of event, in the order in which they began to wait.
#[derive(Debug)]
pub struct HeldPages<R, P> {
    held: VecDeque<HeldPage<R, P>>,
    limits: HoldLimits,
    bytes: usize,
    is_closed: bool,
}

impl<R, P> HeldPages<R, P> {
    /// Creates a list without pages.
    pub const fn new(limits: HoldLimits) -> Self {
        Self { held: VecDeque::new(), limits, bytes: 0, is_closed: false }
    }

    /// Holds a page with a body of so many bytes. Returns it if there is no room, or no page is held any more.
    pub fn hold(&mut self, reason: R, page: P, bytes: usize, now: Instant) -> Result<(), P> {
        let HoldLimits { pages: pages_max, bytes: bytes_max } = self.limits;
        if self.is_closed || self.held.len() >= pages_max || self.bytes.saturating_add(bytes) > bytes_max {
            return Err(page);
        }
        self.bytes += bytes;
        self.held.push_back(HeldPage { reason, page, since: now, bytes });
        Ok(())
    }

    /// Returns the number of pages that wait.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Returns whether no page waits.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Returns the pages that wait, the one that has waited longest first.
    pub fn iter(&self) -> impl Iterator<Item = &HeldPage<R, P>> {
        self.held.iter()
    }

    /// Returns what the pages wait for, to be changed.
    pub fn reasons_mut(&mut self) -> impl Iterator<Item = &mut R> {
        self.held.iter_mut().map(|held| &mut held.reason)
    }

    /// Releases the pages for which this returns true, in their order.
    pub fn release(&mut self, is_released: impl Fn(&HeldPage<R, P>) -> bool) -> Vec<HeldPage<R, P>> {
        let (released, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.held).into_iter().partition(is_released);
        self.held = kept.into();
        self.bytes -= released.iter().map(|held| held.bytes).sum::<usize>();
        released
    }

    /// Releases all pages, in their order.
    pub fn release_all(&mut self) -> Vec<HeldPage<R, P>> {
        self.release(|_| true)
    }

    /// Releases all pages, and holds none from now on.
    pub fn close(&mut self) -> Vec<HeldPage<R, P>> {
        self.is_closed = true;
        self.release_all()
    }
}

/// Why a URL is put back: it is requested again, and that is no failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutBackReason {
    /// The answer was perhaps a block page.
    BlockPage,
    /// The answer was perhaps sent to a guest.
    GuestView,
}

/// How often URLs were put back that have not ended. It is not part of the state: after a restart it is counted anew.
#[derive(Debug, Default)]
pub struct PutBacks([Mutex<HashMap<Fingerprint, u8>>; 2]);

impl PutBacks {
    /// Counts that a URL is put back for this reason. Returns whether it was counted.
    pub fn count(&self, reason: PutBackReason, url: Fingerprint) -> bool {
        let mut counts = self.counts(reason);
        if counts.len() >= COUNTED_MAX && !counts.contains_key(&url) {
            return false;
        }
        let count = counts.entry(url).or_default();
        let is_counted = *count < u8::MAX;
        *count += u8::from(is_counted);
        is_counted
    }

    /// Returns how often a URL that ends was put back for these reasons.
    pub fn end(&self, reasons: &[PutBackReason], url: Fingerprint) -> u8 {
        let count = |reason: &PutBackReason| {
            let mut counts = self.counts(*reason);
            if counts.is_empty() { 0 } else { counts.remove(&url).unwrap_or(0) }
        };
        reasons.iter().map(count).fold(0, u8::saturating_add)
    }

    fn counts(&self, reason: PutBackReason) -> MutexGuard<'_, HashMap<Fingerprint, u8>> {
        self.0[reason as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PutBackReason::{BlockPage, GuestView};

    #[test]
    fn pages_are_held_within_bounds_and_released_in_their_order() {
        let mut held = HeldPages::new(HoldLimits { pages: 3, bytes: 10 });
        assert_eq!(held.hold('a', "too large", 11, Instant::EPOCH), Err("too large"));
        for (reason, page) in [('a', "1"), ('b', "2"), ('a', "3")] {
            assert_eq!(held.hold(reason, page, 3, Instant::EPOCH), Ok(()));
        }
        assert_eq!(held.hold('a', "one too many", 0, Instant::EPOCH), Err("one too many"));
        let released = held.release(|held| held.reason == 'a');
        assert_eq!(released.iter().map(|held| held.page).collect::<Vec<_>>(), ["1", "3"]);
        assert_eq!((held.len(), held.bytes), (1, 3));
        assert_eq!((held.close().len(), held.bytes, held.is_empty()), (1, 0, true));
        assert_eq!(held.hold('a', "after the end", 0, Instant::EPOCH), Err("after the end"));
    }

    #[test]
    fn counts_are_bounded_and_end_with_their_url() {
        let counts = PutBacks::default();
        for number in 0..COUNTED_MAX {
            assert!(counts.count(BlockPage, Fingerprint(number as u128)));
        }
        let more = Fingerprint(COUNTED_MAX as u128);
        assert!(!counts.count(BlockPage, more), "there is no room");
        assert!(counts.count(GuestView, more), "there is room for each reason");
        let url = Fingerprint(7);
        assert!(counts.count(GuestView, url) && counts.count(GuestView, url));
        assert_eq!(counts.end(&[BlockPage, GuestView], url), 3);
        assert_eq!(counts.end(&[BlockPage, GuestView], url), 0);
        assert_eq!((0..300).filter(|_| counts.count(BlockPage, url)).count(), 255);
        assert_eq!(counts.end(&[BlockPage], url), u8::MAX);
    }
}
