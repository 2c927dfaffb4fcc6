//! The rules that are the same for all pages of a crawl.

use std::sync::Arc;

use crate::extensions::AcceptsLinks;
use crate::login::AvoidedLinks;
use crate::page::cookie_walls::CookieWalls;
use crate::page::feeds::Feeds;
use crate::policy_thread::needs::SharedNeeds;
use crate::search::searches::Searches;
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

/// Returns the posts of a page as a text, by its address, its decoded body and its content type; `None` if reading them
/// takes too long.
pub(crate) type ReadsPosts = dyn Fn(&str, &[u8], Option<&str>) -> Option<PageText> + Send + Sync;

/// The rules that are the same for all pages.
pub(crate) struct Rules {
    pub(crate) urls: UrlRules,
    pub(crate) policy: PolicyRules,
    pub(crate) links: LinkRules,
    pub(crate) reading: ReadingRules,
    /// The searches of the crawl.
    pub(crate) searches: Option<Arc<Searches>>,
    /// Which feeds are followed.
    pub(crate) feeds: Feeds,
    pub(crate) metrics: Metrics,
}

/// Which URLs belong to the crawl, and which of them are known.
pub(crate) struct UrlRules {
    pub(crate) canonicaliser: Canonicaliser,
    pub(crate) scope: Arc<Scope>,
    pub(crate) seen: Arc<SeenUrls>,
    /// The hosts that this node owns.
    pub(crate) ownership: Arc<dyn HostOwnership>,
    pub(crate) depth_max: u16,
    /// The URLs that exist, if a recording is replayed.
    pub(crate) recorded: Option<Recorded>,
}

/// What the policy decides, and what it is shown.
pub(crate) struct PolicyRules {
    pub(crate) current: CurrentPolicy,
    /// What the policy needs of each page.
    pub(crate) needs: Arc<SharedNeeds>,
    /// Reads the text that makes pages worth a request, if that is their posts.
    pub(crate) reads_posts: Option<Arc<ReadsPosts>>,
}

/// How links are filtered.
pub(crate) struct LinkRules {
    pub(crate) filter: FilterOptions,
    /// The filter of the program that embeds the crawl.
    pub(crate) own_filter: Option<Arc<dyn AcceptsLinks>>,
    /// The links that are not followed, if the crawl sees what a member sees.
    pub(crate) avoided: Option<Arc<AvoidedLinks>>,
    /// Tells redirects that only set cookies, if the crawl sends cookies back.
    pub(crate) cookie_walls: Option<CookieWalls>,
    /// Whether the links of each page are exported.
    pub(crate) export: bool,
    /// Whether the links of each page are collected for the program that embeds the crawl.
    pub(crate) collects_links: bool,
}

/// How answers are read.
pub(crate) struct ReadingRules {
    /// The name by which directives in pages address the crawl.
    pub(crate) agent: String,
    pub(crate) decode: DecodeLimits,
    pub(crate) sitemaps: sitemap::SitemapLimits,
    /// Whether digests of pages are computed, for later visits to them.
    pub(crate) digests: bool,
    /// Whether the words of a page may be asked for after it was parsed, to compare it with others of its host.
    pub(crate) compares_words: bool,
}

impl Rules {
    /// Returns the current snapshot of the policy.
    pub(crate) fn snapshot(&self) -> Arc<dyn PolicySnapshot> {
        Arc::clone(&self.policy.current.load())
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
        fetch::robots_directives(&answer.headers, &self.reading.agent)
    }

    /// Returns the target of an answer's `Refresh` header, resolved against the page's address: a base element does not
    /// apply to it.
    pub(crate) fn refresh_target(&self, item: &ScheduledUrl, answer: &Answer) -> Option<String> {
        let value = fetch::redirect::refresh(&answer.headers)?;
        let target = refresh_target(&value)?;
        let mut resolver = self.urls.canonicaliser.resolver(&item.url, None);
        Some(resolver.resolve(target).map_or(target, |url| url.as_str()).to_owned())
    }
}
