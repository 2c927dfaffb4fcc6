//! One gate: a queue of hosts before something that they share.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::Duration;

use harvestman_core::clock::Instant;
use harvestman_core::url::HostKey;

/// What holds at a gate besides what its hosts ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Terms {
    /// Least time from the first byte of an answer to the next request.
    pub delay: Duration,
    /// Requests under way at once where there is no delay.
    pub at_once: u32,
}

/// How a host comes back through a gate that it has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Return {
    /// The delay that holds for the host by now.
    pub delay: Duration,
    /// When the first byte of the answer came, or when the request ended without one; none where none was sent.
    pub answered: Option<Instant>,
    /// Until when the server has asked to be left alone.
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
    /// A gate at which the latest answer, if any, came at this time.
    pub fn after(answered: Option<Instant>) -> Self {
        Self { answered, ..Self::default() }
    }

    /// When the latest answer came.
    pub const fn answered(&self) -> Option<Instant> {
        self.answered
    }

    /// Lets a host in if nobody stands before it and the gate is open, or has it wait.
    pub fn enter(&mut self, host: &HostKey, now: Instant, terms: Terms) -> bool {
        if self.queue.is_empty() && self.opens(terms).is_some_and(|at| at <= now) {
            self.inside += 1;
            return true;
        }
        self.queue.push_back(host.clone());
        false
    }

    /// Lets in the host that has waited longest, if one waits and the gate is open.
    pub fn admit(&mut self, now: Instant, terms: Terms) -> Option<HostKey> {
        self.opens(terms).filter(|at| *at <= now)?;
        let next = self.queue.pop_front()?;
        self.inside += 1;
        Some(next)
    }

    /// A host comes back.
    pub fn leave(&mut self, by: Return) {
        self.inside = self.inside.saturating_sub(1);
        self.answered = self.answered.max(by.answered);
        self.pause(by.pause.unwrap_or_default());
    }

    /// Lets nobody in before this time.
    pub fn pause(&mut self, until: Instant) {
        self.paused_until = self.paused_until.max(until);
    }

    /// These hosts no longer wait, and their delays no longer count.
    pub fn forget(&mut self, gone: &HashSet<HostKey>) {
        self.queue.retain(|host| !gone.contains(host));
        self.delays.forget(gone);
    }

    /// The delay of a host in use, none where it no longer is.
    pub fn set_delay(&mut self, host: &HostKey, delay: Option<Duration>) {
        self.delays.set(host, delay);
    }

    /// When the next may be let in; none while enough are inside.
    pub fn opens(&self, terms: Terms) -> Option<Instant> {
        let delay = self.delay(terms);
        let at_once = if delay.is_zero() { terms.at_once.max(1) } else { 1 };
        let spaced = self.answered.map_or(Instant::EPOCH, |answered| answered + delay);
        (self.inside < at_once).then(|| spaced.max(self.paused_until))
    }

    fn delay(&self, terms: Terms) -> Duration {
        terms.delay.max(self.delays.longest())
    }

    /// Whether somebody waits.
    pub fn is_awaited(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Who waits, first the one that has waited longest.
    pub fn queue(&self) -> impl Iterator<Item = &HostKey> {
        self.queue.iter()
    }

    /// Until when the server has asked to be left alone.
    pub const fn paused_until(&self) -> Instant {
        self.paused_until
    }

    /// Whether a gate made anew would do the same.
    pub fn is_as_new(&self, now: Instant, terms: Terms) -> bool {
        self.inside == 0 && self.queue.is_empty() && self.opens(terms).is_some_and(|at| at <= now)
    }
}

/// The delays of the hosts in use. Only those above zero are kept.
#[derive(Debug, Default)]
struct Delays {
    of: HashMap<HostKey, Duration>,
    /// How many hosts have which.
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
