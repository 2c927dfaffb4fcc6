//! The environment of a crawl: all I/O goes through it. A live crawl uses the network and the disk; a simulated one
//! uses models of them that fail as its seed says.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use crate::error::Error as CrawlError;
use crate::policy_thread::make_policy::MakePolicy;
use crate::rendering;
use crate::run::state_writer::{StateLog, SyncArchive};
use harvestman_core::clock::Clock;
use harvestman_core::config::{Config, FetchOptions, IdentityOptions};
use harvestman_core::model::{Exchange, Failure, HostOwnership, SingleNode};
use harvestman_core::seed::Seed;
use harvestman_core::url::{HostKey, SearchKeys};
use harvestman_policy::Policy;
use harvestman_stages::fetch::{Client, ClientBounds, Error, Request, RequestSigner, StoredCookies, Trust};
use harvestman_storage::archive::{ArchiveOutput, CrawlFiles};
use harvestman_storage::store::Store;

/// A boxed future.
pub(crate) type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Sends requests and resolves hosts.
pub(crate) trait Network: Send + Sync {
    /// [`Client::fetch`].
    fn fetch<'a>(&'a self, request: &'a Request) -> Later<'a, Exchange>;
    /// [`Client::address_of`].
    fn address_of<'a>(&'a self, host: &'a HostKey) -> Later<'a, Result<Option<IpAddr>, Failure>>;
    /// [`Client::stored_cookies`].
    fn stored_cookies(&self) -> StoredCookies {
        StoredCookies::default()
    }
    /// [`Client::cookie_changes`].
    fn cookie_changes(&self) -> u64 {
        0
    }
    /// [`Client::restore_cookies`].
    fn restore_cookies(&self, _stored: StoredCookies) {}
    /// [`Client::keep_public`].
    fn keep_public(&self, _hosts: &[HostKey]) {}
}

impl Network for Client {
    fn fetch<'a>(&'a self, request: &'a Request) -> Later<'a, Exchange> {
        Box::pin(self.fetch(request))
    }

    fn address_of<'a>(&'a self, host: &'a HostKey) -> Later<'a, Result<Option<IpAddr>, Failure>> {
        Box::pin(self.address_of(host))
    }

    fn stored_cookies(&self) -> StoredCookies {
        self.stored_cookies()
    }

    fn cookie_changes(&self) -> u64 {
        self.cookie_changes()
    }

    fn restore_cookies(&self, stored: StoredCookies) {
        self.restore_cookies(stored);
    }

    fn keep_public(&self, hosts: &[HostKey]) {
        self.keep_public(hosts);
    }
}

/// The settings of a network.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NetworkOptions<'a> {
    pub(crate) fetch: &'a FetchOptions,
    pub(crate) bounds: ClientBounds,
    pub(crate) identity: &'a IdentityOptions,
    /// The keys in the addresses of searches; `None` if there are no searches.
    pub(crate) search_keys: Option<&'a Arc<SearchKeys>>,
}

/// The I/O of a crawl.
pub(crate) trait Environment {
    /// Creates the network.
    fn network(&self, options: NetworkOptions<'_>, clock: Clock, trust: Trust) -> Result<Arc<dyn Network>, Error>;

    /// Returns the hosts that this node owns.
    fn ownership(&self) -> Arc<dyn HostOwnership> {
        SingleNode::shared()
    }

    /// Whether the crawl begins with its seeds. In a fleet they come over the exchange.
    fn has_seeds(&self) -> bool {
        true
    }

    /// Whether the budgets are those of a whole fleet, of which this node is granted shares.
    fn shares_budgets(&self) -> bool {
        false
    }

    /// Creates the policy: one that learns here, unless the nodes of a fleet share it.
    fn policy(&self, make: &MakePolicy, seed: Seed) -> Box<dyn Policy> {
        make(seed.child("policy"))
    }

    /// Whether hosts may have a history although this run has not sent them a request yet.
    fn has_history(&self) -> bool {
        false
    }

    /// Creates the browsers that render pages.
    ///
    /// # Errors
    ///
    /// There is no browser on this machine.
    fn browsers(&self, config: &Config, clock: &Clock) -> Result<rendering::Browsers, CrawlError> {
        rendering::browsers(config, clock)
    }

    /// Wraps the files of the archive.
    fn output(&self, files: CrawlFiles) -> Box<dyn ArchiveOutput> {
        Box::new(files)
    }

    /// Wraps the sync of the archive to disk, which precedes the commit of a group of changes.
    fn archive_sync(&self, sync: SyncArchive) -> SyncArchive {
        sync
    }

    /// Wraps the state.
    fn state(&self, store: Store) -> Box<dyn StateLog> {
        Box::new(store)
    }
}

/// The real network and disk.
pub(crate) struct LiveEnvironment;

impl Environment for LiveEnvironment {
    fn network(&self, options: NetworkOptions<'_>, clock: Clock, trust: Trust) -> Result<Arc<dyn Network>, Error> {
        let signer = RequestSigner::new(options.identity)?;
        let client = Client::bounded(options.fetch, options.bounds, signer, clock, trust)?;
        Ok(Arc::new(client.with_search_keys(options.search_keys.cloned())))
    }
}
