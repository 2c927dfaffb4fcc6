//! Learns the templates of sites from some of their pages, and finds the records of any page.

use std::collections::BTreeMap;

use jiff::civil::DateTime;
use url::Url;

use crate::anchors::{Anchor, find_anchors};
use crate::page::find_posts;
use crate::records::PageRecords;
use crate::templates::{SamplePage, Template, best, learn_templates};
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
    templates: Vec<Template>,
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
        let mut posts = match self.hosts.get(page.url.authority()) {
            Some(host) => best(&host.templates, &page.tree, &anchors).posts,
            None => find_posts(&page.tree, page.fetched),
        };
        for link in posts.iter_mut().filter_map(|post| post.author_url.as_mut()) {
            if let Ok(resolved) = page.url.join(link) {
                *link = resolved.into();
            }
        }
        PageRecords { posts, ..PageRecords::default() }
    }
}

fn templates_of(sample: &[Page]) -> Vec<Template> {
    let anchors: Vec<Vec<Anchor>> = sample.iter().map(|page| find_anchors(&page.tree, page.fetched)).collect();
    let pages = sample.iter().zip(&anchors).map(|(page, anchors)| SamplePage { tree: &page.tree, anchors });
    learn_templates(&pages.collect::<Vec<_>>())
}
