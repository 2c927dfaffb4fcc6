//! Relays orders: commands to a node become orders of the fleet, and the node carries out the fleet's orders.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use crate::error::Error;
use crate::handles::FrontierHandle;
use crate::operate::control::{CrawlControl, known};
use crate::policy_thread::snapshot_publisher::SnapshotPublisher;
use harvestman_core::clock::Clock;
use harvestman_core::config::{self, Config, Flag, FlagValue, value_of};
use harvestman_core::model::ClusterId;
use harvestman_fleet::bus::Bus;
use harvestman_fleet::node::{OnOrders, records};
use harvestman_fleet::order_submission;
use harvestman_fleet::orders::{List, Order, Orders};
use harvestman_policy::steering::{KnownCluster, Target};
use harvestman_report::{Command, CommandRequest, Hooks};
use harvestman_stages::frontier::Control;
use harvestman_stages::host::HostName;

/// The commands to this node, over all of its sessions.
pub(super) type OuterCommands = Arc<tokio::sync::Mutex<Option<mpsc::Receiver<CommandRequest>>>>;

/// Resumes a stopped crawl, with the budgets that `own` names.
pub(super) async fn reopen(bus: &dyn Bus, clock: &Clock, own: &Config) -> Result<(), Error> {
    let usual = Config::default();
    let named = |name: &&str| value_of(own, name) != value_of(&usual, name);
    let names = ["budget.pages", "budget.requests", "budget.bytes", "budget.time"];
    let settings = names.into_iter().filter(named).filter_map(|name| Some((name.to_owned(), value_of(own, name)?)));
    let settings: Vec<_> = settings.collect();
    let set = (!settings.is_empty()).then_some(Order::Set(settings));
    for order in set.into_iter().chain([Order::Resume, Order::Reopen]) {
        let submitted = order_submission::submit(bus, clock, &order).await;
        submitted.map_err(|error| Error::Configuration(error.to_string()))?;
    }
    Ok(())
}

/// Returns the error of a node that tries to join a stopped crawl.
pub(super) fn was_stopped(name: &str) -> Error {
    Error::Configuration(format!(
        "the fleet's crawl `{name}` was stopped; `harvestman fleet join SERVERS --resume` resumes it"
    ))
}

/// Clusters of pages that a node has met.
type Clusters = BTreeMap<ClusterId, KnownCluster>;

/// Carries orders between a node's crawl and its fleet, for a session.
pub(super) struct OrderRelay {
    bus: Arc<dyn Bus>,
    clock: Clock,
    given: OuterCommands,
    /// The hooks of the crawl itself.
    inner: Hooks,
    /// The fleet's orders that the crawl has carried out.
    done: Orders,
    /// The settings of the crawl after these orders.
    config: Config,
    /// Knows the clusters of pages; `None` if each node has clusters of its own.
    publisher: Option<Arc<SnapshotPublisher>>,
    newest: watch::Receiver<Orders>,
}

/// What a relay is built from.
pub(super) struct RelaySetup {
    pub(super) bus: Arc<dyn Bus>,
    pub(super) clock: Clock,
    /// The commands that are given to this node.
    pub(super) given: OuterCommands,
    /// The hooks of the crawl itself.
    pub(super) inner: Hooks,
    /// Whether all nodes decide by one policy, so that a cluster of pages is the same at each.
    pub(super) one_policy: bool,
}

impl OrderRelay {
    /// Applies the earlier orders of its fleet to a crawl that is about to begin. New orders go to [`Self::serve`].
    pub(super) async fn begin(
        RelaySetup { bus, clock, given, inner, one_policy }: RelaySetup,
        orders: Orders,
        control: &CrawlControl,
        frontier: &FrontierHandle,
    ) -> (Self, OnOrders) {
        for order in orders.since(&Orders::default()) {
            let Some(command) = command(&order) else { continue };
            if let Err(why) = control.carry_out(command).await {
                tracing::error!("this node cannot carry out an order of its fleet ({order:?}): {why}");
            }
        }
        if orders.paused {
            // The pause switch is read later.
            frontier.send(Control::Pause);
            inner.pause.set(true);
        }
        let (sender, newest) = watch::channel(orders.clone());
        let on_orders: OnOrders = Arc::new(move |value| match records::read::<Orders>(value) {
            Ok(orders) => {
                sender.send_if_modified(|known| {
                    let is_newer = orders.number > known.number;
                    if is_newer {
                        *known = orders;
                    }
                    is_newer
                });
            }
            Err(error) => tracing::error!("the fleet's orders cannot be read: {error}"),
        });
        let config = Config::clone(&control.config());
        let publisher = one_policy.then(|| Arc::clone(control.publisher()));
        (Self { bus, clock, given, inner, done: orders, config, publisher, newest }, on_orders)
    }

