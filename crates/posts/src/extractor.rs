//! Learns the templates of sites from some of their pages, and finds the records of any page.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::anchors::{Anchor, find_anchors};
use crate::combine::{PostOrigin, combine, combine_with_origins};
use crate::corrections::{Corrections, Taught, TaughtField};
use crate::excerpts::mark_excerpts;
use crate::explain::{ExplainedPage, Reading, Told, explain};
use crate::known_date_places::KnownDatePlaces;
use crate::markup::read_markup;
use crate::outline::Outline;
use crate::page_details::{SiteRules, mark, settle_threads, with_details};
use crate::parsed_page::Page;
use crate::records::PageRecords;
use crate::templates::{CorrectedFields, SampleKinds, SamplePage, TemplateMatch, Templates};

/// Maximum number of pages of a host that its templates are learned from.
const SAMPLE_MAX: usize = 96;
/// Maximum number of hosts, and of nodes of the pages that are kept to learn from: some 300 MB. Of further pages
/// nothing is learned.
const HOSTS_MAX: usize = 20_000;
const NODES_MAX: usize = 2_000_000;
/// How often templates are learned from a sample, without the pages that took too long before.
const ROUNDS_MAX: usize = 3;
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
    corrections: Corrections,
}

/// The pages of a host, and the templates learned from them when they were first needed.
#[derive(Debug, Clone, Default)]
struct HostTemplates {
    sample: Vec<(Page, Vec<Anchor>)>,
    /// Which pages the sample has of each kind.
    kinds: SampleKinds,
    /// What is kept of all pages that were learned from.
    outlines: Vec<Outline>,
    /// Where the dates of all these pages are.
    places: KnownDatePlaces,
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

