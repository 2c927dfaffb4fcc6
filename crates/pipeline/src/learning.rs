//! Learning in a running crawl: one thread owns the policy. It is shown each fetch that has ended and publishes snapshots, which
//! the workers and the frontier then decide by.
//!
//! ```text
//! workers ── Seen ──► learning ──► CurrentPolicy, SharedNeeds ──► workers
//!       bounded by       │
//!       the leases       └───────► OrderSlot ── OrderChanged ───► frontier
//! ```
//!
//! A worker waits while the channel is full. The thread waits for nobody, so none waits for ever. A policy that panics costs its
//! learning alone: the last snapshot stays.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};

use super::live::LiveBoard;
use super::model_file::ModelFile;
use super::needs::SharedNeeds;
use super::observations::{self, ObservationLog};
use super::pace::Pace;
use super::policy_log::Journal;
use super::snapshot_publisher::SnapshotPublisher;
use super::trap_board::TrapBoard;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::model::ClusterId;
use harvestman_metrics::PolicyMetrics;
use harvestman_policy::learned::ReadPage;
use harvestman_policy::{self as policy, Needs, Observation, Outcome, Policy, PolicyFacts, PolicySnapshot, Proposal};
use harvestman_stages::frontier::Order;

/// A fetch that has ended, with the generation of the snapshot that its page was read by.
pub(super) struct Seen {
    pub(super) observation: Observation,
    pub(super) generation: u64,
}

/// Where the guard against traps alone learns, fetches gather for so long before it is shown them: to wake a thread for each page
/// costs several times what is learnt of it, and what is learnt has time.
const GATHERING: Duration = Duration::from_millis(10);

/// Where nothing happens, somebody may still have come to watch since.
const REST: Duration = Duration::from_secs(1);

/// A worker's way to the policy.
#[derive(Clone)]
pub(super) struct ObservationSender {
    sender: Sender<Seen>,
    /// Wakes the policy thread while it lets fetches gather; none where it does not.
    wake: Option<Sender<()>>,
    /// Whether the policy looks at templates; the guard alone does not.
    bag_wanted: bool,
    clock: Clock,
    metrics: Arc<PolicyMetrics>,
}

impl ObservationSender {
    /// Shows the policy what came of a fetch; waits while it is behind.
    pub(super) fn show(&self, mut seen: Seen) {
        if !self.bag_wanted
            && let Outcome::Page(page) = &mut seen.observation.outcome
        {
            // Whoever made it frees it.
            page.bag = Vec::new();
        }
        // No worker waits for a thread that sleeps.
        if let Some(wake) = &self.wake
            && self.sender.capacity().is_none_or(|room| 2 * self.sender.len() >= room)
        {
            // Where it is full the thread is about to wake anyway.
            let _ = wake.try_send(());
        }
        if let Err(TrySendError::Full(seen)) = self.sender.try_send(seen) {
            let since = self.clock.now();
            // Fails only where the thread is gone, and nobody learns any more.
            let _ = self.sender.send(seen);
            self.metrics.waiting_seconds.add(self.clock.now().since(since));
        }
        self.metrics.queue_length.set(self.sender.len() as u64);
    }
}

/// Takes in addresses that the policy derived.
pub(super) type Propose = Box<dyn FnMut(&[Proposal]) + Send>;

/// What the thread owns.
pub(super) struct Learning {
    pub(super) policy: Box<dyn Policy>,
    /// The snapshot that holds.
    pub(super) snapshot: Arc<dyn PolicySnapshot>,
    /// Where snapshots are published.
    pub(super) publisher: Arc<SnapshotPublisher>,
    pub(super) needs: Arc<SharedNeeds>,
    /// Hands an order to the frontier; must not wait.
    pub(super) to_frontier: Box<dyn Fn(Order) + Send>,
    /// Takes in addresses that the policy derived; must not wait.
    pub(super) propose: Propose,
    pub(super) journal: Option<Journal>,
    /// Where what the policy is shown is kept, for a crawl that goes on.
    pub(super) observations: Option<ObservationLog>,
    /// Where what was learnt is left in the end.
    pub(super) model_file: Option<ModelFile>,
    pub(super) pace: Pace,
    /// Reads a page again whose snapshot is outdated.
    pub(super) read: Box<ReadPage>,
    pub(super) facts: PolicyFacts,
    /// Where others read which traps were met.
    pub(super) traps: Arc<TrapBoard>,
    /// What those who watch are shown.
    pub(super) live: Arc<LiveBoard>,
    /// Whether anything was observed since they were told what is known of the site.
    pub(super) untold: bool,
    /// Reads a page again with all places spelt out, for those who watch.
    pub(super) spell: Box<ReadPage>,
    /// Lessons after which that was done.
    pub(super) spelt: u64,
    pub(super) clock: Clock,
    pub(super) metrics: Arc<PolicyMetrics>,
}

