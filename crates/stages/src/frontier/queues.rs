//! All host queues, the leases that are out, and the limits on waiting URLs.
//!
//! New scores are applied to a host when a URL of it is requested. Hosts that were requested since the last change will
//! be requested next, so they are ranked again at once; the others are ranked when their turn comes. Scores may
//! therefore change after each fetch: the cost of a change depends on the hosts popped since the previous change, not
//! on the number of hosts.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::forecast::{ClassBacklog, YieldForecast, forecast};
use super::host_queue::{HostQueue, NotReady, Readmit};
use super::ranking::Rank;
use super::spill::SpillStorage;
use super::survey::QueueSurvey;
use harvestman_core::clock::Instant;
use harvestman_core::model::{Budget, ClassOrder, Ended, Lease, LeaseId, QueueKey, ScheduledUrl};
use harvestman_core::url::HostKey;

/// Limits on the waiting URLs.
#[derive(Debug, Clone, Copy)]
pub struct FrontierLimits {
    /// URLs waiting over all hosts.
    pub queued_max: u64,
    /// URLs ever accepted for one host; `None`: no limit.
    pub host_pages_max: Option<u64>,
    /// Link classes of one host, besides [`super::CATCH_ALL`] and
    /// [`REVISIT`](harvestman_core::model::LinkClass::REVISIT).
    pub classes_max: u32,
}

/// The queue of a host, and the scores that its classes are ranked by.
struct Host {
    queue: HostQueue,
    /// The version of the scores of its ranks.
    ranked: u64,
    /// The version of the scores under which it was last requested.
    asked: u64,
    /// The generation that all its URLs were last classified in.
    classified: Option<u64>,
}

/// The waiting and the leased URLs of a crawl.
///
/// A URL is in exactly one place: waiting, leased, or gone (invariant FRO-1).
pub struct Frontier {
    hosts: HashMap<HostKey, Host>,
    /// Each with the number of its URL and its host.
    leased: HashMap<LeaseId, (u64, HostKey)>,
    limits: FrontierLimits,
    spill: Arc<SpillStorage>,
    explore_every: u32,
    scores: Arc<dyn ClassOrder>,
    /// Increases with each change of the scores.
    version: u64,
    /// Hosts that were requested under this version.
    asked: Vec<HostKey>,
    queued: u64,
    pushed: u64,
    leases: u64,
}

impl Frontier {
    /// Creates an empty frontier that orders by `scores`.
    pub fn new(limits: FrontierLimits, scores: Arc<dyn ClassOrder>) -> Self {
        Self {
            hosts: HashMap::new(),
            leased: HashMap::new(),
            limits,
            spill: Arc::default(),
            explore_every: 0,
            scores,
            version: 1,
            asked: Vec::new(),
            queued: 0,
            pushed: 0,
            leases: 0,
        }
    }

    /// Makes each `every`-th pop of a host explore: it takes the head of the class with the greatest
    /// [`ClassOrder::curiosity`] above 0, among equals of the one with the better rank. 0: none does. Retries do not
    /// count as pops.
    #[must_use]
    pub fn exploring(mut self, every: u32) -> Self {
        self.explore_every = every;
        self
    }

    /// Replaces the limits. URLs that wait already stay, and so does the number of link classes that known hosts may
    /// have.
    pub const fn set_limits(&mut self, limits: FrontierLimits) {
        self.limits = limits;
    }

    /// Moves what is not needed soon to `spill`.
    #[must_use]
    pub fn spilling_to(mut self, spill: Arc<SpillStorage>) -> Self {
        self.spill = spill;
        self
    }

    /// Returns the number of URLs that are lost to this run because they could not be read back
    /// ([`SpillStorage::lost`]).
    pub fn lost(&self) -> u64 {
        self.spill.lost()
    }

    /// Returns the number of waiting URLs.
    pub const fn queued(&self) -> u64 {
        self.queued
    }

    /// Returns the number of leased URLs.
    pub fn leased(&self) -> usize {
        self.leased.len()
    }

    /// Returns the number of leases of these hosts.
    pub fn leased_of(&self, hosts: &dyn Fn(&HostKey) -> bool) -> usize {
        self.leased.values().filter(|(_, host)| hosts(host)).count()
    }

    /// Removes hosts, and returns the numbers of their waiting URLs. Leases are not affected.
    pub fn forget(&mut self, hosts: &dyn Fn(&HostKey) -> bool) -> Vec<u64> {
        let mut gone = Vec::new();
        for (_, host) in self.hosts.extract_if(|key, _| hosts(key)) {
            host.queue.numbers(&mut gone);
        }
        self.queued -= gone.len() as u64;
        gone
    }

    /// Returns the number of hosts that ever had a URL.
    pub fn hosts(&self) -> usize {
        self.hosts.len()
    }

