//! A crawl without network, clock and threads: the stages of a crawl, run one page at a time.
//!
//! Recordings are replayed and policies are compared with it. Parser, classifier, filter, dedup, frontier and policy
//! are those of a live crawl. The policy's snapshot is published after every page, so that the same input gives the
//! same order.

use std::sync::Arc;

use arc_swap::ArcSwap;

use crate::bounds::{CLASSES_MAX, EXPLORE_EVERY};
use crate::error::Error;
use crate::page::feeds::Feeds;
use crate::page::gate::Gate;
use crate::page::page_in_work::{Arrival, PageInWork};
use crate::page::page_processor::PageProcessor;
use crate::page::page_result::observation;
use crate::page::rules::{AcceptsPage, LinkRules, PolicyRules, ReadingRules, Recorded, Rules, UrlRules};
use crate::page::stations::Stations;
use crate::page::validator::{ValidatorGate, reads_posts};
use crate::policy_thread::needs::SharedNeeds;
use crate::search::searches::{Searches, query};
use harvestman_core::clock::Instant;
use harvestman_core::config::{Config, SEARCH_SITES_MAX};
use harvestman_core::model::{Apath, Exchange, Fate, FetchedPage, Lease, LinkClass, ScheduledUrl, SingleNode};
use harvestman_core::seed::Seed;
use harvestman_core::url::{CanonicalUrl, Canonicaliser, Fingerprint, HostKey, Scope};
use harvestman_metrics::Metrics;
use harvestman_policy::{self as policy, CurrentPolicy, Policy, PolicySnapshot};
use harvestman_stages::fetch::DecodeLimits;
use harvestman_stages::frontier::{Frontier, FrontierLimits, YieldForecast};
use harvestman_stages::host::sitemap;
use harvestman_storage::dedup::SeenUrls;
use harvestman_structure::parse::Parser;

/// What a crawl without network knows of the site.
pub struct RecordedSite {
    /// Whether a URL exists.
    pub exists: Arc<dyn Fn(Fingerprint) -> bool + Send + Sync>,
    /// Whether a page is wanted, by its address, its decoded body and its content type; `None`: the policy decides.
    pub accepts: Option<Arc<AcceptsPage>>,
}

impl RecordedSite {
    /// A site with these URLs, without a validator.
    pub fn new(exists: impl Fn(Fingerprint) -> bool + Send + Sync + 'static) -> Self {
        Self { exists: Arc::new(exists), accepts: None }
    }
}

/// A crawl whose fetches are supplied by the caller.
pub struct Offline {
    processor: PageProcessor,
    /// Without those that hold pages: a recording has what it has.
    stations: Stations,
    current: CurrentPolicy,
    needs: Arc<SharedNeeds>,
    rules: Arc<Rules>,
    frontier: Frontier,
    hosts: Vec<HostKey>,
    policy: Box<dyn Policy>,
    generation: u64,
}

/// The result of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageOutcome {
    /// Its fate.
    pub fate: Fate,
    /// The number of new links on it.
    pub new: u32,
}

impl Offline {
    /// Creates a crawl of `site` from `seeds`.
    pub fn new(
        config: &Config,
        seeds: &[CanonicalUrl],
        mut policy: Box<dyn Policy>,
        site: RecordedSite,
    ) -> Result<Self, Error> {
        let snapshot = policy::consulted(policy.snapshot(), config.filter.order);
        let current: CurrentPolicy = Arc::new(ArcSwap::from_pointee(Arc::clone(&snapshot)));
        let needs = Arc::new(SharedNeeds::new(policy.needs()));
        let RecordedSite { exists, accepts } = site;
        let rules = Arc::new(rules(config, seeds, &current, &needs, exists)?);
        let validator = accepts.map(|accepts| Box::new(ValidatorGate(accepts)) as Box<dyn Gate>);
        let options = config.parse.clone();
        let queued_max = config.frontier.queued_max;
        let limits = FrontierLimits { queued_max, host_pages_max: None, classes_max: CLASSES_MAX };
        let mut offline = Self {
            stations: Stations::new(validator.into_iter().collect()),
            processor: PageProcessor::new(Arc::clone(&rules), move || Parser::new(&options)),
            frontier: Frontier::new(limits, Arc::clone(&snapshot) as _).exploring(EXPLORE_EVERY),
            generation: snapshot.generation(),
            current,
            needs,
            rules,
            hosts: Vec::new(),
            policy,
        };
        for url in seeds {
            offline.queue_seed(url, &*snapshot);
        }
        for item in offline.policy.open_queries().iter().map(query) {
            offline.rules.urls.seen.insert(item.url.fingerprint());
            offline.push(&item);
        }
        Ok(offline)
    }

    fn queue_seed(&mut self, url: &CanonicalUrl, snapshot: &dyn PolicySnapshot) {
        if self.rules.urls.seen.insert(url.fingerprint()) {
            let class = LinkClass::unclassified(Apath::SEED).with_pattern(snapshot.pattern(url.as_str()));
            let item = ScheduledUrl::found(url.clone(), class);
            self.push(&item);
        }
    }

