//! What all workers share.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::handles::{ArchiveHandle, FrontierHandle, HostsHandle, Writing};
use crate::live::LiveBoard;
use crate::login::Session;
use crate::page::suspects::Suspects;
use crate::page::visits::Visits;
use crate::recrawl::RecrawlHandle;
use crate::rendering::{RenderQueue, Renders};
use crate::run::extensions::{ExtensionErrors, ReceivesPages};
use harvestman_core::clock::Clock;
use harvestman_core::held_pages::PutBacks;
use harvestman_core::recent_trees::RecentTrees;
use harvestman_metrics::Metrics;
use harvestman_stages::frontier::CreditPool;

/// What all workers share.
pub(crate) struct WorkerContext {
    pub(crate) frontier: FrontierHandle,
    pub(crate) hosts: HostsHandle,
    pub(crate) archive: ArchiveHandle,
    /// In a recrawl: its scheduler.
    pub(crate) recrawl: Option<RecrawlHandle>,
    pub(crate) visits: Arc<Visits>,
    /// The queue of the browsers, if pages may be rendered.
    pub(crate) renders: Option<RenderQueue>,
    /// Decides which pages are.
    pub(crate) render_rules: Option<Arc<Renders>>,
    /// The session, if the crawl logs in.
    pub(crate) session: Option<Arc<Session>>,
    /// Answers that may be substitutes.
    pub(crate) suspects: Suspects,
    /// How often URLs were put back.
    pub(crate) put_backs: Arc<PutBacks>,
    /// Takes the trees of pages for who follows the crawl.
    pub(crate) trees: RecentTrees,
    /// For URLs of sitemaps that the frontier has not taken in.
    pub(crate) sitemap_credit: CreditPool,
    pub(crate) live: Arc<LiveBoard>,
    pub(crate) clock: Clock,
    pub(crate) metrics: Metrics,
    /// Receives pages for the program that embeds the crawl.
    pub(crate) receiver: Option<Arc<dyn ReceivesPages>>,
    /// What has failed of that program's code.
    pub(crate) extension_errors: ExtensionErrors,
    /// Set with the first outcome that could not be written.
    pub(crate) write_failed: AtomicBool,
}

impl WorkerContext {
    /// Sends what is to be written to the archive.
    pub(crate) fn hand_to_writer(&self, writing: Writing, done: impl FnOnce(bool) + Send + 'static) {
        if let Some(record) = &writing.record {
            self.live.see(record);
        }
        self.archive.write(writing, done);
    }
}
