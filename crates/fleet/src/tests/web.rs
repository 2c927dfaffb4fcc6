//! The crawled web: the ground truth of its pages, and a record of all fetches.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rand::Rng as _;

use super::model::Model;
use crate::node::records::{self, PartitionRecord};
use crate::{Partitions, SessionId};
use harvestman_core::clock::Instant;
use harvestman_core::model::{Apath, LinkClass, ScheduledUrl};
use harvestman_core::seed::Seed;
use harvestman_core::url::{CanonicalUrl, HostKey};

pub(super) fn scheduled(url: &CanonicalUrl) -> ScheduledUrl {
    let class = LinkClass::unclassified(Apath::SEED);
    ScheduledUrl::found(url.clone(), class)
}

/// A fetch, as its server sees it.
#[derive(Debug, Clone)]
pub(super) struct Fetch {
    pub(super) url: String,
    pub(super) session: SessionId,
    pub(super) from: Instant,
    pub(super) to: Option<Instant>,
    pub(super) is_whole: bool,
    /// When it was known to be in the log while its session was alive.
    pub(super) logged: Option<Instant>,
}

pub(super) struct Web {
    links: BTreeMap<String, Vec<String>>,
    delays: BTreeMap<HostKey, Duration>,
    pub(super) seeds: Vec<ScheduledUrl>,
    pub(super) fetches: Mutex<Vec<Fetch>>,
    /// Violations.
    pub(super) wrong: Mutex<Vec<String>>,
    pub(super) model: Arc<Model>,
    pub(super) partitions: Partitions,
    seed: Seed,
}

impl Web {
    pub(super) fn new(seed: Seed, model: Arc<Model>, partitions: Partitions) -> Self {
        let mut rng = seed.rng();
        let hosts: Vec<(String, u32)> =
            (0..rng.random_range(6..20)).map(|n| (format!("http://h{n}.test"), rng.random_range(2..40))).collect();
        // A tree, mostly across hosts, so that each page is reachable by one link only; and some additional links.
        let mut pages: Vec<String> =
            hosts.iter().flat_map(|(origin, pages)| (0..*pages).map(move |n| format!("{origin}/{n}"))).collect();
        pages.sort_by_cached_key(|page| seed.child(page).0);
        let mut links: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (place, page) in pages.iter().enumerate().skip(3) {
            let parent = &pages[rng.random_range(place.saturating_sub(60)..place)];
            links.entry(parent.clone()).or_default().push(page.clone());
            if rng.random_bool(0.3) {
                links.entry(page.clone()).or_default().push(pages[rng.random_range(0..pages.len())].clone());
            }
        }
        let delays = hosts
            .iter()
            .map(|(origin, _)| (HostKey::from_origin(origin), Duration::from_millis(rng.random_range(300..3_000))));
        let delays = delays.collect();
        let seeds = pages.iter().take(3).map(|page| scheduled(&CanonicalUrl::from_canonical(page.clone()))).collect();
        let (fetches, wrong) = (Mutex::default(), Mutex::default());
        Self { links, delays, seeds, fetches, wrong, model, partitions, seed }
    }

    /// Returns all reachable pages.
    pub(super) fn truth(&self) -> BTreeSet<String> {
        let mut known: BTreeSet<String> = BTreeSet::new();
        let mut next: VecDeque<String> = self.seeds.iter().map(|seed| seed.url.as_str().to_owned()).collect();
        while let Some(url) = next.pop_front() {
            if known.insert(url.clone()) {
                next.extend(self.links.get(&url).into_iter().flatten().cloned());
            }
        }
        known
    }

    pub(super) fn links(&self, url: &str) -> Vec<ScheduledUrl> {
        let links = self.links.get(url).into_iter().flatten();
        links.map(|link| scheduled(&CanonicalUrl::from_canonical(link.clone()))).collect()
    }

    pub(super) fn delay(&self, host: &HostKey) -> Duration {
        self.delays.get(host).copied().unwrap_or_default()
    }

    /// Returns how long the server takes for a page.
    pub(super) fn duration(&self, url: &str) -> Duration {
        Duration::from_millis(self.seed.child(url).rng().random_range(20..1_200))
    }

    pub(super) fn wrong(&self, what: String) {
        self.model.trace.note(self.model.clock.now(), || format!("WRONG: {what}"));
        self.wrong.lock().push(what);
    }

    /// Records a request and returns its number.
    pub(super) fn begins(&self, url: &CanonicalUrl, session: &SessionId) -> usize {
        let now = self.model.clock.now();
        let host = url.host_key();
        self.model.trace.note(now, || format!("{session} fetches {}", url.as_str()));
        let key = records::partition_key(self.partitions.of(&host));
        let record = self.model.value(&key).and_then(|value| records::read::<PartitionRecord>(&value).ok());
        let owner = record.and_then(|record| record.owner);
        if !self.model.lives(&session.0) || owner.as_ref() != Some(session) {
            self.wrong(format!("{session} fetches {} without a lease: it is {owner:?}'s", url.as_str()));
        }
        self.look_at_host(url, &host, now);
        let mut fetches = self.fetches.lock();
        let (url, session) = (url.as_str().to_owned(), session.clone());
        fetches.push(Fetch { url, session, from: now, to: None, is_whole: false, logged: None });
        fetches.len() - 1
    }

    fn look_at_host(&self, url: &CanonicalUrl, host: &HostKey, now: Instant) {
        // A node's clock may run a tenth too fast.
        let delay = self.delay(host) * 10 / 11 - Duration::from_millis(2);
        for earlier in self.fetches.lock().iter().filter(|fetch| fetch.url.starts_with(&format!("{}/", host.as_str())))
        {
            let served = earlier.from + self.duration(&earlier.url);
            let to = earlier.to.unwrap_or(served).min(served);
            if to > now {
                self.wrong(format!("{} while {} is under way for {}", url.as_str(), earlier.url, earlier.session));
            }
            if now.since(earlier.from) < delay {
                self.wrong(format!("{} too soon after {} by {}", url.as_str(), earlier.url, earlier.session));
            }
        }
        for earlier in self.fetches.lock().iter().filter(|fetch| fetch.url == url.as_str()) {
            if let Some(logged) = earlier.logged {
                self.wrong(format!("{} again: {} had it in its log at {logged:?}", url.as_str(), earlier.session));
            }
        }
    }

    /// Records the end of a request or its connection.
    pub(super) fn ends(&self, fetch: usize, is_whole: bool) {
        let mut fetches = self.fetches.lock();
        let fetch = &mut fetches[fetch];
        if fetch.to.is_none() {
            fetch.to = Some(self.model.clock.now());
            fetch.is_whole = is_whole;
        }
    }

    /// Records that fetches are in the log.
    pub(super) fn logged(&self, logged: &[usize]) {
        for fetch in logged {
            let fetch = &mut self.fetches.lock()[*fetch];
            if self.model.lives(&fetch.session.0) {
                fetch.logged = Some(self.model.clock.now());
            }
        }
    }
}
