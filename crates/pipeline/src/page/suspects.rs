//! Answers that may be substitutes: they wait until the next pages of their host show what they are, so that nothing is requested twice.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::handles::PageQueue;
use harvestman_core::clock::Instant;
use harvestman_core::config::Config;
use harvestman_core::model::FetchedPage;

/// Pages of the host after which an answer is judged again: a text is a substitute at its third address, and of pages that do not exist
/// links lead to others in between.
const PAGES_AWAITED: u32 = 32;
/// The shortest and the longest time that an answer waits for them; between these, as long as so many pages take at the delay of hosts.
const WAITS: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(120)];
/// Time without anything else in progress after which nothing more is to be expected, at least: of a page budget nothing is left, or the
/// host waits.
const IDLE_MIN: Duration = Duration::from_secs(1);
/// Answers that wait at once.
const HELD_MAX: usize = 128;
/// Bytes of their bodies.
const BYTES_MAX: usize = 16 << 20;

/// An answer that waits, boxed as few do.
pub(crate) type Answered = Box<FetchedPage>;

struct Held<T> {
    origin: Box<str>,
    what: T,
    bytes: usize,
    until: Instant,
    pages_awaited: u32,
}

/// What waits: pure, with times handed in.
struct Waiting<T> {
    held: VecDeque<Held<T>>,
    bytes: usize,
    waits: Duration,
    /// Since when nothing but what waits is in progress. A page that comes between two looks ends that.
    idle_since: Option<Instant>,
    /// How long that lasts until nothing more is to be expected.
    idle_max: Duration,
    is_closed: bool,
}

impl<T> Waiting<T> {
    fn new(delay: Duration) -> Self {
        let waits = delay.saturating_mul(PAGES_AWAITED).clamp(WAITS[0], WAITS[1]);
        let idle_max = IDLE_MIN.max(delay * 2);
        Self { held: VecDeque::new(), bytes: 0, waits, idle_since: None, idle_max, is_closed: false }
    }

    /// Takes in an answer with a body of so many bytes; returns it if there is no room.
    fn hold(&mut self, origin: &str, (what, bytes): (T, usize), now: Instant) -> Result<(), T> {
        if self.is_closed || self.held.len() >= HELD_MAX || self.bytes + bytes > BYTES_MAX {
            return Err(what);
        }
        self.bytes += bytes;
        self.idle_since = None;
        let (origin, until) = (origin.into(), now + self.waits);
        self.held.push_back(Held { origin, what, bytes, until, pages_awaited: PAGES_AWAITED });
        Ok(())
    }

    /// Counts a page of a host. Returns what has waited long enough for it.
    fn page(&mut self, origin: &str) -> Vec<T> {
        self.idle_since = None;
        let of_host = self.held.iter_mut().filter(|held| *held.origin == *origin);
        of_host.for_each(|held| held.pages_awaited = held.pages_awaited.saturating_sub(1));
        self.take(|held| held.pages_awaited == 0)
    }

    /// Returns what has waited too long.
    fn due(&mut self, now: Instant) -> Vec<T> {
        self.take(|held| held.until <= now)
    }

    /// Takes in that at `now` so many URLs are in progress, and so many wait. Returns what has waited too long, and all if nothing
    /// else can come.
    fn look(&mut self, now: Instant, (queued, leased): (u64, u64)) -> Vec<T> {
        let is_idle = leased <= self.held.len() as u64;
        let since = self.idle_since.take().filter(|_| is_idle).unwrap_or(now);
        self.idle_since = is_idle.then_some(since);
        if is_idle && (queued == 0 || now.since(since) >= self.idle_max) {
            return self.take(|_| true);
        }
        self.due(now)
    }

