//! Answers that may be substitutes: they wait until the next pages of their host show what they are, so that nothing is
//! requested twice.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::handles::PageQueue;
use harvestman_core::clock::Instant;
use harvestman_core::config::Config;
use harvestman_core::held_pages::{HeldPage, HeldPages, HoldLimits};
use harvestman_core::model::FetchedPage;

/// Pages of the host after which an answer is judged again: a text is a substitute at its third address, and of pages
/// that do not exist links lead to others in between.
const PAGES_AWAITED: u32 = 32;
/// The shortest and the longest time that an answer waits for them; between these, as long as so many pages take at the
/// delay of hosts.
const WAITS: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(120)];
/// Time without anything else in progress after which nothing more is to be expected, at least: of a page budget
/// nothing is left, or the host waits.
const IDLE_MIN: Duration = Duration::from_secs(1);
/// Answers that wait at once, and bytes of their bodies.
const HOLD_LIMITS: HoldLimits = HoldLimits { pages: 128, bytes: 16 << 20 };

/// An answer that waits, boxed as few do.
pub(crate) type Answered = Box<FetchedPage>;

/// What an answer waits for.
struct Suspicion {
    origin: Box<str>,
    pages_awaited: u32,
}

/// What waits: pure, with times handed in.
struct Waiting<T> {
    held: HeldPages<Suspicion, T>,
    /// How long each waits.
    waits: Duration,
    /// Since when nothing but what waits is in progress. A page that comes between two looks ends that.
    idle_since: Option<Instant>,
    /// How long that lasts until nothing more is to be expected.
    idle_max: Duration,
}

impl<T> Waiting<T> {
    fn new(delay: Duration) -> Self {
        let waits = delay.saturating_mul(PAGES_AWAITED).clamp(WAITS[0], WAITS[1]);
        let idle_max = IDLE_MIN.max(delay * 2);
        Self { held: HeldPages::new(HOLD_LIMITS), waits, idle_since: None, idle_max }
    }

    /// Takes in an answer with a body of so many bytes; returns it if there is no room.
    fn hold(&mut self, origin: &str, page: T, bytes: usize, now: Instant) -> Result<(), T> {
        let suspicion = Suspicion { origin: origin.into(), pages_awaited: PAGES_AWAITED };
        self.held.hold(suspicion, page, bytes, now)?;
        self.idle_since = None;
        Ok(())
    }

    /// Counts a page of a host. Returns what has waited long enough for it.
    fn page(&mut self, origin: &str) -> Vec<T> {
        self.idle_since = None;
        let of_host = self.held.reasons_mut().filter(|waits| *waits.origin == *origin);
        of_host.for_each(|waits| waits.pages_awaited = waits.pages_awaited.saturating_sub(1));
        pages(self.held.release(|held| held.reason.pages_awaited == 0))
    }

    /// Returns what waits of a host.
    fn of_host(&mut self, origin: &str) -> Vec<T> {
        pages(self.held.release(|held| *held.reason.origin == *origin))
    }

    /// Returns what has waited too long.
    fn due(&mut self, now: Instant) -> Vec<T> {
        let waits = self.waits;
        pages(self.held.release(|held| held.since + waits <= now))
    }

    /// Takes in that at `now` so many URLs wait, and so many are in progress. Returns what has waited too long, and all
    /// if nothing else can come.
    fn look(&mut self, now: Instant, queued: u64, leased: u64) -> Vec<T> {
        let is_idle = leased <= self.held.len() as u64;
        let since = self.idle_since.take().filter(|_| is_idle).unwrap_or(now);
        self.idle_since = is_idle.then_some(since);
        if is_idle && (queued == 0 || now.since(since) >= self.idle_max) {
            return pages(self.held.release_all());
        }
        self.due(now)
    }
}

fn pages<T>(held: Vec<HeldPage<Suspicion, T>>) -> Vec<T> {
    held.into_iter().map(|held| held.page).collect()
}

/// The answers that wait, shared by the workers. They return to the workers when they are judged again.
#[derive(Clone)]
pub(crate) struct Suspects {
    waiting: Arc<Mutex<Waiting<Answered>>>,
    pages: PageQueue,
}

impl Suspects {
    pub(crate) fn new(config: &Config, pages: &PageQueue) -> Self {
        Self { waiting: Arc::new(Mutex::new(Waiting::new(config.host.delay.0))), pages: pages.clone() }
    }

    /// Has an answer wait. Returns it if it is too large, there is no room, or the crawl stops.
    pub(crate) fn hold(&self, answered: Answered, now: Instant) -> Result<(), Answered> {
        let (bytes, is_large) = match &answered.exchange.result {
            Ok(answer) => (answer.body.len(), answer.reservation.is_some()),
            Err(_) => (0, false),
        };
        if is_large {
            return Err(answered);
        }
        let origin = answered.lease.item.url.origin().to_owned();
        self.waiting.lock().hold(&origin, answered, bytes, now)
    }

