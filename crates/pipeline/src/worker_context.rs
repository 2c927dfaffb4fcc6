//! What all workers share.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::extensions::{ExtensionErrors, ReceivesPages};
use super::handles::{ArchiveHandle, FrontierHandle, HostsHandle, Writing};
use super::live::LiveBoard;
use super::login::Session;
use super::recrawl::RecrawlHandle;
use super::rendering::{RenderQueue, Renders};
use super::suspects::Suspects;
use super::visits::Visits;
use harvestman_core::clock::Clock;
use harvestman_core::recent_trees::RecentTrees;
use harvestman_metrics::Metrics;
use harvestman_stages::frontier::CreditPool;

/// What all workers share.
pub(super) struct WorkerContext {
    pub(super) frontier: FrontierHandle,
    pub(super) hosts: HostsHandle,
    pub(super) archive: ArchiveHandle,
    /// In a recrawl: its scheduler.
    pub(super) recrawl: Option<RecrawlHandle>,
    pub(super) visits: Arc<Visits>,
    /// The queue of the browsers, if pages may be rendered.
    pub(super) renders: Option<RenderQueue>,
    /// Decides which pages are.
    pub(super) render_rules: Option<Arc<Renders>>,
    /// The session, if the crawl logs in.
    pub(super) session: Option<Arc<Session>>,
    /// Answers that may be substitutes.
    pub(super) suspects: Suspects,
    /// Takes the trees of pages for who follows the crawl.
    pub(super) trees: RecentTrees,
    /// For URLs of sitemaps that the frontier has not taken in.
    pub(super) sitemap_credit: CreditPool,
    pub(super) live: Arc<LiveBoard>,
    pub(super) clock: Clock,
    pub(super) metrics: Metrics,
    /// Receives pages for the program that embeds the crawl.
    pub(super) receiver: Option<Arc<dyn ReceivesPages>>,
    /// What has failed of that program's code.
    pub(super) extension_errors: ExtensionErrors,
    /// Set with the first outcome that could not be written.
    pub(super) write_failed: AtomicBool,
}

impl WorkerContext {
    /// Sends what is to be written to the archive.
    pub(super) fn hand_to_writer(&self, writing: Writing, done: impl FnOnce(bool) + Send + 'static) {
        if let Some(record) = &writing.record {
            self.live.see(record);
        }
        self.archive.write(writing, done);
    }
}
