//! Learns the templates of sites from some of their pages, and finds the records of any page.

use std::collections::BTreeMap;

use crate::anchors::{Anchor, find_anchors};
use crate::combine::combine;
use crate::details::{Marks, parents, resolve, thread_of};
use crate::markup::read_markup;
use crate::parsed_page::Page;
use crate::records::PageRecords;
use crate::templates::{Extracted, SamplePage, Templates, learn_templates};

/// Maximum number of pages of a host that its templates are learned from.
const SAMPLE_MAX: usize = 64;

/// Knows the templates of sites.
#[derive(Debug, Clone, Default)]
pub struct Extractor {
    hosts: BTreeMap<String, HostTemplates>,
    ignores_markup: bool,
}

/// The pages of a host, and the templates learned from them when they were first needed.
#[derive(Debug, Clone, Default)]
struct HostTemplates {
    sample: Vec<Page>,
    templates: Templates,
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
        let host = self.hosts.entry(page.url.authority().to_owned()).or_default();
        if host.sample.len() < SAMPLE_MAX {
            host.sample.push(page.clone());
        }
    }

    /// Ends the learning from the pages so far.
    pub fn settle(&mut self) {
        for host in self.hosts.values_mut().filter(|host| !host.sample.is_empty()) {
            host.templates = templates_of(&host.sample);
        }
    }

    /// Finds the records of a page.
    pub fn extract(&self, page: &Page) -> PageRecords {
        let anchors = find_anchors(&page.tree, page.fetched);
        let found = match self.hosts.get(page.url.authority()) {
            Some(host) => host.templates.extract(&page.tree, &anchors),
            None => templates_of(std::slice::from_ref(page)).extract(&page.tree, &anchors),
        };
        let records = with_details(page, found);
        if self.ignores_markup { records } else { combine(records, read_markup(page)) }
    }
}

/// Adds to the posts of a page what tells them apart and holds them together.
fn with_details(page: &Page, found: Extracted) -> PageRecords {
    let Extracted { mut posts, records, ids, is_single, .. } = found;
    if posts.is_empty() {
        return PageRecords::default();
    }
    let marks: Vec<Marks> = records.iter().map(|record| ids.marks(&page.tree, record, &page.url)).collect();
    let parents = parents(&page.tree, &page.url, &records, &marks);
    for ((post, mark), parent) in posts.iter_mut().zip(marks).zip(parents) {
        post.author_url = post.author_url.take().and_then(|link| resolve(&page.url, &link));
        let anchored = || mark.anchor.as_ref().and_then(|anchor| resolve(&page.url, &format!("#{anchor}")));
        let own = || mark.url.clone().or_else(anchored).or_else(|| is_single.then(|| page.url.as_str().to_owned()));
        post.url = match post.url.take() {
            Some(target) => resolve(&page.url, &target),
            None => own(),
        };
        (post.id, post.parent) = (mark.id, parent);
    }
    PageRecords { posts, thread: Some(thread_of(&page.tree, &page.url, &records)), ..PageRecords::default() }
}

fn templates_of(sample: &[Page]) -> Templates {
    let anchors: Vec<Vec<Anchor>> = sample.iter().map(|page| find_anchors(&page.tree, page.fetched)).collect();
    let pages = sample.iter().zip(&anchors);
    let pages = pages.map(|(page, anchors)| SamplePage { tree: &page.tree, anchors, url: &page.url });
    learn_templates(&pages.collect::<Vec<_>>())
}

#[cfg(test)]
#[path = "extractor_tests.rs"]
mod tests;
