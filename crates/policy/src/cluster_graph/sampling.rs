//! The sample, taken fetch by fetch while the frontier keeps the queue (section 4.1).
//!
//! The frontier ranks classes, so each chosen URL waits in a class of its own that precedes all others.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use foldhash::fast::FixedState;
use rand::seq::SliceRandom;

use super::memory::{Memory, UrlNumber};
use super::options::SamplePlan;
use crate::{NewLink, Observation, Outcome};
use harvestman_core::model::{Apath, LinkClass, PatternId, UrlPattern};
use harvestman_core::seed::Rng;
use harvestman_core::url::Fingerprint;
use harvestman_structure::site::{RandomPages, UrlPatterns};

/// Number of draws in a row of URLs whose pattern was seen often enough, after which the sample is complete.
const VAIN_DRAWS: usize = 256;
/// Number of fetches after which a chosen URL is given up: one that robots.txt forbids is never fetched.
const PATIENCE: usize = 256;

/// The class of each chosen URL.
pub type ChosenClasses = HashMap<Fingerprint, LinkClass, FixedState>;

/// The state of the sample.
pub struct GraphSampling {
    plan: SamplePlan,
    rng: Rng,
    draws: RandomPages<UrlNumber>,
    /// Waiting URLs that were not chosen, with their places.
    waiting: HashMap<UrlNumber, Apath, FixedState>,
    chosen: Arc<ChosenClasses>,
    /// Chosen URLs that were drawn.
    drawn: HashSet<Fingerprint, FixedState>,
    /// Chosen URLs in order, each with the number of fetches at that time.
    since: VecDeque<(Fingerprint, usize)>,
    /// The number of chosen URLs of each pattern.
    of_pattern: HashMap<PatternId, u32, FixedState>,
    /// The patterns whose pages the sample so far shows to be worthless.
    rejected: HashSet<PatternId, FixedState>,
    fetches: usize,
    choices: u64,
}

impl GraphSampling {
    pub fn new(plan: SamplePlan, rng: Rng) -> Self {
        Self {
            draws: RandomPages::new(plan.draws),
            plan,
            rng,
            waiting: HashMap::default(),
            chosen: Arc::default(),
            drawn: HashSet::default(),
            since: VecDeque::new(),
            of_pattern: HashMap::default(),
            rejected: HashSet::default(),
            fetches: 0,
            choices: 0,
        }
    }

    /// The classes of the chosen URLs.
    pub fn classes(&self) -> Arc<ChosenClasses> {
        Arc::clone(&self.chosen)
    }

    /// Whether there are enough fetches, or no waiting URL is worth choosing.
    ///
    /// URLs may wait that are not known here: a sitemap may have listed them before a page linked to them. They are
    /// fetched breadth-first, and their links count; if there are none, the crawl is over.
    pub fn is_complete(&self) -> bool {
        self.fetches >= self.plan.fetches_max || (self.chosen.is_empty() && !self.waiting.is_empty())
    }

    /// Takes the patterns whose pages the sample so far shows to be worthless.
    pub fn set_rejected(&mut self, rejected: HashSet<PatternId, FixedState>) {
        self.rejected = rejected;
    }

    /// Counts the chosen URLs again, by other patterns from now on.
    pub fn recount(&mut self, memory: &Memory, patterns: &UrlPatterns) {
        self.of_pattern.clear();
        if self.plan.per_pattern.is_some() {
            let chosen = self.chosen.keys().filter_map(|url| memory.number(*url));
            for url in memory.fetches().iter().map(|fetch| fetch.url).chain(chosen) {
                *self.of_pattern.entry(patterns.of(memory.url(url)).fine).or_default() += 1;
            }
        }
    }

