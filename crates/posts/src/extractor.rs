//! Learns the templates of sites from some of their pages, and finds the records of any page.

use std::collections::BTreeMap;

use crate::anchors::{Anchor, find_anchors};
use crate::combine::{PostOrigin, combine, combine_with_origins};
use crate::corrections::{Corrections, Taught, TaughtField};
use crate::details::{Marks, parents, resolve, thread_of};
use crate::explain::{ExplainedPage, Reading, Told, explain};
use crate::markup::read_markup;
use crate::parsed_page::Page;
use crate::records::{PagePost, PageRecords, PageThread};
use crate::templates::{CorrectedFields, DatePlace, Extracted, SamplePage, Templates};

/// Maximum number of pages of a host that its templates are learned from, and of those whose dates are at the same place.
const SAMPLE_MAX: usize = 96;
const ALIKE_MAX: usize = 24;
/// Maximum number of hosts, and of nodes of the pages that are kept to learn from: some 300 MB. Of further pages nothing is learned.
const HOSTS_MAX: usize = 20_000;
const NODES_MAX: usize = 2_000_000;

/// Minimum number of posts with the title of the thread above them, and the maximum length of a word for replies, in bytes.
const TITLES_MIN: usize = 3;
const REPLY_BYTES_MAX: usize = 8;

/// Knows the templates of sites.
#[derive(Debug, Clone, Default)]
pub struct Extractor {
    hosts: BTreeMap<String, HostTemplates>,
    /// Number of nodes of the pages of all samples.
    nodes: usize,
    ignores_markup: bool,
    corrections: Corrections,
}

/// The pages of a host, and the templates learned from them when they were first needed.
#[derive(Debug, Clone, Default)]
struct HostTemplates {
    sample: Vec<(Page, Vec<Anchor>)>,
    /// How many pages of the sample have most of their dates at each place.
    kinds: BTreeMap<Option<DatePlace>, usize>,
    templates: Templates,
    /// Whether the templates are those of the whole sample.
    is_settled: bool,
}

impl Extractor {
    /// Makes it ignore what pages say in markup for machines, to measure what their templates alone show.
    #[must_use]
    pub fn without_markup(mut self) -> Self {
        self.ignores_markup = true;
        self
    }

    /// Uses corrections in place of those that it had. They count for pages from now on, and for what is learned from the next call of
    /// [`Extractor::settle`] on.
    pub fn correct(&mut self, corrections: Corrections) {
        let before = std::mem::replace(&mut self.corrections, corrections);
        for (name, host) in &mut self.hosts {
            if before.concern(name) || self.corrections.concern(name) {
                host.is_settled = false;
                for (page, anchors) in &mut host.sample {
                    *anchors = anchors_of(page, self.corrections.on(page).as_ref());
                }
            }
        }
    }

    /// Learns from a page. The templates count from the next call of [`Extractor::settle`] on.
    pub fn learn(&mut self, page: &Page) {
        let nodes = page.tree.nodes().len();
        let is_known = self.hosts.contains_key(page.url.authority());
        if self.nodes + nodes > NODES_MAX || (!is_known && self.hosts.len() >= HOSTS_MAX) {
            return;
        }
        let host = self.hosts.entry(page.url.authority().to_owned()).or_default();
        if host.sample.len() >= SAMPLE_MAX {
            return;
        }
        let anchors = anchors_of(page, self.corrections.on(page).as_ref());
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
            host.templates = templates_of(&host.sample, &self.corrections);
            host.is_settled = true;
        }
    }

    /// Finds the records of a page.
    pub fn extract(&self, page: &Page) -> PageRecords {
        if self.corrections.concern(page.url.authority()) {
            return self
                .read(page, |_, found| self.combined(page, with_details(page, found.records), &found.corrected).0);
        }
        let anchors = find_anchors(&page.tree, page.fetched);
        let found = match self.hosts.get(page.url.authority()) {
            Some(host) => host.templates.extract(&page.tree, &anchors),
            None => {
                let alone = SamplePage { tree: &page.tree, anchors: &anchors, url: &page.url };
                Templates::learn(&[alone]).extract(&page.tree, &anchors)
            }
        };
        let records = with_details(page, found);
        if self.ignores_markup { records } else { combine(records, read_markup(page)) }
    }

    /// Finds the records of a page as [`Extractor::extract`] does, and tells where they were found. Takes several times as long.
    pub fn explain(&self, page: &Page) -> ExplainedPage {
        self.read(page, |reading, found| {
            let template = with_details(page, found.records.clone());
            let (both, origins) = self.combined(page, template.clone(), &found.corrected);
            explain(reading, &found.records, Told { template, markup: self.markup(page), both, origins })
        })
    }

    /// Reads a page with all that is known of its host.
    fn read<T>(&self, page: &Page, use_it: impl FnOnce(Reading<'_>, FoundRecords) -> T) -> T {
        let taught = self.corrections.on(page);
        let (taught, tree) = (taught.as_ref(), &page.tree);
        let known = self.hosts.get(page.url.authority());
        let alone = if known.is_none() { vec![(page.clone(), anchors_of(page, taught))] } else { Vec::new() };
        let learned = known.is_none().then(|| templates_of(&alone, &self.corrections)).unwrap_or_default();
        let (sample, templates) = known.map_or((&alone, &learned), |host| (&host.sample, &host.templates));
        let (anchors, sample) = (anchors_of(page, taught), sample_pages(sample));
        let elements = taught.map_or(&[][..], |taught| taught.right(TaughtField::Record));
        let found = templates.extract_taught(tree, &anchors, elements);
        let mut records = found.unwrap_or_else(|| templates.extract(tree, &anchors));
        let corrected = taught.map(|taught| templates.correct((tree, &anchors), &mut records, taught));
        let found = FoundRecords { records, corrected: corrected.unwrap_or_default() };
        let is_alone = known.is_none();
        use_it(Reading { page, anchors: &anchors, templates, sample: &sample, is_alone, taught }, found)
    }

    /// Combines the records of the template with those of markup. Fields that are corrected stay as they are.
    fn combined(
        &self,
        page: &Page,
        template: PageRecords,
        corrected: &[CorrectedFields],
    ) -> (PageRecords, Vec<PostOrigin>) {
        let ours = if corrected.is_empty() { Vec::new() } else { template.posts.clone() };
        let (mut records, origins) = combine_with_origins(template, self.markup(page));
        for (post, (one, _)) in records.posts.iter_mut().zip(&origins) {
            if let Some((ours, corrected)) = one.and_then(|one| Some((ours.get(one)?, corrected.get(one)?))) {
                corrected.set(post, ours);
            }
        }
        (records, origins)
    }

    fn markup(&self, page: &Page) -> PageRecords {
        if self.ignores_markup { PageRecords::default() } else { read_markup(page) }
    }
}

