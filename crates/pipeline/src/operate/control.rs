//! Control of a running crawl: each command is checked, persisted and applied, in this order.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::bounds::{budgets, limits};
use crate::handles::FrontierHandle;
use crate::hosts::HostDirectory;
use crate::operate::active_orders::ActiveOrders;
use crate::policy_thread::snapshot_publisher::SnapshotPublisher;
use crate::run::output;
use harvestman_core::clock::Instant;
use harvestman_core::config::{self, Config, Flag, FlagValue, value_of};
use harvestman_core::model::ClusterId;
use harvestman_metrics::CrawlMetrics;
use harvestman_policy::steering::{KnownCluster, Steering, TARGETS_MAX, Target};
use harvestman_report::{self as report, Command, CommandRequest};
use harvestman_stages::frontier::LimitsChanged;
use harvestman_stages::host::{BLOCKED_MAX, HostLimits, HostName, HostRules};

/// The maximum number of clusters that an answer lists.
const CLUSTERS_MAX: usize = 40;

/// What the control of a crawl is built from.
pub(crate) struct ControlSetup {
    pub(crate) active: ActiveOrders,
    pub(crate) directory: PathBuf,
    pub(crate) publisher: Arc<SnapshotPublisher>,
    pub(crate) frontier: FrontierHandle,
    pub(crate) hosts: Arc<HostDirectory>,
    pub(crate) metrics: Arc<CrawlMetrics>,
    pub(crate) host_limits: HostLimits,
    /// When the crawl would have started had it never been interrupted.
    pub(crate) started: Instant,
}

/// Carries out commands to a running crawl: checks each, persists it, and applies it, in this order.
pub(crate) struct CrawlControl {
    config: Mutex<Arc<Config>>,
    active: Mutex<ActiveOrders>,
    directory: PathBuf,
    publisher: Arc<SnapshotPublisher>,
    frontier: FrontierHandle,
    hosts: Arc<HostDirectory>,
    metrics: Arc<CrawlMetrics>,
    host_limits: HostLimits,
    started: Instant,
}

impl CrawlControl {
    /// Creates the control of a run that starts with this configuration and these orders.
    pub(crate) fn new(config: &Config, setup: ControlSetup) -> Self {
        let ControlSetup { active, directory, publisher, frontier, hosts, metrics, host_limits, started } = setup;
        let (config, active) = (Mutex::new(Arc::new(config.clone())), Mutex::new(active));
        Self { config, active, directory, publisher, frontier, hosts, metrics, host_limits, started }
    }

    /// Returns the current configuration.
    pub(crate) fn config(&self) -> Arc<Config> {
        Arc::clone(&self.config.lock())
    }

    /// Returns the snapshot publisher.
    pub(crate) const fn publisher(&self) -> &Arc<SnapshotPublisher> {
        &self.publisher
    }

    /// Returns the orders that are in force.
    pub(crate) fn in_force(&self) -> report::InForce {
        fn texts<T: ToString>(all: &[T]) -> Vec<String> {
            all.iter().map(T::to_string).collect()
        }
        let (config, held) = (self.config(), self.active.lock());
        let set = held.set.iter().filter_map(|name| Some((name.clone(), value_of(&config, name)?)));
        report::InForce {
            set: set.collect(),
            banned: texts(&held.steering.banned),
            pinned: texts(&held.steering.pinned),
            blocked: held.blocked.0.iter().map(HostName::to_string).collect(),
        }
    }

    /// Persists orders and puts them in force.
    fn persist(&self, new: ActiveOrders) -> Result<(), String> {
        new.write(&self.directory).map_err(|error| not_persisted(&error))?;
        *self.active.lock() = new;
        Ok(())
    }

    /// Returns a remark if a cluster as a target reaches fewer than nine tenths of its known pages, which explains why
    /// others are still fetched.
    fn reach(&self, target: &Target) -> Option<String> {
        let Target::Cluster(cluster) = target else { return None };
        let (predicted_pages, pages) = self.publisher.predicted_pages(*cluster);
        (predicted_pages * 10 < pages * 9).then(|| {
            format!(
                "it reaches {predicted_pages} of the {pages} known pages of this cluster: the URLs of the others look \
                 like those of other clusters, or were seen too rarely so far; a form of URLs, such as /tag/*, \
                 reaches them too"
            )
        })
    }

