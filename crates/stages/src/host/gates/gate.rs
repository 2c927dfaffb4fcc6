//! One gate: a queue of hosts in front of a resource that they share.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::Duration;

use harvestman_core::clock::Instant;
use harvestman_core::url::HostKey;

/// The limits of a gate, besides what its hosts ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Terms {
    /// Minimum time from the first byte of a response to the next request.
    pub delay: Duration,
    /// Maximum number of concurrent requests where there is no delay.
    pub at_once: u32,
}

/// How a host leaves a gate that it has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Return {
    /// The current delay of the host.
    pub delay: Duration,
    /// When the first byte of the response arrived, or when the request ended without one; `None` if no request was
    /// sent.
    pub answered: Option<Instant>,
    /// The end of the pause that the server has asked for.
    pub pause: Option<Instant>,
}

/// A gate.
#[derive(Debug, Default)]
pub(super) struct Gate {
    inside: u32,
    answered: Option<Instant>,
    paused_until: Instant,
    queue: VecDeque<HostKey>,
    delays: Delays,
}

impl Gate {
    /// Creates a gate whose latest response, if any, came at this time.
    pub fn after(answered: Option<Instant>) -> Self {
        Self { answered, ..Self::default() }
    }

    /// Returns when the latest response came.
    pub const fn answered(&self) -> Option<Instant> {
        self.answered
    }

    /// Admits a host if none is queued and the gate is open; otherwise queues it and returns false.
    pub fn enter(&mut self, host: &HostKey, now: Instant, terms: Terms) -> bool {
        if self.queue.is_empty() && self.opens(terms).is_some_and(|at| at <= now) {
            self.inside += 1;
            return true;
        }
        self.queue.push_back(host.clone());
        false
    }

    /// Admits the host that has waited longest, if one waits and the gate is open.
    pub fn admit(&mut self, now: Instant, terms: Terms) -> Option<HostKey> {
        self.opens(terms).filter(|at| *at <= now)?;
        let next = self.queue.pop_front()?;
        self.inside += 1;
        Some(next)
    }

    /// Records that a host leaves.
    pub fn leave(&mut self, by: Return) {
        self.inside = self.inside.saturating_sub(1);
        self.answered = self.answered.max(by.answered);
        self.pause(by.pause.unwrap_or_default());
    }

    /// Admits no host before this time.
    pub fn pause(&mut self, until: Instant) {
        self.paused_until = self.paused_until.max(until);
    }

    /// Removes these hosts from the queue, and their delays.
    pub fn forget(&mut self, gone: &HashSet<HostKey>) {
        self.queue.retain(|host| !gone.contains(host));
        self.delays.forget(gone);
    }

    /// Sets the delay of a host in use, or removes it if the host is no longer in use.
    pub fn set_delay(&mut self, host: &HostKey, delay: Option<Duration>) {
        self.delays.set(host, delay);
    }

    /// Returns when the next host may be admitted, or `None` while the gate is full.
    pub fn opens(&self, terms: Terms) -> Option<Instant> {
        let delay = self.delay(terms);
        let at_once = if delay.is_zero() { terms.at_once.max(1) } else { 1 };
        let spaced = self.answered.map_or(Instant::EPOCH, |answered| answered + delay);
        (self.inside < at_once).then(|| spaced.max(self.paused_until))
    }

    fn delay(&self, terms: Terms) -> Duration {
        terms.delay.max(self.delays.longest())
    }

    /// Returns whether a host waits.
    pub fn is_awaited(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Returns the hosts that wait, longest wait first.
    pub fn queue(&self) -> impl Iterator<Item = &HostKey> {
        self.queue.iter()
    }

    /// Returns the end of the pause that the server has asked for.
    pub const fn paused_until(&self) -> Instant {
        self.paused_until
    }

    /// Returns whether a new gate would behave the same.
    pub fn is_as_new(&self, now: Instant, terms: Terms) -> bool {
        self.inside == 0 && self.queue.is_empty() && self.opens(terms).is_some_and(|at| at <= now)
    }
}

/// The delays of the hosts in use. Only delays above zero are stored.
#[derive(Debug, Default)]
struct Delays {
    of: HashMap<HostKey, Duration>,
    /// The number of hosts with each delay.
    counts: BTreeMap<Duration, usize>,
}

impl Delays {
    fn set(&mut self, host: &HostKey, delay: Option<Duration>) {
        let delay = delay.filter(|delay| !delay.is_zero());
        if self.of.get(host).copied() == delay {
            return;
        }
        let before = match delay {
            Some(delay) => {
                *self.counts.entry(delay).or_default() += 1;
                self.of.insert(host.clone(), delay)
            }
            None => self.of.remove(host),
        };
        before.into_iter().for_each(|before| self.count_down(before));
    }

    fn forget(&mut self, gone: &HashSet<HostKey>) {
        let leaving: Vec<HostKey> = self.of.keys().filter(|host| gone.contains(*host)).cloned().collect();
        leaving.iter().for_each(|host| self.set(host, None));
    }

    fn count_down(&mut self, delay: Duration) {
        if let Some(count) = self.counts.get_mut(&delay) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&delay);
            }
        }
    }

    fn longest(&self) -> Duration {
        self.counts.keys().next_back().copied().unwrap_or_default()
    }
}
