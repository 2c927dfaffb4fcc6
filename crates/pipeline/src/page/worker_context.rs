//! What all workers share.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::extensions::{ExtensionErrors, ReceivesPages};
use crate::handles::{ArchiveHandle, FrontierHandle, HostsHandle, Writing};
use crate::live::LiveBoard;
use crate::page::consent::Consent;
use crate::page::visits::Visits;
use crate::recrawl::RecrawlHandle;
use harvestman_core::clock::Clock;
use harvestman_core::held_pages::PutBacks;
use harvestman_core::recent_trees::RecentTrees;
use harvestman_metrics::Metrics;
use harvestman_stages::frontier::CreditPool;

/// What all workers share.
pub(crate) struct WorkerContext {
    pub(crate) handles: WorkerHandles,
    pub(crate) visits: Arc<Visits>,
    pub(crate) put_backs: Arc<PutBacks>,
    pub(crate) consent: Consent,
    pub(crate) followers: Followers,
    pub(crate) clock: Clock,
    pub(crate) metrics: Metrics,
    /// Set with the first outcome that could not be written.
    pub(crate) write_failed: AtomicBool,
}

/// The ways of the workers to other stages.
pub(crate) struct WorkerHandles {
    pub(crate) frontier: FrontierHandle,
    pub(crate) hosts: HostsHandle,
    pub(crate) archive: ArchiveHandle,
    /// In a recrawl: its scheduler.
    pub(crate) recrawl: Option<RecrawlHandle>,
    /// For URLs of sitemaps that the frontier has not taken in.
    pub(crate) sitemap_credit: CreditPool,
}

/// Those who follow the pages of a crawl.
pub(crate) struct Followers {
    pub(crate) live: Arc<LiveBoard>,
    /// Receives the trees of pages for the reader of posts.
    pub(crate) trees: RecentTrees,
    /// Receives pages for the program that embeds the crawl.
    pub(crate) receiver: Option<Arc<dyn ReceivesPages>>,
    /// What has failed of that program's code.
    pub(crate) errors: ExtensionErrors,
}

impl WorkerContext {
    /// Sends what is to be written to the archive.
    pub(crate) fn hand_to_writer(&self, writing: Writing, done: impl FnOnce(bool) + Send + 'static) {
        if let Some(record) = &writing.record {
            self.followers.live.see(record);
        }
        self.handles.archive.write(writing, done);
    }
}
