//! What a crawl for a topic has learned, and how it ranks waiting URLs.

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::FixedState;

use super::stage::{Prospects, reset_score};
use super::{PageRole, RoleLink, Stage, Standing, TopicOptions, UrlKey, uploaders};
use crate::site::{Picture, Profiles, TermVector, discover};

/// A fetched page as [`TopicCrawl`] learns from it.
#[derive(Debug, Clone, Copy)]
pub struct PageSeen<'p> {
    /// The page.
    pub page: UrlKey,
    /// Its role.
    pub role: PageRole,
    /// Its links, in page order.
    pub links: &'p [RoleLink],
}

/// A waiting URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WaitingLink {
    role: Option<PageRole>,
    /// Of a detail link its uploader, of a profile link the user.
    user: Option<UrlKey>,
    /// The key of the URL without its query.
    list: UrlKey,
}

/// The state of a crawl for a topic: it collects pictures until stage one ends, then the topic is fixed and links are
/// ranked by the profiles of users.
#[derive(Debug)]
pub struct TopicCrawl {
    options: TopicOptions,
    stage: Stage,
    topic: BTreeSet<UrlKey>,
    terms: TermVector,
    /// The pictures of stage one, and how many have a tag of the topic.
    pictures: Vec<Picture>,
    collected: usize,
    fetches: usize,
    profiles: Profiles,
    waiting: HashMap<UrlKey, WaitingLink, FixedState>,
    /// Fetched detail pages, and those with a tag of the topic.
    details: u64,
    relevant: u64,
}

impl TopicCrawl {
    /// Creates the state of a crawl that has seen nothing.
    pub fn new(options: TopicOptions) -> Self {
        let topic = options.topic.iter().map(|url| UrlKey::without_query(url.as_str())).collect();
        Self {
            stage: Stage::Cotagging,
            terms: terms(&topic),
            topic,
            pictures: Vec::new(),
            collected: 0,
            fetches: 0,
            profiles: Profiles::new(options.limits.profiles),
            waiting: HashMap::default(),
            details: 0,
            relevant: 0,
            options,
        }
    }

    /// The stage.
    pub const fn stage(&self) -> Stage {
        self.stage
    }

    /// The tags of the topic, as far as it has grown.
    pub const fn topic(&self) -> &BTreeSet<UrlKey> {
        &self.topic
    }

    /// The number of fetched detail pages and of those with a tag of the topic: their ratio is the harvest ratio (eq.
    /// 7).
    pub const fn harvest(&self) -> (u64, u64) {
        (self.details, self.relevant)
    }

    /// The number of waiting URLs that are ranked one by one.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Records that a URL waits whose target may have this role. `list` is the key of the URL without its query.
    pub fn enter(&mut self, url: UrlKey, list: UrlKey, role: Option<PageRole>) {
        if self.waiting.len() < self.options.limits.urls_max {
            let user = (role == Some(PageRole::Profile)).then_some(url);
            self.waiting.entry(url).or_insert(WaitingLink { role, user, list });
        }
    }

    /// Records that a URL no longer waits. Returns the uploader, if it is a detail page of a known one.
    pub fn leave(&mut self, url: UrlKey) -> Option<UrlKey> {
        let left = self.waiting.remove(&url)?;
        left.user.filter(|user| *user != url)
    }

    /// Learns from a page. To be called when its new links have been entered, with the uploader that
    /// [`TopicCrawl::leave`] returned. Returns whether the stage has changed.
    pub fn observe(&mut self, seen: &PageSeen<'_>, uploader: Option<UrlKey>) -> bool {
        self.note_roles(seen.links);
        match seen.role {
            PageRole::List | PageRole::Tag => self.note_uploaders(seen.links),
            PageRole::Detail => self.see_detail(seen, uploader),
            PageRole::Profile => {
                let (tags, contacts) = (targets(seen.links, PageRole::Tag), targets(seen.links, PageRole::Profile));
                self.profiles.add(seen.page.0, tags, contacts);
            }
            PageRole::Other => {}
        }
        self.fetches += 1;
        self.end_stage_one()
    }

    /// Takes over the roles of links to waiting URLs: more is known of a URL each time it is met.
    fn note_roles(&mut self, links: &[RoleLink]) {
        for link in links.iter().filter(|link| link.role.is_some()) {
            let Some(known) = self.waiting.get_mut(&link.target) else { continue };
            if known.role != link.role {
                let user = (link.role == Some(PageRole::Profile)).then_some(link.target);
                *known = WaitingLink { role: link.role, user, ..*known };
            }
        }
    }

