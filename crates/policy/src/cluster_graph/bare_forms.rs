//! Pages that consist of a form only.
//!
//! A form is recognised by its fields: more text areas and passwords than pages of the site usually have (each may have
//! a log-in box). A topic with a box for a quick answer has these too. A page therefore counts as a bare form only if
//! it has hardly any text, or if a page that links to it shows most of its text: a form for an answer quotes what is
//! answered.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

use super::memory::{Fetch, FetchResult, Memory, UrlNumber};
use super::texts::Texts;
use harvestman_core::model::FormFacts;
use harvestman_structure::site::Cluster;

/// The number of words of its own below which a page has no content.
const WORDS_MIN: f64 = 12.0;
/// The share of a form's text that must be a quotation.
const QUOTED: f64 = 0.6;
/// Maximum number of pages with a link to a form that are compared with it.
const PARENTS_MAX: usize = 8;

/// Tells bare forms from other pages.
pub struct BareForms<'a> {
    memory: &'a Memory,
    texts: &'a Texts,
    usual: (u16, u16),
    /// The pages with a link to each page that has more fields than usual.
    parents: HashMap<UrlNumber, Vec<UrlNumber>, FixedState>,
}

const fn fields(forms: FormFacts) -> (u16, u16) {
    (forms.text_areas, forms.password_fields)
}

impl<'a> BareForms<'a> {
    pub fn new(
        memory: &'a Memory,
        texts: &'a Texts,
        clusters: &HashMap<UrlNumber, Option<Cluster>, FixedState>,
    ) -> Self {
        let mut forms = Self { memory, texts, usual: usual(memory, clusters), parents: HashMap::default() };
        for fetch in memory.fetches() {
            for link in &fetch.links {
                let Some(to) = memory.fetch_of(link.url).filter(|to| forms.has_more(to)) else { continue };
                let parents = forms.parents.entry(to.url).or_default();
                if parents.len() < PARENTS_MAX && parents.last() != Some(&fetch.url) {
                    parents.push(fetch.url);
                }
            }
        }
        forms
    }

    /// Whether a page has more fields than usual.
    fn has_more(&self, fetch: &Fetch) -> bool {
        let FetchResult::Page { forms, .. } = fetch.result else { return false };
        let (areas, passwords) = fields(forms);
        areas > self.usual.0 || passwords > self.usual.1
    }

    /// Whether a page consists of a form only.
    pub fn is_bare(&self, fetch: &Fetch) -> bool {
        let FetchResult::Page { text, .. } = fetch.result else { return false };
        if !self.has_more(fetch) {
            return false;
        }
        let quotes = |parent: &UrlNumber| match self.memory.fetch_of(*parent).map(|fetch| fetch.result) {
            Some(FetchResult::Page { text: other, .. }) => self.texts.share_within(text, other) >= QUOTED,
            _ => false,
        };
        self.texts.words(text) < WORDS_MIN || self.parents.get(&fetch.url).is_some_and(|all| all.iter().any(quotes))
    }
}

/// The number of text areas and of passwords on the pages of the median cluster, of clusters sorted by their fields.
fn usual(memory: &Memory, clusters: &HashMap<UrlNumber, Option<Cluster>, FixedState>) -> (u16, u16) {
    let mut first: BTreeMap<Cluster, (u16, u16)> = BTreeMap::new();
    for fetch in memory.fetches() {
        if let (FetchResult::Page { forms, .. }, Some(Some(cluster))) = (fetch.result, clusters.get(&fetch.url)) {
            first.entry(*cluster).or_insert_with(|| fields(forms));
        }
    }
    let middle = |mut counts: Vec<u16>| {
        counts.sort_unstable();
        counts.get(counts.len() / 2).copied().unwrap_or(0)
    };
    (middle(first.values().map(|fields| fields.0).collect()), middle(first.values().map(|fields| fields.1).collect()))
}