    /// Returns the hosts that have URLs waiting, by name.
    pub fn waiting_hosts(&self) -> Vec<HostKey> {
        let waiting = self.hosts.iter().filter(|(_, host)| host.queue.len() > 0);
        let mut hosts: Vec<HostKey> = waiting.map(|(key, _)| key.clone()).collect();
        hosts.sort_unstable();
        hosts
    }

    /// Returns the number of URLs waiting for `host`.
    pub fn waiting_for(&self, host: &HostKey) -> usize {
        self.hosts.get(host).map_or(0, |host| host.queue.len())
    }

    /// Returns the classes of `host` that have URLs waiting, with their number, in the order of the classes' first URLs
    /// (a class that replaced an empty one takes its position). Retries are not counted.
    pub fn classes(&self, host: &HostKey) -> impl Iterator<Item = (QueueKey, usize)> {
        self.hosts.get(host).into_iter().flat_map(|host| host.queue.classes())
    }

    /// Returns the number of URLs of `host` that wait in a queue, not counting retries.
    pub fn waiting_at(&self, host: &HostKey, queue: impl Into<QueueKey>) -> usize {
        let key = queue.into();
        self.hosts.get(host).map_or(0, |host| host.queue.waiting_in(key))
    }

    /// Returns the number of URLs that wait in such queues over all hosts, not counting retries: one look-up per host.
    pub fn waiting_in(&self, queue: impl Into<QueueKey>) -> usize {
        let key = queue.into();
        self.hosts.values().map(|host| host.queue.waiting_in(key)).sum()
    }

    /// Forecasts the yield of the next requests, treating all hosts as one queue. Returns `None` if nothing waits or
    /// the policy makes no estimates. O(classes of all hosts).
    pub fn forecast(&self, requests: u32) -> Option<YieldForecast> {
        let recent = Some(self.scores.recent_yield()?);
        let mut classes: HashMap<QueueKey, u64, FixedState> = HashMap::default();
        for host in self.hosts.values() {
            for (key, urls) in host.queue.classes() {
                *classes.entry(key).or_default() += urls as u64;
            }
        }
        let waiting = classes.into_iter().map(|(key, urls)| {
            Some(ClassBacklog { score: key.rank(&*self.scores), prospect: self.scores.prospect(key.class)?, urls })
        });
        Some(forecast(waiting.collect::<Option<_>>()?, requests)?.at_least(recent))
    }

    /// Surveys the waiting URLs, by link class and by host, with at most `rows` of each. O(classes of all hosts).
    pub fn survey(&self, rows: usize) -> QueueSurvey {
        let waiting = self.hosts.iter().filter(|(_, host)| host.queue.len() > 0);
        QueueSurvey::of(waiting.map(|(key, host)| (key, host.queue.len(), host.queue.heads())), &*self.scores, rows)
    }

    /// Accepts a URL, which gets the next number, or returns the limit that it exceeds.
    pub fn push(&mut self, item: &ScheduledUrl) -> Result<HostKey, Budget> {
        if self.queued >= self.limits.queued_max {
            return Err(Budget::Frontier);
        }
        let key = item.url.host_key();
        let queue = queue_of(&mut self.hosts, &key, &self.limits, &self.spill);
        if self.limits.host_pages_max.is_some_and(|max| queue.admitted() >= max) {
            return Err(Budget::HostPages);
        }
        self.pushed += 1;
        self.queued += 1;
        queue.push(item, self.pushed, &*self.scores);
        Ok(key)
    }

    /// Returns the number of the most recently pushed URL.
    pub const fn last_number(&self) -> u64 {
        self.pushed
    }

    /// Restores a URL that waited under this number in an earlier run. To be called in the order of the numbers, before
    /// any URL is pushed. No limit applies, because the URL was accepted before.
    pub fn restore(&mut self, number: u64, item: &ScheduledUrl) -> HostKey {
        let key = item.url.host_key();
        self.pushed = self.pushed.max(number);
        self.queued += 1;
        queue_of(&mut self.hosts, &key, &self.limits, &self.spill).push(item, number, &*self.scores);
        key
    }

    /// Returns the number of URLs of `host` that were ever accepted.
    pub fn admitted(&self, host: &HostKey) -> u64 {
        self.hosts.get(host).map_or(0, |host| host.queue.admitted())
    }

    /// Restores the number of URLs of `host` that were accepted in earlier runs, including those that wait.
    pub fn restore_admitted(&mut self, host: &HostKey, count: u64) {
        queue_of(&mut self.hosts, host, &self.limits, &self.spill).admit_at_least(count);
    }