    /// Parses a target. A cluster must be known; in a fleet the node that received the command has checked that, and
    /// this node may not have met a page of it yet.
    fn target(&self, text: &str) -> Result<Target, String> {
        let target: Target = text.parse().map_err(|error| format!("{error}"))?;
        if let Target::Cluster(cluster) = target
            && self.config().fleet.servers.is_empty()
        {
            known(cluster, &self.publisher.clusters(), &self.config())?;
        }
        Ok(target)
    }
}

fn not_persisted(error: &impl std::fmt::Display) -> String {
    format!("it cannot be persisted, so it is not carried out: {error}")
}

/// Checks that pages of a cluster were met.
///
/// # Errors
/// The known clusters, to name one of them instead.
pub(crate) fn known(
    cluster: ClusterId,
    known: &BTreeMap<ClusterId, KnownCluster>,
    config: &Config,
) -> Result<(), String> {
    if known.contains_key(&cluster) { Ok(()) } else { Err(unknown_cluster(cluster, known, config)) }
}

fn unknown_cluster(cluster: ClusterId, known: &BTreeMap<ClusterId, KnownCluster>, config: &Config) -> String {
    let policy = config.crawl.policy.name();
    if known.is_empty() {
        return format!(
            "no cluster of pages is known: the policy `{policy}` has not found any (yet); `ucc`, `target` and \
             `cluster-graph` do. Links can be named by a form of URLs, such as /tag/*, with every policy"
        );
    }
    let mut text = format!("there is no cluster {}; the known clusters are:", cluster.0);
    for (number, cluster) in known.iter().take(CLUSTERS_MAX) {
        let _ = write!(text, "\n  {}: {} pages, such as {}", number.0, cluster.pages, cluster.example);
    }
    if known.len() > CLUSTERS_MAX {
        let _ = write!(text, "\n  and {} more", known.len() - CLUSTERS_MAX);
    }
    text
}

/// Selects the list of bans or that of pins.
type List = fn(&mut Steering) -> &mut Vec<Target>;

const BANNED: List = |steering| &mut steering.banned;
const PINNED: List = |steering| &mut steering.pinned;

impl CrawlControl {
    /// Carries out a command and sends the answer.
    pub(crate) async fn serve(&self, CommandRequest { command, answer }: CommandRequest) {
        let (what, name) = (format!("{command:?}"), command.name());
        let done = self.carry_out(command).await;
        let answer_label = if done.is_ok() { "done" } else { "refused" };
        self.metrics.commands.by(name, answer_label).inc();
        match &done {
            Ok(effect) => tracing::info!("command {what}: {effect}"),
            Err(why) => tracing::info!("command {what}: refused: {why}"),
        }
        // The sender may be gone.
        let _ = answer.send(done);
    }

    /// Carries out a command. Returns its effect.
    ///
    /// # Errors
    /// The reason for the refusal; nothing was changed then.
    pub(crate) async fn carry_out(&self, command: Command) -> Result<String, String> {
        match command {
            Command::Set(settings) => self.set(&settings),
            Command::Ban(text) => self.add(&text, BANNED).await,
            Command::Pin(text) => self.add(&text, PINNED).await,
            Command::Unban(text) => self.remove(&text, BANNED).await,
            Command::Unpin(text) => self.remove(&text, PINNED).await,
            Command::Block(text) => self.block(&text, true),
            Command::Unblock(text) => self.block(&text, false),
            Command::Pause | Command::Unpause | Command::Stop => Err("this crawl runs on one machine".to_owned()),
        }
    }