    fn push(&mut self, item: &ScheduledUrl) {
        // URLs over the limit of waiting ones are lost in a replay, as in a crawl.
        if let Ok(host) = self.frontier.push(item)
            && !self.hosts.contains(&host)
        {
            self.hosts.push(host);
        }
    }

    /// Leases the best URL that waits, over all hosts.
    pub fn lease(&mut self) -> Option<Lease> {
        let mut best = None;
        for (at, host) in self.hosts.iter().enumerate() {
            let Ok(rank) = self.frontier.best(host, Instant::EPOCH) else { continue };
            if best.is_none_or(|(found, _)| rank > found) {
                best = Some((rank, at));
            }
        }
        self.frontier.pop(&self.hosts[best?.1], Instant::EPOCH).ok()
    }

    /// Processes a fetched page, and lets the policy learn from it.
    pub fn take_in(&mut self, lease: &Lease, exchange: &Exchange) -> PageOutcome {
        let fetched = FetchedPage { lease: lease.clone(), exchange: exchange.clone() };
        let mut page = PageInWork::new(fetched, Arrival::Host, Instant::EPOCH);
        self.stations.read(&mut self.processor, &mut page);
        let mut result = page.result;
        self.frontier.end(lease.id);
        let seen = observation(&lease.item, &mut result);
        for item in &result.links.found.accepted {
            self.push(item);
        }
        self.policy.observe(seen);
        if let Some(searches) = &self.rules.searches {
            searches.add_found(self.policy.found_searches());
        }
        let proposals = self.policy.proposals();
        for item in self.processor.proposals(&proposals).accepted {
            self.push(&item);
        }
        self.publish();
        PageOutcome { fate: result.fate, new: result.links.found.accepted.len() as u32 }
    }

    fn publish(&mut self) {
        let snapshot = policy::consulted(self.policy.snapshot(), self.rules.links.filter.order);
        self.needs.set(self.policy.needs());
        self.frontier.set_order(Arc::clone(&snapshot) as _);
        if snapshot.generation() != self.generation {
            self.generation = snapshot.generation();
            let generation_at = |origin: &str| snapshot.generation_at(origin);
            self.frontier.reclassify(&generation_at, &|class, url, via| policy::readmit(&*snapshot, class, url, via));
        }
        self.current.store(Arc::new(snapshot));
    }

    /// Returns the current snapshot of the policy.
    pub fn snapshot(&self) -> Arc<dyn PolicySnapshot> {
        Arc::clone(&self.current.load())
    }

    /// Returns the policy, with what it has learned.
    pub fn policy(&self) -> &dyn Policy {
        &*self.policy
    }

    /// Ends the crawl and returns its policy.
    pub fn into_policy(self) -> Box<dyn Policy> {
        self.policy
    }

    /// Returns the expected yield of the next requests ([`Frontier::forecast`]).
    pub fn forecast(&self, requests: u32) -> Option<YieldForecast> {
        self.frontier.forecast(requests)
    }

    /// Returns the number of waiting URLs.
    pub const fn queued(&self) -> u64 {
        self.frontier.queued()
    }
}

pub(crate) fn rules(
    config: &Config,
    seeds: &[CanonicalUrl],
    policy: &CurrentPolicy,
    needs: &Arc<SharedNeeds>,
    exists: Recorded,
) -> Result<Rules, Error> {
    let wrong = |error: &dyn std::fmt::Display| Error::Configuration(error.to_string());
    let canonicaliser = Canonicaliser::new(&config.url).map_err(|error| wrong(&error))?;
    let searches = Searches::new(config, &canonicaliser)?;
    let found_max = if config.search.has_named() { SEARCH_SITES_MAX } else { 0 };
    let scope = Scope::new(&config.scope, seeds).map_err(|error| wrong(&error))?.with_found_sites(found_max);
    Ok(Rules {
        urls: UrlRules {
            canonicaliser,
            scope: Arc::new(scope),
            // A replay has no directory: everything stays in memory.
            seen: Arc::new(SeenUrls::new(&config.dedup, None, Seed(config.crawl.seed).child("dedup"))),
            ownership: SingleNode::shared(),
            depth_max: config.budget.depth,
            recorded: Some(exists),
        },
        policy: PolicyRules {
            current: Arc::clone(policy),
            needs: Arc::clone(needs),
            reads_posts: reads_posts(&config.policy),
        },
        links: LinkRules {
            filter: config.filter.clone(),
            own_filter: None,
            avoided: None,
            cookie_walls: None,
            export: false,
            collects_links: false,
        },
        reading: ReadingRules {
            agent: config.robots.agent.clone(),
            decode: DecodeLimits::from(&config.fetch),
            sitemaps: sitemap::SitemapLimits::from(&config.robots),
            digests: false,
            compares_words: false,
        },
        searches,
        feeds: Feeds::new(config.crawl.feeds),
        metrics: Metrics::off(),
    })
}
