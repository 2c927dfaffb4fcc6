//! The truth about the pages of a corpus, hidden from policies.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Corpus, Label, PageId};

/// The number of pages of a type: HTML with status 200.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TypeCounts {
    /// All pages.
    pub pages: u64,
    /// Pages that are not duplicate views.
    pub unique: u64,
}

/// The labels of a corpus. Only HTML pages with status 200 are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truth {
    /// For each page, its label and whether it is HTML with status 200.
    pages: Vec<(Option<Label>, bool)>,
    ucc: TypeCounts,
    types: BTreeMap<Arc<str>, TypeCounts>,
    knows_ucc: bool,
}

impl Truth {
    /// Creates the truth. `labels` are in the order of the pages of `corpus`; further ones are ignored. `knows_ucc`
    /// states whether they mark user-created content.
    pub fn new(corpus: &Corpus, labels: Vec<Option<Label>>, knows_ucc: bool) -> Self {
        let labels = labels.into_iter().chain(std::iter::repeat(None));
        let pages: Vec<_> = corpus.ids().map(|id| corpus.page(id).is_page()).zip(labels).map(|(a, b)| (b, a)).collect();
        let mut truth = Self { pages, ucc: TypeCounts::default(), types: BTreeMap::new(), knows_ucc };
        truth.count();
        truth
    }

    fn count(&mut self) {
        let (mut ucc, mut types) = (TypeCounts::default(), BTreeMap::<_, TypeCounts>::new());
        for (label, _) in self.pages.iter().filter(|(_, is_page)| *is_page) {
            let Some(label) = label else { continue };
            let unique = u64::from(!label.is_duplicate_view);
            let add = |counts: &mut TypeCounts| {
                counts.pages += 1;
                counts.unique += unique;
            };
            add(types.entry(Arc::clone(&label.page_type)).or_default());
            if label.is_ucc {
                add(&mut ucc);
            }
        }
        (self.ucc, self.types) = (ucc, types);
    }

    /// Returns the label of a URL, whatever its response.
    pub fn label(&self, id: PageId) -> Option<&Label> {
        self.pages.get(id.index())?.0.as_ref()
    }

    /// Returns the label of an HTML page with status 200.
    pub fn page(&self, id: PageId) -> Option<&Label> {
        let (label, is_page) = self.pages.get(id.index())?;
        label.as_ref().filter(|_| *is_page)
    }

    /// Returns whether the labels mark user-created content.
    pub const fn knows_ucc(&self) -> bool {
        self.knows_ucc
    }

    /// Returns the number of user-created pages.
    pub const fn ucc(&self) -> TypeCounts {
        self.ucc
    }

    /// Returns the number of pages of each type, by name.
    pub const fn types(&self) -> &BTreeMap<Arc<str>, TypeCounts> {
        &self.types
    }
}
