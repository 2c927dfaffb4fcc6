//! Learns the templates of sites from some of their pages, and finds the records of any page.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::anchors::{Anchor, find_anchors};
use crate::combine::combine;
use crate::markup::read_markup;
use crate::outline::Outline;
use crate::page_details::{SiteRules, settle_threads, with_details};
use crate::parsed_page::Page;
use crate::records::PageRecords;
use crate::templates::{DatePlace, SamplePage, Templates};

/// Maximum number of pages of a host that its templates are learned from, and of those whose dates are at the same place.
const SAMPLE_MAX: usize = 96;
const ALIKE_MAX: usize = 24;
/// Maximum number of hosts, and of nodes of the pages that are kept to learn from: some 300 MB. Of further pages nothing is learned.
const HOSTS_MAX: usize = 20_000;
const NODES_MAX: usize = 2_000_000;
/// Maximum number of pages of a host whose outlines are kept, and of what all of them keep: some 32 MB.
const OUTLINES_MAX: usize = 1_000;
const OUTLINED_MAX: usize = 4_000_000;

/// Knows the templates of sites.
#[derive(Debug, Clone, Default)]
pub struct Extractor {
    hosts: BTreeMap<String, HostTemplates>,
    /// Number of nodes of the pages of all samples, and what the outlines of all pages keep.
    nodes: usize,
    outlined: usize,
    ignores_markup: bool,
}

/// The pages of a host, and the templates learned from them when they were first needed.
#[derive(Debug, Clone, Default)]
struct HostTemplates {
    sample: Vec<(Page, Vec<Anchor>)>,
    /// How many pages of the sample have most of their dates at each place.
    kinds: BTreeMap<Option<DatePlace>, usize>,
    /// What is kept of all pages that were learned from.
    outlines: Vec<Outline>,
    templates: Templates,
    rules: SiteRules,
    /// Whether templates and rules are those of all these pages.
    is_settled: bool,
}

impl Extractor {
    /// Makes it ignore what pages say in markup for machines, to measure what their templates alone show.
    #[must_use]
    pub fn without_markup(mut self) -> Self {
        self.ignores_markup = true;
        self
    }

    /// Learns from a page. The templates count from the next call of [`Extractor::settle`] on.
    pub fn learn(&mut self, page: &Page) {
        let nodes = page.tree.nodes().len();
        let is_known = self.hosts.contains_key(page.url.authority());
        if !is_known && self.hosts.len() >= HOSTS_MAX {
            return;
        }
        let host = self.hosts.entry(page.url.authority().to_owned()).or_default();
        if host.outlines.len() >= OUTLINES_MAX {
            return;
        }
        let anchors = find_anchors(&page.tree, page.fetched);
        if self.outlined < OUTLINED_MAX {
            let outline = Outline::of(page, &anchors);
            self.outlined += outline.len();
            host.outlines.push(outline);
            host.is_settled = false;
        }
        if self.nodes + nodes > NODES_MAX || host.sample.len() >= SAMPLE_MAX {
            return;
        }
        let alike = host.kinds.entry(main_place(page, &anchors)).or_default();
        if *alike < ALIKE_MAX {
            *alike += 1;
            host.sample.push((page.clone(), anchors));
            host.is_settled = false;
            self.nodes += nodes;
        }
    }

    /// Ends the learning from the pages so far.
    pub fn settle(&mut self) {
        for host in self.hosts.values_mut().filter(|host| !host.is_settled) {
            host.templates = templates_of(&host.sample);
            host.rules = SiteRules::learn(&host.outlines);
            host.is_settled = true;
        }
    }

    /// Finds the records of a page.
    pub fn extract(&self, page: &Page) -> PageRecords {
        let anchors = find_anchors(&page.tree, page.fetched);
        let (found, rules) = match self.hosts.get(page.url.authority()) {
            Some(host) => (host.templates.extract(&page.tree, &anchors), Cow::Borrowed(&host.rules)),
            None => {
                let alone = SamplePage { tree: &page.tree, anchors: &anchors, url: &page.url };
                (Templates::learn(&[alone]).extract(&page.tree, &anchors), Cow::default())
            }
        };
        let records = with_details(page, found, &rules);
        let mut records = if self.ignores_markup { records } else { combine(records, read_markup(page)) };
        settle_threads(page, &mut records, &rules);
        records
    }
}

/// Returns the place of most dates of a page.
fn main_place(page: &Page, anchors: &[Anchor]) -> Option<DatePlace> {
    let mut counts: BTreeMap<DatePlace, usize> = BTreeMap::new();
    for anchor in anchors {
        let [.., near] = DatePlace::of(&page.tree, anchor.node);
        *counts.entry(near).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(place, _)| place)
}

fn templates_of(sample: &[(Page, Vec<Anchor>)]) -> Templates {
    let pages = sample.iter().map(|(page, anchors)| SamplePage { tree: &page.tree, anchors, url: &page.url });
    Templates::learn(&pages.collect::<Vec<_>>())
}

#[cfg(test)]
#[path = "extractor_tests.rs"]
mod tests;
