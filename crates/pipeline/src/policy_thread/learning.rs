//! The policy thread of a running crawl. It owns the policy, shows it each finished fetch, and publishes the snapshots
//! by which the workers and the frontier decide.
//!
//! ```text
//! workers ── Seen ──► learning ──► CurrentPolicy, SharedNeeds ──► workers
//!       bounded by       │
//!       the leases       └───────► OrderSlot ── OrderChanged ───► frontier
//! ```
//!
//! While the channel is full, a worker waits, unless the policy can do without some fetches: then these are left out.
//! The policy thread waits for no other stage, so no worker waits forever. If the policy panics, only learning ends:
//! the last snapshot stays in force.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};

use crate::handles::CrawlHold;
use crate::live::LiveBoard;
use crate::observations::ObservationLog;
use crate::policy_thread::model_file::ModelFile;
use crate::policy_thread::needs::SharedNeeds;
use crate::policy_thread::pace::Pace;
use crate::policy_thread::policy_board::PolicyBoard;
use crate::policy_thread::policy_log::Journal;
use crate::policy_thread::snapshot_publisher::SnapshotPublisher;
use crate::search::searches::Searches;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::model::ClusterId;
use harvestman_core::url::Scope;
use harvestman_metrics::PolicyMetrics;
use harvestman_policy::learned::ReadPage;
use harvestman_policy::{self as policy, Needs, Observation, Outcome, Policy, PolicyFacts, PolicySnapshot, Proposal};
use harvestman_stages::frontier::Order;

/// A finished fetch, with the generation of its site in the snapshot that its page was parsed with.
pub(crate) struct Seen {
    pub(crate) observation: Observation,
    pub(crate) generation: u64,
    /// Keeps the crawl from ending before the policy has said what is next.
    pub(crate) hold: Option<CrawlHold>,
}

/// How long fetches are gathered if only the trap guard learns. Waking the thread for each page would cost several
/// times as much as learning from it, and the guard need not learn at once.
const GATHERING: Duration = Duration::from_millis(10);

/// How long the thread waits for a fetch before it checks for new viewers.
const IDLE_MAX: Duration = Duration::from_secs(1);

/// A worker's handle to the policy thread.
#[derive(Clone)]
pub(crate) struct ObservationSender {
    sender: Sender<Seen>,
    /// Wakes the policy thread while it gathers fetches; `None` if it does not gather.
    wake: Option<Sender<()>>,
    /// Whether the policy uses templates; the trap guard alone does not.
    bag_wanted: bool,
    needs: Arc<SharedNeeds>,
    clock: Clock,
    metrics: Arc<PolicyMetrics>,
}

impl ObservationSender {
    /// Sends a finished fetch to the policy thread. While the queue is full, it blocks, or leaves out the fetch if the
    /// policy can do without it.
    pub(crate) fn show(&self, mut seen: Seen) {
        if !self.bag_wanted
            && let Outcome::Page(page) = &mut seen.observation.outcome
        {
            // Freed by the thread that allocated it.
            page.bag = Vec::new();
        }
        // So that no worker waits for a sleeping thread.
        if let Some(wake) = &self.wake
            && self.sender.capacity().is_none_or(|room| 2 * self.sender.len() >= room)
        {
            // If the channel is full, the thread is about to wake anyway.
            let _ = wake.try_send(());
        }
        if let Err(TrySendError::Full(seen)) = self.sender.try_send(seen) {
            if self.needs.now().gaps {
                return self.metrics.skipped.inc();
            }
            let since = self.clock.now();
            // Fails only if the thread is gone; nothing is learned any more then.
            let _ = self.sender.send(seen);
            self.metrics.waiting_seconds.add(self.clock.now().since(since));
        }
        self.metrics.queue_length.set(self.sender.len() as u64);
    }
}

/// Accepts URLs that the policy derived.
pub(crate) type Propose = Box<dyn FnMut(&[Proposal]) + Send>;

/// The state of the policy thread.
pub(crate) struct Learning {
    pub(crate) policy: Box<dyn Policy>,
    /// The current snapshot.
    pub(crate) snapshot: Arc<dyn PolicySnapshot>,
    /// The publisher of snapshots.
    pub(crate) publisher: Arc<SnapshotPublisher>,
    pub(crate) needs: Arc<SharedNeeds>,
    /// Sends an order to the frontier; must not block.
    pub(crate) to_frontier: Box<dyn Fn(Order) + Send>,
    /// Accepts URLs that the policy derived; must not block.
    pub(crate) propose: Propose,
    pub(crate) journal: Option<Journal>,
    /// The log of observations, for a resumed crawl.
    pub(crate) observations: Option<ObservationLog>,
    /// The file that the site model is written to at the end.
    pub(crate) model_file: Option<ModelFile>,
    pub(crate) pace: Pace,
    /// Parses a page again that was parsed with an outdated snapshot.
    pub(crate) read: Box<ReadPage>,
    pub(crate) facts: PolicyFacts,
    /// What was found, for status and report.
    pub(crate) board: Arc<PolicyBoard>,
    /// The recent activity, for the live view.
    pub(crate) live: Arc<LiveBoard>,
    /// Whether anything was observed since the live view last got the site facts.
    pub(crate) untold: bool,
    /// Parses a page again with all places spelt out, for the live view.
    pub(crate) spell: Box<ReadPage>,
    /// The number of model updates when that was last done.
    pub(crate) spelt: u64,
    /// Gets the searches of sites that the policy found.
    pub(crate) searches: Option<Arc<Searches>>,
    /// Gets the sites that searches found.
    pub(crate) scope: Arc<Scope>,
    pub(crate) clock: Clock,
    pub(crate) metrics: Arc<PolicyMetrics>,
}

