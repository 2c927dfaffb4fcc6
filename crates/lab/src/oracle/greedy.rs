//! A good choice: wanted URLs as soon as they are known, and else the path to others with the best ratio.

use std::collections::{HashSet, VecDeque};

use super::SiteGraph;

/// Number of paths whose gain is computed exactly, of those whose URLs link most unknown wanted URLs.
const EXAMINED: usize = 12;

impl SiteGraph {
    /// Returns at most `budget` URLs in an order in which they can be requested.
    ///
    /// A known wanted URL is requested at once: no request brings more than one wanted page. If none is known, the next
    /// requests follow the path of unwanted URLs that has, as far as the budget goes, the highest share of wanted URLs
    /// among itself and what can be reached from it over wanted URLs only. Ends early if nothing wanted can be reached.
    /// O(paths × links).
    pub fn greedy(&self, budget: usize) -> Vec<u32> {
        let mut crawl = Crawl::new(self);
        while crawl.order.len() < budget {
            if let Some(url) = crawl.ready.pop_front() {
                crawl.request(url);
                continue;
            }
            let Some(path) = crawl.best_path(budget - crawl.order.len()) else { break };
            path.into_iter().for_each(|url| crawl.request(url));
        }
        crawl.order
    }
}

/// A crawl in progress.
struct Crawl<'g> {
    graph: &'g SiteGraph,
    order: Vec<u32>,
    requested: Vec<bool>,
    known: Vec<bool>,
    /// Wanted URLs that are known and not requested.
    ready: VecDeque<u32>,
    /// Unwanted URLs that are known; some of them are requested.
    open: Vec<u32>,
}

/// A path of unwanted URLs from a known one.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// The URL before the last one; `None` if the path is one URL long.
    before: Option<u32>,
    length: usize,
    /// The unknown wanted URLs that the URLs of the path link, those counted twice that two of them link.
    gain: usize,
}

impl<'g> Crawl<'g> {
    fn new(graph: &'g SiteGraph) -> Self {
        let nothing = || vec![false; graph.len()];
        let (requested, known) = (nothing(), nothing());
        let mut crawl = Self { graph, order: Vec::new(), requested, known, ready: VecDeque::new(), open: Vec::new() };
        graph.starts.iter().for_each(|url| crawl.learn(*url));
        crawl
    }

    fn learn(&mut self, url: u32) {
        if !std::mem::replace(&mut self.known[url as usize], true) {
            if self.graph.is_wanted(url) { self.ready.push_back(url) } else { self.open.push(url) }
        }
    }

    fn request(&mut self, url: u32) {
        self.requested[url as usize] = true;
        self.order.push(url);
        let graph = self.graph;
        graph.links(url).for_each(|to| self.learn(to));
    }

    /// The number of unknown wanted URLs that a URL links.
    fn fresh(&self, url: u32) -> usize {
        self.graph.links(url).filter(|to| self.graph.is_wanted(*to) && !self.known[*to as usize]).count()
    }

    /// Returns the best path that leaves room for a wanted URL; `None` if there is none.
    fn best_path(&mut self, room: usize) -> Option<Vec<u32>> {
        self.open.retain(|url| !self.requested[*url as usize]);
        let steps = self.shortest_paths(room);
        let mut ends: Vec<(u32, Step)> = (0..)
            .zip(&steps)
            .filter_map(|(url, step)| Some((url, (*step)?)))
            .filter(|(_, step)| step.gain > 0)
            .collect();
        ends.sort_by(|(a, one), (b, other)| {
            (other.gain * one.length).cmp(&(one.gain * other.length)).then(one.length.cmp(&other.length)).then(a.cmp(b))
        });
        let mut best: Option<(usize, Vec<u32>)> = None;
        for (end, _) in ends.into_iter().take(EXAMINED) {
            let path = path_to(end, &steps);
            let gain = self.gain(&path, room - path.len());
            // The share of wanted URLs, gain / (gain + length), grows with gain / length.
            let is_better = |(other, than): &(usize, Vec<u32>)| gain * than.len() > other * path.len();
            if best.as_ref().is_none_or(is_better) {
                best = Some((gain, path));
            }
        }
        best.map(|(_, path)| path)
    }

    /// For each unwanted URL, a shortest path to it that is shorter than `room`; of several, one whose URLs link most.
    fn shortest_paths(&self, room: usize) -> Vec<Option<Step>> {
        let mut steps: Vec<Option<Step>> = vec![None; self.graph.len()];
        let mut layer: Vec<u32> = Vec::new();
        for url in self.open.iter().copied().filter(|_| room > 1) {
            steps[url as usize] = Some(Step { before: None, length: 1, gain: self.fresh(url) });
            layer.push(url);
        }
        for length in 2..room {
            let mut next: Vec<u32> = Vec::new();
            for before in std::mem::take(&mut layer) {
                let so_far = steps[before as usize].map_or(0, |step| step.gain);
                for to in self.graph.links(before) {
                    if self.graph.is_wanted(to) || self.known[to as usize] {
                        continue;
                    }
                    match steps[to as usize] {
                        Some(step) if step.length < length => {}
                        Some(step) => {
                            // A path of the same length over another URL: what `to` itself links is in both.
                            let other = step.before.and_then(|url| steps[url as usize]).map_or(0, |step| step.gain);
                            if so_far > other {
                                let gain = step.gain - other + so_far;
                                steps[to as usize] = Some(Step { before: Some(before), length, gain });
                            }
                        }
                        None => {
                            let gain = so_far + self.fresh(to);
                            steps[to as usize] = Some(Step { before: Some(before), length, gain });
                            next.push(to);
                        }
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            layer = next;
        }
        steps
    }

    /// The number of unknown wanted URLs, at most `room`, that can be reached from a path over wanted URLs only.
    fn gain(&self, path: &[u32], room: usize) -> usize {
        let is_new = |url: &u32| self.graph.is_wanted(*url) && !self.known[*url as usize];
        let mut queue: VecDeque<u32> = path.iter().flat_map(|url| self.graph.links(*url)).filter(is_new).collect();
        let mut found = HashSet::new();
        while let Some(url) = queue.pop_front().filter(|_| found.len() < room) {
            if found.insert(url) {
                queue.extend(self.graph.links(url).filter(is_new));
            }
        }
        found.len()
    }
}

/// The URLs of a path, the known one first.
fn path_to(end: u32, steps: &[Option<Step>]) -> Vec<u32> {
    let mut path: Vec<u32> = std::iter::successors(Some(end), |url| steps[*url as usize]?.before).collect();
    path.reverse();
    path
}