    /// Returns the rank of the best URL of `host`: of the one that [`Frontier::pop`] would lease now if it did not
    /// explore.
    pub fn best(&mut self, host: &HostKey, now: Instant) -> Result<Rank, NotReady> {
        let scores = Arc::clone(&self.scores);
        self.ask(host).ok_or(NotReady::Empty)?.best(now, &*scores)
    }

    /// Leases the best waiting URL of `host`.
    pub fn pop(&mut self, host: &HostKey, now: Instant) -> Result<Lease, NotReady> {
        let (scores, explore_every) = (Arc::clone(&self.scores), self.explore_every);
        let (item, order) = self.ask(host).ok_or(NotReady::Empty)?.pop(now, &*scores, explore_every)?;
        self.queued -= 1;
        self.leases += 1;
        let id = LeaseId(self.leases);
        self.leased.insert(id, (order, host.clone()));
        Ok(Lease { id, item, decision: None, statements: Vec::new() })
    }

    /// Ends a lease for good, and returns the number of its URL; `None` if there is no such lease (any more).
    pub fn end(&mut self, id: LeaseId) -> Option<u64> {
        self.leased.remove(&id).map(|(order, _)| order)
    }

    /// Ends a lease whose request failed. Its URL waits again under its number, which is returned: it is retried not
    /// before `not_before`, and after some others of its host. Returns `None` if there is no such lease.
    pub fn retry(&mut self, lease: &Lease, not_before: Instant) -> Option<u64> {
        let (order, queue) = self.wait_again(lease)?;
        queue.push_retry(&lease.item, order, not_before);
        Some(order)
    }

    /// Ends a lease for which no request was sent. Its URL waits again under its number, which is returned: it goes
    /// before all others of its host, but not before `not_before`. Returns `None` if there is no such lease.
    pub fn put_back(&mut self, lease: &Lease, not_before: Instant) -> Option<u64> {
        let (order, queue) = self.wait_again(lease)?;
        queue.put_back(&lease.item, order, not_before);
        Some(order)
    }

    /// Lets the retries of `host` come at once.
    pub fn retry_now(&mut self, host: &HostKey) {
        if let Some(host) = self.hosts.get_mut(host) {
            host.queue.retry_now();
        }
    }

    fn wait_again(&mut self, lease: &Lease) -> Option<(u64, &mut HostQueue)> {
        let (order, key) = self.leased.remove(&lease.id)?;
        self.queued += 1;
        Some((order, queue_of(&mut self.hosts, &key, &self.limits, &self.spill)))
    }

    /// Orders by other scores from now on: O(classes of the hosts that were requested since the last change).
    pub fn set_order(&mut self, scores: Arc<dyn ClassOrder>) {
        self.scores = scores;
        self.version += 1;
        for key in std::mem::take(&mut self.asked) {
            if let Some(host) = self.hosts.get_mut(&key) {
                host.rank(self.version, &*self.scores);
            }
        }
    }

    /// Calls `readmit` for every waiting URL, retries included, of those hosts whose classes have another generation
    /// than in the last call, and moves it to its new queue. Each queue retains the order of discovery. Leases retain
    /// their classes. O(hosts + URLs × log classes). Returns the URLs that were rejected and no longer wait, each with
    /// the reason.
    pub fn reclassify(&mut self, generation_at: &dyn Fn(&str) -> u64, readmit: &Readmit<'_>) -> Vec<Ended> {
        let mut gone = Vec::new();
        for (key, host) in &mut self.hosts {
            let generation = Some(generation_at(key.as_str()));
            if host.classified != generation {
                host.classified = generation;
                host.queue.reclassify(readmit, &*self.scores, &mut gone);
            }
        }
        self.queued -= gone.len() as u64;
        gone
    }

    /// Returns the queue of `host`, ranked by the current scores.
    fn ask(&mut self, key: &HostKey) -> Option<&mut HostQueue> {
        let host = self.hosts.get_mut(key)?;
        host.rank(self.version, &*self.scores);
        if host.asked != self.version {
            host.asked = self.version;
            self.asked.push(key.clone());
        }
        Some(&mut host.queue)
    }
}

impl Host {
    /// Ranks all classes by this version of the scores, unless they already are.
    fn rank(&mut self, version: u64, scores: &dyn ClassOrder) {
        if self.ranked != version {
            self.ranked = version;
            self.queue.rescore(scores);
        }
    }
}

fn queue_of<'a>(
    hosts: &'a mut HashMap<HostKey, Host>,
    key: &HostKey,
    limits: &FrontierLimits,
    spill: &Arc<SpillStorage>,
) -> &'a mut HostQueue {
    let new = || {
        let queue = HostQueue::new(key.clone(), limits.classes_max as usize, Arc::clone(spill));
        Host { queue, ranked: 0, asked: 0, classified: None }
    };
    &mut hosts.entry(key.clone()).or_insert_with(new).queue
}
