//! What a crawl meets of the world outside. A live crawl meets the network and the disk; one that is simulated, models of them that
//! fail as its seed says.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use super::fleet::NodePolicy;
use super::make_policy::MakePolicy;
use super::state_writer::{StateLog, SyncArchive};
use harvestman_core::clock::Clock;
use harvestman_core::config::FetchOptions;
use harvestman_core::model::{Exchange, Failure, HostOwnership, SingleNode};
use harvestman_core::seed::Seed;
use harvestman_core::url::HostKey;
use harvestman_stages::fetch::{Client, Error, Request, TrustedHosts};
use harvestman_storage::archive::{ArchiveOutput, CrawlFiles};
use harvestman_storage::store::Store;

/// Something that ends later.
pub(super) type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where requests go.
pub(super) trait Network: Send + Sync {
    /// [`Client::fetch`].
    fn fetch<'a>(&'a self, request: &'a Request) -> Later<'a, Exchange>;
    /// [`Client::address_of`].
    fn address_of<'a>(&'a self, host: &'a HostKey) -> Later<'a, Result<Option<IpAddr>, Failure>>;
}

impl Network for Client {
    fn fetch<'a>(&'a self, request: &'a Request) -> Later<'a, Exchange> {
        Box::pin(self.fetch(request))
    }

    fn address_of<'a>(&'a self, host: &'a HostKey) -> Later<'a, Result<Option<IpAddr>, Failure>> {
        Box::pin(self.address_of(host))
    }
}

/// The world outside.
pub(super) trait Environment {
    /// The way to the servers.
    fn network(&self, options: &FetchOptions, clock: Clock, trusted: TrustedHosts) -> Result<Arc<dyn Network>, Error>;

    /// Which URLs are this node's own.
    fn ownership(&self) -> Arc<dyn HostOwnership> {
        SingleNode::shared()
    }

    /// Whether the crawl begins with its seeds. In a fleet they come over the exchange.
    fn plants(&self) -> bool {
        true
    }

    /// Whether the budgets are those of a whole fleet, of which this node is granted parts.
    fn shares_budgets(&self) -> bool {
        false
    }

    /// The policy: one that learns here, unless it is shared with others.
    fn policy(&self, make: &MakePolicy, seed: Seed) -> NodePolicy {
        NodePolicy { policy: make(seed.child("policy")), shared: None }
    }

    /// Whether something may be known of hosts that nothing has been sent to yet.
    fn remembers(&self) -> bool {
        false
    }

    /// What stands before the files of the archive.
    fn output(&self, files: CrawlFiles) -> Box<dyn ArchiveOutput> {
        Box::new(files)
    }

    /// How the archive is forced to the disk before a group of changes is committed.
    fn archive_sync(&self, sync: SyncArchive) -> SyncArchive {
        sync
    }

    /// What stands before the state.
    fn state(&self, store: Store) -> Box<dyn StateLog> {
        Box::new(store)
    }
}

/// The world as it is.
pub(super) struct LiveEnvironment;

impl Environment for LiveEnvironment {
    fn network(&self, options: &FetchOptions, clock: Clock, trusted: TrustedHosts) -> Result<Arc<dyn Network>, Error> {
        Ok(Arc::new(Client::new(options, clock, trusted)?))
    }
}
