//! Makes the requests of a page from a template, without a browser.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use url::Url;

use super::content::{AnswerContent, scan_answer};
use super::places::Places;
use super::source::Situation;
use super::template::{ReplayTemplate, RequestPlan, StopRule};

/// Maximum number of links that are made for a page.
const LINKS_MAX: usize = 20_000;
/// Maximum number of links and texts of a page that are remembered to recognise new ones.
const SEEN_MAX: usize = 500_000;

/// Bounds of the requests for one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayLimits {
    /// Maximum number of requests for a page.
    pub requests: usize,
    /// Maximum number of answers of a slot in a row without a new link; then the slot makes no more requests.
    pub barren: usize,
}

impl Default for ReplayLimits {
    fn default() -> Self {
        Self { requests: 200, barren: 20 }
    }
}

/// A chain of requests, each made when the answer to the one before is known.
#[derive(Debug, Clone)]
struct ChainState {
    slot: usize,
    /// Number of requests made before.
    index: usize,
    each: Option<String>,
}

/// The requests of one page. It makes none itself: it returns URLs and is told the answers.
#[derive(Debug)]
pub struct Replay {
    template: Arc<ReplayTemplate>,
    limits: ReplayLimits,
    page_url: Url,
    page: Places,
    /// Hashes of the links and texts seen on the page and in answers.
    seen: HashSet<u64>,
    /// URLs that were returned.
    sent: HashSet<Url>,
    /// Links that were made, each once, with their slots.
    links: Vec<(usize, Url)>,
    made_links: HashSet<Url>,
    /// URLs without an answer so far.
    pending: BTreeMap<Url, ChainState>,
    /// Number of answers in a row without a new link, for each slot.
    barren: Vec<usize>,
}

impl Replay {
    /// Returns the replay of a page and the URLs to fetch first, which need no answer.
    pub fn first(template: Arc<ReplayTemplate>, page_url: &Url, html: &str, limits: ReplayLimits) -> (Self, Vec<Url>) {
        let barren = vec![0; template.slots.len()];
        let page = Places::of_page(html);
        let (seen, sent, pending) = (HashSet::new(), HashSet::new(), BTreeMap::new());
        let (links, made_links, page_url) = (Vec::new(), HashSet::new(), page_url.clone());
        let mut replay = Self { template, limits, page_url, page, seen, sent, links, made_links, pending, barren };
        let content = scan_answer(html.as_bytes(), &replay.page_url);
        replay.count_new(&content);
        let urls = replay.start(None, None);
        (replay, urls)
    }

    /// Takes the answer to a URL that was returned, and returns the URLs to fetch next; answers may come in any order.
    /// A failed request has no answer: its chain ends. The answer to an unknown URL is ignored.
    pub fn next(&mut self, url: &Url, body: &[u8]) -> Vec<Url> {
        let Some(chain) = self.pending.remove(url) else { return Vec::new() };
        let (new_links, new_texts) = self.count_new(&scan_answer(body, &self.page_url));
        let barren = &mut self.barren[chain.slot];
        *barren = if new_links > 0 { 0 } else { *barren + 1 };
        let answer = Places::of_answer(body);
        let template = Arc::clone(&self.template);
        let mut urls = Vec::new();
        if let Some(plan) = template.slots[chain.slot].plans.first() {
            let is_over = match &plan.stop {
                StopRule::NothingNew => new_links + new_texts == 0,
                rule => rule.is_met(&answer) || answer.iter().next().is_none(),
            };
            if plan.repeats && !is_over {
                let next = ChainState { index: chain.index + 1, ..chain.clone() };
                urls.extend(self.request(plan, next, Some(&answer)));
            }
        }
        urls.extend(self.start(Some(chain.slot), Some(&answer)));
        urls
    }

    /// Returns whether all URLs that were returned have answers.
    pub fn is_done(&self) -> bool {
        self.pending.is_empty()
    }

    /// Returns the links that were made so far, each once with the index of its slot.
    pub fn links(&self) -> &[(usize, Url)] {
        &self.links
    }

    /// Returns the number of URLs that were returned.
    pub fn requests(&self) -> usize {
        self.sent.len()
    }

    /// Starts the chains of slots that start with an answer of this slot, or with the page.
    fn start(&mut self, by: Option<usize>, answer: Option<&Places>) -> Vec<Url> {
        let template = Arc::clone(&self.template);
        let mut urls = Vec::new();
        for (slot, known) in template.slots.iter().enumerate() {
            let Some(plan) = known.plans.first().filter(|plan| plan.start == by) else { continue };
            if plan.continues && answer.is_some_and(|answer| plan.stop.is_met(answer)) {
                continue;
            }
            for each in self.values(plan, answer) {
                if !known.is_link && self.sent.len() >= self.limits.requests {
                    break;
                }
                urls.extend(self.request(plan, ChainState { slot, index: 0, each }, answer));
            }
        }
        urls
    }

    /// Returns the values for which a plan starts a chain each.
    fn values(&self, plan: &RequestPlan, answer: Option<&Places>) -> Vec<Option<String>> {
        let Some(fan) = &plan.fan else { return vec![None] };
        let places = answer.unwrap_or(&self.page);
        let counts = |at: &usize| fan.condition.as_ref().is_none_or(|condition| condition.holds(places, fan, *at));
        let values = places.at(&fan.place).iter().enumerate().filter(|(at, _)| counts(at));
        values.filter_map(|(_, value)| fan.extract.apply(value)).map(|text| Some(text.to_owned())).collect()
    }

    /// Returns the URL of a request unless a value is missing, it was returned before, or a bound is reached.
    fn request(&mut self, plan: &RequestPlan, chain: ChainState, previous: Option<&Places>) -> Option<Url> {
        let is_link = self.template.slots.get(chain.slot).is_some_and(|slot| slot.is_link);
        let is_barren = self.barren.get(chain.slot).is_none_or(|count| *count >= self.limits.barren);
        if !is_link && (is_barren || self.sent.len() >= self.limits.requests) {
            return None;
        }
        let situation = Situation {
            page_url: self.page_url.as_str(),
            page: &self.page,
            previous,
            index: chain.index,
            each: chain.each.as_deref(),
        };
        let url = plan.url.url(&situation)?;
        if is_link {
            if self.links.len() < LINKS_MAX && self.made_links.insert(url.clone()) {
                self.links.push((chain.slot, url));
            }
            return None;
        }
        self.sent.insert(url.clone()).then_some(())?;
        self.pending.insert(url.clone(), chain);
        Some(url)
    }

    /// Remembers links and texts, and returns the numbers of those that are new.
    fn count_new(&mut self, content: &AnswerContent) -> (usize, usize) {
        let mut add = |hash: u64| self.seen.len() < SEEN_MAX && self.seen.insert(hash);
        let links = content.links.iter().filter(|url| add(hash(url.as_str(), 0))).count();
        let texts = content.texts.iter().filter(|text| add(hash(text, 1))).count();
        (links, texts)
    }
}

fn hash(text: &str, sort: u8) -> u64 {
    let mut hasher = DefaultHasher::new();
    (sort, text).hash(&mut hasher);
    hasher.finish()
}