    /// Serves until it is dropped.
    pub(super) async fn serve(mut self) {
        let given = Arc::clone(&self.given);
        let mut given = given.lock().await;
        loop {
            tokio::select! {
                biased;
                changed = self.newest.changed() => match changed {
                    Ok(()) => {
                        let newest = self.newest.borrow_and_update().clone();
                        self.catch_up(newest).await;
                    }
                    // The node has ended.
                    Err(_) => return,
                },
                Some(CommandRequest { command, answer }) = next(&mut given) => {
                    let done = self.submit(&command).await;
                    match &done {
                        Ok(effect) => tracing::info!("command {command:?}: {effect}"),
                        Err(why) => tracing::info!("command {command:?}: refused: {why}"),
                    }
                    // The sender may be gone.
                    let _ = answer.send(done);
                }
            }
        }
    }

    /// Submits a command to the fleet and carries it out here at once. Returns its effect here.
    async fn submit(&mut self, command: &Command) -> Result<String, String> {
        let clusters = self.publisher.as_ref().map(|publisher| publisher.clusters());
        let order = order(command, &self.config, clusters.as_ref())?;
        let submitted = order_submission::submit(&*self.bus, &self.clock, &order).await;
        let effects = self.catch_up(submitted.map_err(|error| error.to_string())?).await;
        let here = if effects.is_empty() { "nothing changed".to_owned() } else { effects.join("; ") };
        Ok(format!("submitted to the fleet. Here: {here}"))
    }

    /// Carries out the orders given since. Returns their effects.
    async fn catch_up(&mut self, newest: Orders) -> Vec<String> {
        if newest.number <= self.done.number {
            return Vec::new();
        }
        let mut effects = Vec::new();
        for order in newest.since(&self.done) {
            match self.carry_out_here(&order).await {
                Ok(effect) => effects.push(effect),
                Err(why) => {
                    tracing::error!("this node cannot carry out an order of its fleet ({order:?}): {why}");
                    effects.push(format!("this node cannot: {why}"));
                }
            }
        }
        self.done = newest;
        effects
    }

    async fn carry_out_here(&mut self, order: &Order) -> Result<String, String> {
        if let Some(command) = command(order) {
            let effect = self.inner.commands.give(command).await?;
            if let Order::Set(settings) = order {
                self.config = config::changed(&self.config, &flags(settings))?;
            }
            return Ok(effect);
        }
        match order {
            Order::Pause => self.inner.pause.set(true),
            Order::Resume => self.inner.pause.set(false),
            Order::Stop => self.inner.stop.request(),
            _ => {}
        }
        Ok(match order {
            Order::Pause => "nothing new is started",
            Order::Resume => "it continues",
            Order::Stop => "work in progress is finished; then this node ends",
            _ => "nothing to do",
        }
        .to_owned())
    }
}

/// Receives the next command; never completes if there is no channel for commands.
async fn next(given: &mut Option<mpsc::Receiver<CommandRequest>>) -> Option<CommandRequest> {
    let received = match given {
        Some(given) => given.recv().await,
        None => None,
    };
    match received {
        Some(given) => Some(given),
        None => std::future::pending().await,
    }
}

fn flags(settings: &[(String, String)]) -> Vec<Flag> {
    let flag = |(name, value): &(String, String)| Flag {
        flag: format!("{name}={value}"),
        name: name.clone(),
        value: FlagValue::Text(value.clone()),
    };
    settings.iter().map(flag).collect()
}

/// Converts a command to an order for all nodes. It is checked here first, so that an invalid one goes no further.
/// `clusters`: those whose pages this node has met; `None` if each node has clusters of its own.
fn order(command: &Command, config: &Config, clusters: Option<&Clusters>) -> Result<Order, String> {
    let target = |text: &str| {
        let target = parsed(text)?;
        if !matches!(target, Target::Urls(_)) {
            let clusters = clusters.ok_or_else(|| clusters_differ(text, config))?;
            if let Target::Cluster(cluster) = target {
                known(cluster, clusters, config)?;
            }
        }
        Ok::<_, String>(target.to_string())
    };
    Ok(match command {
        Command::Set(settings) => {
            config::changed(config, &flags(settings))?;
            Order::Set(settings.clone())
        }
        Command::Ban(text) => Order::Add(List::Banned, target(text)?),
        Command::Pin(text) => Order::Add(List::Pinned, target(text)?),
        // Not checked against the known clusters: it may have been forgotten since.
        Command::Unban(text) => Order::Remove(List::Banned, parsed(text)?.to_string()),
        Command::Unpin(text) => Order::Remove(List::Pinned, parsed(text)?.to_string()),
        Command::Block(text) => Order::Add(List::Blocked, host(text)?),
        Command::Unblock(text) => Order::Remove(List::Blocked, host(text)?),
        Command::Pause => Order::Pause,
        Command::Unpause => Order::Resume,
        Command::Stop => Order::Stop,
    })
}

