//! The parts that are built from the configuration before anything runs.

use std::collections::HashSet;
use std::sync::Arc;

use super::CrawlBuilder;
use crate::bounds::descriptor_shares;
use crate::error::Error;
use crate::login::{AvoidedLinks, LogInSettings};
use crate::page::cookie_walls::CookieWalls;
use crate::page::feeds::Feeds;
use crate::page::rules::{LinkRules, PolicyRules, ReadingRules, Rules, UrlRules};
use crate::page::validator::reads_posts;
use crate::policy_thread::policy_setup::{PolicyEnvironment, PolicySetup};
use crate::run::environment::{Network, NetworkOptions};
use crate::search::searches::{Searches, query};
use harvestman_core::config::{Config, SEARCH_SITES_MAX};
use harvestman_core::model::{Apath, Fate, HostOwnership, LinkClass, ScheduledUrl};
use harvestman_core::url::{CanonicalUrl, Canonicaliser, HostGroups, HostKey, Scope};
use harvestman_policy::{PolicySnapshot, Proposal};
use harvestman_stages::fetch::{ClientBounds, DecodeLimits, Trust};
use harvestman_stages::frontier::DiscoveredLinks;
use harvestman_stages::host::sitemap;
use harvestman_storage::archive;
use harvestman_storage::dedup::SeenUrls;

/// The parts that are built from the configuration before anything runs.
pub(super) struct Parts {
    pub(super) seeds: Vec<CanonicalUrl>,
    pub(super) groups: HostGroups,
    pub(super) canonicaliser: Canonicaliser,
    pub(super) scope: Arc<Scope>,
    pub(super) searches: Option<Arc<Searches>>,
    pub(super) network: Arc<dyn Network>,
    /// `None` if the crawl does not log in.
    pub(super) log_in: Option<LogInSettings>,
    pub(super) ownership: Arc<dyn HostOwnership>,
}

/// Returns the seeds, canonical, each once. All invalid ones are reported together.
pub(crate) fn seeds(
    written: &[String],
    canonicaliser: &Canonicaliser,
    searches: bool,
) -> Result<Vec<CanonicalUrl>, Error> {
    let (mut seeds, mut known, mut wrong) = (Vec::new(), HashSet::new(), Vec::new());
    for text in written {
        match canonicaliser.parse(text) {
            Ok(url) if !known.insert(url.clone()) => {}
            Ok(url) => seeds.push(url),
            Err(why) => wrong.push(format!("`{text}` is not an http or https URL ({})", why.label())),
        }
    }
    if !wrong.is_empty() {
        return Err(Error::NoUsableSeed { reason: wrong.join("; ") });
    }
    if seeds.is_empty() && !searches {
        return Err(Error::NoUsableSeed { reason: "none is given".to_owned() });
    }
    Ok(seeds)
}

/// Checks the settings, and builds what depends on nothing else. Nothing is written yet.
pub(super) fn parts(builder: &CrawlBuilder<'_>) -> Result<(Parts, PolicySetup), Error> {
    let CrawlBuilder { config, clock, seed, environment, .. } = builder;
    let wrong = |error: &dyn std::fmt::Display| Error::Configuration(error.to_string());
    archive::check(&config.archive).map_err(|error| wrong(&error))?;
    let canonicaliser = Canonicaliser::new(&config.url).map_err(|error| wrong(&error))?;
    let searches = Searches::new(config, &canonicaliser)?;
    let seeds = seeds(&config.crawl.seeds, &canonicaliser, config.search.has_named())?;
    let scope = Arc::new(scope(config, &canonicaliser, &seeds)?);
    let log_in = LogInSettings::read(config, &scope)?;
    let groups = HostGroups::new(&config.host.groups).map_err(|error| wrong(&error))?;
    let mut fetch = config.fetch.clone();
    let bounds = client_bounds(config);
    // The session of a log-in.
    fetch.cookie_jar |= config.login.is_on();
    let trust = trust(config, &canonicaliser, &seeds, searches.as_deref())?;
    let search_keys = searches.as_ref().map(|searches| &searches.keys);
    let options = NetworkOptions { fetch: &fetch, bounds, identity: &config.identity, search_keys };
    let network = environment.network(options, clock.clone(), trust).map_err(|error| wrong(&error))?;
    let own = builder.extensions.policy.clone();
    let environment = PolicyEnvironment { environment: *environment, seed: *seed, own };
    let policy = PolicySetup::new(config, &canonicaliser, &seeds, &scope, searches.as_ref(), environment)?;
    let ownership = builder.environment.ownership();
    Ok((Parts { seeds, groups, canonicaliser, scope, searches, network, log_in, ownership }, policy))
}