/// The policy's side of the channel, ready to learn.
pub(super) struct Learner {
    learning: Learning,
    receiver: Receiver<Seen>,
    /// Interrupts the pause in which fetches gather.
    woken: Receiver<()>,
}

impl Learner {
    /// Starts the thread, which ends when the last [`ObservationSender`] is dropped.
    pub(super) fn spawn(self) -> std::io::Result<JoinHandle<()>> {
        std::thread::Builder::new().name("policy".to_owned()).spawn(move || self.run())
    }

    fn run(self) {
        let Self { mut learning, receiver, woken } = self;
        learning.begin();
        let learn = AssertUnwindSafe(|| {
            learning.learn(&receiver, &woken);
            learning.conclude();
        });
        if catch_unwind(learn).is_err() {
            tracing::error!("the policy panicked; the crawl goes on by what was learnt until then");
            learning.metrics.panics.inc();
            learning.needs.set(Needs::default());
            // Nobody may wait for a policy that learns no more.
            while receiver.recv().is_ok() {}
        }
        learning.end();
    }
}

/// For the simulation, which has no threads.
#[cfg(test)]
impl Learner {
    pub(super) fn begin(&mut self) {
        self.learning.begin();
    }

    /// Shows the policy one fetch, if one waits, and publishes what is due. False where none does.
    pub(super) fn step(&mut self) -> bool {
        let seen = self.receiver.try_recv().ok();
        let any = seen.is_some();
        self.learning.turn(seen, self.receiver.is_empty());
        any
    }

    /// Whether nothing more may be shown before it has taken a step.
    pub(super) fn is_behind(&self) -> bool {
        self.receiver.is_full()
    }

    pub(super) fn finish(mut self) {
        self.learning.conclude();
        self.learning.end();
    }
}

impl Learning {
    /// Makes it ready. At most `queue_max` fetches wait to be shown.
    pub(super) fn ready(self, queue_max: usize) -> (ObservationSender, Learner) {
        let (sender, receiver) = bounded(queue_max.max(1));
        let (clock, metrics) = (self.clock.clone(), Arc::clone(&self.metrics));
        let (wake, woken) = bounded(1);
        let bag_wanted = !self.gathers();
        let wake = self.gathers().then_some(wake);
        let observer = ObservationSender { sender, wake, bag_wanted, clock, metrics };
        (observer, Learner { learning: self, receiver, woken })
    }

    /// Whether fetches gather before the policy is shown them: where nothing but the guard against traps learns.
    fn gathers(&self) -> bool {
        !self.policy.is_explained()
    }

    fn begin(&mut self) {
        if let Some(journal) = &mut self.journal {
            journal.publish(&*self.snapshot, self.clock.now());
        }
    }

    fn end(&mut self) {
        if let Some(journal) = self.journal.take() {
            journal.finish();
        }
    }

    fn learn(&mut self, receiver: &Receiver<Seen>, woken: &Receiver<()>) {
        while let Some(seen) = self.next(receiver, woken) {
            self.metrics.queue_length.set(receiver.len() as u64);
            self.turn(seen, receiver.is_empty());
        }
    }

    /// Publishes and leaves behind what was learnt.
    fn conclude(&mut self) {
        if self.pace.has_news() {
            self.publish();
        }
        self.keep(|log, now| log.flush(now, true));
        self.traps.show(self.policy.traps(), &self.metrics);
        if let Some(file) = &mut self.model_file {
            file.leave(&mut *self.policy);
        }
        // Only now: a sample that was never complete is learnt from at the end.
        if let Some(note) = self.policy.note() {
            tracing::info!("the policy: {note}");
        }
    }

    /// Takes in a fetch, if there is one, and publishes what is due.
    fn turn(&mut self, seen: Option<Seen>, nothing_waits: bool) {
        match seen {
            Some(seen) => self.observe(seen),
            None if self.policy.learns_elsewhere() => self.hear(),
            None => {}
        }
        if self.pace.is_due(self.clock.now(), nothing_waits) {
            self.publish();
        }
        self.tell_those_who_watch();
    }

    /// Looks what was learnt elsewhere.
    fn hear(&mut self) {
        self.propose();
        if self.policy.has_news() {
            self.pace.observed();
        }
    }

    fn propose(&mut self) {
        let proposals = self.policy.proposals();
        if !proposals.is_empty() {
            self.metrics.proposals.add(proposals.len() as u64);
            (self.propose)(&proposals);
        }
    }

