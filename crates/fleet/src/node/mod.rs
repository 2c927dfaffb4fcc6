//! The protocol of a node: keeps its session alive, reconciles the partitions that it holds with those assigned to it,
//! reads the exchange for its crawler, writes checkpoints, and does the leader's work while it leads.
//!
//! One [`Node`] is one session with one crawler. A node that loses its session begins a new one with a new crawler.

mod balancer;
mod bus_client;
mod checkpoints;
mod context;
mod evictions;
mod exchange_reader;
mod key_watch;
mod leader;
pub mod log;
mod options;
mod part_store;
mod partition_writes;
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

use tokio::task::JoinSet;

pub use bus_client::CallOptions;
pub use log::{LogPosition, SessionLog};
pub use options::{End, NodeOptions, OnOrders, Wrap};
pub use progress::OnProgress;

use self::bus_client::{BusClient, SwapOutcome};
use self::context::{NodeContext, NodeServices};
use self::progress::{ProgressReporter, ProgressSink};
use self::records::{CrawlRecord, CrawlState, Origin};
use super::budget::Spender;
use super::bus::{BoxFuture, Bus};
use super::engine::{Engine, FetchDeadline};
use super::policy::PolicySession;
use harvestman_core::clock::Clock;
use harvestman_core::seed::Seed;
use harvestman_metrics::FleetMetrics;

/// One session of a node, before and while it runs.
pub struct Node {
    services: NodeServices,
    seed: Seed,
    wrap: Option<Wrap>,
    progress_sink: Option<ProgressSink>,
}

impl Node {
    /// Prepares a session. Its crawler gets [`Self::log`] and [`Self::fetch_deadline`], and is then passed to
    /// [`Self::run`].
    pub fn new(bus: Arc<dyn Bus>, clock: Clock, options: NodeOptions, seed: Seed) -> Self {
        Self::measured(bus, clock, options, seed, Arc::new(FleetMetrics::off()))
    }

    /// Prepares a session that records metrics.
    pub fn measured(
        bus: Arc<dyn Bus>,
        clock: Clock,
        options: NodeOptions,
        seed: Seed,
        metrics: Arc<FleetMetrics>,
    ) -> Self {
        let client = Arc::new(BusClient::new(bus, clock.clone(), options.calls, seed.child("calls"), metrics));
        let log = Arc::new(SessionLog::new(Arc::clone(&client), options.session.clone(), options.log_shards));
        let (fetch_deadline, spender, policy) = (Arc::default(), None, None);
        let services = NodeServices { options, client, clock, log, fetch_deadline, spender, policy };
        Self { services, seed, wrap: None, progress_sink: None }
    }

    /// Sets a wrapper for each task.
    pub fn wrapped(self, wrap: Wrap) -> Self {
        Self { wrap: Some(wrap), ..self }
    }

    /// Reports the progress of this node and its fleet. `crawl` is the name of the crawl.
    pub fn watched(self, crawl: String, report: OnProgress) -> Self {
        Self { progress_sink: Some(ProgressSink { crawl, report }), ..self }
    }

    /// Counts what the crawler spends against the budgets of the fleet.
    pub fn spending(mut self, spender: Arc<dyn Spender>) -> Self {
        self.services.spender = Some(spender);
        self
    }

    /// Takes part in the policy of the fleet.
    pub fn with_policy(mut self, policy: Arc<PolicySession>) -> Self {
        self.services.policy = Some(policy);
        self
    }

    /// Returns the log that the crawler writes to.
    pub fn log(&self) -> Arc<SessionLog> {
        Arc::clone(&self.services.log)
    }

    /// Returns the deadline until which the crawler may fetch.
    pub fn fetch_deadline(&self) -> Arc<FetchDeadline> {
        Arc::clone(&self.services.fetch_deadline)
    }

    /// Runs the session until it ends. The node leaves the fleet when `leave` completes. Dropping the future is
    /// equivalent to a crash: no partition is released.
    pub async fn run(self, engine: Arc<dyn Engine>, orders: OnOrders, leave: BoxFuture<'static, ()>) -> End {
        let metrics = Arc::clone(&self.services.client.metrics);
        let end = self.take_part(engine, orders, leave).await;
        metrics.reset();
        if end == End::Lost {
            metrics.sessions_lost.inc();
        }
        end
    }