/// The policy's end of the channel, ready to learn.
pub(crate) struct Learner {
    learning: Learning,
    receiver: Receiver<Seen>,
    /// Interrupts the gathering of fetches.
    woken: Receiver<()>,
}

impl Learner {
    /// Starts the thread, which ends when the last [`ObservationSender`] is dropped.
    pub(crate) fn spawn(self) -> std::io::Result<JoinHandle<()>> {
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
            tracing::error!("the policy panicked; the crawl continues with the last snapshot");
            learning.metrics.panics.inc();
            learning.needs.set(Needs::default());
            // Empties the queue, so that no worker waits for a policy that no longer learns.
            while receiver.recv().is_ok() {}
        }
        learning.end();
    }
}

/// For the simulation, which has no threads.
#[cfg(test)]
impl Learner {
    pub(crate) fn begin(&mut self) {
        self.learning.begin();
    }

    /// Shows the policy one fetch, if one waits, and publishes a snapshot if it is due. Returns whether a fetch waited.
    pub(crate) fn step(&mut self) -> bool {
        let seen = self.receiver.try_recv().ok();
        let any = seen.is_some();
        self.learning.turn(seen, self.receiver.is_empty());
        any
    }

    /// Whether the queue is full, so that a step is needed before the next fetch.
    pub(crate) fn is_behind(&self) -> bool {
        self.receiver.is_full()
    }

    pub(crate) fn finish(mut self) {
        self.learning.conclude();
        self.learning.end();
    }
}

impl Learning {
    /// Builds the learner and the sender of its channel. At most `queue_max` fetches wait in it.
    pub(crate) fn ready(self, queue_max: usize) -> (ObservationSender, Learner) {
        let (sender, receiver) = bounded(queue_max.max(1));
        let (clock, metrics) = (self.clock.clone(), Arc::clone(&self.metrics));
        let (wake, woken) = bounded(1);
        let bag_wanted = !self.gathers();
        let wake = self.gathers().then_some(wake);
        let needs = Arc::clone(&self.needs);
        let observer = ObservationSender { sender, wake, bag_wanted, needs, clock, metrics };
        (observer, Learner { learning: self, receiver, woken })
    }

    /// Whether fetches are gathered before the policy sees them: if nothing but the trap guard learns.
    fn gathers(&self) -> bool {
        !self.policy.is_explained()
    }

