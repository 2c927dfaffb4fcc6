//! The phases of the crawl.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::options::{Phases, XCrawlOptions};
use super::proximity::Weights;
use super::site::Site;
use super::snapshot::{Mark, Marks, XCrawlSnapshot};
use super::walkers::Walkers;
use crate::site::sub_trees;
use harvestman_core::seed::Seed;
use harvestman_policy::{Needs, Observation, Policy, PolicyFacts, PolicySnapshot};

/// What the crawl does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No authority is known.
    Searching,
    /// Walks look for hubs.
    Walking,
    /// The links of hubs are fetched.
    Harvesting,
    /// The rest is fetched.
    Rest,
}

/// xCrawl as a policy.
#[derive(Debug)]
pub struct XCrawl {
    options: XCrawlOptions,
    site: Site,
    weights: Weights,
    walkers: Walkers,
    phase: Phase,
    /// The links of hubs that still wait.
    harvest: BTreeSet<u32>,
    /// Downloads since weights were computed.
    downloads: u32,
    /// Fetches since one of those that are awaited has ended.
    in_vain: u32,
    marks: Arc<Marks>,
    version: u64,
    generation: u64,
}

impl XCrawl {
    /// The policy with these options, which draws from `seed`.
    pub fn new(options: XCrawlOptions, seed: Seed) -> Self {
        Self {
            options,
            site: Site::new(options.limits),
            weights: Weights::new(options.rank),
            walkers: Walkers::new(seed.child("policy-xcrawl"), options.max_iterations),
            phase: Phase::Searching,
            harvest: BTreeSet::new(),
            downloads: 0,
            in_vain: 0,
            marks: Arc::default(),
            version: 0,
            generation: 0,
        }
    }

    /// Updates what waits for a fetch that has ended.
    fn end(&mut self, node: u32) {
        let is_awaited = self.walkers.asked().any(|asked| asked == node);
        self.walkers.arrive(node, &self.site, self.options.restart);
        if self.harvest.remove(&node) || is_awaited {
            self.in_vain = 0;
        }
    }

    fn proceed(&mut self) {
        let is_overdue = self.in_vain >= self.options.patience;
        match self.phase {
            Phase::Searching if self.site.graph().authorities().is_empty() => {}
            Phase::Searching => self.walk(),
            Phase::Walking => {
                if is_overdue {
                    self.walkers.give_up(&mut self.site);
                }
                if self.walkers.asked().next().is_none() {
                    self.walk();
                }
            }
            Phase::Harvesting if self.harvest.is_empty() || is_overdue => self.end_harvest(),
            Phase::Harvesting | Phase::Rest => {}
        }
    }

    /// Continues the walks; fetches the links of hubs if the search for hubs has ended.
    fn walk(&mut self) {
        (self.phase, self.in_vain) = (Phase::Walking, 0);
        let graph = self.site.graph();
        if self.downloads >= self.options.weighed_every || self.weights.get().is_empty() {
            self.weights.update(graph, &self.options);
            self.downloads = 0;
        }
        self.weights.extend(graph);
        if !self.walkers.search().has_ended() {
            self.walkers.walk(&self.site, self.weights.get(), &self.options);
        }
        if self.walkers.asked().next().is_none() && self.walkers.search().has_ended() {
            self.begin_harvest();
        } else {
            let asked: BTreeSet<u32> = self.walkers.asked().collect();
            self.mark(&asked, Mark::Asked);
        }
    }

    fn begin_harvest(&mut self) {
        let graph = self.site.graph();
        let within = graph.hubs().flat_map(|hub| sub_trees(graph, hub, self.options.sub_trees));
        self.harvest = within.filter(|node| self.site.is_waiting(*node)).collect();
        (self.phase, self.in_vain) = (Phase::Harvesting, 0);
        let harvest = std::mem::take(&mut self.harvest);
        self.mark(&harvest, Mark::SubTree);
        self.harvest = harvest;
        if self.harvest.is_empty() {
            self.end_harvest();
        }
    }

    fn end_harvest(&mut self) {
        for node in std::mem::take(&mut self.harvest) {
            self.site.give_up(node);
        }
        self.mark(&BTreeSet::new(), Mark::SubTree);
        self.phase = match self.options.phases {
            Phases::Once => Phase::Rest,
            Phases::Repeat => {
                self.walkers.search().begin_again(self.site.graph());
                Phase::Walking
            }
        };
    }

    /// Marks these URLs and no others.
    fn mark(&mut self, nodes: &BTreeSet<u32>, mark: Mark) {
        let urls = nodes.iter().filter_map(|node| self.site.graph().url(*node));
        let marks: Marks = urls.map(|url| (url, mark)).collect();
        if marks != *self.marks {
            self.marks = Arc::new(marks);
            self.generation += 1;
        }
    }
}

impl Policy for XCrawl {
    fn observe(&mut self, seen: Observation) {
        self.version += 1;
        self.downloads = self.downloads.saturating_add(1);
        self.in_vain = self.in_vain.saturating_add(1);
        if let Some(node) = self.site.add(&seen) {
            self.end(node);
        }
        self.proceed();
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        let marks = Arc::clone(&self.marks);
        Arc::new(XCrawlSnapshot { version: self.version, generation: self.generation, marks })
    }

    fn needs(&self) -> Needs {
        Needs { links: true, ..Needs::default() }
    }

    fn facts(&self) -> PolicyFacts {
        PolicyFacts { wanted: Some(self.site.graph().authorities().len() as u64), ..PolicyFacts::default() }
    }

    fn note(&self) -> Option<String> {
        let graph = self.site.graph();
        let known = format!("{} accepted pages, {} hubs", graph.authorities().len(), graph.hubs().count());
        Some(match self.phase {
            Phase::Searching => "no page has been accepted yet".to_owned(),
            Phase::Walking => format!("walks look for hubs: {known}"),
            Phase::Harvesting => format!("{} links of hubs wait: {known}", self.harvest.len()),
            Phase::Rest => format!("the links of all hubs have been fetched: {known}"),
        })
    }
}