/// Returns the bounds of the client of a crawl: it keeps the connections that it uses at once, and owes hosts a delay.
fn client_bounds(config: &Config) -> ClientBounds {
    let usual = ClientBounds::default();
    ClientBounds {
        idle_max: descriptor_shares(config).idle as usize,
        idle_per_host: usual.idle_per_host.max(config.host.connections_per_host as usize),
        resends_unanswered: config.host.delay.0.is_zero() && config.host.delay_per_ip.0.is_zero(),
        ..usual
    }
}

/// Returns whom the user trusts: seeds with everything, searches with private addresses alone.
fn trust(
    config: &Config,
    canonicaliser: &Canonicaliser,
    seeds: &[CanonicalUrl],
    searches: Option<&Searches>,
) -> Result<Trust, Error> {
    let hosts = |urls: Vec<CanonicalUrl>| urls.iter().map(CanonicalUrl::host_key).collect::<Vec<HostKey>>();
    let searches = searches.map(|searches| searches.addresses(canonicaliser)).unwrap_or_default();
    let added = config.credential_origins().map_err(Error::Configuration)?;
    let trust = Trust::of_seeds(&hosts(seeds.to_vec())).with_credentials_for(&hosts(added));
    Ok(trust.with_addresses_of(&hosts(searches)))
}

/// Builds the scope. A crawl with searches that the user named also has the sites of the examples in it, and room for
/// the sites that are found.
pub(crate) fn scope(config: &Config, canonicaliser: &Canonicaliser, seeds: &[CanonicalUrl]) -> Result<Scope, Error> {
    let wrong = |error: &dyn std::fmt::Display| Error::Configuration(error.to_string());
    let is_on = config.search.has_named();
    let examples = config.policy.example.0.iter().filter(|_| is_on);
    let examples = examples.filter_map(|text| canonicaliser.parse(text).ok());
    let seeds: Vec<CanonicalUrl> = seeds.iter().cloned().chain(examples).collect();
    let scope = Scope::new(&config.scope, &seeds).map_err(|error| wrong(&error))?;
    Ok(scope.with_found_sites(if is_on { SEARCH_SITES_MAX } else { 0 }))
}

/// Builds the rules that are the same for all pages.
pub(super) fn rules(
    builder: &CrawlBuilder<'_>,
    parts: &Parts,
    policy: &PolicySetup,
    seen: &Arc<SeenUrls>,
    digests: bool,
) -> Rules {
    let config = builder.config;
    Rules {
        urls: UrlRules {
            canonicaliser: parts.canonicaliser.clone(),
            scope: Arc::clone(&parts.scope),
            seen: Arc::clone(seen),
            ownership: Arc::clone(&parts.ownership),
            depth_max: config.budget.depth,
            recorded: None,
        },
        policy: PolicyRules {
            current: Arc::clone(&policy.current),
            needs: Arc::clone(&policy.needs),
            reads_posts: reads_posts(&config.policy),
        },
        links: LinkRules {
            filter: config.filter.clone(),
            own_filter: builder.extensions.filter.clone(),
            avoided: AvoidedLinks::new(config),
            cookie_walls: (config.fetch.cookie_jar || config.login.is_on()).then(CookieWalls::default),
            export: config.archive.links,
            collects_links: builder.extensions.receiver.is_some(),
        },
        reading: ReadingRules {
            agent: config.robots.agent.clone(),
            decode: DecodeLimits::from(&config.fetch),
            sitemaps: sitemap::SitemapLimits::from(&config.robots),
            digests,
            compares_words: config.filter.substitutes,
        },
        searches: parts.searches.clone(),
        feeds: Feeds::new(config.crawl.feeds),
        metrics: builder.hooks.metrics.clone(),
    }
}

/// Returns the seeds as discovered links.
pub(super) fn plant<'a>(
    seeds: impl Iterator<Item = &'a CanonicalUrl>,
    rules: &Rules,
    snapshot: &dyn PolicySnapshot,
) -> DiscoveredLinks {
    let mut found = DiscoveredLinks { generation: snapshot.generation(), ..DiscoveredLinks::default() };
    for url in seeds {
        if let Err(why) = rules.urls.scope.check(url.as_str()) {
            tracing::warn!(url = url.as_str(), why = why.label(), "a seed is outside the scope");
            found.settled.add(Fate::OutOfScope(why), 1);
        } else if rules.urls.seen.insert(url.fingerprint()) {
            let class = LinkClass::unclassified(Apath::SEED).with_pattern(snapshot.pattern(url.as_str()));
            let url = url.clone();
            found.accepted.push(ScheduledUrl::found(url, class));
        }
    }
    found
}

/// Adds queries to the seeds. Those of an earlier run whose answers may be lost are sent again.
pub(super) fn plant_queries(queries: &[Proposal], rules: &Rules, found: &mut DiscoveredLinks) {
    for item in queries.iter().map(query) {
        rules.urls.seen.insert(item.url.fingerprint());
        found.accepted.push(item);
    }
}