    /// Adds a fetch that `memory` contains. Returns true where URLs were chosen or given up, so that classes have
    /// changed.
    pub fn observe(&mut self, seen: &Observation, memory: &Memory, patterns: &UrlPatterns) -> bool {
        self.fetches += 1;
        let url = seen.url.fingerprint();
        let number = memory.number(url);
        number.map(|number| self.waiting.remove(&number));
        let mut changed = Arc::make_mut(&mut self.chosen).remove(&url).is_some();
        // A fetch that was not drawn is a seed or the target of a redirect, which stands for the drawn URL.
        let drawn = self.drawn.remove(&url) || !changed || seen.class.apath == Apath::REDIRECT;
        self.take_in(&seen.new, memory, matches!(seen.outcome, Outcome::Redirected));
        let links = number.and_then(|number| memory.fetch_of(number)).map_or(&[][..], |fetch| &*fetch.links);
        self.draws.crawled(links.iter().map(|link| link.url).collect::<HashSet<_>>().len());
        changed |= self.give_up();
        if drawn {
            let mut links: Vec<UrlNumber> = links.iter().map(|link| link.url).collect();
            links.shuffle(&mut self.rng);
            changed |= self.choose_neighbours(&links, memory, patterns);
        }
        self.draw(memory, patterns) || changed
    }

    fn take_in(&mut self, new: &[NewLink], memory: &Memory, redirected: bool) {
        for link in new {
            let url = link.url.fingerprint();
            let Some(number) = memory.number(url) else { continue };
            if redirected {
                // It waits as a redirect and is followed at once.
                Arc::make_mut(&mut self.chosen).insert(url, link.class);
                self.since.push_back((url, self.fetches));
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
            self.drawn.remove(&url);
        }
        self.chosen.len() < before
    }

    fn choose_neighbours(&mut self, links: &[UrlNumber], memory: &Memory, patterns: &UrlPatterns) -> bool {
        let max = self.plan.neighbours;
        let mut left = max;
        let mut known = HashSet::new();
        for url in links.iter().take_while(|_| max > 0) {
            let pattern = patterns.of(memory.url(*url)).fine;
            let wanted = left > 0 && self.waiting.contains_key(url) && !self.is_known(pattern) && known.insert(pattern);
            if wanted && self.choose(*url, pattern, memory) {
                left -= 1;
            }
        }
        left < max
    }

    fn draw(&mut self, memory: &Memory, patterns: &UrlPatterns) -> bool {
        let (mut vain, mut changed) = (0, false);
        while self.chosen.len() < self.plan.ahead && vain < VAIN_DRAWS {
            let Some(url) = self.draws.draw(&mut self.rng) else { break };
            if !self.waiting.contains_key(&url) {
                continue;
            }
            let pattern = patterns.of(memory.url(url)).fine;
            if self.is_known(pattern) {
                vain += 1;
            } else if self.choose(url, pattern, memory) {
                changed = true;
                self.drawn.insert(Fingerprint::of(memory.url(url)));
            }
        }
        changed
    }

    /// Whether enough URLs of a pattern were chosen.
    fn is_known(&self, pattern: PatternId) -> bool {
        self.plan.per_pattern.is_some_and(|max| {
            let max = if self.rejected.contains(&pattern) { self.plan.per_rejected.min(max) } else { max };
            self.of_pattern.get(&pattern).is_some_and(|count| *count >= max)
        })
    }

    fn choose(&mut self, url: UrlNumber, pattern: PatternId, memory: &Memory) -> bool {
        let Some(apath) = self.waiting.remove(&url) else { return false };
        self.choices += 1;
        let mark = PatternId(self.choices);
        let class = LinkClass::unclassified(apath).with_pattern(UrlPattern { coarse: mark, fine: mark });
        let url = Fingerprint::of(memory.url(url));
        Arc::make_mut(&mut self.chosen).insert(url, class);
        self.since.push_back((url, self.fetches));
        if self.plan.per_pattern.is_some() {
            *self.of_pattern.entry(pattern).or_default() += 1;
        }
        true
    }
}