    /// Uses corrections in place of those that it had. They count for pages from now on, and for what is learned from
    /// the next call of [`Extractor::settle`] on.
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
        page.tree.begin_reading();
        let nodes = page.tree.nodes().len();
        let is_known = self.hosts.contains_key(page.url.authority());
        if !is_known && self.hosts.len() >= HOSTS_MAX {
            return;
        }
        let host = self.hosts.entry(page.url.authority().to_owned()).or_default();
        if host.outlines.len() >= OUTLINES_MAX {
            return;
        }
        let anchors = host.places.learn(&page.tree, page.fetched);
        let anchors = corrected_anchors(page, anchors, self.corrections.on(page).as_ref());
        let outline = (self.outlined < OUTLINED_MAX).then(|| Outline::of(page, &anchors));
        if page.tree.is_given_up() {
            return;
        }
        if let Some(outline) = outline {
            self.outlined += outline.len();
            host.outlines.push(outline);
            host.is_settled = false;
        }
        if self.nodes + nodes > NODES_MAX || host.sample.len() >= SAMPLE_MAX {
            return;
        }
        if host.kinds.takes(&page.tree, &anchors) {
            host.sample.push((page.clone(), anchors));
            host.is_settled = false;
            self.nodes += nodes;
        }
    }

    /// Ends the learning from the pages so far.
    pub fn settle(&mut self) {
        for host in self.hosts.values_mut().filter(|host| !host.is_settled) {
            host.templates = settled_templates(&mut host.sample, &self.corrections);
            host.rules = SiteRules::learn(&host.outlines);
            host.is_settled = true;
        }
    }

    /// Finds the records of a page; of one that takes too long none.
    pub fn extract(&self, page: &Page) -> PageRecords {
        page.tree.begin_reading();
        let records = self.extract_bounded(page);
        if page.tree.is_given_up() { given_up() } else { records }
    }

    fn extract_bounded(&self, page: &Page) -> PageRecords {
        if self.corrections.concern(page.url.authority()) {
            return self.read(page, |reading, found| {
                self.combined(reading, with_details(page, found.records, reading.rules), &found.corrected).0
            });
        }
        let (mut found, rules) = match self.hosts.get(page.url.authority()) {
            Some(host) => {
                let anchors = host.places.find_anchors(&page.tree, page.fetched);
                (host.templates.extract(&page.tree, &anchors), Cow::Borrowed(&host.rules))
            }
            None => {
                let anchors = find_anchors(&page.tree, page.fetched);
                let alone = SamplePage { tree: &page.tree, anchors: &anchors, url: &page.url };
                (Templates::learn(&[alone]).extract(&page.tree, &anchors), Cow::default())
            }
        };
        mark(page, &mut found);
        let records = with_details(page, found, &rules);
        let mut records = if self.ignores_markup { records } else { combine(records, read_markup(page)) };
        mark_excerpts(page, &mut records);
        settle_threads(page, &mut records, &rules);
        records
    }

    /// Finds the records of a page as [`Extractor::extract`] does, and tells where they were found. Takes several times
    /// as long.
    pub fn explain(&self, page: &Page) -> ExplainedPage {
        page.tree.begin_reading();
        let explained = self.explain_bounded(page);
        let is_given_up = page.tree.is_given_up();
        if is_given_up { ExplainedPage { records: given_up(), ..ExplainedPage::default() } } else { explained }
    }

    fn explain_bounded(&self, page: &Page) -> ExplainedPage {
        self.read(page, |reading, found| {
            let template = with_details(page, found.records.clone(), reading.rules);
            let (both, origins) = self.combined(reading, template.clone(), &found.corrected);
            explain(reading, &found.records, Told { template, markup: self.markup(page), both, origins })
        })
    }

    /// Reads a page with all that is known of its host.
    fn read<T>(&self, page: &Page, use_it: impl FnOnce(Reading<'_>, FoundRecords) -> T) -> T {
        let taught = self.corrections.on(page);
        let (taught, tree) = (taught.as_ref(), &page.tree);
        let known = self.hosts.get(page.url.authority());
        let alone = if known.is_none() { vec![(page.clone(), anchors_of(page, taught))] } else { Vec::new() };
        let learned = if alone.is_empty() { Templates::default() } else { templates_of(&alone, &self.corrections) };
        if alone.iter().any(|(page, _)| page.tree.is_given_up()) {
            page.tree.give_up();
        }
        let (sample, templates) = known.map_or((&alone, &learned), |host| (&host.sample, &host.templates));
        // Dates are looked for where `extract` does it, so that both tell the same.
        let dates = known.map_or_else(
            || find_anchors(&page.tree, page.fetched),
            |host| host.places.find_anchors(&page.tree, page.fetched),
        );
        let (anchors, sample) = (corrected_anchors(page, dates, taught), sample_pages(sample));
        let elements = taught.map_or(&[][..], |taught| taught.right(TaughtField::Record));
        let found = templates.extract_taught(tree, &anchors, elements);
        let mut records = found.unwrap_or_else(|| templates.extract(tree, &anchors));
        mark(page, &mut records);
        let corrected = taught.map(|taught| templates.correct(tree, &anchors, &mut records, taught));
        let found = FoundRecords { records, corrected: corrected.unwrap_or_default() };
        let (is_alone, unknown) = (known.is_none(), SiteRules::default());
        let rules = known.map_or(&unknown, |host| &host.rules);
        use_it(Reading { page, anchors: &anchors, templates, rules, sample: &sample, is_alone, taught }, found)
    }

    /// Combines the records of the template with those of markup. Fields that are corrected stay as they are.
    fn combined(
        &self,
        Reading { page, rules, .. }: Reading<'_>,
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
        mark_excerpts(page, &mut records);
        settle_threads(page, &mut records, rules);
        (records, origins)
    }

    fn markup(&self, page: &Page) -> PageRecords {
        if self.ignores_markup { PageRecords::default() } else { read_markup(page) }
    }
}

/// What the templates find on a page, and what of it is corrected.
struct FoundRecords {
    records: TemplateMatch,
    corrected: Vec<CorrectedFields>,
}

/// Returns the dates of a page that may be those of posts.
fn anchors_of(page: &Page, taught: Option<&Taught>) -> Vec<Anchor> {
    corrected_anchors(page, find_anchors(&page.tree, page.fetched), taught)
}

fn corrected_anchors(page: &Page, anchors: Vec<Anchor>, taught: Option<&Taught>) -> Vec<Anchor> {
    match taught {
        Some(taught) => taught.anchors(page, anchors),
        None => anchors,
    }
}

/// The records of a page that is given up.
fn given_up() -> PageRecords {
    PageRecords { is_given_up: true, ..PageRecords::default() }
}

/// Learns from a sample, and removes the pages from which that takes too long: what was learned with them does not
/// count.
fn settled_templates(sample: &mut Vec<(Page, Vec<Anchor>)>, corrections: &Corrections) -> Templates {
    for _ in 0..ROUNDS_MAX {
        let templates = templates_of(sample, corrections);
        let before = sample.len();
        sample.retain(|(page, _)| !page.tree.is_given_up());
        if sample.len() == before {
            return templates;
        }
    }
    Templates::default()
}

fn templates_of(sample: &[(Page, Vec<Anchor>)], corrections: &Corrections) -> Templates {
    sample.iter().for_each(|(page, _)| page.tree.begin_reading());
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
