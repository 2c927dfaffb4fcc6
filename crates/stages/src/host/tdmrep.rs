//! A host's `/.well-known/tdmrep.json` over time: when it must be fetched, and what a reply means.
//!
//! It is fetched once the host's robots.txt is known, if that allows it, and again when it is as old as a robots.txt
//! may be. 4xx, too many redirects and everything that is no such file mean that there is none. After a failure (5xx,
//! 429, no reply) it is requested again after the host's back-off, [`RobotsOptions::unavailable_tries`] times in all;
//! then the rules that were known before apply for another period, or none.

use std::sync::Arc;
use std::time::Duration;

use super::robots::{REDIRECTS_MAX, http_url};
use harvestman_consent::{TDMREP_PATH, TdmrepFile, TdmrepLimits};
use harvestman_core::clock::Instant;
use harvestman_core::config::RobotsOptions;
use harvestman_core::model::Exchange;
use harvestman_core::url::{CanonicalUrl, HostKey};

/// Minimum time for which rules are cached, as for robots.txt.
const CACHE_MIN: Duration = Duration::from_secs(60);

/// What is known of the file, and the progress of a fetch.
#[derive(Debug)]
pub struct TdmrepState {
    options: Arc<RobotsOptions>,
    url: String,
    file: Option<Arc<TdmrepFile>>,
    fresh_until: Option<Instant>,
    /// The redirect being followed, with the number of redirects.
    hop: Option<(String, u32)>,
    failures: u32,
    is_under_way: bool,
}

impl TdmrepState {
    /// Creates the state of a host whose file has not been requested.
    pub fn new(options: Arc<RobotsOptions>, host: &HostKey) -> Self {
        let url = format!("{host}{TDMREP_PATH}");
        Self { options, url, file: None, fresh_until: None, hop: None, failures: 0, is_under_way: false }
    }

    /// Returns the URL to fetch, if the file is due.
    pub fn fetch_url(&self, now: Instant) -> Option<CanonicalUrl> {
        let is_fresh = self.fresh_until.is_some_and(|until| now < until);
        let url = self.hop.as_ref().map_or(&self.url, |(url, _)| url);
        (!is_fresh).then(|| CanonicalUrl::from_canonical(url.as_str()))
    }

    /// Returns whether a request is in progress.
    pub const fn is_under_way(&self) -> bool {
        self.is_under_way
    }

    /// Records the start of a request.
    pub const fn begin(&mut self) {
        self.is_under_way = true;
    }

    /// Records that a request was aborted, through no fault of the host.
    pub const fn aborted(&mut self) {
        self.is_under_way = false;
    }

    /// Records the end of a request; `body` has no content coding any more.
    pub fn ended(&mut self, exchange: &Exchange, body: &[u8], limits: TdmrepLimits, now: Instant) {
        self.is_under_way = false;
        let hop = self.hop.take();
        match exchange.result.as_ref().map(|answer| (answer.status, answer)) {
            Ok((200..=299, _)) => self.settle(TdmrepFile::parse(body, limits), now),
            Ok((300..=399, answer)) => match self.next_hop(hop, answer.header(http::header::LOCATION)) {
                Some(hop) => self.hop = Some(hop),
                None => self.settle(TdmrepFile::none(), now),
            },
            Ok((400..=428 | 430..=499, _)) => self.settle(TdmrepFile::none(), now),
            Ok(_) | Err(_) => self.fail(now),
        }
    }

    /// Returns the rules that apply; `None` if there are none.
    pub fn file(&self) -> Option<&TdmrepFile> {
        self.file.as_deref()
    }

    fn next_hop(&self, hop: Option<(String, u32)>, location: Option<&str>) -> Option<(String, u32)> {
        let (base, redirects) = hop.unwrap_or_else(|| (self.url.clone(), 0));
        let target = http_url(&base, location?).filter(|_| redirects < REDIRECTS_MAX)?;
        Some((target, redirects + 1))
    }

    fn settle(&mut self, file: TdmrepFile, now: Instant) {
        self.file = (!file.is_empty()).then(|| Arc::new(file));
        self.rest(now);
    }

    fn fail(&mut self, now: Instant) {
        self.failures += 1;
        if self.failures >= self.options.unavailable_tries.max(1) {
            self.rest(now);
        }
    }

    /// Waits until the file is due again.
    fn rest(&mut self, now: Instant) {
        self.failures = 0;
        self.fresh_until = Some(now + self.options.cache.0.max(CACHE_MIN));
    }
}

#[cfg(test)]
#[path = "tdmrep_tests.rs"]
mod tests;
