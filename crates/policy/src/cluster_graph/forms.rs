//! Pages that are nothing but a form to fill in.
//!
//! A form tells itself by its fields: text areas and passwords, more of them than pages of the site usually have (a log-in box may
//! stand on each). But a topic with a box for a quick answer has these too. So a page counts as bare only if it has hardly any text, or
//! if a page that links to it shows most of its text: a form for an answer quotes what is answered.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

use super::memory::{Came, Fetch, Memory, UrlNumber};
use super::texts::Texts;
use harvestman_core::model::FormFacts;
use harvestman_structure::site::Cluster;

/// A page with fewer words of its own says nothing.
const WORDS_MIN: f64 = 12.0;
/// The share of a form's text that is a quotation.
const QUOTED: f64 = 0.6;
/// Pages that link to a form and are looked at.
const PARENTS_MAX: usize = 8;

/// Tells forms from other pages.
pub struct Forms<'a> {
    memory: &'a Memory,
    texts: &'a Texts,
    usual: (u16, u16),
    /// Pages that link to those with more fields than usual.
    parents: HashMap<UrlNumber, Vec<UrlNumber>, FixedState>,
}

const fn fields(forms: FormFacts) -> (u16, u16) {
    (forms.text_areas, forms.password_fields)
}

impl<'a> Forms<'a> {
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
        let Came::Page { forms, .. } = fetch.came else { return false };
        let (areas, passwords) = fields(forms);
        areas > self.usual.0 || passwords > self.usual.1
    }

    /// Whether a page is nothing but a form.
    pub fn is_bare(&self, fetch: &Fetch) -> bool {
        let Came::Page { text, .. } = fetch.came else { return false };
        if !self.has_more(fetch) {
            return false;
        }
        let quotes = |parent: &UrlNumber| match self.memory.fetch_of(*parent).map(|fetch| fetch.came) {
            Some(Came::Page { text: other, .. }) => self.texts.share_within(text, other) >= QUOTED,
            _ => false,
        };
        self.texts.words(text) < WORDS_MIN || self.parents.get(&fetch.url).is_some_and(|all| all.iter().any(quotes))
    }
}

/// How many text areas and passwords the pages of the middle cluster have, of clusters in the order of their fields.
fn usual(memory: &Memory, clusters: &HashMap<UrlNumber, Option<Cluster>, FixedState>) -> (u16, u16) {
    let mut first: BTreeMap<Cluster, (u16, u16)> = BTreeMap::new();
    for fetch in memory.fetches() {
        if let (Came::Page { forms, .. }, Some(Some(cluster))) = (fetch.came, clusters.get(&fetch.url)) {
            first.entry(*cluster).or_insert_with(|| fields(forms));
        }
    }
    let middle = |mut counts: Vec<u16>| {
        counts.sort_unstable();
        counts.get(counts.len() / 2).copied().unwrap_or(0)
    };
    (middle(first.values().map(|fields| fields.0).collect()), middle(first.values().map(|fields| fields.1).collect()))
}