    async fn take_part(self, engine: Arc<dyn Engine>, orders: OnOrders, leave: BoxFuture<'static, ()>) -> End {
        if let Err(refused) = self.agree_on_crawl().await {
            return End::Refused(refused);
        }
        let context = Arc::new(NodeContext::new(self.services.clone(), engine));
        if let Err(end) = context.create_keys().await {
            return end;
        }
        let _tasks = self.spawn_tasks(&context, orders);
        let reporter = self.progress_sink.as_ref().map(|sink| ProgressReporter::new(&context, sink));
        let reporting = async {
            match &reporter {
                Some(reporter) => reporter.run().await,
                None => std::future::pending().await,
            }
        };
        let end = tokio::select! {
            biased;
            end = context.until_ended(leave) => end,
            // Reporting stops exactly when the session ends: nothing may be shown afterwards.
            () = reporting => End::Lost,
        };
        if let Some(reporter) = &reporter {
            reporter.report();
        }
        if end == End::Over {
            policy::finish(&context).await;
        }
        self.services.fetch_deadline.end();
        self.services.log.end();
        end
    }

    /// Spawns the tasks of the session. They end when the set is dropped.
    fn spawn_tasks(&self, context: &Arc<NodeContext>, orders: OnOrders) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        let mut spawn = |task: BoxFuture<'static, ()>| {
            tasks.spawn(match &self.wrap {
                Some(wrap) => wrap(task),
                None => task,
            });
        };
        // The renewal comes first, so that no other task delays it.
        spawn(Box::pin(renewal::renew(Arc::clone(context))));
        spawn(Box::pin(key_watch::watch(Arc::clone(context), orders)));
        spawn(Box::pin(evictions::evict(Arc::clone(context), self.seed.child("evictions"))));
        for shard in 0..context.options.partitions.shards() {
            spawn(Box::pin(exchange_reader::read(Arc::clone(context), shard)));
        }
        spawn(Box::pin(reconcile::reconcile(Arc::clone(context))));
        spawn(Box::pin(spending::spend(Arc::clone(context))));
        spawn(Box::pin(checkpoints::write(Arc::clone(context))));
        spawn(Box::pin(leader::lead(Arc::clone(context))));
        if let Some(policy) = &context.policy {
            spawn(Box::pin(policy::send(Arc::clone(context), Arc::clone(policy))));
            spawn(Box::pin(policy::follow(Arc::clone(context), Arc::clone(policy))));
            spawn(Box::pin(policy::hold(Arc::clone(context), Arc::clone(policy))));
        }
        tasks
    }

    /// Creates the crawl's record, or checks that an existing one is of a compatible crawl.
    async fn agree_on_crawl(&self) -> Result<(), String> {
        let own = self.services.options.origin.clone();
        let record = CrawlRecord { origin: own.clone(), state: CrawlState::Planting };
        let held = match self.services.client.swap(records::CRAWL, &records::written(&record), None).await {
            SwapOutcome::Done(_) => return Ok(()),
            SwapOutcome::Conflict(held) => held,
        };
        let value = held.and_then(|held| held.value).unwrap_or_default();
        check_compatible(&value, &own)
    }
}

/// Checks that a node of `own` can join the crawl with this record. The error gives the reason and the remedy.
fn check_compatible(record: &[u8], own: &Origin) -> Result<(), String> {
    let held: Origin = records::read(record).map_err(|error| {
        format!(
            "cannot read the record of the fleet's crawl ({error}): another program wrote it, or it was edited by hand; \
             use another name for the crawl"
        )
    })?;
    if held.format == own.format {
        return Ok(());
    }
    Err(format!(
        "the fleet's crawl was started by Harvestman {} (format {}), and this is {} (format {}): run the same version as the other nodes",
        held.version, held.format, own.version, own.format
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_of_another_format_is_refused_with_the_version_to_run() {
        let own = Origin { format: 3, version: "0.3.0".to_owned() };
        let record = |origin: Origin| records::written(&CrawlRecord { origin, state: CrawlState::Running });
        let patched = Origin { version: "0.3.1".to_owned(), ..own.clone() };
        assert_eq!(check_compatible(&record(patched), &own), Ok(()), "only what it reads and writes matters");
        let newer = Origin { format: 4, version: "0.9.0".to_owned() };
        let refused = check_compatible(&record(newer), &own).unwrap_err();
        assert!(refused.contains("started by Harvestman 0.9.0") && refused.contains("this is 0.3.0"), "{refused}");
        // A newer version may write the other fields differently.
        assert!(
            check_compatible(br#"{"format":4,"version":"0.9.0","state":{"a":1}}"#, &own).unwrap_err().contains("0.9.0")
        );
        assert!(check_compatible(b"{}", &own).unwrap_err().contains("another name"));
    }
}