fn parsed(text: &str) -> Result<Target, String> {
    text.parse().map_err(|error| format!("{error}"))
}

/// Returns why a cluster, or a class of links, cannot be named to a fleet.
fn clusters_differ(text: &str, config: &Config) -> String {
    format!(
        "with the policy `{}` each node has clusters of pages of its own, so that `{text}` means something else on \
         each: name a form of URLs, such as /tag/*; with `ucc` and `target` a cluster is the same on all nodes",
        config.crawl.policy.name()
    )
}

fn host(text: &str) -> Result<String, String> {
    Ok(text.parse::<HostName>().map_err(|error| error.to_string())?.to_string())
}

/// Returns the command for an order; `None` if the crawl has a switch for it.
fn command(order: &Order) -> Option<Command> {
    Some(match order {
        Order::Set(settings) => Command::Set(settings.clone()),
        Order::Add(List::Banned, what) => Command::Ban(what.clone()),
        Order::Add(List::Pinned, what) => Command::Pin(what.clone()),
        Order::Add(List::Blocked, what) => Command::Block(what.clone()),
        Order::Remove(List::Banned, what) => Command::Unban(what.clone()),
        Order::Remove(List::Pinned, what) => Command::Unpin(what.clone()),
        Order::Remove(List::Blocked, what) => Command::Unblock(what.clone()),
        Order::Pause | Order::Resume | Order::Stop | Order::Reopen => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_commands_are_refused_and_valid_ones_have_one_spelling() {
        let config = Config::default();
        let order = |command: Command| order(&command, &config, None);
        let set = |name: &str, value: &str| Command::Set(vec![(name.to_owned(), value.to_owned())]);
        assert!(order(set("host.delay", "soon")).is_err());
        assert!(order(set("crawl.threads", "2")).unwrap_err().contains("cannot be changed while"));
        assert!(order(set("host.delay", "2s")).is_ok());
        assert!(order(Command::Ban("5".to_owned())).unwrap_err().contains("/tag/*"));
        assert!(order(Command::Block("a b".to_owned())).is_err());
        let blocked = Order::Add(List::Blocked, "a.test".to_owned());
        assert_eq!(order(Command::Block(" A.test ".to_owned())), Ok(blocked));
    }

    #[test]
    fn clusters_can_be_named_if_all_nodes_share_them_and_this_one_knows_them() {
        let config = Config::default();
        let class = "5/00c0ffee00c0ffee/8badf00d8badf00d";
        let clusters = Clusters::from([(ClusterId(5), KnownCluster { pages: 3, example: "http://a.test/".into() })]);
        let ban = |text: &str, clusters| order(&Command::Ban(text.to_owned()), &config, clusters);
        for text in ["5", class] {
            assert_eq!(ban(text, Some(&clusters)), Ok(Order::Add(List::Banned, text.to_owned())));
            assert!(ban(text, None).unwrap_err().contains("of its own"));
        }
        assert!(ban("6", Some(&clusters)).unwrap_err().contains("5: 3 pages, such as http://a.test/"));
        // It may be forgotten by now.
        let unban = order(&Command::Unban("6".to_owned()), &config, None);
        assert_eq!(unban, Ok(Order::Remove(List::Banned, "6".to_owned())));
    }

    #[test]
    fn orders_convert_back_to_their_commands() {
        let config = Config::default();
        for made in [Command::Ban, Command::Unban, Command::Pin, Command::Unpin] {
            let made = made("/tag/*".to_owned());
            assert_eq!(command(&order(&made, &config, None).unwrap()), Some(made));
        }
        for made in [Command::Block, Command::Unblock] {
            let made = made("a.test".to_owned());
            assert_eq!(command(&order(&made, &config, None).unwrap()), Some(made));
        }
    }
}