    fn set(&self, settings: &[(String, String)]) -> Result<String, String> {
        let flag = |(name, value): &(String, String)| Flag {
            flag: format!("{name}={value}"),
            name: name.clone(),
            value: FlagValue::Text(value.clone()),
        };
        let flags: Vec<Flag> = settings.iter().map(flag).collect();
        let old = self.config();
        let new = Arc::new(config::changed(&old, &flags)?);
        let before = self.active.lock().clone();
        let mut held = before.clone();
        held.set.extend(settings.iter().map(|(name, _)| name.clone()));
        // The values last: with only them on disk, a resumed crawl would apply what was refused.
        self.persist(held)?;
        if let Err(error) = output::write_config(&self.directory, &new) {
            // If this fails too, a setting that still has its old value is listed as changed.
            let _ = self.persist(before);
            return Err(not_persisted(&error));
        }
        *self.config.lock() = Arc::clone(&new);
        self.apply(&new);
        let shown = |name: &str, config: &Config| value_of(config, name).unwrap_or_default();
        let change = |(name, _): &(String, String)| format!("{name}: {} -> {}", shown(name, &old), shown(name, &new));
        Ok(settings.iter().map(change).collect::<Vec<_>>().join(", "))
    }

    /// Applies the settings to all stages.
    fn apply(&self, config: &Config) {
        self.frontier.allowance().set_budgets(budgets(config, self.started));
        self.frontier.send(LimitsChanged { limits: limits(config) });
        self.hosts.change_rules(Some(HostRules::within(config, self.host_limits)));
    }

    async fn add(&self, text: &str, list: List) -> Result<String, String> {
        let target = self.target(text)?;
        let mut held = self.active.lock().clone();
        let targets = list(&mut held.steering);
        if targets.contains(&target) {
            return Ok("it is in force already".to_owned());
        }
        if targets.len() >= TARGETS_MAX {
            return Err(format!("there are {TARGETS_MAX} of them already; remove one first"));
        }
        targets.push(target.clone());
        let gone = self.steer(held).await?;
        let reach = self.reach(&target).map(|reach| format!("; {reach}")).unwrap_or_default();
        Ok(format!("it is in force from now on; {gone} waiting URLs were discarded{reach}"))
    }

    async fn remove(&self, text: &str, list: List) -> Result<String, String> {
        // Not checked against the known clusters: it may have been forgotten since.
        let target: Target = text.parse().map_err(|error| format!("{error}"))?;
        let mut held = self.active.lock().clone();
        let targets = list(&mut held.steering);
        let Some(at) = targets.iter().position(|other| *other == target) else {
            let there: Vec<String> = targets.iter().map(Target::to_string).collect();
            let there = if there.is_empty() { "is empty".to_owned() } else { format!("has {}", there.join(", ")) };
            return Err(format!("`{text}` is not in the list, which {there}"));
        };
        targets.remove(at);
        self.steer(held).await?;
        Ok("it is no longer in force; discarded URLs stay discarded, new links are followed".to_owned())
    }

    /// Persists and publishes bans and pins, and waits until the frontier follows them. Returns the number of discarded
    /// URLs.
    async fn steer(&self, held: ActiveOrders) -> Result<u64, String> {
        let steering = held.steering.clone();
        self.persist(held)?;
        // The frontier is ordered to follow it at once, below.
        self.publisher.steer(steering, &|order| self.frontier.leave(order));
        Ok(self.frontier.follow_now().await)
    }

    fn block(&self, text: &str, blocks: bool) -> Result<String, String> {
        let name: HostName = text.parse().map_err(|error| format!("{error}"))?;
        let mut held = self.active.lock().clone();
        let blocked = &mut held.blocked.0;
        let changed = if blocks { blocked.insert(name.clone()) } else { blocked.remove(&name) };
        if blocked.len() > BLOCKED_MAX {
            return Err(format!("{BLOCKED_MAX} hosts are blocked already; unblock one first"));
        }
        if !changed && !blocks {
            let there: Vec<String> = blocked.iter().map(HostName::to_string).collect();
            let there =
                if there.is_empty() { "no host is".to_owned() } else { format!("blocked: {}", there.join(", ")) };
            return Err(format!("{name} is not blocked; {there}"));
        }
        let hosts = held.blocked.clone();
        self.persist(held)?;
        let known = if self.hosts.block(hosts, &name) { "the crawl knows it" } else { "the crawl has not met it yet" };
        let now = if blocks { "gets no further request; its URLs wait" } else { "gets requests again" };
        Ok(format!("{name} {now} ({known})"))
    }
}
