//! The rules that are the same for all pages of a crawl.

use std::sync::Arc;

use crate::login::AvoidedLinks;
use crate::page::cookie_walls::CookieWalls;
use crate::page::feeds::Feeds;
use crate::page::substitutes::Substitutes;
use crate::policy_thread::needs::SharedNeeds;
use crate::rendering::Renders;
use crate::run::extensions::AcceptsLinks;
use crate::search::searches::Searches;
use harvestman_consent::ConsentRules;
use harvestman_core::clock::Stopwatch;
use harvestman_core::config::filter::FilterOptions;
use harvestman_core::model::{
    Answer, ClusterId, HostOwnership, PageCluster, PageText, ParsedPage, RobotsDirectives, ScheduledUrl,
};
use harvestman_core::url::{Canonicaliser, Fingerprint, Scope};
use harvestman_metrics::Metrics;
use harvestman_policy::{CurrentPolicy, PolicySnapshot};
use harvestman_stages::fetch::{self, DecodeLimits};
use harvestman_stages::host::sitemap;
use harvestman_storage::dedup::SeenUrls;
use harvestman_structure::parse::refresh_target;

/// Returns whether a URL was recorded.
pub(crate) type Recorded = Arc<dyn Fn(Fingerprint) -> bool + Send + Sync>;

/// Whether a page is one of those that are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Acceptance {
    /// `None` if that cannot be told.
    pub accepted: Option<bool>,
    /// Whether the reading of its posts was given up, because it takes too long.
    pub is_given_up: bool,
}

/// Tells whether a page is wanted, by its address, its decoded body and its content type.
pub type AcceptsPage = dyn Fn(&str, &[u8], Option<&str>) -> Acceptance + Send + Sync;

/// Returns the posts of a page as a text, by its address, its decoded body and its content type; `None` if reading them takes too
/// long.
pub(crate) type ReadsPosts = dyn Fn(&str, &[u8], Option<&str>) -> Option<PageText> + Send + Sync;

/// The rules that are the same for all pages.
pub(crate) struct Rules {
    pub(crate) canonicaliser: Canonicaliser,
    pub(crate) scope: Arc<Scope>,
    pub(crate) seen: Arc<SeenUrls>,
    /// The hosts that this node owns.
    pub(crate) ownership: Arc<dyn HostOwnership>,
    pub(crate) policy: CurrentPolicy,
    /// What the policy needs of each page.
    pub(crate) needs: Arc<SharedNeeds>,
    pub(crate) filter: FilterOptions,
    pub(crate) depth_max: u16,
    pub(crate) agent: String,
    /// What is done with statements about the use of content.
    pub(crate) consent: ConsentRules,
    pub(crate) decode: DecodeLimits,
    pub(crate) sitemaps: sitemap::SitemapLimits,
    /// Which feeds are followed.
    pub(crate) feeds: Feeds,
    /// Whether the links of each page are exported.
    pub(crate) export: bool,
    /// Whether the links of each page are collected for the program that embeds the crawl.
    pub(crate) collects_links: bool,
    /// The filter of that program.
    pub(crate) own_filter: Option<Arc<dyn AcceptsLinks>>,
    /// Whether digests of pages are computed, for later visits to them.
    pub(crate) digests: bool,
    /// The URLs that exist, if a recording is replayed.
    pub(crate) recorded: Option<Recorded>,
    /// Says which pages are wanted, if the policy does not decide that by itself.
    pub(crate) validator: Option<Arc<AcceptsPage>>,
    /// Reads the text that makes pages worth a request, if that is their posts.
    pub(crate) reads_posts: Option<Arc<ReadsPosts>>,
    /// The searches of the crawl.
    pub(crate) searches: Option<Arc<Searches>>,
    /// Tells pages that servers send in place of others, if they are told.
    pub(crate) substitutes: Option<Substitutes>,
    /// Tells redirects that only set cookies, if the crawl sends cookies back.
    pub(crate) cookie_walls: Option<CookieWalls>,
    /// The links that are not followed, if the crawl sees what a member sees.
    pub(crate) avoided: Option<Arc<AvoidedLinks>>,
    /// Decides which pages are rendered, if any may be.
    pub(crate) renders: Option<Arc<Renders>>,
    pub(crate) metrics: Metrics,
}

impl Rules {
    /// Returns the current snapshot of the policy.
    pub(crate) fn snapshot(&self) -> Arc<dyn PolicySnapshot> {
        Arc::clone(&self.policy.load())
    }

    /// Returns the cluster of the page.
    pub(crate) fn classified(
        &self,
        policy: &dyn PolicySnapshot,
        item: &ScheduledUrl,
        page: &ParsedPage,
    ) -> PageCluster {
        let metrics = &self.metrics.classify;
        // Before there is anything to tell apart there is nothing to measure.
        let is_timed = metrics.busy_seconds.is_on() && policy.generation() > 0;
        let mut watch = is_timed.then(Stopwatch::start);
        let cluster = policy.page_cluster(item.class, item.url.as_str(), &page.leaf_paths);
        watch.iter_mut().for_each(|watch| metrics.busy_seconds.add(watch.lap()));
        metrics.stage.received.inc();
        match cluster.cluster {
            ClusterId::UNKNOWN => {
                metrics.stage.dropped.by("unknown").inc();
                metrics.pages.named("unknown").inc();
            }
            ClusterId(number) => {
                metrics.stage.sent.inc();
                metrics.pages.by(number).inc();
            }
        }
        cluster
    }

    /// Returns the directives to this crawler in the head of an answer.
    pub(crate) fn header_directives(&self, answer: &Answer) -> RobotsDirectives {
        fetch::robots_directives(&answer.headers, &self.agent)
    }

    /// Returns the target of an answer's `Refresh` header, resolved against the page's address: a base element does not
    /// apply to it.
    pub(crate) fn refresh_target(&self, item: &ScheduledUrl, answer: &Answer) -> Option<String> {
        let value = fetch::redirect::refresh(&answer.headers)?;
        let target = refresh_target(&value)?;
        let mut resolver = self.canonicaliser.resolver(&item.url, None);
        Some(resolver.resolve(target).map_or(target, |url| url.as_str()).to_owned())
    }
}
