//! Distributes sitemaps to the hosts that they are on.

use std::collections::BTreeMap;

use super::HostDirectory;
use harvestman_core::model::ScheduledUrl;
use harvestman_core::url::{CanonicalUrl, HostKey};
use harvestman_stages::frontier::{DiscoveredLinks, ErrandsAdded, LinksFound};
use harvestman_stages::host::SitemapsFound;

impl HostDirectory {
    /// Distributes sitemaps to their hosts if these are in scope; those on hosts of other nodes go to these nodes.
    /// `nesting` is the number of sitemap indexes above them.
    pub(crate) fn hand_out_sitemaps(&self, urls: Vec<String>, nesting: u32) {
        let mut by_host: BTreeMap<HostKey, Vec<String>> = BTreeMap::new();
        let mut foreign = Vec::new();
        for url in urls {
            let canonical = CanonicalUrl::from_canonical(url.as_str());
            if self.scope.check(&url).is_err() {
                tracing::debug!(url, "a sitemap outside the scope is skipped");
            } else if self.ownership.holds(canonical.origin()) {
                by_host.entry(canonical.host_key()).or_default().push(url);
            } else {
                foreign.push(ScheduledUrl::sitemap(canonical, u8::try_from(nesting).unwrap_or(u8::MAX)));
            }
        }
        if !foreign.is_empty() {
            self.frontier.send(LinksFound(DiscoveredLinks { foreign, ..DiscoveredLinks::default() }));
        }
        self.frontier.send(ErrandsAdded(by_host.len() as u32));
        for (host, urls) in by_host {
            self.send(&host, SitemapsFound { urls, nesting });
        }
    }
}