    /// Takes in that another page of a host was judged.
    pub(crate) fn page(&self, origin: &str) {
        let mut waiting = self.waiting.lock();
        if !waiting.held.is_empty() {
            let over = waiting.page(origin);
            drop(waiting);
            self.judge_again(over);
        }
    }

    /// Lets go what waits of a host whose substitutes are found out.
    pub(crate) fn decided(&self, origin: &str) {
        let over = self.waiting.lock().of_host(origin);
        self.judge_again(over);
    }

    /// Lets go what has waited too long, and all if nothing else can come. So many URLs wait in the frontier, and so
    /// many are in progress.
    pub(crate) fn tick(&self, now: Instant, queued: u64, leased: u64) {
        let mut waiting = self.waiting.lock();
        if waiting.held.is_empty() {
            return;
        }
        let over = waiting.look(now, queued, leased);
        drop(waiting);
        self.judge_again(over);
    }

    /// Lets go everything: the crawl stops.
    pub(crate) fn close(&self) {
        let over = pages(self.waiting.lock().held.close());
        self.judge_again(over);
    }

    fn judge_again(&self, answers: Vec<Answered>) {
        for answered in answers {
            self.pages.judged_again(*answered);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(second: u64) -> Instant {
        Instant::EPOCH + Duration::from_secs(second)
    }

    #[test]
    fn an_answer_waits_for_the_next_pages_of_its_host() {
        let mut waiting = Waiting::new(Duration::ZERO);
        waiting.hold("http://a.test", "a", 1, at(0)).unwrap();
        waiting.hold("http://b.test", "b", 1, at(0)).unwrap();
        for _ in 1..PAGES_AWAITED {
            assert!(waiting.page("http://a.test").is_empty());
        }
        assert_eq!(waiting.page("http://a.test"), ["a"]);
        assert!(waiting.due(at(9)).is_empty());
        assert_eq!(waiting.due(at(10)), ["b"], "a host without other pages");
    }

    #[test]
    fn slow_hosts_have_longer_within_bounds() {
        let mut waiting = Waiting::new(Duration::from_secs(2));
        waiting.hold("http://a.test", "a", 1, at(0)).unwrap();
        assert!(waiting.due(at(63)).is_empty());
        assert_eq!(waiting.due(at(64)), ["a"]);
        assert_eq!(Waiting::<()>::new(Duration::from_secs(3_600)).waits, WAITS[1]);
    }

    #[test]
    fn where_nothing_else_can_come_nothing_waits() {
        let mut waiting = Waiting::new(Duration::ZERO);
        waiting.hold("http://a.test", "a", 1, at(0)).unwrap();
        assert!(waiting.look(at(1), 5, 2).is_empty());
        assert!(waiting.look(at(2), 5, 1).is_empty(), "the next may be on its way");
        assert!(waiting.look(at(3), 5, 2).is_empty());
        assert!(waiting.look(at(4), 5, 1).is_empty());
        assert!(waiting.page("http://a.test").is_empty(), "a page came between two looks");
        assert!(waiting.look(at(5), 5, 1).is_empty());
        assert_eq!(waiting.look(at(6), 5, 1), ["a"]);
        waiting.hold("http://a.test", "b", 1, at(7)).unwrap();
        assert_eq!(waiting.look(at(7), 0, 1), ["b"]);
    }

    #[test]
    fn what_has_no_room_is_returned() {
        let mut waiting = Waiting::new(Duration::ZERO);
        assert_eq!(waiting.hold("http://a.test", 0, HOLD_LIMITS.bytes + 1, at(0)), Err(0));
        for number in 0..HOLD_LIMITS.pages {
            waiting.hold("http://a.test", number, 1, at(0)).unwrap();
        }
        assert_eq!(waiting.hold("http://a.test", usize::MAX, 1, at(0)), Err(usize::MAX));
        assert_eq!(waiting.held.close().len(), HOLD_LIMITS.pages);
        assert_eq!(waiting.hold("http://a.test", 1, 1, at(0)), Err(1));
    }

    proptest! {
        /// Each answer leaves once, whatever happens, and nothing is held beyond the bounds.
        #[test]
        fn each_answer_leaves_once(events in prop::collection::vec((0_u8..4, 0_usize..2, 0_usize..4_000_000), 0..400)) {
            let mut waiting = Waiting::new(Duration::ZERO);
            let (mut held, mut left) = (0, Vec::new());
            for (second, (event, host, bytes)) in events.into_iter().enumerate() {
                let origin = ["http://a.test", "http://b.test"][host];
                match event {
                    0 | 1 => match waiting.hold(origin, held, bytes, at(second as u64)) {
                        Ok(()) => held += 1,
                        Err(refused) => prop_assert_eq!(refused, held),
                    },
                    2 => left.extend(waiting.page(origin)),
                    _ => left.extend(waiting.due(at(second as u64))),
                }
                prop_assert!(waiting.held.len() <= HOLD_LIMITS.pages);
            }
            left.extend(pages(waiting.held.release_all()));
            left.sort_unstable();
            prop_assert_eq!(left, (0..held).collect::<Vec<_>>());
        }
    }
}
