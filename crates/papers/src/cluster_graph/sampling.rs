//! The sample, taken fetch by fetch while the frontier keeps the queue (section 4.1).
//!
//! The frontier ranks classes, so each drawn URL waits in a class of its own that precedes all others.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::memory::{Memory, UrlNumber};
use crate::site::{RandomPages, RandomPagesOptions};
use harvestman_core::model::{Apath, LinkClass, PatternId, UrlPattern};
use harvestman_core::seed::Rng;
use harvestman_core::url::Fingerprint;
use harvestman_policy::{NewLink, Observation, Outcome};

/// Number of fetches after which a chosen URL is given up: one that robots.txt forbids is never fetched.
const PATIENCE: usize = 256;

/// The class of each chosen URL.
pub(super) type ChosenClasses = HashMap<Fingerprint, LinkClass, FixedState>;

/// The state of the sample.
pub(super) struct GraphSampling {
    fetches_max: usize,
    rng: Rng,
    memory: Memory,
    draws: RandomPages<UrlNumber>,
    /// Waiting URLs that were not chosen, with their places.
    waiting: HashMap<UrlNumber, Apath, FixedState>,
    /// URLs to be fetched next: the one that was drawn, and targets of redirects.
    chosen: Arc<ChosenClasses>,
    /// Chosen URLs in order, each with the number of fetches at that time.
    since: VecDeque<(Fingerprint, usize)>,
    fetches: usize,
    choices: u64,
}

impl GraphSampling {
    pub fn new(fetches_max: usize, rng: Rng) -> Self {
        Self {
            fetches_max,
            rng,
            memory: Memory::default(),
            draws: RandomPages::new(RandomPagesOptions::default()),
            waiting: HashMap::default(),
            chosen: Arc::default(),
            since: VecDeque::new(),
            fetches: 0,
            choices: 0,
        }
    }

    /// The fetches so far.
    pub const fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The classes of the chosen URLs.
    pub fn classes(&self) -> Arc<ChosenClasses> {
        Arc::clone(&self.chosen)
    }

    /// Whether there are enough fetches.
    pub const fn is_complete(&self) -> bool {
        self.fetches >= self.fetches_max
    }

    /// Adds a fetch. Returns true where URLs were chosen or given up, so that classes have changed.
    pub fn observe(&mut self, seen: &Observation) -> bool {
        self.memory.remember(seen);
        self.fetches += 1;
        let url = seen.url.fingerprint();
        let number = self.memory.number(url);
        number.map(|number| self.waiting.remove(&number));
        let mut changed = Arc::make_mut(&mut self.chosen).remove(&url).is_some();
        self.take_in(&seen.new, matches!(seen.outcome, Outcome::Redirected));
        let links = number.and_then(|number| self.memory.fetch_of(number)).map_or(&[][..], |fetch| &*fetch.links);
        self.draws.crawled(links.iter().collect::<HashSet<_>>().len());
        changed |= self.give_up();
        self.draw() || changed
    }

    fn take_in(&mut self, new: &[NewLink], redirected: bool) {
        for link in new {
            let url = link.url.fingerprint();
            let Some(number) = self.memory.number(url) else { continue };
            if redirected {
                // It waits as a redirect and is followed at once.
                self.choose(url, link.class);
            } else if self.draws.add([number]) == 1 {
                self.waiting.insert(number, link.class.apath);
            }
        }
    }

    fn give_up(&mut self) -> bool {
        let before = self.chosen.len();
        while let Some((url, _)) = self.since.front().filter(|(_, since)| since + PATIENCE < self.fetches).copied() {
            self.since.pop_front();
            Arc::make_mut(&mut self.chosen).remove(&url);
        }
        self.chosen.len() < before
    }

    /// Draws a URL, if none is chosen, and returns whether there was one.
    ///
    /// URLs may wait that are not known here: a sitemap may have listed them before a page linked to them. Where
    /// nothing can be drawn they are fetched breadth-first, and their links count.
    fn draw(&mut self) -> bool {
        while self.chosen.is_empty() {
            let Some(number) = self.draws.draw(&mut self.rng) else { return false };
            let Some(apath) = self.waiting.remove(&number) else { continue };
            self.choices += 1;
            let mark = PatternId(self.choices);
            let class = LinkClass::unclassified(apath).with_pattern(UrlPattern { coarse: mark, fine: mark });
            self.choose(Fingerprint::of(self.memory.url(number)), class);
            return true;
        }
        false
    }

    fn choose(&mut self, url: Fingerprint, class: LinkClass) {
        Arc::make_mut(&mut self.chosen).insert(url, class);
        self.since.push_back((url, self.fetches));
    }
}
