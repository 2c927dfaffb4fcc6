//! Processes sitemaps.

use std::sync::Arc;

use harvestman_core::model::ScheduledUrl;
use harvestman_core::url::CanonicalUrl;
use harvestman_stages::fetch;
use harvestman_stages::frontier::DiscoveredLinks;
use harvestman_stages::host::sitemap::{self, SITEMAP_PATH};

use super::PageProcessor;
use crate::bounds::SITEMAP_PART_URLS;
use crate::handles::job::Sitemap;
use crate::page::link_filter::{LinkDates, LinkFilter};

/// What a sitemap led to.
#[derive(Default)]
pub(crate) struct SitemapContents {
    /// The last part of its links.
    pub(crate) links: DiscoveredLinks,
    /// The sitemaps that it names.
    pub(crate) sitemaps: Vec<String>,
    /// The address that it redirects to, where it is looked for next.
    pub(crate) moved_to: Option<String>,
}

impl PageProcessor {
    /// Filters the entries of a sitemap as links. Calls `part` with all but the last [`SITEMAP_PART_URLS`] or fewer of
    /// them, part by part.
    pub(crate) fn sitemap(&mut self, sitemap: &Sitemap, mut part: impl FnMut(DiscoveredLinks)) -> SitemapContents {
        let Ok(answer) = &sitemap.exchange.result else { return Default::default() };
        if let Some(location) = fetch::redirect::target(answer.status, &answer.headers) {
            return SitemapContents { moved_to: self.sitemap_moved_to(&sitemap.url, &location), ..Default::default() };
        }
        if !(200..=299).contains(&answer.status) {
            return Default::default();
        }
        let url = sitemap.url.as_str();
        match sitemap::parse(&sitemap.body, url, answer.content_type(), self.rules.reading.sitemaps) {
            Ok(contents) => {
                if let Some(first) = &contents.first_unreadable {
                    let (count, why) = (contents.unreadable, "they have an entity that is not expanded");
                    tracing::warn!(url, count, first, why, "addresses of a sitemap are left out");
                }
                let rules = Arc::clone(&self.rules);
                let item = ScheduledUrl::errand(sitemap.url.clone());
                let mut last = None;
                let lastmods = contents.lastmods.chunks(SITEMAP_PART_URLS);
                for (urls, lastmods) in contents.urls.chunks(SITEMAP_PART_URLS).zip(lastmods) {
                    let mut filter = LinkFilter::new(&rules, rules.snapshot(), &mut self.memory, &item);
                    // They are for later visits, as digests are.
                    filter.dates =
                        rules.reading.digests.then(|| LinkDates::of_sitemap(sitemap.exchange.timings.started));
                    urls.iter().zip(lastmods).for_each(|(url, lastmod)| filter.listed(url, *lastmod));
                    last.replace(filter.finish().0).into_iter().for_each(&mut part);
                }
                SitemapContents { links: last.unwrap_or_default(), sitemaps: contents.sitemaps, moved_to: None }
            }
            // A server that sends a page for whatever it does not have has no sitemap at the usual place.
            Err(error) if error.is_no_sitemap() && sitemap.url.path_and_query() == SITEMAP_PATH => {
                tracing::debug!(url, %error, "there is no sitemap");
                Default::default()
            }
            Err(error) => {
                tracing::warn!(url, %error, "a sitemap cannot be used");
                Default::default()
            }
        }
    }

    /// Returns where a sitemap redirects to. What is asked for at the usual place is not sought at the address of a
    /// page: many servers send every address that they do not have to their start page.
    fn sitemap_moved_to(&self, url: &CanonicalUrl, location: &str) -> Option<String> {
        let target = self.rules.urls.canonicaliser.resolver(url, None).resolve(location).ok()?.to_url();
        let may_be_sitemap = || {
            let name = target.path_and_query().to_ascii_lowercase();
            name.contains("sitemap") || [".xml", ".gz", ".txt"].iter().any(|ending| name.ends_with(ending))
        };
        (url.path_and_query() != SITEMAP_PATH || may_be_sitemap()).then(|| target.as_str().to_owned())
    }
}
