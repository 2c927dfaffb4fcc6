//! Learns the templates of sites from some of their pages, and finds the records of any page.

use std::collections::BTreeMap;

use jiff::civil::DateTime;
use url::Url;

use crate::anchors::{Anchor, find_anchors};
use crate::details::{Marks, parents, resolve, thread_of};
use crate::records::PageRecords;
use crate::templates::{Extracted, SamplePage, Templates, learn_templates};
use crate::tree::Tree;

/// A page to find records in.
#[derive(Debug, Clone)]
pub struct Page {
    /// Its address.
    pub url: Url,
    /// When it was fetched, in UTC: dates such as `yesterday` count from then.
    pub fetched: DateTime,
    /// Its content.
    pub tree: Tree,
}

impl Page {
    /// Parses a page. Returns `None` if it exceeds a bound on elements or their nesting.
    pub fn parse(url: &Url, html: &str, fetched: DateTime) -> Option<Self> {
        Some(Self { url: url.clone(), fetched, tree: Tree::parse(html)? })
    }
}

/// Maximum number of pages of a host that its templates are learned from.
const SAMPLE_MAX: usize = 64;

/// Knows the templates of sites.
#[derive(Debug, Clone, Default)]
pub struct Extractor {
    hosts: BTreeMap<String, HostTemplates>,
}

/// The pages of a host, and the templates learned from them when they were first needed.
#[derive(Debug, Clone, Default)]
struct HostTemplates {
    sample: Vec<Page>,
    templates: Templates,
}

impl Extractor {
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
        with_details(page, found)
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
