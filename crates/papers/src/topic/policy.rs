//! The policy: it passes observations on to [`TopicCrawl`] and orders waiting URLs by its ranks.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::snapshot::{Buckets, PatternRoles, TopicSnapshot};
use super::{
    LinkRoles, PageRole, PageRoles, PageSeen, RoleSample, Stage, Standing, TopicCrawl, TopicForm, TopicOptions, UrlKey,
};
use crate::baselines::versions::Versions;
use crate::baselines::{BUCKETS, Cash, Mean, level};
use harvestman_core::model::Apath;
use harvestman_policy::{Needs, Observation, Outcome, PageFacts, Policy, PolicyFacts, PolicySnapshot};

/// Minimum number of fetches between two assignments of waiting URLs to classes.
const FETCHES_MIN: usize = 16;
/// Maximum number of places whose initial level is remembered.
const PLACES_MAX: usize = 4096;
/// Number of buckets for links of one standing.
const STEPS: u8 = 16;

/// The policy that crawls for a topic.
///
/// URLs wait in classes as those of [`Opic`](crate::baselines::Opic) do: in 64 buckets, to which all are assigned again
/// whenever one in [`TopicLimits::sorted_per_fetch`](super::TopicLimits::sorted_per_fetch) of them has been fetched and
/// when the stage or the URL patterns change. Until then a new URL waits in the class of its pattern and place, whose
/// level is that of the pattern's role, or the mean initial level of recent URLs at the place. In a bucket URLs wait by
/// discovery.
#[derive(Debug)]
pub struct TopicPolicy {
    options: TopicOptions,
    pages: PageRoles,
    links: LinkRoles,
    crawl: TopicCrawl,
    /// The cash of waiting URLs, for [`TopicForm::Cash`].
    cash: Option<Cash>,
    by_pattern: Arc<PatternRoles>,
    by_place: BTreeMap<Apath, Mean>,
    overall: Mean,
    since_sorted: usize,
    generation: u64,
    buckets: Arc<Buckets>,
    versions: Versions,
}

impl TopicPolicy {
    /// Creates the policy. `pages` classifies pages, as learned from `samples`, whose addresses also show the URL
    /// patterns of the roles.
    pub fn new(options: TopicOptions, pages: PageRoles, samples: &[RoleSample]) -> Self {
        let mut links = LinkRoles::new(options.link_roles, options.limits.pages_max);
        for (url, role) in samples.iter().flat_map(|sample| sample.pages.iter().map(|(url, _)| (url, sample.role))) {
            links.see(url);
            links.add(url, role);
        }
        for url in &options.topic {
            links.add(url.as_str(), PageRole::Tag);
        }
        Self {
            pages,
            links,
            crawl: TopicCrawl::new(options.clone()),
            cash: (options.form == TopicForm::Cash).then(|| Cash::new(options.limits.urls_max)),
            by_pattern: Arc::default(),
            by_place: BTreeMap::new(),
            overall: Mean::default(),
            since_sorted: 0,
            generation: 0,
            buckets: Arc::default(),
            versions: Versions::default(),
            options,
        }
    }

    /// What it has learned of the topic and of users.
    pub const fn crawl(&self) -> &TopicCrawl {
        &self.crawl
    }

    /// Lets the new links of a fetch wait.
    fn enter(&mut self, seen: &Observation) {
        for link in &seen.new {
            let url = link.url.as_str();
            self.links.see(url);
            self.crawl.enter(link.url.fingerprint().into(), UrlKey::without_query(url), self.links.of_url(url));
        }
    }

    /// Learns from a page. Returns whether all waiting URLs must be ranked again.
    fn learn(&mut self, seen: &Observation, page: &PageFacts, uploader: Option<UrlKey>) -> bool {
        let role = self.pages.of(page);
        let has_new_patterns = self.links.add(seen.url.as_str(), role);
        let links = self.links.of_links(role, &page.links);
        let seen = PageSeen { page: seen.url.fingerprint().into(), role, links: &links };
        self.crawl.observe(&seen, uploader) || has_new_patterns
    }

