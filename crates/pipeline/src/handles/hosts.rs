//! The handle to the hosts, for other threads.

use std::sync::Arc;

use actix::ArbiterHandle;
use tokio::sync::oneshot;

use super::FrontierHandle;
use crate::hosts::HostDirectory;
use harvestman_core::url::HostKey;
use harvestman_stages::frontier::{ErrandsAdded, ErrandsDone, Hosts, RetryNow};
use harvestman_stages::host::{ContentReport, Subrequest};

/// The directory of hosts, and the thread that it is used on.
#[derive(Clone)]
pub(crate) struct HostsHandle {
    directory: Arc<HostDirectory>,
    frontier: FrontierHandle,
    arbiter: ArbiterHandle,
}

impl HostsHandle {
    /// Creates the handle of a directory whose actors run on the calling thread.
    pub(crate) fn new(directory: Arc<HostDirectory>, frontier: FrontierHandle) -> Self {
        Self { directory, frontier, arbiter: actix::Arbiter::current() }
    }

    /// Distributes the sitemaps that an index names to their hosts. The crawl does not end before that is done.
    pub(crate) fn sitemaps_found(&self, urls: Vec<String>, nesting: u32) {
        if urls.is_empty() {
            return;
        }
        self.frontier.send(ErrandsAdded(1));
        let (directory, frontier) = (Arc::clone(&self.directory), self.frontier.clone());
        self.arbiter.spawn_fn(move || {
            directory.hand_out_sitemaps(urls, nesting);
            frontier.send(ErrandsDone(1));
        });
    }

    /// Distributes sitemaps to their hosts, each list with the number of sitemap indexes above it.
    pub(crate) fn hand_out_sitemaps(&self, sitemaps: Vec<(u32, Vec<String>)>) {
        if sitemaps.is_empty() {
            return;
        }
        let directory = Arc::clone(&self.directory);
        self.arbiter.spawn_fn(move || {
            sitemaps.into_iter().for_each(|(nesting, urls)| directory.hand_out_sitemaps(urls, nesting));
        });
    }

    /// Passes a sub-request to its host. The crawl does not end by itself before it has ended. Returns false if the
    /// crawl is over.
    pub(crate) fn want_subrequest(&self, wanted: Subrequest) -> bool {
        self.frontier.send(ErrandsAdded(1));
        let directory = Arc::clone(&self.directory);
        self.arbiter.spawn_fn(move || directory.want_subrequest(wanted))
    }

    /// Withdraws a sub-request of which no reply is wanted any more.
    pub(crate) fn withdraw_subrequest(&self, host: HostKey, ticket: u64) {
        let directory = Arc::clone(&self.directory);
        self.arbiter.spawn_fn(move || directory.withdraw_subrequest(&host, ticket));
    }

    /// Tells a host what its pages turned out to be.
    pub(crate) fn report_content(&self, host: HostKey, report: ContentReport) {
        let directory = Arc::clone(&self.directory);
        self.arbiter.spawn_fn(move || directory.send(&host, report));
    }

    /// Tells a host that the crawl is logged in there.
    pub(crate) fn session_found(&self, host: &HostKey) {
        let (directory, host) = (Arc::clone(&self.directory), host.clone());
        self.arbiter.spawn_fn(move || directory.session_found(&host));
    }

    /// Ends the wait for these hosts: what waits for them fails in this run.
    pub(crate) fn end_wait(&self, hosts: Vec<HostKey>) {
        // First, or they would wait for their retries.
        self.frontier.send(RetryNow(hosts.clone()));
        let directory = Arc::clone(&self.directory);
        self.arbiter.spawn_fn(move || directory.end_wait(&hosts));
    }

    /// Forgets hosts that another node owns from now on.
    pub(crate) fn retire(&self, hosts: Arc<Hosts>) {
        let directory = Arc::clone(&self.directory);
        self.arbiter.spawn_fn(move || directory.retire(&*hosts));
    }

    /// Has all hosts check whether they may send requests now.
    pub(crate) fn recheck(&self) {
        let directory = Arc::clone(&self.directory);
        self.arbiter.spawn_fn(move || directory.change_rules(None));
    }

    /// Returns the number of requests to these hosts that are in progress, auxiliary ones included.
    pub(crate) async fn requests_of(&self, hosts: Arc<Hosts>) -> u32 {
        let (directory, (answer, answered)) = (Arc::clone(&self.directory), oneshot::channel());
        self.arbiter.spawn(async move {
            // The caller may be gone.
            let _ = answer.send(directory.requests_of(&*hosts).await);
        });
        answered.await.unwrap_or(0)
    }

    /// Returns the directory itself, for use on the thread of the actors.
    pub(crate) const fn directory(&self) -> &Arc<HostDirectory> {
        &self.directory
    }
}