    /// Leaves what the policy knows of the site for those who watch, where it is time to.
    fn tell_those_who_watch(&mut self) {
        let began = self.clock.now();
        if self.untold && self.live.wants_facts(began) {
            self.untold = false;
            // Names change with lessons alone.
            let spells = self.spelt != self.facts.model_updates;
            self.spelt = self.facts.model_updates;
            let facts = self.policy.site_facts(spells.then_some(&mut *self.spell));
            self.live.leave_facts(facts, (began, self.clock.now()));
        }
    }

    /// The next fetch; none inside where a snapshot is due before one comes, none at all at the end.
    fn next(&self, receiver: &Receiver<Seen>, woken: &Receiver<()>) -> Option<Option<Seen>> {
        if !self.pace.has_news() {
            if self.gathers() && receiver.is_empty() {
                // Woken early once the queue is half full, or when the last sender is dropped.
                let _ = woken.recv_timeout(GATHERING);
            }
            return match receiver.recv_timeout(REST) {
                Ok(seen) => Some(Some(seen)),
                Err(RecvTimeoutError::Timeout) => Some(None),
                Err(RecvTimeoutError::Disconnected) => None,
            };
        }
        match receiver.recv_timeout(self.pace.patience(self.clock.now())) {
            Ok(seen) => Some(Some(seen)),
            Err(RecvTimeoutError::Timeout) => Some(None),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    fn observe(&mut self, mut seen: Seen) {
        // The guard looks at no classes.
        if !self.gathers() {
            let is_older = seen.generation < self.snapshot.generation();
            policy::update_observation(&*self.snapshot, &mut *self.read, &mut seen.observation, is_older);
        }
        let cluster = self.see_destination(&seen.observation);
        let kept = self.observations.is_some().then(|| observations::encode(&seen.observation, cluster));
        if let Some(journal) = &mut self.journal {
            journal.see(&seen.observation);
        }
        let began = self.clock.now();
        self.policy.observe(seen.observation);
        self.untold = true;
        self.propose();
        self.keep(|log, _| kept.map_or(Ok(()), |kept| log.add(kept)));
        let spent = self.clock.now().since(began);
        self.metrics.observations.inc();
        self.metrics.busy_seconds.add(spent);
        if self.policy.has_news() {
            self.pace.observed();
        }
        let before = std::mem::replace(&mut self.facts, self.policy.facts());
        self.metrics.duplicates.add(self.facts.duplicates.saturating_sub(before.duplicates));
        if self.facts.drifts > before.drifts {
            self.metrics.drifts.add(self.facts.drifts - before.drifts);
            tracing::info!(
                "the site's pages have changed; its templates were learnt anew ({} now)",
                self.facts.clusters
            );
        }
        if self.facts.model_updates > before.model_updates {
            self.metrics.lessons.add(self.facts.model_updates - before.model_updates);
            self.metrics.lesson_seconds.add(spent);
            // What waits is of the generation before: the sooner that is over the better.
            self.publish();
            self.keep(|log, now| log.flush(now, true));
        }
    }

    /// Takes note of which cluster the pages behind such links are of.
    fn see_destination(&self, seen: &Observation) -> ClusterId {
        if let Outcome::Page(page) = &seen.outcome
            && !self.gathers()
        {
            let url = seen.url.as_str();
            let cluster = self.snapshot.page_cluster(seen.class, url, &page.bag).cluster;
            self.publisher.see(url, cluster);
            return cluster;
        }
        ClusterId::UNKNOWN
    }

    /// Writes to the log of observations. After an error nothing more is written: a crawl does not end for it.
    fn keep(&mut self, write: impl FnOnce(&mut ObservationLog, Instant) -> std::io::Result<()>) {
        let Some(log) = &mut self.observations else { return };
        if let Err(error) = write(log, self.clock.now()) {
            tracing::error!(%error, "what the policy is shown cannot be kept; a resumed crawl learns anew what comes from now on");
            self.observations = None;
        }
    }

    /// Publishes what was learnt: first to the workers, then to the frontier, which may meet links of a newer generation than its
    /// own but never has to wait for them.
    fn publish(&mut self) {
        let began = self.clock.now();
        self.keep(|log, now| log.flush(now, false));
        let snapshot = self.policy.snapshot();
        self.needs.set(self.policy.needs());
        let snapshot = self.publisher.publish(snapshot, &*self.to_frontier);
        self.traps.show(self.policy.traps(), &self.metrics);
        if let Some(journal) = &mut self.journal {
            journal.publish(&*snapshot, began);
        }
        self.metrics.snapshots.inc();
        self.metrics.version.set(snapshot.version());
        self.metrics.generation.set(snapshot.generation());
        self.metrics.clusters.set(self.policy.facts().clusters);
        self.metrics.published.set(began.as_micros() / 1_000_000);
        self.snapshot = snapshot;
        self.pace.published(began, self.clock.now());
    }
}

#[cfg(test)]
#[path = "learning_tests.rs"]
mod tests;
