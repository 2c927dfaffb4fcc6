//! A node of a fleet: keeps its session alive, takes the partitions that are its own and lets the others go, reads the exchange for its
//! crawler, writes checkpoints, and does the leader's work while it leads.
//!
//! One [`Node`] is one session, with one crawler. Whoever loses its session begins a new one with a new crawler.

mod balancing;
mod calls;
mod checkpoints;
mod evictions;
mod leading;
pub mod log;
mod observing;
mod parts;
pub(crate) mod placing;
mod plan;
mod policy;
mod readers;
pub mod records;
mod renewal;
mod shared;
pub(crate) mod signal;
mod source;
mod spending;
mod steps;
pub mod view;
mod watching;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::task::JoinSet;

pub use calls::CallOptions;
pub use log::{Mark, SessionLog, SessionOver};
pub use observing::OnStanding;

use self::calls::{Calls, Swapped};
use self::observing::{Observer, Watcher};
use self::records::{CrawlRecord, CrawlState, Origin};
use self::shared::Shared;
use super::assignment::Weight;
use super::budget::Spender;
use super::bus::{Bus, Later};
use super::engine::{Engine, Tenure};
use super::lease::Terms;
use super::policy::PolicyPost;
use super::{Partitions, SessionId};
use harvestman_core::clock::Clock;
use harvestman_core::model::ScheduledUrl;
use harvestman_core::seed::Seed;
use harvestman_metrics::FleetMetrics;

/// How a node takes part in a fleet.
#[derive(Debug, Clone)]
pub struct NodeOptions {
    /// Its session; never used before.
    pub session: SessionId,
    /// Its share of the work against others'.
    pub weight: Weight,
    /// How hosts are divided.
    pub partitions: Partitions,
    /// How many streams the logs are in.
    pub log_shards: u16,
    /// Leases.
    pub terms: Terms,
    /// Calls to the bus.
    pub calls: CallOptions,
    /// So often is a checkpoint written.
    pub checkpoint: Duration,
    /// More parts than so many are made one.
    pub parts_max: usize,
    /// So many partitions are taken or let go at once.
    pub batch: usize,
    /// So often does everything look around that has not heard of a change.
    pub look: Duration,
    /// So often does the leader look whether the load is even; zero: only where it is asked to.
    pub balance: Duration,
    /// What is left of a dead session is removed so long after nothing names it any more: longer than a write may be under way.
    pub clear_after: Duration,
    /// The format that it reads and writes, and the version that it is.
    pub origin: Origin,
    /// Where the crawl begins, for whoever leads then.
    pub seeds: Vec<ScheduledUrl>,
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The crawl is over.
    Over,
    /// It was told to leave, and has let everything go.
    Left,
    /// Others took it for dead. What its crawler did not log will be done again; go on with a new session and a new crawler.
    Lost,
    /// It cannot take part: the crawl of that name is another one.
    Refused(String),
}

/// What is done with new orders.
pub type OnOrders = Arc<dyn Fn(&Bytes) + Send + Sync>;

