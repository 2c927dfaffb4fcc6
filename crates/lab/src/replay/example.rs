//! The information of a recording that policies get before they start: the example page, and spelt-out paths.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use crate::corpus::{Corpus, PageId};
use harvestman_core::config::ParseOptions;
use harvestman_core::model::{Apath, LeafPath};
use harvestman_core::url::CanonicalUrl;
use harvestman_papers::baselines;
use harvestman_structure::parse::{Parser, Spelling};

/// An example page.
#[derive(Debug, Clone)]
pub struct ExamplePage {
    /// Its URL.
    pub url: CanonicalUrl,
    /// Its bag of plain leaf paths.
    pub bag: Vec<LeafPath>,
}

impl ExamplePage {
    /// Returns this page of a recording.
    pub fn of(corpus: &Corpus, id: PageId) -> Self {
        let stored = corpus.page(id);
        let page = Parser::new(&ParseOptions::default()).parse(&stored.body, stored.content_type());
        Self { url: corpus.url(id).clone(), bag: page.leaf_paths }
    }
}

/// Spells out the Apaths of a recording, for [`super::PolicyInputs::spelling`]. Reads all pages once.
pub fn spelling(corpus: &Corpus) -> baselines::Spelling {
    let mut parser = Parser::with_spelling(&ParseOptions::default(), Spelling::On);
    let mut texts: HashMap<Apath, Box<str>, FixedState> = HashMap::default();
    for stored in corpus.ids().map(|id| corpus.page(id)).filter(|stored| stored.is_page()) {
        for group in parser.parse(&stored.body, stored.content_type()).groups {
            if let Some(text) = group.apath_text {
                texts.entry(group.apath).or_insert(text);
            }
        }
    }
    Arc::new(move |apath| texts.get(&apath).cloned())
}