    fn note_uploaders(&mut self, links: &[RoleLink]) {
        for (detail, user) in uploaders(links) {
            if let Some(known) = self.waiting.get_mut(&detail) {
                known.user = Some(user);
            }
        }
    }

    /// Learns from a detail page: its tags, and its uploader. Where no list told the uploader, it is the first profile
    /// that the page links to.
    fn see_detail(&mut self, seen: &PageSeen<'_>, uploader: Option<UrlKey>) {
        let tags: Vec<u64> = targets(seen.links, PageRole::Tag).collect();
        let on_topic = tags.iter().any(|tag| self.topic.contains(&UrlKey(*tag)));
        self.details += 1;
        self.relevant += u64::from(on_topic);
        let user = uploader.map(|user| user.0).or_else(|| targets(seen.links, PageRole::Profile).next());
        // Pictures of unknown uploaders count as those of one.
        if self.stage == Stage::Cotagging && self.pictures.len() < self.options.limits.pictures_max {
            self.collected += usize::from(on_topic);
            self.pictures.push(Picture::new(user.unwrap_or_default(), tags.iter().copied()));
        }
        if let Some(user) = user.filter(|_| self.options.terms_from_details) {
            self.profiles.add(user, tags, []);
        }
    }

    /// Ends stage one when it has collected enough pictures, and fixes the topic. Algorithm 3 runs until no link is
    /// left; the paper's second round of cotagging collects other pictures, here both rounds use those of stage one.
    fn end_stage_one(&mut self) -> bool {
        let is_over = self.collected >= self.options.pictures || self.fetches >= self.options.stage_one_max;
        if self.stage == Stage::Profiles || !is_over {
            return false;
        }
        let initial: Vec<u64> = self.topic.iter().map(|tag| tag.0).collect();
        let pictures = std::mem::take(&mut self.pictures);
        let found = discover(&pictures, &initial, &BTreeSet::new(), &self.options.discovery);
        self.topic = found.into_iter().map(UrlKey).collect();
        self.terms = terms(&self.topic);
        self.stage = Stage::Profiles;
        true
    }

    fn prospects(&self, link: &WaitingLink) -> Prospects {
        let rank = link.user.and_then(|user| self.profiles.rank(user.0, &self.terms, self.options.weights));
        Prospects { role: link.role, on_topic: self.topic.contains(&link.list), rank }
    }

    /// What Algorithm 3 or 4 does with a waiting URL, and the rank of its user, if that is known. `None` for a URL of
    /// which nothing is known, that does not wait or that is beyond the bound.
    pub fn standing(&self, url: UrlKey) -> Option<(Standing, Option<f64>)> {
        let prospects = self.prospects(self.waiting.get(&url)?);
        if prospects.role.is_none() && !prospects.on_topic {
            return None;
        }
        Some((self.stage.standing(&prospects, self.options.rank_threshold), prospects.rank))
    }

    /// What Algorithm 3 or 4 does now with a link of which only this role is known.
    pub fn standing_of(&self, role: PageRole) -> Standing {
        let prospects = Prospects { role: Some(role), on_topic: false, rank: None };
        self.stage.standing(&prospects, self.options.rank_threshold)
    }

    /// The score that replaces the OPIC score of a waiting URL (section 8.3); `None` where OPIC's stays.
    pub fn reset_score(&self, url: UrlKey) -> Option<f64> {
        reset_score(&self.prospects(self.waiting.get(&url)?))
    }

    /// The waiting URLs that are ranked one by one, in no particular order.
    pub fn urls(&self) -> impl Iterator<Item = UrlKey> + '_ {
        self.waiting.keys().copied()
    }
}

/// The vector of a topic: each tag once, as the paper's topic has no frequencies (Figure 6).
fn terms(topic: &BTreeSet<UrlKey>) -> TermVector {
    topic.iter().map(|tag| tag.0).collect()
}

/// The pages of a role that these links lead to.
fn targets(links: &[RoleLink], role: PageRole) -> impl Iterator<Item = u64> {
    links.iter().filter(move |link| link.role == Some(role)).map(|link| link.target.0)
}

#[cfg(test)]
#[path = "crawl_tests.rs"]
mod tests;