    fn begin(&mut self) {
        self.board.show_wanted(self.facts.wanted, &self.metrics);
        self.board.show_searches(self.policy.searches());
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

    /// Publishes the last snapshot, and writes what was learned to its files.
    fn conclude(&mut self) {
        if self.pace.has_news() {
            self.publish();
        }
        self.write_observations(|log, now| log.flush(now, true));
        self.board.show_traps(self.policy.traps(), &self.metrics);
        self.board.show_searches(self.policy.searches());
        if let Some(file) = &mut self.model_file {
            file.leave(&mut *self.policy);
        }
        // Only now: an incomplete sample is learned from at the end.
        if let Some(note) = self.policy.note() {
            tracing::info!("the policy: {note}");
        }
    }

    /// Processes a fetch, if there is one, and publishes a snapshot if it is due.
    fn turn(&mut self, seen: Option<Seen>, nothing_waits: bool) {
        match seen {
            Some(seen) => self.observe(seen),
            None if self.policy.learns_elsewhere() => self.check_leader(),
            None => {}
        }
        if self.pace.is_due(self.clock.now(), nothing_waits) {
            self.publish();
        }
        self.publish_site_facts();
    }

    /// Checks what was learned on another node.
    fn check_leader(&mut self) {
        self.propose(false);
        if self.policy.has_news() {
            self.pace.observed();
        }
    }

    /// Passes on what the policy has found and wants to try. An answer, what it found a site or a search by, and what
    /// led to a query are written first: a resumed crawl knows these from the observations alone, and would send the
    /// query again.
    fn propose(&mut self, is_answer: bool) {
        let (sites, searches) = (self.policy.found_sites(), self.policy.found_searches());
        let proposals = self.policy.proposals();
        if is_answer || !sites.is_empty() || !searches.is_empty() || proposals.iter().any(Proposal::is_query) {
            self.write_observations(|log, now| log.flush(now, true));
        }
        for url in sites {
            self.scope.add_found_site(&url);
        }
        if let Some(known) = self.searches.as_ref().filter(|_| !searches.is_empty()) {
            // Before its queries are fetched.
            known.add_found(searches);
        }
        if !proposals.is_empty() {
            self.metrics.proposals.add(proposals.len() as u64);
            (self.propose)(&proposals);
        }
    }

    /// Passes the site facts to the live view, if they are due.
    fn publish_site_facts(&mut self) {
        let began = self.clock.now();
        if self.untold && self.live.wants_facts(began) {
            self.untold = false;
            // Names change only with a model update.
            let spells = self.spelt != self.facts.model_updates;
            self.spelt = self.facts.model_updates;
            let facts = self.policy.site_facts(spells.then_some(&mut *self.spell));
            self.live.record_facts(facts, began, self.clock.now());
        }
    }

    /// Returns the next fetch; `Some(None)` if none comes before a snapshot is due, `None` at the end.
    fn next(&self, receiver: &Receiver<Seen>, woken: &Receiver<()>) -> Option<Option<Seen>> {
        if !self.pace.has_news() {
            if self.gathers() && receiver.is_empty() {
                // Woken early once the queue is half full, or when the last sender is dropped.
                let _ = woken.recv_timeout(GATHERING);
            }
            return match receiver.recv_timeout(IDLE_MAX) {
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
        let hold = seen.hold.take();
        // The trap guard does not use classes.
        if !self.gathers() {
            let is_older = seen.generation != self.snapshot.generation_at(seen.observation.url.as_str());
            policy::update_observation(&*self.snapshot, &mut *self.read, &mut seen.observation, is_older);
        }
        if self.needs.now().words
            && let Outcome::Page(page) = &seen.observation.outcome
            && page.text.is_none()
        {
            self.metrics.unread.inc();
        }
        let cluster = self.see_destination(&seen.observation);
        if let Some(log) = &mut self.observations {
            log.draft(&seen.observation, cluster);
        }
        if let Some(journal) = &mut self.journal {
            journal.see(&seen.observation);
        }
        let began = self.clock.now();
        let is_answer = matches!(seen.observation.outcome, Outcome::Search(_));
        self.policy.observe(seen.observation);
        self.untold = true;
        self.write_observations(|log, _| log.add_draft());
        self.propose(is_answer);
        drop(hold);
        let spent = self.clock.now().since(began);
        self.metrics.observations.inc();
        self.metrics.busy_seconds.add(spent);
        if self.policy.has_news() {
            self.pace.observed();
        }
        let before = std::mem::replace(&mut self.facts, self.policy.facts());
        self.board.show_wanted(self.facts.wanted, &self.metrics);
        self.metrics.duplicates.add(self.facts.duplicates.saturating_sub(before.duplicates));
        self.metrics.queries.add(self.facts.queries.saturating_sub(before.queries));
        self.metrics.found_sites.add(self.facts.found_sites.saturating_sub(before.found_sites));
        if self.facts.drifts > before.drifts {
            self.metrics.drifts.add(self.facts.drifts - before.drifts);
            tracing::info!(
                "the site's pages have changed; its templates were learned again ({} now)",
                self.facts.clusters
            );
        }
        if self.facts.model_updates > before.model_updates {
            self.metrics.model_updates.add(self.facts.model_updates - before.model_updates);
            self.metrics.model_update_seconds.add(spent);
            // What waits belongs to the previous generation, so this is urgent.
            self.publish();
            self.write_observations(|log, now| log.flush(now, true));
        }
    }

    /// Records the cluster of a fetched page, which shows where links such as the one to it lead.
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

    /// Writes to the log of observations. After an error nothing more is written, and the crawl continues.
    fn write_observations(&mut self, write: impl FnOnce(&mut ObservationLog, Instant) -> std::io::Result<()>) {
        let Some(log) = &mut self.observations else { return };
        if let Err(error) = write(log, self.clock.now()) {
            tracing::error!(
                %error,
                "observations can no longer be persisted; a resumed crawl learns again what is observed from now on"
            );
            self.observations = None;
        }
    }

    /// Publishes a snapshot: first to the workers, then to the frontier. The frontier may thus receive links of a newer
    /// generation than its own, but never has to wait for them.
    fn publish(&mut self) {
        let began = self.clock.now();
        self.write_observations(|log, now| log.flush(now, false));
        let snapshot = self.policy.snapshot();
        self.needs.set(self.policy.needs());
        let snapshot = self.publisher.publish(snapshot, &*self.to_frontier);
        self.board.show_traps(self.policy.traps(), &self.metrics);
        self.board.show_searches(self.policy.searches());
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
