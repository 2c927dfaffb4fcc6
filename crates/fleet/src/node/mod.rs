//! A node of a fleet: keeps its session alive, takes the partitions that are its own and lets the others go, reads the exchange for its
//! crawler, writes checkpoints, and does the leader's work while it leads.
//!
//! One [`Node`] is one session, with one crawler. Whoever loses its session begins a new one with a new crawler.

mod balancer;
mod bus_client;
mod checkpoints;
mod context;
mod evictions;
mod exchange_reader;
mod key_watch;
mod leader;
pub mod log;
mod part_store;
pub(crate) mod placement;
mod plan;
mod policy;
mod progress;
mod reconcile;
pub mod records;
mod recovery;
mod renewal;
pub(crate) mod signal;
mod spending;
pub mod view;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::task::JoinSet;

pub use bus_client::CallOptions;
pub use log::{LogPosition, SessionLog};
pub use progress::OnProgress;

use self::bus_client::{BusClient, SwapOutcome};
use self::context::NodeContext;
use self::progress::{ProgressReporter, ProgressSink};
use self::records::{CrawlRecord, CrawlState, Origin};
use super::assignment::Weight;
use super::budget::Spender;
use super::bus::{BoxFuture, Bus};
use super::engine::{Engine, FetchDeadline};
use super::lease::LeaseTerms;
use super::policy::PolicySession;
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
    pub terms: LeaseTerms,
    /// BusClient to the bus.
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
pub type Wrap = Arc<dyn Fn(BoxFuture<'static, ()>) -> BoxFuture<'static, ()> + Send + Sync>;

/// One session of a node, before and while it runs.
pub struct Node {
    options: NodeOptions,
    client: Arc<BusClient>,
    clock: Clock,
    log: Arc<SessionLog>,
    fetch_deadline: Arc<FetchDeadline>,
    seed: Seed,
    wrap: Option<Wrap>,
    watcher: Option<ProgressSink>,
    spender: Option<Arc<dyn Spender>>,
    policy: Option<Arc<PolicySession>>,
}

impl Node {
    /// Prepares a session. Its crawler gets [`Self::log`] and [`Self::fetch_deadline`], and is then handed to [`Self::run`].
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
        let client = Arc::new(BusClient::new(bus, clock.clone(), options.calls, seed.child("calls"), metrics));
        let log = Arc::new(SessionLog::new(Arc::clone(&client), options.session.clone(), options.log_shards));
        Self {
            options,
            client,
            clock,
            log,
            fetch_deadline: Arc::default(),
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
    pub fn watched(self, crawl: String, told: OnProgress) -> Self {
        Self { watcher: Some(ProgressSink { crawl, told }), ..self }
    }

    /// What the crawler spends counts against the budgets of the fleet.
    pub fn spending(self, spender: Arc<dyn Spender>) -> Self {
        Self { spender: Some(spender), ..self }
    }

    /// Takes part in what the fleet learns.
    pub fn with_policy(self, session_policy: Arc<PolicySession>) -> Self {
        Self { policy: Some(session_policy), ..self }
    }

    /// What its crawler writes to.
    pub fn log(&self) -> Arc<SessionLog> {
        Arc::clone(&self.log)
    }

    /// Until when its crawler may fetch.
    pub fn fetch_deadline(&self) -> Arc<FetchDeadline> {
        Arc::clone(&self.fetch_deadline)
    }

    /// Takes part until the session ends. `leave` ends when the node is to leave. Dropping it is like dying: nothing is let go.
    pub async fn run(self, engine: Arc<dyn Engine>, orders: OnOrders, leave: BoxFuture<'static, ()>) -> End {
        let metrics = Arc::clone(&self.client.metrics);
        let end = self.take_part(engine, orders, leave).await;
        metrics.rest();
        if end == End::Lost {
            metrics.sessions_lost.inc();
        }
        end
    }

    async fn take_part(self, engine: Arc<dyn Engine>, orders: OnOrders, leave: BoxFuture<'static, ()>) -> End {
        if let Err(refused) = self.agree_on_crawl().await {
            return End::Refused(refused);
        }
        let context = Arc::new(NodeContext::new(&self, engine));
        if let Err(end) = context.begin().await {
            return end;
        }
        let mut tasks = JoinSet::new();
        let mut spawn = |task: BoxFuture<'static, ()>| {
            tasks.spawn(match &self.wrap {
                Some(wrap) => wrap(task),
                None => task,
            });
        };
        // First of all, so that it is the last to wait for anything.
        spawn(Box::pin(renewal::renew(Arc::clone(&context))));
        spawn(Box::pin(key_watch::watch(Arc::clone(&context), orders)));
        spawn(Box::pin(evictions::evict(Arc::clone(&context), self.seed.child("evictions"))));
        for shard in 0..self.options.partitions.shards() {
            spawn(Box::pin(exchange_reader::read(Arc::clone(&context), shard)));
        }
        spawn(Box::pin(reconcile::reconcile(Arc::clone(&context))));
        spawn(Box::pin(spending::spend(Arc::clone(&context))));
        spawn(Box::pin(checkpoints::write(Arc::clone(&context))));
        spawn(Box::pin(leader::lead(Arc::clone(&context))));
        if let Some(session_policy) = &self.policy {
            spawn(Box::pin(policy::send(Arc::clone(&context), Arc::clone(session_policy))));
            spawn(Box::pin(policy::follow(Arc::clone(&context), Arc::clone(session_policy))));
            spawn(Box::pin(policy::hold(Arc::clone(&context), Arc::clone(session_policy))));
        }
        let observer = self.watcher.as_ref().map(|watcher| ProgressReporter::new(&context, watcher));
        let observed = async {
            match &observer {
                Some(observer) => observer.observe().await,
                None => std::future::pending().await,
            }
        };
        let end = tokio::select! {
            biased;
            end = context.until_ended(leave) => end,
            // It ends with the session, and not a moment later: nothing is shown any more then.
            () = observed => End::Lost,
        };
        if let Some(observer) = &observer {
            observer.show();
        }
        if end == End::Over {
            policy::finish(&context).await;
        }
        self.fetch_deadline.end();
        self.log.end();
        end
    }

    /// Makes the crawl's record where it is not there yet, and looks whether it is the same crawl where it is.
    async fn agree_on_crawl(&self) -> Result<(), String> {
        let own = self.options.origin.clone();
        let record = CrawlRecord { origin: own.clone(), state: CrawlState::Planting };
        let held = match self.client.swap(records::CRAWL, &records::written(&record), None).await {
            SwapOutcome::Done(_) => return Ok(()),
            SwapOutcome::Conflict(held) => held,
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