/// Wraps each of a node's tasks before it is spawned. The simulation stops whole nodes by it.
pub type Wrap = Arc<dyn Fn(Later<'static, ()>) -> Later<'static, ()> + Send + Sync>;

/// One session of a node, before and while it runs.
pub struct Node {
    options: NodeOptions,
    calls: Arc<Calls>,
    clock: Clock,
    log: Arc<SessionLog>,
    tenure: Arc<Tenure>,
    seed: Seed,
    wrap: Option<Wrap>,
    watcher: Option<Watcher>,
    spender: Option<Arc<dyn Spender>>,
    policy: Option<Arc<PolicyPost>>,
}

impl Node {
    /// Prepares a session. Its crawler gets [`Self::log`] and [`Self::tenure`], and is then handed to [`Self::run`].
    pub fn new(bus: Arc<dyn Bus>, clock: Clock, options: NodeOptions, seed: Seed) -> Self {
        Self::measured(bus, clock, options, seed, Arc::new(FleetMetrics::off()))
    }

    /// Prepares a session that counts what it does.
    pub fn measured(
        bus: Arc<dyn Bus>,
        clock: Clock,
        options: NodeOptions,
        seed: Seed,
        metrics: Arc<FleetMetrics>,
    ) -> Self {
        let calls = Arc::new(Calls::new(bus, clock.clone(), options.calls, seed.child("calls"), metrics));
        let log = Arc::new(SessionLog::new(Arc::clone(&calls), options.session.clone(), options.log_shards));
        Self {
            options,
            calls,
            clock,
            log,
            tenure: Arc::default(),
            seed,
            wrap: None,
            watcher: None,
            spender: None,
            policy: None,
        }
    }

    /// Wraps each task.
    pub fn wrapped(self, wrap: Wrap) -> Self {
        Self { wrap: Some(wrap), ..self }
    }

    /// Shows where it and its fleet, whose crawl is called so, stand.
    pub fn watched(self, crawl: String, told: OnStanding) -> Self {
        Self { watcher: Some(Watcher { crawl, told }), ..self }
    }

    /// What the crawler spends counts against the budgets of the fleet.
    pub fn spending(self, spender: Arc<dyn Spender>) -> Self {
        Self { spender: Some(spender), ..self }
    }

    /// Takes part in what the fleet learns.
    pub fn with_policy(self, post: Arc<PolicyPost>) -> Self {
        Self { policy: Some(post), ..self }
    }

    /// What its crawler writes to.
    pub fn log(&self) -> Arc<SessionLog> {
        Arc::clone(&self.log)
    }

    /// Until when its crawler may fetch.
    pub fn tenure(&self) -> Arc<Tenure> {
        Arc::clone(&self.tenure)
    }

    /// Takes part until the session ends. `leave` ends when the node is to leave. Dropping it is like dying: nothing is let go.
    pub async fn run(self, engine: Arc<dyn Engine>, orders: OnOrders, leave: Later<'static, ()>) -> End {
        let metrics = Arc::clone(&self.calls.metrics);
        let end = self.take_part(engine, orders, leave).await;
        metrics.rest();
        if end == End::Lost {
            metrics.sessions_lost.inc();
        }
        end
    }

    async fn take_part(self, engine: Arc<dyn Engine>, orders: OnOrders, leave: Later<'static, ()>) -> End {
        if let Err(refused) = self.agree_on_crawl().await {
            return End::Refused(refused);
        }
        let shared = Arc::new(Shared::new(&self, engine));
        if let Err(end) = shared.begin().await {
            return end;
        }
        let mut tasks = JoinSet::new();
        let mut spawn = |task: Later<'static, ()>| {
            tasks.spawn(match &self.wrap {
                Some(wrap) => wrap(task),
                None => task,
            });
        };
        // First of all, so that it is the last to wait for anything.
        spawn(Box::pin(renewal::renew(Arc::clone(&shared))));
        spawn(Box::pin(watching::watch(Arc::clone(&shared), orders)));
        spawn(Box::pin(evictions::evict(Arc::clone(&shared), self.seed.child("evictions"))));
        for shard in 0..self.options.partitions.shards() {
            spawn(Box::pin(readers::read(Arc::clone(&shared), shard)));
        }
        spawn(Box::pin(steps::step(Arc::clone(&shared))));
        spawn(Box::pin(spending::spend(Arc::clone(&shared))));
        spawn(Box::pin(checkpoints::write(Arc::clone(&shared))));
        spawn(Box::pin(leading::lead(Arc::clone(&shared))));
        if let Some(post) = &self.policy {
            spawn(Box::pin(policy::send(Arc::clone(&shared), Arc::clone(post))));
            spawn(Box::pin(policy::follow(Arc::clone(&shared), Arc::clone(post))));
            spawn(Box::pin(policy::hold(Arc::clone(&shared), Arc::clone(post))));
        }
        let observer = self.watcher.as_ref().map(|watcher| Observer::new(&shared, watcher));
        let observed = async {
            match &observer {
                Some(observer) => observer.observe().await,
                None => std::future::pending().await,
            }
        };
        let end = tokio::select! {
            biased;
            end = shared.until_ended(leave) => end,
            // It ends with the session, and not a moment later: nothing is shown any more then.
            () = observed => End::Lost,
        };
        if let Some(observer) = &observer {
            observer.show();
        }
        if end == End::Over {
            policy::finish(&shared).await;
        }
        self.tenure.end();
        self.log.end();
        end
    }

    /// Makes the crawl's record where it is not there yet, and looks whether it is the same crawl where it is.
    async fn agree_on_crawl(&self) -> Result<(), String> {
        let own = self.options.origin.clone();
        let record = CrawlRecord { origin: own.clone(), state: CrawlState::Planting };
        let held = match self.calls.swap(records::CRAWL, &records::written(&record), None).await {
            Swapped::Done(_) => return Ok(()),
            Swapped::Conflict(held) => held,
        };
        let value = held.and_then(|held| held.value).unwrap_or_default();
        compatible(&value, &own)
    }
}

/// Whether a node of `own` can take part in the crawl that has this record; if not, why, and what to do.
fn compatible(record: &[u8], own: &Origin) -> Result<(), String> {
    let held: Origin = records::read(record).map_err(|error| {
        format!(
            "the record of the fleet's crawl cannot be read ({error}): something else wrote it, or it was changed by hand; \
             give the crawl another name"
        )
    })?;
    if held.format == own.format {
        return Ok(());
    }
    Err(format!(
        "the fleet's crawl was begun by Harvestman {} (format {}), and this is {} (format {}): take the version that the other nodes have",
        held.version, held.format, own.version, own.format
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_of_another_format_is_refused_and_told_which_version_to_take() {
        let own = Origin { format: 3, version: "0.3.0".to_owned() };
        let record = |origin: Origin| records::written(&CrawlRecord { origin, state: CrawlState::Running });
        let patched = Origin { version: "0.3.1".to_owned(), ..own.clone() };
        assert_eq!(compatible(&record(patched), &own), Ok(()), "only what it reads and writes matters");
        let newer = Origin { format: 4, version: "0.9.0".to_owned() };
        let refused = compatible(&record(newer), &own).unwrap_err();
        assert!(refused.contains("begun by Harvestman 0.9.0") && refused.contains("this is 0.3.0"), "{refused}");
        // Whatever else a newer version may write.
        assert!(compatible(br#"{"format":4,"version":"0.9.0","state":{"a":1}}"#, &own).unwrap_err().contains("0.9.0"));
        assert!(compatible(b"{}", &own).unwrap_err().contains("another name"));
    }
}