    /// The level of a waiting URL, from 0 to below [`BUCKETS`]; `None` for one that is not ranked by itself.
    fn level_of(&self, url: UrlKey) -> Option<f64> {
        if self.options.form == TopicForm::Cash {
            return self.crawl.reset_score(url).map(level);
        }
        let (standing, rank) = self.crawl.standing(url)?;
        // The highest step is reached at a rank of 1 or more.
        let step = if self.options.by_rank { rank.unwrap_or(0.0).clamp(0.0, 1.0) } else { 0.0 };
        Some(lowest_level(standing) + step * f64::from(STEPS - 1))
    }

    /// Records the initial levels of new links.
    fn note_beginnings(&mut self, seen: &Observation) {
        for link in &seen.new {
            let url = link.url.fingerprint();
            let unknown = || match &self.cash {
                Some(cash) => level(cash.of(url).unwrap_or_default()),
                None => lowest_level(Standing::Unmentioned),
            };
            let level = self.level_of(url.into()).unwrap_or_else(unknown);
            self.overall.add(level);
            if self.by_place.len() < PLACES_MAX || self.by_place.contains_key(&link.class.apath) {
                self.by_place.entry(link.class.apath).or_default().add(level);
            }
        }
    }

    /// Assigns waiting URLs to classes again where that is due, or `at_once`.
    fn sort_now_and_then(&mut self, at_once: bool) {
        self.since_sorted += 1;
        let due = FETCHES_MIN.max(self.crawl.waiting() / self.options.limits.sorted_per_fetch.max(1));
        if !at_once && self.since_sorted < due {
            return;
        }
        self.since_sorted = 0;
        self.generation += 1;
        let mut buckets = Buckets::default();
        if let Some(cash) = &self.cash {
            buckets.extend(cash.iter().map(|(url, cash)| (UrlKey::from(url), bucket(level(cash)))));
        }
        let ranked = self.crawl.urls().filter_map(|url| Some((url, bucket(self.level_of(url)?))));
        buckets.extend(ranked);
        self.buckets = Arc::new(buckets);
        if self.options.form == TopicForm::Stages {
            self.by_pattern = Arc::new(self.links.pattern_roles().collect());
        }
    }
}

/// The lowest level of links of a standing.
fn lowest_level(standing: Standing) -> f64 {
    f64::from(STEPS) * f64::from(standing as u8)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a level is between 0 and BUCKETS")]
fn bucket(level: f64) -> u8 {
    (level as u8).min(BUCKETS - 1)
}

impl Policy for TopicPolicy {
    fn observe(&mut self, seen: Observation) {
        self.versions.outdate();
        let uploader = self.crawl.leave(seen.url.fingerprint().into());
        if let Some(cash) = &mut self.cash {
            cash.flow(&seen);
        }
        self.enter(&seen);
        let at_once = match &seen.outcome {
            Outcome::Page(page) => self.learn(&seen, page, uploader),
            Outcome::Redirected | Outcome::Document | Outcome::Failed | Outcome::Search(_) => false,
        };
        if at_once {
            // The levels of earlier links are out of date.
            self.by_place.clear();
        }
        self.note_beginnings(&seen);
        self.sort_now_and_then(at_once);
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        Arc::new(TopicSnapshot {
            version: self.versions.next(),
            generation: self.generation,
            patterns_version: self.links.version(),
            patterns: Arc::clone(self.links.patterns()),
            buckets: Arc::clone(&self.buckets),
            by_pattern: Arc::clone(&self.by_pattern),
            levels: PageRole::ALL.map(|role| lowest_level(self.crawl.standing_of(role))),
            by_place: self.by_place.iter().map(|(place, mean)| (*place, mean.mean)).collect(),
            overall: self.overall.mean,
        })
    }

    fn needs(&self) -> Needs {
        Needs { links: true, body: self.pages.needs_body(), ..Needs::default() }
    }

    fn facts(&self) -> PolicyFacts {
        PolicyFacts { wanted: Some(self.crawl.harvest().1), ..PolicyFacts::default() }
    }

    fn note(&self) -> Option<String> {
        let ((details, relevant), tags) = (self.crawl.harvest(), self.crawl.topic().len());
        let stage = match self.crawl.stage() {
            Stage::Cotagging => "collecting tags of pictures",
            Stage::Profiles => "following links by the profiles of users",
        };
        Some(format!("{stage}: {relevant} of {details} detail pages have one of the topic's {tags} tags"))
    }
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