    fn take(&mut self, is_taken: impl Fn(&Held<T>) -> bool) -> Vec<T> {
        let (taken, kept): (VecDeque<_>, VecDeque<_>) = std::mem::take(&mut self.held).into_iter().partition(is_taken);
        self.held = kept;
        self.bytes -= taken.iter().map(|held| held.bytes).sum::<usize>();
        taken.into_iter().map(|held| held.what).collect()
    }
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
        self.waiting.lock().hold(&origin, (answered, bytes), now)
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
        let over = self.waiting.lock().take(|held| *held.origin == *origin);
        self.judge_again(over);
    }

    /// Lets go what has waited too long, and all if nothing else can come. `urls` are those that wait in the frontier, and those in
    /// progress.
    pub(crate) fn tick(&self, now: Instant, urls: (u64, u64)) {
        let mut waiting = self.waiting.lock();
        if waiting.held.is_empty() {
            return;
        }
        let over = waiting.look(now, urls);
        drop(waiting);
        self.judge_again(over);
    }

    /// Lets go everything: the crawl stops.
    pub(crate) fn close(&self) {
        let mut waiting = self.waiting.lock();
        waiting.is_closed = true;
        let over = waiting.take(|_| true);
        drop(waiting);
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
        waiting.hold("http://a.test", ("a", 1), at(0)).unwrap();
        waiting.hold("http://b.test", ("b", 1), at(0)).unwrap();
        for _ in 1..PAGES_AWAITED {
            assert!(waiting.page("http://a.test").is_empty());
        }
        assert_eq!(waiting.page("http://a.test"), ["a"]);
        assert!(waiting.due(at(9)).is_empty());
        assert_eq!(waiting.due(at(10)), ["b"], "a host without other pages");
        assert_eq!(waiting.bytes, 0);
    }

    #[test]
    fn slow_hosts_have_longer_within_bounds() {
        let mut waiting = Waiting::new(Duration::from_secs(2));
        waiting.hold("http://a.test", ("a", 1), at(0)).unwrap();
        assert!(waiting.due(at(63)).is_empty());
        assert_eq!(waiting.due(at(64)), ["a"]);
        assert_eq!(Waiting::<()>::new(Duration::from_secs(3_600)).waits, WAITS[1]);
    }

    #[test]
    fn where_nothing_else_can_come_nothing_waits() {
        let mut waiting = Waiting::new(Duration::ZERO);
        waiting.hold("http://a.test", ("a", 1), at(0)).unwrap();
        assert!(waiting.look(at(1), (5, 2)).is_empty());
        assert!(waiting.look(at(2), (5, 1)).is_empty(), "the next may be on its way");
        assert!(waiting.look(at(3), (5, 2)).is_empty());
        assert!(waiting.look(at(4), (5, 1)).is_empty());
        assert!(waiting.page("http://a.test").is_empty(), "a page came between two looks");
        assert!(waiting.look(at(5), (5, 1)).is_empty());
        assert_eq!(waiting.look(at(6), (5, 1)), ["a"]);
        waiting.hold("http://a.test", ("b", 1), at(7)).unwrap();
        assert_eq!(waiting.look(at(7), (0, 1)), ["b"]);
    }

    #[test]
    fn what_has_no_room_is_returned() {
        let mut waiting = Waiting::new(Duration::ZERO);
        assert_eq!(waiting.hold("http://a.test", (0, BYTES_MAX + 1), at(0)), Err(0));
        for number in 0..HELD_MAX {
            waiting.hold("http://a.test", (number, 1), at(0)).unwrap();
        }
        assert_eq!(waiting.hold("http://a.test", (HELD_MAX, 1), at(0)), Err(HELD_MAX));
        waiting.is_closed = true;
        assert_eq!(waiting.take(|_| true).len(), HELD_MAX);
        assert_eq!(waiting.hold("http://a.test", (1, 1), at(0)), Err(1));
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
                    0 | 1 => match waiting.hold(origin, (held, bytes), at(second as u64)) {
                        Ok(()) => held += 1,
                        Err(refused) => prop_assert_eq!(refused, held),
                    },
                    2 => left.extend(waiting.page(origin)),
                    _ => left.extend(waiting.due(at(second as u64))),
                }
                prop_assert!(waiting.held.len() <= HELD_MAX && waiting.bytes <= BYTES_MAX);
                prop_assert_eq!(waiting.bytes, waiting.held.iter().map(|held| held.bytes).sum::<usize>());
            }
            left.extend(waiting.take(|_| true));
            left.sort_unstable();
            prop_assert_eq!(left, (0..held).collect::<Vec<_>>());
        }
    }
}
