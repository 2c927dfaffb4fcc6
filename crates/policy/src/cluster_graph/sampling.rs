//! How the sample is taken, fetch by fetch, while the frontier keeps the queue (section 4.1).
//!
//! The frontier ranks classes, so each URL that is chosen waits in a class of its own that comes before all others.

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

/// Draws in a row of URLs whose pattern was seen often enough, after which the sample is complete.
const VAIN_DRAWS: usize = 256;
/// Fetches after which a URL that was chosen is given up: robots.txt may forbid it, and then it is never fetched.
const PATIENCE: usize = 256;

/// The class that each chosen URL waits under.
pub type Classes = HashMap<Fingerprint, LinkClass, FixedState>;

/// The sample as it is taken.
pub struct Sampling {
    plan: SamplePlan,
    rng: Rng,
    draws: RandomPages<UrlNumber>,
    /// URLs that wait and were not chosen, with their places.
    waiting: HashMap<UrlNumber, Apath, FixedState>,
    chosen: Arc<Classes>,
    /// Those among them that were drawn.
    drawn: HashSet<Fingerprint, FixedState>,
    /// Those that were chosen, with the fetches that there had been, in this order.
    since: VecDeque<(Fingerprint, usize)>,
    /// URLs chosen of each pattern.
    of_pattern: HashMap<PatternId, u32, FixedState>,
    fetches: usize,
    choices: u64,
}

impl Sampling {
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
            fetches: 0,
            choices: 0,
        }
    }

    /// The classes of what is chosen.
    pub fn classes(&self) -> Arc<Classes> {
        Arc::clone(&self.chosen)
    }

    /// Whether there are as many fetches as there shall be, or of all that waits nothing is worth choosing.
    ///
    /// Where nothing is known to wait, URLs may wait all the same: a sitemap may have named them before a page linked to them. They are
    /// fetched breadth-first, and what they show counts; if there are none, the crawl is over.
    pub fn is_complete(&self) -> bool {
        self.fetches >= self.plan.fetches_max || (self.chosen.is_empty() && !self.waiting.is_empty())
    }

    /// Counts what was chosen of each pattern by other patterns from now on.
    pub fn count_anew(&mut self, memory: &Memory, patterns: &UrlPatterns) {
        self.of_pattern.clear();
        if self.plan.per_pattern.is_some() {
            let chosen = self.chosen.keys().filter_map(|url| memory.number(*url));
            for url in memory.fetches().iter().map(|fetch| fetch.url).chain(chosen) {
                *self.of_pattern.entry(patterns.of(memory.url(url)).fine).or_default() += 1;
            }
        }
    }

    /// Takes in a fetch that `memory` knows of. True where URLs were chosen or given up, so that classes have changed.
    pub fn observe(&mut self, seen: &Observation, memory: &Memory, patterns: &UrlPatterns) -> bool {
        self.fetches += 1;
        let url = seen.url.fingerprint();
        let number = memory.number(url);
        number.map(|number| self.waiting.remove(&number));
        let mut changed = Arc::make_mut(&mut self.chosen).remove(&url).is_some();
        // What was not drawn is a seed or the target of a redirect, which stands for what was.
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
        self.plan.per_pattern.is_some_and(|max| self.of_pattern.get(&pattern).is_some_and(|count| *count >= max))
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