/// What the templates find on a page, and what of it is corrected.
struct FoundRecords {
    records: Extracted,
    corrected: Vec<CorrectedFields>,
}

/// Returns the dates of a page that may be those of posts.
fn anchors_of(page: &Page, taught: Option<&Taught>) -> Vec<Anchor> {
    let anchors = find_anchors(&page.tree, page.fetched);
    match taught {
        Some(taught) => taught.anchors(page, anchors),
        None => anchors,
    }
}

/// Adds to the posts of a page what tells them apart and holds them together.
fn with_details(page: &Page, found: Extracted) -> PageRecords {
    let Extracted { mut posts, records, ids, is_single, .. } = found;
    if posts.is_empty() {
        return PageRecords::default();
    }
    let marks: Vec<Marks> = records.iter().map(|record| ids.marks(&page.tree, record, &records, &page.url)).collect();
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
    // Excerpts are of the threads that they lead to.
    for post in posts.iter_mut().filter(|post| post.is_excerpt) {
        let (url, title) = (post.url.clone(), post.title.clone());
        post.thread = Some(PageThread { url, title, ..PageThread::default() });
    }
    let is_list = posts.iter().any(|post| post.is_excerpt);
    // The page's own word for its address is the same for all forms of it.
    let canonical = page.head.link("canonical").and_then(|link| page.url.join(link).ok());
    let canonical = canonical.filter(|url| url.host_str() == page.url.host_str() && url.path() != "/");
    let url = canonical.unwrap_or_else(|| page.url.clone());
    let thread = (!is_list).then(|| thread_of(&page.tree, &url, &records, is_single));
    if let Some(title) = thread.as_ref().and_then(|thread| thread.title.as_deref()) {
        take_titles(&mut posts, title);
    }
    PageRecords { posts, thread, ..PageRecords::default() }
}

/// Takes the title of the thread out of the texts, where it is above most posts, with or without a word for replies.
fn take_titles(posts: &mut [PagePost], title: &str) {
    // A label before the title itself, such as `Topic:`.
    let title =
        title.split_once(": ").filter(|(label, _)| label.len() <= REPLY_BYTES_MAX).map_or(title, |(_, title)| title);
    let rest_of = |text: &str| {
        let at = text.find(title).filter(|at| *at <= REPLY_BYTES_MAX)?;
        let is_reply = at == 0 || text[..at].trim_end().ends_with(':');
        is_reply.then(|| at + title.len())
    };
    let with_title = posts.iter().filter(|post| rest_of(&post.text).is_some()).count();
    if with_title < TITLES_MIN || 2 * with_title < posts.len() {
        return;
    }
    for post in posts {
        if let Some(end) = rest_of(&post.text) {
            let rest = post.text.split_off(end);
            let title = std::mem::replace(&mut post.text, rest.trim_start().to_owned());
            post.title.get_or_insert(title);
        }
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

fn templates_of(sample: &[(Page, Vec<Anchor>)], corrections: &Corrections) -> Templates {
    let pages = sample_pages(sample);
    let mut templates = Templates::learn(&pages);
    let elements = sample.iter().map(|(page, _)| Some(corrections.on(page)?.right(TaughtField::Record).to_vec()));
    if let Some(elements) = elements.collect::<Option<Vec<_>>>() {
        templates.learn_taught(&pages.into_iter().zip(elements).collect::<Vec<_>>());
    }
    templates
}

fn sample_pages(sample: &[(Page, Vec<Anchor>)]) -> Vec<SamplePage<'_>> {
    sample.iter().map(|(page, anchors)| SamplePage { tree: &page.tree, anchors, url: &page.url }).collect()
}

#[cfg(test)]
#[path = "extractor_tests.rs"]
mod tests;
